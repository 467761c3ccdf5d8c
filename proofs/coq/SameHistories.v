(** * Histories that differ in form only

    Two phases are the same when every thread has the same accesses in both.
    All judgments respect this. *)

From BabyCUDA Require Export Barriers Races.
Local Open Scope N_scope.

Definition same_phase (P1 P2 : phase) : Prop := forall i, at_thread P1 i = at_thread P2 i.
Definition same_history : history -> history -> Prop := Forall2 same_phase.

Lemma same_phase_sym P1 P2 : same_phase P1 P2 -> same_phase P2 P1.
Proof. intros E i. symmetry. apply E. Qed.

Lemma same_history_refl H : same_history H H.
Proof. induction H; constructor; [intro; reflexivity | assumption]. Qed.

Lemma same_history_trans H1 H2 H3 :
  same_history H1 H2 -> same_history H2 H3 -> same_history H1 H3.
Proof.
  intro E. revert H3. induction E as [| P1 P2 H1 H2 EP EH IH]; intros H3 E3; inversion E3; subst;
    constructor; [intro i; rewrite EP; auto | now apply IH].
Qed.

Lemma lastwrite_same j H1 H2 v : same_history H1 H2 -> lastwrite j H1 v -> lastwrite j H2 v.
Proof.
  intros E L. revert H2 E.
  induction L as [P H i k Hk | P H k HN L IH]; intros H2 E; inversion E as [| ? P2 ? H2' EP EH]; subst.
  - apply lastwrite_curr with i. now rewrite <- (EP i).
  - apply lastwrite_prev; [| auto]. intro i. now rewrite <- (EP i).
Qed.

Lemma lastwrite_same_own j i A H1 H2 v :
  same_history H1 H2 -> lastwrite j (singleton i A :: H1) v -> lastwrite j (singleton i A :: H2) v.
Proof. intro E. apply lastwrite_same. constructor; [intro; reflexivity | exact E]. Qed.

Lemma lastwrite_same_head j P1 P2 H v :
  same_phase P1 P2 -> lastwrite j (P1 :: H) v -> lastwrite j (P2 :: H) v.
Proof. intro E. apply lastwrite_same. constructor; [exact E | apply same_history_refl]. Qed.

Lemma to_barrier_same H1 H2 i A k B s :
  same_history H1 H2 -> to_barrier H1 i A k B s -> to_barrier H2 i A k B s.
Proof.
  intro E. induction 1;
    eauto using b_write, b_skip, b_sync, b_read, b_seq_1, b_seq_2, b_if_t, b_if_f, b_for_1, b_for_2,
      lastwrite_same_own.
Qed.

Lemma all_to_barrier_same H1 H2 P1 P2 ks Q ss :
  same_history H1 H2 -> same_phase P1 P2 ->
  all_to_barrier H1 P1 ks Q ss -> all_to_barrier H2 P2 ks Q ss.
Proof.
  intros E EP. induction 1; constructor; [| assumption].
  rewrite <- (EP i). eapply to_barrier_same; eassumption.
Qed.

Definition same_outcome (o1 o2 : block_outcome) : Prop :=
  match o1, o2 with
  | Ends H1, Ends H2 => same_history H1 H2
  | Diverges H1 i1 s1 j1 t1, Diverges H2 i2 s2 j2 t2 =>
      same_history H1 H2 /\ (i1, s1, j1, t1) = (i2, s2, j2, t2)
  | _, _ => False
  end.

Lemma same_outcome_refl o : same_outcome o o.
Proof. destruct o; cbn; auto using same_history_refl. Qed.

Lemma same_outcome_trans o1 o2 o3 :
  same_outcome o1 o2 -> same_outcome o2 o3 -> same_outcome o1 o3.
Proof.
  destruct o1, o2, o3; cbn; try tauto.
  - apply same_history_trans.
  - intros [E1 [= <- <- <- <-]] [E2 [= <- <- <- <-]]. eauto using same_history_trans.
Qed.

Lemma block_run_same H1 ks o1 :
  block_run H1 ks o1 -> forall H2, same_history H1 H2 ->
  exists o2, block_run H2 ks o2 /\ same_outcome o1 o2.
Proof.
  induction 1 as [P H ks Q ss D Hf | P H ks Q ss l ks' out D Hks Hl HB IH
                 | P H ks Q ss i1 s1 i2 s2 D I1 I2 Hne];
    intros H2 E; inversion E as [| ? P2 ? H2' EP EH]; subst;
    pose proof (all_to_barrier_same _ _ _ _ _ _ _ EH EP D) as D2.
  - exists (Ends (Q :: H2')). split; [now apply block_ends with ss |].
    constructor; [intro; reflexivity | exact EH].
  - destruct (IH ([] :: Q :: H2')) as (o2 & R & S).
    + repeat constructor; auto; intro; reflexivity.
    + exists o2. split; [eapply block_syncs; eassumption | exact S].
  - exists (Diverges (Q :: H2') i1 s1 i2 s2). split; [eapply block_diverges; eassumption |].
    split; [| reflexivity]. constructor; [intro; reflexivity | exact EH].
Qed.

(** Races do not depend on the form of a phase. *)
Lemma drf_same H1 H2 : same_history H1 H2 -> drf H1 <-> drf H2.
Proof.
  induction 1 as [| P1 P2 H1 H2 E _ IH]; [reflexivity |]. rewrite !drf_cons, IH.
  assert (EP : drf_phase P1 <-> drf_phase P2).
  { split; intros HD (i1 & i2 & j & HR); apply HD; exists i1, i2, j.
    - now rewrite !E.
    - now rewrite <- !E. }
  now rewrite EP.
Qed.
