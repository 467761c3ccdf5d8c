(** * Blocks of protocols with barriers anywhere

    As blocks of programs are in [Barriers.v], without data. *)

From BabyCUDA Require Export Protocols.
Local Open Scope N_scope.

Notation q_outcome := (ending protocol (list access_values)).

Section Relative.
Context {ins : inputs}.

(** ** All threads of a block

    [Λs, qs ⇓ outcome], where [Λs] are the phases so far, newest first. *)

Inductive all_q_to_barrier : qremaining -> access_values -> qstops -> Prop :=
| all_q_nil :
    all_q_to_barrier [] [] []
| all_q_cons : forall i q qs L s Ls ss,
    q_to_barrier q L s ->
    all_q_to_barrier qs Ls ss ->
    all_q_to_barrier ((i, q) :: qs) (with_thread i L ++ Ls) ((i, s) :: ss).

Inductive q_block_run : list access_values -> qremaining -> q_outcome -> Prop :=
| q_block_ends : forall L0 Ls qs L ss,
    all_q_to_barrier qs L ss ->
    all_finished ss ->
    q_block_run (L0 :: Ls) qs (Ends ((L0 ++ L) :: Ls))
| q_block_syncs : forall L0 Ls qs L ss l qs' out,
    all_q_to_barrier qs L ss ->
    qs <> [] ->
    all_at l ss qs' ->
    q_block_run ([] :: (L0 ++ L) :: Ls) qs' out ->
    q_block_run (L0 :: Ls) qs out
| q_block_diverges : forall L0 Ls qs L ss i1 s1 i2 s2,
    all_q_to_barrier qs L ss ->
    In (i1, s1) ss ->
    In (i2, s2) ss ->
    ~ same_place s1 s2 ->
    q_block_run (L0 :: Ls) qs (Diverges ((L0 ++ L) :: Ls) i1 s1 i2 s2).

(** A block of threads [T], all running [q]. *)
Definition q_start (T : list N) (q : protocol) : qremaining :=
  map (fun i => (i, subst_u tid i q)) T.

(** *** A protocol has one outcome, up to which two threads witness a divergence *)

Lemma all_q_deterministic qs L1 ss1 L2 ss2 :
  all_q_to_barrier qs L1 ss1 -> all_q_to_barrier qs L2 ss2 -> L1 = L2 /\ ss1 = ss2.
Proof.
  intro D. revert L2 ss2. induction D as [| i q qs L s Ls ss D Ds IH]; intros L2 ss2 D';
    inversion D' as [| ? ? ? L' s' Ls' ss' E Es]; subst; [auto |].
  destruct (q_to_barrier_deterministic _ _ _ _ _ D E) as [<- <-].
  destruct (IH _ _ Es) as [<- <-]. auto.
Qed.

(** The phases, and whether the threads diverged after the newest. *)
Definition q_summary (out : q_outcome) : list access_values * bool := (reached out, diverges out).

Lemma all_q_not_empty qs L ss : all_q_to_barrier qs L ss -> qs <> [] -> ss <> [].
Proof. now destruct 1. Qed.

Theorem q_block_deterministic Ls qs out1 out2 :
  q_block_run Ls qs out1 -> q_block_run Ls qs out2 -> q_summary out1 = q_summary out2.
Proof.
  intro D. revert out2.
  induction D as [L0 Ls qs L ss D Hf | L0 Ls qs L ss l qs' out D Hq Ha HB IH
                 | L0 Ls qs L ss i1 s1 i2 s2 D H1 H2 Hne];
    intros out2 D'; inversion D'; subst;
    match goal with E : all_q_to_barrier qs ?L2 ?ss2 |- _ =>
      destruct (all_q_deterministic _ _ _ _ _ D E) as [<- <-] end; cbn; try reflexivity.
  - exfalso. eauto using finished_not_at, all_q_not_empty.
  - exfalso. eauto using finished_same_place.
  - exfalso. eauto using finished_not_at, all_q_not_empty.
  - apply IH. match goal with E : all_at _ ss ?qs2 |- _ => now rewrite (all_at_unique Ha E) end.
  - exfalso. eauto using all_at_same_place.
  - exfalso. eauto using finished_same_place.
  - exfalso. eauto using all_at_same_place.
Qed.

End Relative.
