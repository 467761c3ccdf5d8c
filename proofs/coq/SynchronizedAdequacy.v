(** * T6 for the synchronized language

    Let [H, s ↓ H'] from an empty phase on a DRF history.  [H'] is racy iff some
    interleaving of the threads that run [s] has two conflicting accesses in one
    barrier interval; when it is DRF, every interleaving that ends, ends in its
    memory, and none gets stuck. *)

From BabyCUDA Require Export StratifiedBarriers DrfInterleavings.

Lemma memory_of_same_history M H1 H2 : same_history H1 H2 -> memory_of M H1 -> memory_of M H2.
Proof.
  intros E HM j v. rewrite (HM j v). split; apply lastwrite_same; [exact E |].
  clear - E. induction E; constructor; auto using same_phase_sym.
Qed.

Section SynchronizedAdequacy.
Variables (T : list N) (H : history) (M : writes) (s : sprog) (H' : history).
Context (some_thread : T <> []) (threads_distinct : NoDup T)
  (before_drf : drf H) (memory_before : memory_of M H)
  (s_stratified : stratified s) (s_runs : sync_run T ([] :: H) s H').

Let initial : config := (M, [], start T (embed s)).

Lemma start_ids : NoDup (thread_ids (start T (embed s))).
Proof. unfold thread_ids, start. rewrite map_map. cbn. now rewrite map_id. Qed.

Lemma block_ends : exists H'', block_run ([] :: H) (start T (embed s)) (Ends H'') /\ same_history H' H''.
Proof. apply stratified_run_is_block_run; auto. cbn. reflexivity. Qed.

Theorem synchronized_adequacy :
  ~ drf H' <-> exists c, reaches initial c /\ conflicting c.
Proof.
  destruct block_ends as (H'' & R & E). rewrite (drf_same _ _ E).
  exact (adequacy H M _ H'' before_drf memory_before start_ids R).
Qed.

Theorem synchronized_interleavings_agree c :
  drf H' -> reaches initial c ->
  (final c \/ exists c', config_step c c') /\ (final c -> memory_of (fst (fst c)) H').
Proof.
  destruct block_ends as (H'' & R & E). rewrite (drf_same _ _ E). intros HD Rc. split.
  - exact (drf_interleavings_progress H M _ H'' before_drf memory_before start_ids R c HD Rc).
  - intro F. apply memory_of_same_history with H''.
    + clear - E. induction E; constructor; auto using same_phase_sym.
    + exact (drf_interleavings_end_in_the_big_step_memory H M _ H'' before_drf memory_before
               start_ids R c HD Rc F).
Qed.

End SynchronizedAdequacy.
