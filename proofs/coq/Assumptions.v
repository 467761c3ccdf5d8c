(** * What the headline theorems rest on

    Each answer must be “Closed under the global context”: no axiom, no hole.
    The build fails otherwise. *)

From BabyCUDA Require Determinism PrintedTheorem1Refuted CorrectedTheorem1
  AccessEquivalence Progress AccessInvariance SynchronizedEquivalence.

(* T0 *)
Print Assumptions Determinism.thread_deterministic.
Print Assumptions Determinism.parallel_deterministic.
(* T1 *)
Print Assumptions PrintedTheorem1Refuted.printed_theorem_1_refuted.
Print Assumptions CorrectedTheorem1.corrected_theorem_1_any_head.
Print Assumptions CorrectedTheorem1.corrected_theorem_1.
Print Assumptions CorrectedTheorem1.program_drf_iff_protocol_drf.
(* T2 *)
Print Assumptions AccessEquivalence.access_equivalence.
Print Assumptions AccessEquivalence.phase_access_equivalence.
(* T3 *)
Print Assumptions Progress.stuck_only_on_undefined.
Print Assumptions Progress.covered_program_progresses.
Print Assumptions Progress.covered_phase_progresses.
(* T4 *)
Print Assumptions SynchronizedEquivalence.synchronized_access_equivalence.
Print Assumptions SynchronizedEquivalence.synchronized_theorem_1.
Print Assumptions SynchronizedEquivalence.synchronized_program_drf.
(* T5 *)
Print Assumptions AccessInvariance.well_typed_programs_are_access_invariant.
Print Assumptions AccessInvariance.one_run_decides_races.
