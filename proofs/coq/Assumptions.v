(** * What the headline theorems rest on

    Each answer must be “Closed under the global context”: no axiom, no hole.
    The build fails otherwise. *)

From BabyCUDA Require Histories Determinism PrintedTheorem1Refuted CorrectedTheorem1
  Protocols SyncProtocols AccessEquivalence Progress AccessInvariance SynchronizedEquivalence Barriers
  ProtocolProgress ReadOnlyInputs InputExamples ScopedBarriers ScopedProtocols UniformBarriers
  AtomicCounters ShadowMachine
  Evaluator EvaluatorOutcomes HistoryEvaluator ProtocolEvaluator TypeChecker RaceChecker Examples
  SplittingPreservesPhases TypedRaceFreedom RacyInterleaving DrfInterleavings
  StratifiedTypes StratifiedBarriers SynchronizedAdequacy RacyPhasesDiffer
  BarrierDeterminism BarrierEvaluator BarrierProtocols BarrierEquivalence BarrierInvariance
  BarrierProgress SynchronizedInvariance SynchronizedProgress.

(* The thread judgment is run-to-barrier without barriers *)
Print Assumptions Barriers.thread_iff.
Print Assumptions Protocols.unsync_iff.
(* T0 *)
Print Assumptions Determinism.thread_deterministic.
Print Assumptions Determinism.parallel_deterministic.
(* T1 *)
Print Assumptions PrintedTheorem1Refuted.printed_theorem_1_refuted.
Print Assumptions PrintedTheorem1Refuted.printed_step_refuted.
Print Assumptions PrintedTheorem1Refuted.other_reading_is_trivial.
Print Assumptions CorrectedTheorem1.corrected_theorem_1_any_head.
Print Assumptions CorrectedTheorem1.corrected_theorem_1.
Print Assumptions CorrectedTheorem1.program_drf_iff_protocol_drf.
(* T2 *)
Print Assumptions AccessEquivalence.access_equivalence.
Print Assumptions AccessEquivalence.phase_access_equivalence.
(* T3 *)
Print Assumptions Protocols.closed_unsync_all_total.
Print Assumptions Progress.stuck_only_on_undefined.
Print Assumptions Progress.covered_program_progresses.
Print Assumptions Progress.covered_phase_progresses.
Print Assumptions Progress.to_barrier_stuck_only_on_undefined.
Print Assumptions BarrierProgress.left_of_well_founded.
Print Assumptions BarrierProgress.block_stuck_only_on_undefined.
Print Assumptions BarrierProgress.covered_block_progresses.
Print Assumptions BarrierProgress.evaluate_block_terminates.
Print Assumptions ProtocolProgress.q_left_of_well_founded.
Print Assumptions ProtocolProgress.closed_q_block_total.
Print Assumptions ProtocolProgress.typed_block_has_phases.
Print Assumptions SynchronizedProgress.synchronized_stuck_only_on_undefined.
Print Assumptions SynchronizedProgress.covered_synchronized_program_progresses.
(* T4 *)
Print Assumptions SynchronizedEquivalence.synchronized_access_equivalence.
Print Assumptions SynchronizedEquivalence.synchronized_theorem_1.
Print Assumptions SynchronizedEquivalence.synchronized_program_drf.
Print Assumptions AccessEquivalence.to_barrier_access_equivalence.
Print Assumptions BarrierEquivalence.block_access_equivalence.
Print Assumptions BarrierEquivalence.block_theorem_1.
Print Assumptions BarrierProtocols.q_block_deterministic.
Print Assumptions StratifiedTypes.typed_s_typed.
Print Assumptions StratifiedTypes.thread_dependent_bounds.
Print Assumptions SyncProtocols.typed_sync_phases_total.
(* T5 *)
Print Assumptions AccessInvariance.well_typed_programs_are_access_invariant.
Print Assumptions AccessInvariance.thread_access_invariant.
Print Assumptions AccessInvariance.one_run_decides_races.
Print Assumptions BarrierInvariance.block_access_invariant.
Print Assumptions BarrierInvariance.one_run_decides_blocks.
Print Assumptions SynchronizedInvariance.synchronized_access_invariant.
Print Assumptions SynchronizedInvariance.one_synchronized_run_decides.
(* T9 *)
Print Assumptions ShadowMachine.shadow_machine_is_exact.
Print Assumptions ShadowMachine.missed.
Print Assumptions ShadowMachine.invented.
(* T11 *)
Print Assumptions ReadOnlyInputs.typed_once.
Print Assumptions ReadOnlyInputs.relative_access_equivalence.
Print Assumptions ReadOnlyInputs.relative_theorem_1.
Print Assumptions ReadOnlyInputs.relative_access_invariance.
Print Assumptions ReadOnlyInputs.drf_for_all_contents.
Print Assumptions ReadOnlyInputs.alarm_replays.
Print Assumptions InputExamples.push_typed.
Print Assumptions InputExamples.push_races_on_a_shared_neighbour.
Print Assumptions InputExamples.contents_must_be_seen.
Print Assumptions InputExamples.own_writes_count.
Print Assumptions InputExamples.writes_of_others_are_not_seen.
Print Assumptions InputExamples.typed_with_inputs.
Print Assumptions InputExamples.binders_must_be_apart.
(* T12 *)
Print Assumptions ScopedBarriers.runs_synchronized.
Print Assumptions ScopedBarriers.runs_iff_synchronized.
Print Assumptions ScopedBarriers.ordered_transitive.
Print Assumptions ScopedBarriers.ordered_iff_earlier_phase.
Print Assumptions ScopedBarriers.scoped_race_iff_projected.
Print Assumptions ScopedProtocols.phases_are_intervals.
Print Assumptions ScopedProtocols.in_interval_of_all.
Print Assumptions ScopedProtocols.group_runs_traces.
Print Assumptions ScopedProtocols.group_runs_iff.
Print Assumptions ScopedProtocols.closed_q_trace.
Print Assumptions ScopedProtocols.q_trace_deterministic.
Print Assumptions ScopedProtocols.scoped_protocol_races.
Print Assumptions UniformBarriers.alike_meet_the_same_barriers.
Print Assumptions UniformBarriers.uniform_blocks_run.
Print Assumptions UniformBarriers.one_warp_may_sync.
(* T13 *)
Print Assumptions AtomicCounters.additions_yield_ranges.
Print Assumptions AtomicCounters.additions_distinct_iff.
Print Assumptions AtomicCounters.yields_repeat.
Print Assumptions AtomicCounters.at_most_one_winner.
(* Decidability *)
Print Assumptions Histories.lastwrites_correct.
Print Assumptions EvaluatorOutcomes.evaluate_correct.
Print Assumptions Evaluator.evaluate_complete_or_ambiguous.
Print Assumptions Evaluator.evaluate_result_unique.
Print Assumptions EvaluatorOutcomes.run_ambiguous.
Print Assumptions EvaluatorOutcomes.run_undefined.
Print Assumptions EvaluatorOutcomes.evaluate_in_depth.
Print Assumptions EvaluatorOutcomes.evaluate_bound.
Print Assumptions HistoryEvaluator.evaluate_parallel_correct.
Print Assumptions HistoryEvaluator.evaluate_s_sound.
Print Assumptions HistoryEvaluator.evaluate_s_complete.
Print Assumptions ProtocolEvaluator.evaluate_u_correct.
Print Assumptions ProtocolEvaluator.evaluate_u_all_correct.
Print Assumptions ProtocolEvaluator.evaluate_p_correct.
Print Assumptions ProtocolEvaluator.evaluate_q_correct.
Print Assumptions ProtocolEvaluator.evaluate_q_block_sound.
Print Assumptions ProtocolEvaluator.evaluate_q_block_complete.
Print Assumptions TypeChecker.infer_correct.
Print Assumptions TypeChecker.infer_s_correct.
Print Assumptions RaceChecker.races_correct.
Print Assumptions RaceChecker.drf_b_correct.
Print Assumptions RaceChecker.conflicts_correct.
(* T7 *)
Print Assumptions SplittingPreservesPhases.splitting_preserves_phases.
Print Assumptions SplittingPreservesPhases.splitting_preserves_drf.
Print Assumptions TypedRaceFreedom.typed_race_freedom.
(* T6 *)
Print Assumptions RacyInterleaving.racy_history_has_racy_interleaving.
Print Assumptions DrfInterleavings.drf_history_has_no_racy_interleaving.
Print Assumptions DrfInterleavings.drf_interleavings_end_in_the_big_step_memory.
Print Assumptions DrfInterleavings.drf_interleavings_progress.
Print Assumptions DrfInterleavings.adequacy.
Print Assumptions SynchronizedAdequacy.synchronized_adequacy.
Print Assumptions SynchronizedAdequacy.synchronized_interleavings_agree.
Print Assumptions RacyPhasesDiffer.big_step_history.
Print Assumptions RacyPhasesDiffer.racy_interleaving.
(* Barriers anywhere *)
Print Assumptions Determinism.to_barrier_deterministic.
Print Assumptions BarrierDeterminism.drf_block_deterministic.
Print Assumptions Evaluator.evaluate_k_sound.
Print Assumptions Evaluator.evaluate_k_complete.
Print Assumptions BarrierEvaluator.evaluate_block_sound.
Print Assumptions BarrierEvaluator.evaluate_block_complete.
Print Assumptions EvaluatorOutcomes.evaluate_k_in_depth.
Print Assumptions StratifiedBarriers.stratified_programs_agree.
