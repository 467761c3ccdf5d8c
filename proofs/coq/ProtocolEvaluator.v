(** * Decidability: evaluators for protocols

    [None] is an unbound variable, a barrier where there can be none (or, never from
    the top, too little depth). *)

From BabyCUDA Require Export SyncProtocols.
Local Open Scope N_scope.

Section Relative.
Context {ins : inputs}.

Definition obind {X Y} (o : option X) (f : X -> option Y) : option Y :=
  match o with Some x => f x | None => None end.

(** The accesses of [count] iterations from [k] on. *)
Fixpoint concat_iterations {X} (body : N -> option (list X)) (count : nat) (k : N)
  : option (list X) :=
  match count with
  | O => Some []
  | S count =>
      obind (body k) (fun L1 =>
      obind (concat_iterations body count (k + 1)) (fun L2 => Some (L1 ++ L2)))
  end.

(** ** One thread *)

Fixpoint run_u (d : nat) (u : protocol) : option thread_accesses :=
  match d with
  | O => None
  | S d =>
      match u with
      | USkip => Some []
      | UAccess o a n => obind (eval_n n) (fun j => Some [(o, (a, j))])
      | USeq u1 u2 =>
          obind (run_u d u1) (fun L1 => obind (run_u d u2) (fun L2 => Some (L1 ++ L2)))
      | UIf c u1 u2 => obind (eval_c c) (fun t => run_u d (if t then u1 else u2))
      | UFor x n m u =>
          obind (eval_n n) (fun k => obind (eval_n m) (fun l =>
          concat_iterations (fun k => run_u d (subst_u x k u)) (N.to_nat (l - k)) k))
      | USync _ => None
      | UInput x a n u => obind (eval_n n) (fun j => run_u d (subst_u x (host (a, j)) u))
      end
  end.

Definition evaluate_u (u : protocol) : option thread_accesses := run_u (depth_u u) u.

Lemma obind_some {X Y} (o : option X) (f : X -> option Y) y :
  obind o f = Some y -> exists x, o = Some x /\ f x = Some y.
Proof. destruct o; cbn; [eauto | discriminate]. Qed.

Lemma concat_iterations_sound x u l (body : N -> option thread_accesses) :
  (forall k L, body k = Some L -> unsync (subst_u x k u) L) ->
  forall count k L,
    count = N.to_nat (l - k) ->
    concat_iterations body count k = Some L ->
    unsync (UFor x (Num k) (Num l) u) L.
Proof.
  intro Hbody. induction count as [| count IH]; cbn; intros k L Hc E.
  - injection E as <-. eapply u_for_1; try reflexivity. lia.
  - apply obind_some in E as (L1 & E1 & E). apply obind_some in E as (L2 & E2 & E).
    injection E as <-. eapply u_for_2; try reflexivity; [lia | auto |]. apply IH; [lia | exact E2].
Qed.

Lemma run_u_sound d u L : run_u d u = Some L -> unsync u L.
Proof.
  revert u L. induction d as [| d IH]; intros u L E; [discriminate |].
  destruct u as [| o a n | u1 u2 | c u1 u2 | x n m u | l | x a n u]; cbn in E; try discriminate.
  - injection E as <-. apply u_skip.
  - apply obind_some in E as (j & Hj & [= <-]). now apply u_access.
  - apply obind_some in E as (L1 & E1 & E). apply obind_some in E as (L2 & E2 & [= <-]).
    apply u_seq; auto.
  - apply obind_some in E as ([|] & Ht & E); eauto using u_if_t, u_if_f.
  - apply obind_some in E as (k & Hk & E). apply obind_some in E as (l & Hl & E).
    assert (D : unsync (UFor x (Num k) (Num l) u) L).
    { eapply concat_iterations_sound; [| reflexivity | exact E]. cbn. auto. }
    inversion D; subst; numbers; eauto using u_for_1, u_for_2.
  - apply obind_some in E as (j & Hj & E). eauto using u_input.
Qed.

Lemma run_u_complete u L : unsync u L -> forall d, (depth_u u <= d)%nat -> run_u d u = Some L.
Proof.
  induction 1 as [| o a n j Hn | u1 u2 L1 L2 D1 IH1 D2 IH2 | c u1 u2 L Hc D IH | c u1 u2 L Hc D IH
                 | x n m u k l Hn Hm Hle | x n m u k l L1 L2 Hn Hm Hlt D1 IH1 D2 IH2
                 | x a n u j L Hn D IH];
    intros [| d] Hd; cbn in Hd; try lia; cbn.
  - reflexivity.
  - now rewrite Hn.
  - rewrite IH1, IH2 by lia. reflexivity.
  - rewrite Hc. apply IH. lia.
  - rewrite Hc. apply IH. lia.
  - rewrite Hn, Hm. cbn. replace (l - k) with 0 by lia. reflexivity.
  - rewrite Hn, Hm. cbn.
    replace (N.to_nat (l - k)) with (S (N.to_nat (l - (k + 1)))) by lia.
    cbn. rewrite IH1 by (rewrite depth_subst_u; lia). cbn.
    specialize (IH2 (S d) Hd). cbn in IH2. now rewrite IH2.
  - rewrite Hn. apply IH. rewrite depth_subst_u. lia.
Qed.

(** Sound and complete for [u ↓ Λ_i]. *)
Theorem evaluate_u_correct u L : evaluate_u u = Some L <-> unsync u L.
Proof. split; [apply run_u_sound | intro D; now apply run_u_complete]. Qed.

(** ** All threads *)

Fixpoint evaluate_u_all (T : list N) (u : protocol) : option access_values :=
  match T with
  | [] => Some []
  | i :: T =>
      obind (evaluate_u (subst_u tid i u)) (fun L =>
      obind (evaluate_u_all T u) (fun Ls => Some (with_thread i L ++ Ls)))
  end.

(** Sound and complete for [u ↓ Λ]. *)
Theorem evaluate_u_all_correct T u L : evaluate_u_all T u = Some L <-> unsync_all u T L.
Proof.
  split.
  - revert L. induction T as [| i T IH]; cbn; intros L E.
    + injection E as <-. constructor.
    + apply obind_some in E as (L1 & E1%evaluate_u_correct & E).
      apply obind_some in E as (L2 & E2 & [= <-]). constructor; auto.
  - induction 1 as [| i T L Ls D%evaluate_u_correct _ IH]; cbn; [reflexivity |].
    now rewrite D, IH.
Qed.

(** ** Synchronized protocols *)

Fixpoint depth_p (p : sprotocol) : nat :=
  match p with
  | PUnsync _ | PSync _ => 1
  | PSeq p1 p2 => S (Nat.max (depth_p p1) (depth_p p2))
  | PFor _ _ _ p => S (depth_p p)
  end.

Lemma depth_subst_p x k p : depth_p (subst_p x k p) = depth_p p.
Proof. induction p; cbn; try destruct (var_eq_dec _ _); congruence. Qed.

Fixpoint iterate_phases {X} (body : N -> X -> option X) (count : nat) (k : N) (x : X) : option X :=
  match count with
  | O => Some x
  | S count => obind (body k x) (iterate_phases body count (k + 1))
  end.

Fixpoint run_p (d : nat) (T : list N) (Ls : list access_values) (p : sprotocol)
  : option (list access_values) :=
  match d with
  | O => None
  | S d =>
      match p with
      | PUnsync u =>
          match Ls with
          | [] => None
          | L :: Ls => obind (evaluate_u_all T u) (fun L' => Some ((L ++ L') :: Ls))
          end
      | PSync _ => match Ls with [] => None | L :: Ls => Some ([] :: L :: Ls) end
      | PSeq p1 p2 => obind (run_p d T Ls p1) (fun Ls => run_p d T Ls p2)
      | PFor x n m p =>
          obind (eval_n n) (fun k => obind (eval_n m) (fun l =>
          iterate_phases (fun k Ls => run_p d T Ls (subst_p x k p)) (N.to_nat (l - k)) k Ls))
      end
  end.

Definition evaluate_p (T : list N) (Ls : list access_values) (p : sprotocol)
  : option (list access_values) := run_p (depth_p p) T Ls p.

Lemma iterate_phases_sound T x p l body :
  (forall k Ls Ls', body k Ls = Some Ls' -> sync_phases T Ls (subst_p x k p) Ls') ->
  forall count k Ls Ls',
    count = N.to_nat (l - k) ->
    iterate_phases body count k Ls = Some Ls' ->
    sync_phases T Ls (PFor x (Num k) (Num l) p) Ls'.
Proof.
  intro Hbody. induction count as [| count IH]; cbn; intros k Ls Ls' Hc E.
  - injection E as <-. eapply p_for_1; try reflexivity. lia.
  - apply obind_some in E as (L2 & E1 & E2).
    eapply p_for_2; try reflexivity; [lia | eapply Hbody; exact E1 |]. apply IH; [lia | exact E2].
Qed.

Lemma run_p_sound d T Ls p Ls' : run_p d T Ls p = Some Ls' -> sync_phases T Ls p Ls'.
Proof.
  revert Ls p Ls'. induction d as [| d IH]; intros Ls p Ls' E; [discriminate |].
  destruct p as [u | l | p1 p2 | x n m p]; cbn in E.
  - destruct Ls as [| L Ls]; [discriminate |].
    apply obind_some in E as (L' & E%evaluate_u_all_correct & [= <-]). now constructor.
  - destruct Ls as [| L Ls]; [discriminate |]. injection E as <-. constructor.
  - apply obind_some in E as (L2 & E1 & E2). eauto using p_seq.
  - apply obind_some in E as (k & Hk & E). apply obind_some in E as (l & Hl & E).
    assert (D : sync_phases T Ls (PFor x (Num k) (Num l) p) Ls').
    { eapply iterate_phases_sound; [| reflexivity | exact E]. cbn. auto. }
    inversion D; subst; numbers; eauto using p_for_1, p_for_2.
Qed.

Lemma run_p_complete T Ls p Ls' :
  sync_phases T Ls p Ls' -> forall d, (depth_p p <= d)%nat -> run_p d T Ls p = Some Ls'.
Proof.
  induction 1 as [L Ls u L' HU | L Ls l | L1 p1 p2 L2 L3 D1 IH1 D2 IH2 | Ls x n m p k l Hn Hm Hle
                 | L1 x n m p k l L2 L3 Hn Hm Hlt D1 IH1 D2 IH2];
    intros [| d] Hd; cbn in Hd; try lia; cbn.
  - apply evaluate_u_all_correct in HU. now rewrite HU.
  - reflexivity.
  - rewrite IH1 by lia. cbn. apply IH2. lia.
  - rewrite Hn, Hm. cbn. replace (l - k) with 0 by lia. reflexivity.
  - rewrite Hn, Hm. cbn.
    replace (N.to_nat (l - k)) with (S (N.to_nat (l - (k + 1)))) by lia.
    cbn. rewrite IH1 by (rewrite depth_subst_p; lia). exact (IH2 (S d) Hd).
Qed.

(** Sound and complete for the phases of a synchronized protocol. *)
Theorem evaluate_p_correct T Ls p Ls' : evaluate_p T Ls p = Some Ls' <-> sync_phases T Ls p Ls'.
Proof. split; [apply run_p_sound | intro D; now apply run_p_complete]. Qed.

End Relative.
