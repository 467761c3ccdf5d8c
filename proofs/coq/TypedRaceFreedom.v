(** * The whole chain: types, protocols, parametrised phases

    Let [⊢ s ▶ p] with [p] alignable, and let [s] run from contents [W0] that the
    host stored, ending in [H'].  Then [H'] is DRF iff every phase that
    [split_phases p] stands for is DRF.  (T4 and T7 together: what a checker that
    types, splits and then checks each parametrised phase relies on.) *)

From BabyCUDA Require Export SynchronizedEquivalence SplittingPreservesPhases.

Section Relative.
Context {ins : inputs}.

Theorem typed_race_freedom T W0 s p H' :
  typed_s [] s p ->
  alignable p = true ->
  sees_inputs [host_contents W0] ->
  sync_run T [[]; host_contents W0] s H' ->
  drf H' <-> forall h L, In h (split_phases p) -> instance T h L -> drf_values L.
Proof.
  intros HT HA HS D. destruct (typed_sync_phases_total T s p HT [] []) as (L & Ls & HP).
  rewrite (synchronized_program_drf T W0 s H' p _ HT HS D HP).
  eapply splitting_preserves_drf; eauto using typed_s_fv.
Qed.

End Relative.
