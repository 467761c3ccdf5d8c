(** * Blocks of protocols with barriers anywhere

    As blocks of programs are in [Barriers.v], without data.  Typing is Fig. 6,
    rule by rule, with a barrier that is always well-typed: nothing forbids a
    barrier under a guard or a bound that depends on the thread. *)

From BabyCUDA Require Export Protocols.
Local Open Scope N_scope.

Section Relative.
Context {ins : inputs}.

(** ** All threads of a block

    [Λs, qs ⇓ outcome], where [Λs] are the phases so far, newest first. *)

Definition qremaining := list (N * protocol).
Definition qstops := list (N * qstop).

Inductive all_q_to_barrier : qremaining -> access_values -> qstops -> Prop :=
| all_q_nil :
    all_q_to_barrier [] [] []
| all_q_cons : forall i q qs L s Ls ss,
    q_to_barrier q L s ->
    all_q_to_barrier qs Ls ss ->
    all_q_to_barrier ((i, q) :: qs) (with_thread i L ++ Ls) ((i, s) :: ss).

Definition q_all_finished (ss : qstops) : Prop := forall i s, In (i, s) ss -> s = QFinished.

Definition q_all_at (l : site) (ss : qstops) (qs : qremaining) : Prop :=
  ss = map (fun e => (fst e, QAtBarrier l (snd e))) qs.

Definition q_same_place (s1 s2 : qstop) : Prop :=
  match s1, s2 with
  | QFinished, QFinished => True
  | QAtBarrier l1 _, QAtBarrier l2 _ => l1 = l2
  | _, _ => False
  end.

Inductive q_outcome :=
| QEnds (Ls : list access_values)
| QDiverges (Ls : list access_values) (i1 : N) (s1 : qstop) (i2 : N) (s2 : qstop).

Inductive q_block_run : list access_values -> qremaining -> q_outcome -> Prop :=
| q_block_ends : forall L0 Ls qs L ss,
    all_q_to_barrier qs L ss ->
    q_all_finished ss ->
    q_block_run (L0 :: Ls) qs (QEnds ((L0 ++ L) :: Ls))
| q_block_syncs : forall L0 Ls qs L ss l qs' out,
    all_q_to_barrier qs L ss ->
    qs <> [] ->
    q_all_at l ss qs' ->
    q_block_run ([] :: (L0 ++ L) :: Ls) qs' out ->
    q_block_run (L0 :: Ls) qs out
| q_block_diverges : forall L0 Ls qs L ss i1 s1 i2 s2,
    all_q_to_barrier qs L ss ->
    In (i1, s1) ss ->
    In (i2, s2) ss ->
    ~ q_same_place s1 s2 ->
    q_block_run (L0 :: Ls) qs (QDiverges ((L0 ++ L) :: Ls) i1 s1 i2 s2).

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
Definition q_summary (out : q_outcome) : list access_values * bool :=
  match out with
  | QEnds Ls => (Ls, false)
  | QDiverges Ls _ _ _ _ => (Ls, true)
  end.

Lemma q_all_at_place l ss qs i s : q_all_at l ss qs -> In (i, s) ss -> exists q, s = QAtBarrier l q.
Proof. intros -> H. apply in_map_iff in H as (e & [= <- <-] & _). eauto. Qed.

Theorem q_block_deterministic Ls qs out1 out2 :
  q_block_run Ls qs out1 -> q_block_run Ls qs out2 -> q_summary out1 = q_summary out2.
Proof.
  intro D. revert out2.
  induction D as [L0 Ls qs L ss D Hf | L0 Ls qs L ss l qs' out D Hq Ha HB IH
                 | L0 Ls qs L ss i1 s1 i2 s2 D H1 H2 Hne];
    intros out2 D'; inversion D'; subst;
    match goal with E : all_q_to_barrier qs ?L2 ?ss2 |- _ =>
      destruct (all_q_deterministic _ _ _ _ _ D E) as [<- <-] end; cbn; try reflexivity.
  - exfalso. inversion D; subst; [contradiction |].
    match goal with E : q_all_at _ _ _ |- _ =>
      destruct (q_all_at_place _ _ _ _ _ E (or_introl eq_refl)) as [q' ->] end.
    specialize (Hf _ _ (or_introl eq_refl)). discriminate.
  - exfalso. repeat match goal with E : In (_, _) ss |- _ => apply Hf in E; subst end.
    match goal with E : ~ _ |- _ => now apply E end.
  - exfalso. inversion D; subst; [contradiction |].
    destruct (q_all_at_place _ _ _ _ _ Ha (or_introl eq_refl)) as [q' ->].
    match goal with E : q_all_finished _ |- _ => specialize (E _ _ (or_introl eq_refl)) end.
    discriminate.
  - apply IH. unfold q_all_at in *. match goal with E : ss = map _ ?qs2 |- _ =>
      assert (qs' = qs2) as ->; [| assumption] end.
    subst ss. match goal with E : map _ qs' = map _ ?qs2 |- _ => revert E; generalize qs2 end.
    clear. induction qs' as [| [i q] qs' IH]; intros [| [i2 q2] qs2] E; try discriminate;
      [reflexivity |]. injection E as <- _ <- E. f_equal. auto.
  - exfalso. repeat match goal with E : In (_, _) ss |- _ =>
      destruct (q_all_at_place _ _ _ _ _ Ha E) as [? ->]; clear E end.
    match goal with E : ~ q_same_place _ _ |- _ => apply E end. reflexivity.
  - exfalso. repeat match goal with E : In (_, _) ss, F : q_all_finished ss |- _ =>
      apply F in E; subst end.
    now apply Hne.
  - exfalso. repeat match goal with E : In (_, _) ss, F : q_all_at _ ss _ |- _ =>
      destruct (q_all_at_place _ _ _ _ _ F E) as [? ->]; clear E end.
    apply Hne. reflexivity.
Qed.

End Relative.
