(** * Decidability: evaluators for a phase and for synchronized programs *)

From BabyCUDA Require Export EvaluatorOutcomes Synchronized.
Local Open Scope N_scope.

(** ** All threads of a phase *)

Fixpoint run_all (T : list N) (H : history) (P : phase) (b : prog) : outcome phase :=
  match T with
  | [] => Result []
  | i :: T =>
      bind (evaluate H i (at_thread P i) (subst tid i b)) (fun A =>
      bind (run_all T H P b) (fun Q => Result ((i, A) :: Q)))
  end.

(** A block extends the newest phase: an empty history has none, and no result. *)
Definition evaluate_parallel (T : list N) (H : history) (b : prog) : outcome history :=
  match H with
  | [] => OutOfDepth
  | P :: H => bind (run_all T H P b) (fun Q => Result (Q :: H))
  end.

Lemma run_all_sound T H P b Q :
  run_all T H P b = Result Q -> Forall2 (run_thread H P b) T Q.
Proof.
  revert Q. induction T as [| i T IH]; cbn; intros Q E.
  - injection E as <-. constructor.
  - apply bind_result in E as (A & E1 & E). apply bind_result in E as (Q' & E2 & E).
    injection E as <-. constructor; [split; [reflexivity | now apply evaluate_sound] | auto].
Qed.

Lemma run_all_complete T H P b Q :
  Forall2 (run_thread H P b) T Q -> result_or_ambiguous (run_all T H P b) Q.
Proof.
  induction 1 as [| i [i' A] T Q [E D] _ IH]; cbn in *.
  - now left.
  - subst i'. eapply bind_complete; [exact (evaluate_complete_or_ambiguous _ _ _ _ _ D) |].
    eapply bind_complete; [exact IH |]. now left.
Qed.

Theorem evaluate_parallel_sound T H b H' :
  evaluate_parallel T H b = Result H' -> parallel T H b H'.
Proof.
  destruct H as [| P H]; cbn; intro E; [discriminate |].
  apply bind_result in E as (Q & E & [= <-]). constructor. now apply run_all_sound.
Qed.

Theorem evaluate_parallel_complete T H b H' :
  parallel T H b H' -> result_or_ambiguous (evaluate_parallel T H b) H'.
Proof.
  intros [P H0 b0 Q F]. cbn. eapply bind_complete; [apply run_all_complete, F |]. now left.
Qed.

Lemma run_all_ambiguous T H P b j ks :
  run_all T H P b = Ambiguous j ks -> ~ single_writers H.
Proof.
  induction T as [| i T IH]; cbn; intro E; [discriminate |].
  apply bind_ambiguous in E as [E%at_end_ambiguous | (A & _ & E)];
    [eauto using ambiguous_not_single |].
  apply bind_ambiguous in E as [E | (Q & _ & E)]; [auto | discriminate].
Qed.

(** Sound and complete when the older phases have single writers. *)
Theorem evaluate_parallel_correct T P H b H' :
  single_writers H ->
  evaluate_parallel T (P :: H) b = Result H' <-> parallel T (P :: H) b H'.
Proof.
  intro HS. split; [apply evaluate_parallel_sound |]. intro D.
  destruct (evaluate_parallel_complete _ _ _ _ D) as [E | (j & ks & E)]; [exact E |].
  cbn in E. apply bind_ambiguous in E as [E | (Q & _ & E)]; [| discriminate].
  destruct (run_all_ambiguous _ _ _ _ _ _ E HS).
Qed.

(** ** Synchronized programs *)

Fixpoint run_s (d : nat) (T : list N) (H : history) (s : sprog) : outcome history :=
  match d with
  | O => OutOfDepth
  | S d =>
      match s with
      | Block b => evaluate_parallel T H b
      | SSync _ => match H with [] => OutOfDepth | P :: H => Result ([] :: P :: H) end
      | SSeq s1 s2 => bind (run_s d T H s1) (fun H => run_s d T H s2)
      | SFor x n m s =>
          bind (bound (eval_n n)) (fun k =>
          bind (bound (eval_n m)) (fun l =>
          iterate (fun k H => run_s d T H (subst_s x k s)) (N.to_nat (l - k)) k H))
      end
  end.

Definition evaluate_s (T : list N) (H : history) (s : sprog) : outcome history :=
  run_s (depth_s s) T H s.

Lemma iterate_s_sound T x s l (body : N -> history -> outcome history) :
  (forall k H H', body k H = Result H' -> sync_run T H (subst_s x k s) H') ->
  forall count k H H',
    count = N.to_nat (l - k) ->
    iterate body count k H = Result H' ->
    sync_run T H (SFor x (Num k) (Num l) s) H'.
Proof.
  intro Hbody. induction count as [| count IH]; cbn; intros k H H' Hc E.
  - injection E as <-. eapply run_for_1; try reflexivity. lia.
  - apply bind_result in E as (H2 & E1 & E2).
    eapply run_for_2; try reflexivity; [lia | eapply Hbody; exact E1 |]. apply IH; [lia | exact E2].
Qed.

Theorem run_s_sound d T H s H' : run_s d T H s = Result H' -> sync_run T H s H'.
Proof.
  revert H s H'. induction d as [| d IH]; intros H s H' E; [discriminate |].
  destruct s as [b | l | s1 s2 | x n m s]; cbn in E.
  - apply run_block. now apply evaluate_parallel_sound.
  - destruct H as [| P H]; [discriminate |]. injection E as <-. apply run_sync.
  - apply bind_result in E as (H2 & E1 & E2). eauto using run_seq.
  - apply bind_result in E as (k & Hk%bound_result & E).
    apply bind_result in E as (l & Hl%bound_result & E).
    assert (D : sync_run T H (SFor x (Num k) (Num l) s) H').
    { eapply iterate_s_sound; [| reflexivity | exact E]. cbn. auto. }
    inversion D; subst; numbers; eauto using run_for_1, run_for_2.
Qed.

Lemma run_s_complete_gen T H s H' :
  sync_run T H s H' -> forall d, (depth_s s <= d)%nat -> result_or_ambiguous (run_s d T H s) H'.
Proof.
  induction 1 as [H b H' D | P H l | H1 s1 s2 H2 H3 D1 IH1 D2 IH2 | H x n m s k l Hn Hm Hle
                 | H1 x n m s k l H2 H3 Hn Hm Hlt D1 IH1 D2 IH2];
    intros [| d] Hd; cbn in Hd; try lia; cbn.
  - now apply evaluate_parallel_complete.
  - now left.
  - eapply bind_complete; [apply IH1 | apply IH2]; lia.
  - rewrite Hn, Hm. cbn. replace (l - k) with 0 by lia. now left.
  - rewrite Hn, Hm. cbn.
    replace (N.to_nat (l - k)) with (S (N.to_nat (l - (k + 1)))) by lia.
    cbn. eapply bind_complete; [apply IH1; rewrite depth_subst_s; lia |].
    exact (IH2 (S d) Hd).
Qed.

(** A derivable history is the result, unless a read on the way is ambiguous. *)
Theorem evaluate_s_complete T H s H' :
  sync_run T H s H' ->
  evaluate_s T H s = Result H' \/ exists j ks, evaluate_s T H s = Ambiguous j ks.
Proof. intro D. now apply run_s_complete_gen. Qed.

Theorem evaluate_s_sound T H s H' : evaluate_s T H s = Result H' -> sync_run T H s H'.
Proof. apply run_s_sound. Qed.
