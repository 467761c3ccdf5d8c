(** * T5 for barriers anywhere

    Any two contents that agree on the read-only inputs and on which a well-typed program is not stuck give the same
    accesses, phase by phase, and the threads diverge on both or on neither.  So
    one run decides race-freedom and divergence for all data. *)

From BabyCUDA Require Export AccessInvariance BarrierEquivalence.
Local Open Scope N_scope.

Section Relative.
Context {ins : inputs}.

Lemma phase_is_same T P1 P2 L : phase_is T P1 L -> phase_is T P2 L -> same_phase_accesses P1 P2.
Proof. intros [S1 _] [S2 _] i o j. rewrite (S1 (i, o, j)), (S2 (i, o, j)). reflexivity. Qed.

Lemma phases_are_same T Ps1 Ls Ps2 :
  Forall2 (phase_is T) Ps1 Ls -> Forall2 (phase_is T) Ps2 Ls ->
  Forall2 same_phase_accesses Ps1 Ps2.
Proof.
  intro F. revert Ps2. induction F; inversion 1; subst; constructor; eauto using phase_is_same.
Qed.

(** T5: [H1] and [H2] are arbitrary, what the host stored for instance. *)
Theorem block_access_invariant T H1 H2 k q out1 out2 :
  typed [tid] k q -> NoDup T -> sees_inputs H1 -> sees_inputs H2 ->
  block_run ([] :: H1) (start T k) out1 ->
  block_run ([] :: H2) (start T k) out2 ->
  diverges out1 = diverges out2 /\
  exists Ps1 Ps2, reached out1 = Ps1 ++ H1 /\ reached out2 = Ps2 ++ H2 /\
    Forall2 same_phase_accesses Ps1 Ps2.
Proof.
  intros HT ND I1 I2 D1 D2.
  destruct (block_access_equivalence T [] H1 k q [] out1 HT ND (holds_empty H1 I1) D1 (phase_is_nil T)) as (q1 & R1 & S1).
  destruct (block_access_equivalence T [] H2 k q [] out2 HT ND (holds_empty H2 I2) D2 (phase_is_nil T)) as (q2 & R2 & S2).
  pose proof (q_block_deterministic _ _ _ _ R1 R2) as E.
  destruct out1 as [H1' | H1' i1 s1 j1 t1], q1 as [Ls1 | Ls1 x1 y1 x2 y2]; try contradiction;
    destruct out2 as [H2' | H2' i2 s2 j2 t2], q2 as [Ls2 | Ls2 x3 y3 x4 y4]; try contradiction;
    cbn in *; try discriminate; injection E as <-; (split; [reflexivity |]).
  - destruct S1 as (Ps1 & -> & F1), S2 as (Ps2 & -> & F2). eauto 6 using phases_are_same.
  - destruct S1 as ((Ps1 & -> & F1) & _), S2 as ((Ps2 & -> & F2) & _). eauto 6 using phases_are_same.
Qed.

(** One run decides: the new phases of both are racy alike. *)
Corollary one_run_decides_blocks T H1 H2 k q out1 out2 :
  typed [tid] k q -> NoDup T -> sees_inputs H1 -> sees_inputs H2 -> drf H1 -> drf H2 ->
  block_run ([] :: H1) (start T k) out1 ->
  block_run ([] :: H2) (start T k) out2 ->
  (drf (reached out1) <-> drf (reached out2)) /\ diverges out1 = diverges out2.
Proof.
  intros HT ND I1 I2 HD1 HD2 D1 D2.
  destruct (block_access_invariant T H1 H2 k q out1 out2 HT ND I1 I2 D1 D2)
    as (E & Ps1 & Ps2 & -> & -> & F).
  split; [| exact E]. rewrite !drf_app. enough (drf Ps1 <-> drf Ps2) by tauto. clear - F.
  induction F as [| P1 P2 Ps1 Ps2 S _ IH]; [reflexivity |]. rewrite !drf_cons, IH.
  unfold drf_phase. rewrite !racy_iff_racy_set, (racy_set_ext (phase_set P1) (phase_set P2));
    [reflexivity |]. intros [[i o] j]. apply (S i).
Qed.

End Relative.
