(** * Decidability: an evaluator for run-to-barrier

    [evaluate_k] is sound and complete for [A, k ⇓_{H,i} (B, stop)], with the
    same reservation as [evaluate]: a derivable result is the result unless a
    read is ambiguous.  [evaluate_block] runs a block for at most [fuel] barrier
    intervals; it is sound, and complete for some [fuel]. *)

From BabyCUDA Require Export Evaluator Barriers.
Local Open Scope N_scope.

Fixpoint depth_k (k : kprog) : nat :=
  match k with
  | KBlock _ | KSync _ => 1
  | KRead _ _ k | KFor _ _ _ k => S (depth_k k)
  | KSeq k1 k2 | KIf _ k1 k2 => S (Nat.max (depth_k k1) (depth_k k2))
  end.

Lemma depth_subst_k x v k : depth_k (subst_k x v k) = depth_k k.
Proof. induction k; cbn; try destruct (var_eq_dec _ _); congruence. Qed.

(** ** One thread *)

Definition stopping := outcome (access_pair * stop).

(** [r], then [next] if [r] finished, else what is left of [r] followed by [left]. *)
Definition and_then (r : stopping) (left : kprog) (next : access_pair -> stopping) : stopping :=
  bind r (fun e =>
    match snd e with
    | Finished => next (fst e)
    | AtBarrier l k => Result (fst e, AtBarrier l (KSeq k left))
    end).

(** [count] iterations from [v] on; [left v] is the loop from [v] on. *)
Fixpoint iterate_k (body : N -> access_pair -> stopping) (left : N -> kprog)
    (count : nat) (v : N) (A : access_pair) : stopping :=
  match count with
  | O => Result (A, Finished)
  | S count =>
      and_then (body v A) (left (v + 1)) (iterate_k body left count (v + 1))
  end.

Fixpoint run_k (d : nat) (H : history) (i : N) (A : access_pair) (k : kprog) : stopping :=
  match d with
  | O => OutOfDepth
  | S d =>
      match k with
      | KBlock b => bind (evaluate H i A b) (fun B => Result (B, Finished))
      | KSync l => Result (A, AtBarrier l KSkip)
      | KRead x n k =>
          bind (bound (eval_n n)) (fun j =>
          bind (read_value j (singleton i A :: H)) (fun v =>
          run_k d H i (add_read j (fst A), snd A) (subst_k x v k)))
      | KSeq k1 k2 => and_then (run_k d H i A k1) k2 (fun B => run_k d H i B k2)
      | KIf c k1 k2 => bind (bound (eval_c c)) (fun t => run_k d H i A (if t then k1 else k2))
      | KFor x n m k =>
          bind (bound (eval_n n)) (fun v =>
          bind (bound (eval_n m)) (fun w =>
          iterate_k (fun v A => run_k d H i A (subst_k x v k))
            (fun v => KFor x (Num v) (Num w) k) (N.to_nat (w - v)) v A))
      end
  end.

Definition evaluate_k (H : history) (i : N) (A : access_pair) (k : kprog) : stopping :=
  run_k (depth_k k) H i A k.

(** *** Soundness *)

Lemma and_then_sound H i A k1 k2 r next B s :
  (forall B s, r = Result (B, s) -> to_barrier H i A k1 B s) ->
  (forall A B s, next A = Result (B, s) -> to_barrier H i A k2 B s) ->
  and_then r k2 next = Result (B, s) ->
  to_barrier H i A (KSeq k1 k2) B s.
Proof.
  intros H1 H2 E. apply bind_result in E as ([C t] & -> & E). cbn in E.
  specialize (H1 C t eq_refl). destruct t as [| l k1'].
  - eauto using b_seq_1.
  - injection E as <- <-. now apply b_seq_2.
Qed.

Lemma iterate_k_sound H i x k w body :
  (forall v A B s, body v A = Result (B, s) -> to_barrier H i A (subst_k x v k) B s) ->
  forall count v A B s,
    count = N.to_nat (w - v) ->
    iterate_k body (fun v => KFor x (Num v) (Num w) k) count v A = Result (B, s) ->
    to_barrier H i A (KFor x (Num v) (Num w) k) B s.
Proof.
  intro Hbody. induction count as [| count IH]; cbn; intros v A B s Hc E.
  - injection E as <- <-. eapply b_for_1; try reflexivity. lia.
  - eapply b_for_2; try reflexivity; [lia |].
    eapply and_then_sound; [eauto | | exact E]. intros A' B' s' E'. apply IH; [lia | exact E'].
Qed.

Theorem run_k_sound d H i A k B s : run_k d H i A k = Result (B, s) -> to_barrier H i A k B s.
Proof.
  revert A k B s. induction d as [| d IH]; intros [R W] k B s E; [discriminate |].
  destruct k as [b | l | x n k | k1 k2 | c k1 k2 | x n m k]; cbn in E.
  - apply bind_result in E as (C & E & [= <- <-]). apply b_block. eapply run_sound. exact E.
  - injection E as <- <-. apply b_sync.
  - apply bind_result in E as (j & Hj%bound_result & E).
    apply bind_result in E as (v & [Hv _]%read_value_result & E). eauto using b_read.
  - eapply and_then_sound; [| | exact E]; cbn; auto.
  - apply bind_result in E as ([|] & Ht%bound_result & E); eauto using b_if_t, b_if_f.
  - apply bind_result in E as (v & Hv%bound_result & E).
    apply bind_result in E as (w & Hw%bound_result & E).
    assert (D : to_barrier H i (R, W) (KFor x (Num v) (Num w) k) B s).
    { eapply iterate_k_sound; [| reflexivity | exact E]. cbn. auto. }
    inversion D; subst; cbn in *;
      repeat match goal with E : Some _ = Some _ |- _ => injection E as <- end;
      eauto using b_for_1, b_for_2.
Qed.

(** *** Completeness *)

Lemma and_then_ext r1 r2 left n1 n2 :
  r1 = r2 -> (forall A, n1 A = n2 A) -> and_then r1 left n1 = and_then r2 left n2.
Proof.
  intros -> E. unfold and_then. destruct r2 as [[B [| l k]] | | | |]; cbn; auto.
Qed.

Lemma iterate_k_ext body1 body2 left :
  (forall v A, body1 v A = body2 v A) ->
  forall count v A, iterate_k body1 left count v A = iterate_k body2 left count v A.
Proof.
  intro E. induction count as [| count IH]; cbn; intros v A; [reflexivity |].
  apply and_then_ext; auto.
Qed.

(** More depth changes nothing. *)
Lemma run_k_depth H i k :
  forall d1 d2 A, (depth_k k <= d1)%nat -> (depth_k k <= d2)%nat ->
  run_k d1 H i A k = run_k d2 H i A k.
Proof.
  remember (depth_k k) as n eqn:En. assert (Hn : (depth_k k <= n)%nat) by lia. clear En.
  revert k Hn. induction n as [| n IH]; intros k Hn; [destruct k; cbn in Hn; lia |].
  intros [| d1] [| d2] A H1 H2; try lia.
  destruct k as [b | l | x e k | k1 k2 | c k1 k2 | x e m k]; cbn in *; auto.
  - destruct (eval_n e) as [j |]; cbn; [| reflexivity].
    destruct (read_value _ _); cbn; auto. apply IH; rewrite ?depth_subst_k; lia.
  - apply and_then_ext; [apply IH; lia | intro B; apply IH; lia].
  - destruct (eval_c c) as [[|] |]; cbn; auto; apply IH; lia.
  - destruct (eval_n e), (eval_n m); cbn; auto. apply iterate_k_ext.
    intros v B. apply IH; rewrite ?depth_subst_k; lia.
Qed.

Lemma and_then_complete (r : stopping) B left next C s :
  result_or_ambiguous r (B, Finished) -> result_or_ambiguous (next B) (C, s) ->
  result_or_ambiguous (and_then r left next) (C, s).
Proof. intros HR HN. eapply bind_complete; [exact HR | exact HN]. Qed.

Lemma and_then_barrier (r : stopping) B l k left next :
  result_or_ambiguous r (B, AtBarrier l k) ->
  result_or_ambiguous (and_then r left next) (B, AtBarrier l (KSeq k left)).
Proof. intro HR. eapply bind_complete; [exact HR |]. now left. Qed.

Lemma run_k_complete H i A k B s :
  to_barrier H i A k B s ->
  forall d, (depth_k k <= d)%nat -> result_or_ambiguous (run_k d H i A k) (B, s).
Proof.
  induction 1 as [A b B D | A l | R W x n k j v B s Hn L D IH
    | A k1 k2 B C s D1 IH1 D2 IH2 | A k1 k2 B l k1' D IH | A c k1 k2 B s Hc D IH
    | A c k1 k2 B s Hc D IH | A x n m k v w Hn Hm Hle | A x n m k v w B s Hn Hm Hlt D IH];
    intros [| d] Hd; cbn in Hd; try lia.
  - cbn. eapply bind_complete; [exact (evaluate_complete_or_ambiguous _ _ _ _ _ D) |]. now left.
  - now left.
  - cbn. rewrite Hn. cbn. eapply bind_complete.
    + destruct (read_value_complete _ _ _ L) as [-> | [ks ->]]; [left; reflexivity | right; eauto].
    + apply IH. rewrite depth_subst_k. lia.
  - cbn. eapply and_then_complete; [apply IH1; lia | apply IH2; lia].
  - cbn. apply and_then_barrier. apply IH. lia.
  - cbn. rewrite Hc. apply IH. lia.
  - cbn. rewrite Hc. apply IH. lia.
  - cbn. rewrite Hn, Hm. cbn. replace (w - v) with 0 by lia. now left.
  - assert (E : run_k (S d) H i A (KFor x n m k) =
                run_k (S (S d)) H i A (KSeq (subst_k x v k) (KFor x (Num (v + 1)) (Num w) k))).
    { transitivity (and_then (run_k d H i A (subst_k x v k)) (KFor x (Num (v + 1)) (Num w) k)
                      (fun B => run_k (S d) H i B (KFor x (Num (v + 1)) (Num w) k))).
      - cbn. rewrite Hn, Hm. cbn.
        replace (N.to_nat (w - v)) with (S (N.to_nat (w - (v + 1)))) by lia. reflexivity.
      - change (run_k (S (S d)) H i A (KSeq (subst_k x v k) (KFor x (Num (v + 1)) (Num w) k)))
          with (and_then (run_k (S d) H i A (subst_k x v k)) (KFor x (Num (v + 1)) (Num w) k)
                  (fun B => run_k (S d) H i B (KFor x (Num (v + 1)) (Num w) k))).
        apply and_then_ext; [apply run_k_depth; rewrite depth_subst_k; lia | reflexivity]. }
    rewrite E. apply IH. cbn. rewrite depth_subst_k. lia.
Qed.

(** A derivable stop is the result, unless a read is ambiguous. *)
Theorem evaluate_k_complete H i A k B s :
  to_barrier H i A k B s ->
  evaluate_k H i A k = Result (B, s) \/ exists j ks, evaluate_k H i A k = Ambiguous j ks.
Proof. intro D. now apply run_k_complete. Qed.

Theorem evaluate_k_sound H i A k B s :
  evaluate_k H i A k = Result (B, s) -> to_barrier H i A k B s.
Proof. apply run_k_sound. Qed.

(** ** A block *)

Fixpoint run_pool (H : history) (P : phase) (ks : remaining) : outcome (phase * stops) :=
  match ks with
  | [] => Result ([], [])
  | (i, k) :: ks =>
      bind (evaluate_k H i (at_thread P i) k) (fun e =>
      bind (run_pool H P ks) (fun r => Result ((i, fst e) :: fst r, (i, snd e) :: snd r)))
  end.

Lemma run_pool_sound H P ks Q ss :
  run_pool H P ks = Result (Q, ss) -> all_to_barrier H P ks Q ss.
Proof.
  revert Q ss. induction ks as [| [i k] ks IH]; cbn; intros Q ss E.
  - injection E as <- <-. constructor.
  - apply bind_result in E as ([B s] & E1%evaluate_k_sound & E).
    apply bind_result in E as ([Q' ss'] & E2 & [= <- <-]). cbn. constructor; auto.
Qed.

Lemma run_pool_complete H P ks Q ss :
  all_to_barrier H P ks Q ss -> result_or_ambiguous (run_pool H P ks) (Q, ss).
Proof.
  induction 1 as [| i k ks B s Q ss D Ds IH]; cbn; [now left |].
  eapply bind_complete; [exact (evaluate_k_complete _ _ _ _ _ _ D) |]. cbn.
  eapply bind_complete; [exact IH |]. now left.
Qed.

(** What the stops of all threads amount to. *)
Inductive verdict :=
| AllFinished
| AllAt (l : site) (ks : remaining)
| Differ (i1 : N) (s1 : stop) (i2 : N) (s2 : stop).

(** The first thread that did not stop where thread [i1] did. *)
Fixpoint compare_stops (i1 : N) (s1 : stop) (ss : stops) : verdict :=
  match ss with
  | [] => match s1 with Finished => AllFinished | AtBarrier l _ => AllAt l [] end
  | (i2, s2) :: ss =>
      match s1, s2 with
      | Finished, Finished => compare_stops i1 s1 ss
      | AtBarrier l1 _, AtBarrier l2 k2 =>
          if l1 =? l2 then
            match compare_stops i1 s1 ss with
            | AllAt l ks => AllAt l ((i2, k2) :: ks)
            | v => v
            end
          else Differ i1 s1 i2 s2
      | _, _ => Differ i1 s1 i2 s2
      end
  end.

Definition judge (ss : stops) : verdict :=
  match ss with [] => AllFinished | (i, s) :: _ => compare_stops i s ss end.

Lemma compare_stops_correct i1 s1 ss :
  match compare_stops i1 s1 ss with
  | AllFinished => s1 = Finished /\ all_finished ss
  | AllAt l ks => (exists k, s1 = AtBarrier l k) /\ all_at l ss ks
  | Differ i1' s1' i2 s2 => i1' = i1 /\ s1' = s1 /\ In (i2, s2) ss /\ ~ same_place s1 s2
  end.
Proof.
  induction ss as [| [i2 s2] ss IH]; cbn.
  - destruct s1 as [| l k]; cbn; [split; [reflexivity | intros i s []] | split; [eauto | reflexivity]].
  - destruct s1 as [| l1 k1], s2 as [| l2 k2]; cbn.
    + destruct (compare_stops i1 Finished ss).
      * destruct IH as [_ Hf]. split; [reflexivity |]. intros i s [[= <- <-] | HI]; [reflexivity |].
        exact (Hf i s HI).
      * destruct IH as [[k Hk] _]. discriminate.
      * destruct IH as (-> & -> & HI & Hne). auto.
    + repeat split; auto.
    + repeat split; auto.
    + destruct (N.eqb_spec l1 l2) as [<- | Hne].
      * destruct (compare_stops i1 (AtBarrier l1 k1) ss).
        -- destruct IH as [IH _]. discriminate.
        -- destruct IH as [[k [= <- <-]] Ha]. split; [eauto |]. unfold all_at in *. cbn. now f_equal.
        -- destruct IH as (-> & -> & HI & Hne). auto.
      * repeat split; auto.
Qed.

Lemma judge_correct ss :
  match judge ss with
  | AllFinished => all_finished ss
  | AllAt l ks => ss <> [] /\ all_at l ss ks
  | Differ i1 s1 i2 s2 => In (i1, s1) ss /\ In (i2, s2) ss /\ ~ same_place s1 s2
  end.
Proof.
  destruct ss as [| [i s] ss]; [intros i s [] |].
  pose proof (compare_stops_correct i s ((i, s) :: ss)) as C. unfold judge.
  destruct (compare_stops i s ((i, s) :: ss)).
  - apply C.
  - split; [discriminate | apply C].
  - destruct C as (-> & -> & HI & Hne). repeat split; auto. now left.
Qed.

(** At most [fuel] barrier intervals; [OutOfDepth] when they do not suffice. *)
Fixpoint evaluate_block (fuel : nat) (H : history) (ks : remaining) : outcome block_outcome :=
  match fuel, H with
  | S fuel, P :: H =>
      bind (run_pool H P ks) (fun r =>
        match judge (snd r) with
        | AllFinished => Result (Ends (fst r :: H))
        | AllAt _ ks => evaluate_block fuel ([] :: fst r :: H) ks
        | Differ i1 s1 i2 s2 => Result (Diverges (fst r :: H) i1 s1 i2 s2)
        end)
  | _, _ => OutOfDepth
  end.

Theorem evaluate_block_sound fuel H ks out :
  evaluate_block fuel H ks = Result out -> block_run H ks out.
Proof.
  revert H ks. induction fuel as [| fuel IH]; cbn; intros H ks E; [discriminate |].
  destruct H as [| P H]; [discriminate |].
  apply bind_result in E as ([Q ss] & E1%run_pool_sound & E). cbn in E.
  pose proof (judge_correct ss) as J. destruct (judge ss) as [| l ks' | i1 s1 i2 s2].
  - injection E as <-. eapply block_ends; eassumption.
  - destruct J as [Hne Ha]. eapply block_syncs; eauto. intros ->. inversion E1; subst. contradiction.
  - injection E as <-. destruct J as (H1 & H2 & Hne). eapply block_diverges; eassumption.
Qed.

(** Complete for blocks that end: with enough fuel, and unless a read is ambiguous. *)
Theorem evaluate_block_complete H ks H' :
  block_run H ks (Ends H') ->
  exists fuel, result_or_ambiguous (evaluate_block fuel H ks) (Ends H').
Proof.
  remember (Ends H') as out eqn:Eo. intro D.
  induction D as [P H ks Q ss D Hf | P H ks Q ss l ks' out D Hks Hl HB IH | ]; [| | discriminate].
  - injection Eo as <-. exists 1%nat. cbn.
    eapply bind_complete; [exact (run_pool_complete _ _ _ _ _ D) |]. cbn.
    pose proof (judge_correct ss) as J. destruct (judge ss) as [| l ks' | i1 s1 i2 s2].
    + now left.
    + destruct J as [Hne Ha]. unfold all_at in Ha. subst ss. destruct ks' as [| [i k] ks']; [contradiction |].
      specialize (Hf i (AtBarrier l k) (or_introl eq_refl)). discriminate.
    + destruct J as (I1 & I2 & Hne). destruct Hne. now rewrite (Hf _ _ I1), (Hf _ _ I2).
  - destruct (IH Eo) as [fuel HF]. exists (S fuel). cbn.
    eapply bind_complete; [exact (run_pool_complete _ _ _ _ _ D) |]. cbn.
    assert (Hss : ss <> []) by (intros ->; inversion D; subst; contradiction).
    unfold all_at in Hl. pose proof (judge_correct ss) as J.
    destruct (judge ss) as [| l2 ks2 | i1 s1 i2 s2].
    + destruct ss as [| [i s] ss]; [contradiction |]. destruct ks' as [| [i' k'] ks']; [discriminate |].
      injection Hl as -> -> _. specialize (J i' _ (or_introl eq_refl)). discriminate.
    + destruct J as [_ Ha]. unfold all_at in Ha.
      assert (ks2 = ks') as ->; [| exact HF].
      rewrite Ha in Hl. clear - Hl. revert ks' Hl.
      induction ks2 as [| [i k] ks2 IH2]; intros [| [i' k'] ks'] E; try discriminate; [reflexivity |].
      injection E as <- _ <- E. f_equal. auto.
    + destruct J as (I1 & I2 & Hne). destruct Hne. rewrite Hl in I1, I2.
      apply in_map_iff in I1 as (e1 & [= <- <-] & _). apply in_map_iff in I2 as (e2 & [= <- <-] & _).
      reflexivity.
Qed.
