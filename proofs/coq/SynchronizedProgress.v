(** * T3 for the synchronized language

    A closed well-typed synchronized program has a history, or one of its threads
    reaches a read of [⊥] in some phase; on contents that cover every cell that
    its protocol reads, it has a history. *)

From BabyCUDA Require Export BarrierProgress StratifiedTypes StratifiedBarriers.
Local Open Scope N_scope.

Section Relative.
Context {ins : inputs}.

Lemma typed_s_bounds V s p : typed_s V s p -> incl (fv_bounds s) V.
Proof.
  unfold typed_n.
  induction 1 as [V b u HS D | V l | V s1 s2 p1 p2 D1 IH1 D2 IH2 | V x n m s p Hn Hm Hx D IH];
    cbn; auto using incl_nil_l, incl_app.
  repeat apply incl_app; auto.
  intros y [Hy Hne]%in_remove_iff. destruct (IH y Hy); congruence || assumption.
Qed.

Section Progress.
Variable T : list N.
Context (some_thread : T <> []) (threads_distinct : NoDup T).

Variables (s : sprog) (p : sprotocol).
Context (s_typed : typed_s [] s p) (s_closed : incl (fv (embed s)) [tid]).

Theorem synchronized_stuck_only_on_undefined H :
  (exists H', sync_run T ([] :: H) s H') \/
  (exists j, block_reads_undefined ([] :: H) (start T (embed s)) j).
Proof.
  destruct (block_stuck_only_on_undefined [] H (start T (embed s))) as [[out R] | E]; [| | now right].
  - intros i k' Hin. apply in_map_iff in Hin as (i' & [= <- <-] & _).
    intros y [Hy Hne]%fv_subst. destruct (s_closed y Hy); congruence || assumption.
  - left. edestruct block_run_is_stratified_run as (H' & H'' & D & _);
      [exact some_thread | exact threads_distinct | eapply typed_s_stratified; exact s_typed
      | eapply typed_s_bounds; exact s_typed | | exact R | eauto].
    intros i _. reflexivity.
Qed.

Theorem covered_synchronized_program_progresses H :
  sees_inputs H ->
  (forall j, q_reads (q_start T (embed_p p)) j -> exists v, lastwrite j H v) ->
  exists H', sync_run T ([] :: H) s H'.
Proof.
  intros HS HC.
  destruct (covered_block_progresses T [] H _ _ (typed_s_typed _ _ _ s_typed) (holds_empty H HS)
              s_closed threads_distinct HC)
    as [out R].
  edestruct block_run_is_stratified_run as (H' & H'' & D & _);
    [exact some_thread | exact threads_distinct | eapply typed_s_stratified; exact s_typed
      | eapply typed_s_bounds; exact s_typed | | exact R | eauto].
  intros i _. reflexivity.
Qed.

End Progress.

End Relative.
