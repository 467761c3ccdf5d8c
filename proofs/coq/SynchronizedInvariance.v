(** * T5 for the synchronized language

    Any two contents that agree on the read-only inputs and on which a well-typed synchronized program is not stuck give
    the same accesses, phase by phase.  So one run decides race-freedom for all
    data. *)

From BabyCUDA Require Export BarrierInvariance.
Local Open Scope N_scope.

Section Relative.
Context {ins : inputs}.

(** T5, phase by phase: [H1] and [H2] are arbitrary, what the host stored for instance. *)
Theorem synchronized_access_invariant T H1 H2 s p H1' H2' :
  typed_s [] s p -> sees_inputs H1 -> sees_inputs H2 ->
  sync_run T ([] :: H1) s H1' ->
  sync_run T ([] :: H2) s H2' ->
  exists Ps1 Ps2, H1' = Ps1 ++ H1 /\ H2' = Ps2 ++ H2 /\ Forall2 same_phase_accesses Ps1 Ps2.
Proof.
  intros HT I1 I2 D1 D2. destruct (typed_sync_phases_total T s p HT [] []) as (L & Ls & HP).
  destruct (synchronized_access_equivalence T [] H1 s H1' p [] _ HT (holds_empty _ I1) D1 HP (phase_is_nil T))
    as (Ps1 & -> & F1).
  destruct (synchronized_access_equivalence T [] H2 s H2' p [] _ HT (holds_empty _ I2) D2 HP (phase_is_nil T))
    as (Ps2 & -> & F2).
  eauto 6 using phases_are_same.
Qed.

(** One run decides race-freedom for all contents [W] that the host may store. *)
Corollary one_synchronized_run_decides T W1 W2 s p H1' H2' :
  typed_s [] s p -> sees_inputs [host_contents W1] -> sees_inputs [host_contents W2] ->
  sync_run T [[]; host_contents W1] s H1' ->
  sync_run T [[]; host_contents W2] s H2' ->
  drf H1' <-> drf H2'.
Proof.
  intros HT I1 I2 D1 D2. destruct (typed_sync_phases_total T s p HT [] []) as (L & Ls & HP).
  now rewrite (synchronized_program_drf T W1 s H1' p _ HT I1 D1 HP),
    (synchronized_program_drf T W2 s H2' p _ HT I2 D2 HP).
Qed.

End Relative.
