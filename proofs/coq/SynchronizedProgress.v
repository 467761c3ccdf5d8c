(** * T3 for the synchronized language

    A closed well-typed synchronized program has a history, or one of its threads
    reaches a read of [⊥] in some phase; on contents that cover every cell that
    its protocol reads, it has a history. *)

From BabyCUDA Require Export BarrierProgress.
Local Open Scope N_scope.

Lemma typed_s_stratified V s p :
  typed_s V s p -> keeps_tid s /\ incl (fv_bounds s) V.
Proof.
  unfold typed_n.
  induction 1 as [V b u D | V | V s1 s2 p1 p2 D1 [K1 C1] D2 [K2 C2] | V x n m s p Hn Hm Hx D [K C]];
    cbn; repeat split; auto using incl_nil_l, incl_app.
  - intros ->. apply Hx. now left.
  - repeat apply incl_app; auto.
    intros y [Hy Hne]%in_remove_iff. destruct (C y Hy); congruence || assumption.
Qed.

Section Progress.
Variable T : list N.
Context (some_thread : T <> []) (threads_distinct : NoDup T).

(** As a block of programs with barriers anywhere, whatever their sites. *)
Variables (s : sprog) (p : sprotocol) (k : kprog).
Context (s_typed : typed_s [] s p) (k_is_s : embeds s k) (k_closed : incl (fv_k k) [tid]).

Theorem synchronized_stuck_only_on_undefined H :
  (exists H', sync_run T ([] :: H) s H') \/
  (exists j, block_reads_undefined ([] :: H) (start T k) j).
Proof.
  destruct (typed_s_stratified _ _ _ s_typed) as [HK HB].
  destruct (block_stuck_only_on_undefined [] H (start T k)) as [[out R] | E]; [| | now right].
  - intros i k' Hin. apply in_map_iff in Hin as (i' & [= <- <-] & _).
    intros y [Hy Hne]%fv_subst_k. destruct (k_closed y Hy); congruence || assumption.
  - left. edestruct block_run_is_stratified_run as (H' & H'' & D & _);
      [exact some_thread | exact threads_distinct | exact k_is_s | exact HK | exact HB | | exact R | eauto].
    intros i _. reflexivity.
Qed.

Theorem covered_synchronized_program_progresses H :
  (forall q j, embeds_p p q -> q_reads (q_start T q) j -> exists v, lastwrite j H v) ->
  exists H', sync_run T ([] :: H) s H'.
Proof.
  intro HC. destruct (typed_s_stratified _ _ _ s_typed) as [HK HB].
  destruct (typed_s_typed_k _ _ _ _ s_typed k_is_s) as (q & HT & HQ).
  destruct (covered_block_progresses T [] H k q HT k_closed threads_distinct) as [out R]; [eauto |].
  edestruct block_run_is_stratified_run as (H' & H'' & D & _);
    [exact some_thread | exact threads_distinct | exact k_is_s | exact HK | exact HB | | exact R | eauto].
  intros i _. reflexivity.
Qed.

End Progress.
