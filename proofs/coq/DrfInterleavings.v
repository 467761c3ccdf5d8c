(** * T6, second direction: all interleavings of a DRF history agree with it

    If the block ends in a DRF history [H'] then no interleaving has two
    conflicting accesses in one barrier interval, none gets stuck before all
    threads are done, and each one that is done has the memory of [H']. *)

From BabyCUDA Require Export RacyInterleaving.
Local Open Scope N_scope.

(** ** The big step that is still ahead *)

(** What a block does once every thread is at its stop. *)
Definition rest (H : history) (ks : remaining) (Q : phase) (ss : stops) (H' : history) : Prop :=
  all_finished ss /\ H' = Q :: H \/
  exists l ks', ks <> [] /\ all_at l ss ks' /\ block_run ([] :: Q :: H) ks' (Ends H').

Lemma block_run_rest P H ks H' :
  block_run (P :: H) ks (Ends H') ->
  exists Q ss, all_to_barrier H P ks Q ss /\ rest H ks Q ss H'.
Proof.
  inversion 1; subst; exists Q, ss; (split; [assumption |]).
  - left. auto.
  - right. exists l, ks'. auto.
Qed.

Lemma rest_suffix H ks Q ss H' : rest H ks Q ss H' -> exists new, H' = new ++ Q :: H.
Proof.
  intros [[_ ->] | (l & ks' & _ & _ & HB)].
  - now exists [].
  - exact (block_run_suffix _ _ _ HB H' eq_refl).
Qed.

Lemma rest_drf H ks Q ss H' : rest H ks Q ss H' -> drf H' -> drf (Q :: H).
Proof.
  intros HR HD. destruct (rest_suffix _ _ _ _ _ HR) as [new ->].
  intros P HP. apply HD, in_app_iff. now right.
Qed.

(** ** The invariant of a whole interleaving *)

Record ahead (H' : history) (c : config) (H : history) (P Q : phase) (ss : stops) : Prop := {
  ahead_good : good H P (fst (fst c)) (snd (fst c));
  ahead_stops : all_to_barrier H P (snd c) Q ss;
  ahead_rest : rest H (snd c) Q ss H';
  ahead_ids : NoDup (thread_ids (snd c));
  ahead_outside : forall i, ~ In i (thread_ids (snd c)) -> at_thread P i = no_access
}.

Definition invariant (H' : history) (c : config) : Prop := exists H P Q ss, ahead H' c H P Q ss.

Lemma invariant_start H M ks H' :
  single_writers H -> memory_of M H -> NoDup (thread_ids ks) ->
  block_run ([] :: H) ks (Ends H') -> invariant H' (M, [], ks).
Proof.
  intros HS HM ND HB. destruct (block_run_rest _ _ _ _ HB) as (Q & ss & D & R).
  exists H, [], Q, ss. split; cbn; auto using good_start.
Qed.

(** ** The accesses of the interval are accesses of the big step *)

Lemma all_to_barrier_grow H P ks Q ss :
  all_to_barrier H P ks Q ss -> NoDup (thread_ids ks) ->
  forall i o j, In i (thread_ids ks) -> in_phase P i o j -> in_phase Q i o j.
Proof.
  unfold in_phase.
  induction 1 as [| i k ks B s Q ss D Ds IH]; cbn; intros ND i' o j Hi HA; [destruct Hi |].
  inversion ND as [| ? ? Hni ND']; subst.
  destruct (N.eq_dec i' i) as [-> | Hne].
  - rewrite at_thread_cons. eapply to_barrier_accesses_grow; eassumption.
  - rewrite at_thread_cons_other by exact Hne. apply IH; auto. destruct Hi; congruence || assumption.
Qed.

(** The thread in the middle of a pool. *)
Lemma all_to_barrier_middle H P ks1 i k ks2 Q ss :
  all_to_barrier H P (ks1 ++ (i, k) :: ks2) Q ss -> NoDup (thread_ids (ks1 ++ (i, k) :: ks2)) ->
  exists B s, to_barrier H i (at_thread P i) k B s /\ at_thread Q i = B.
Proof.
  revert Q ss. induction ks1 as [| [i1 k1] ks1 IH]; cbn; intros Q ss D ND;
    inversion D as [| ? ? ? B s Q' ss' D1 D2]; subst; inversion ND as [| ? ? Hni ND']; subst.
  - exists B, s. split; [exact D1 | apply at_thread_cons].
  - destruct (IH Q' ss' D2 ND') as (B' & s' & D' & E). exists B', s'. split; [exact D' |].
    rewrite <- E. apply at_thread_cons_other. intros ->. apply Hni. unfold thread_ids.
    rewrite map_app, in_app_iff. right. now left.
Qed.

(** Replace the program and the accesses of one thread by others that lead to
    the same stop. *)
Lemma all_to_barrier_ext H P P' ks Q ss :
  all_to_barrier H P ks Q ss ->
  (forall i, In i (thread_ids ks) -> at_thread P' i = at_thread P i) ->
  all_to_barrier H P' ks Q ss.
Proof.
  induction 1; intro E; constructor.
  - rewrite E; [assumption | now left].
  - apply IHall_to_barrier. intros i' Hi'. apply E. now right.
Qed.

Lemma all_to_barrier_replace H P P' ks1 i k k' ks2 Q ss :
  all_to_barrier H P (ks1 ++ (i, k) :: ks2) Q ss -> NoDup (thread_ids (ks1 ++ (i, k) :: ks2)) ->
  (forall i', i' <> i -> at_thread P' i' = at_thread P i') ->
  (forall B s, to_barrier H i (at_thread P i) k B s -> to_barrier H i (at_thread P' i) k' B s) ->
  all_to_barrier H P' (ks1 ++ (i, k') :: ks2) Q ss.
Proof.
  intros D ND EO Hstep. revert Q ss D ND.
  induction ks1 as [| [i1 k1] ks1 IH]; cbn; intros Q ss D ND;
    inversion D as [| ? ? ? B s Q' ss' D1 D2]; subst; inversion ND as [| ? ? Hni ND']; subst;
    constructor.
  - auto.
  - eapply all_to_barrier_ext; [exact D2 |]. intros i' Hi'. apply EO. intros ->. contradiction.
  - rewrite EO; [exact D1 |]. intros ->. apply Hni. unfold thread_ids.
    rewrite map_app, in_app_iff. right. now left.
  - auto.
Qed.

Lemma thread_ids_replace ks1 i k k' ks2 :
  thread_ids (ks1 ++ (i, k') :: ks2) = thread_ids (ks1 ++ (i, k) :: ks2).
Proof. unfold thread_ids. now rewrite !map_app. Qed.

(** ** Steps of a thread keep the invariant *)

(** An access of the big step conflicts with none made so far. *)
Lemma big_step_access_quiet H P Q ks ss M tr i o j :
  good H P M tr -> all_to_barrier H P ks Q ss -> NoDup (thread_ids ks) ->
  (forall i, ~ In i (thread_ids ks) -> at_thread P i = no_access) ->
  drf_phase Q -> in_phase Q i o j -> ~ racy_values ((i, o, j) :: tr).
Proof.
  intros G D ND Hout HQ HA HR. apply HQ, racy_iff_racy_set.
  assert (Hin : forall a, In a ((i, o, j) :: tr) -> phase_set Q a).
  { intros [[i' o'] j'] [[= <- <- <-] | Hin]; [exact HA |].
    apply (good_trace _ _ _ _ G) in Hin. cbn in *.
    destruct (in_dec N.eq_dec i' (thread_ids ks)) as [Hi | Hi].
    - eapply all_to_barrier_grow; eassumption.
    - unfold in_phase in Hin. rewrite Hout in Hin by exact Hi.
      now apply no_access_empty in Hin. }
  destruct HR as (a1 & a2 & H1 & H2 & C). exists a1, a2. auto.
Qed.

Lemma thread_step_keeps H' M tr ks1 i k ks2 M' tr' k' :
  drf H' ->
  invariant H' (M, tr, ks1 ++ (i, k) :: ks2) ->
  thread_step i (M, tr, k) (M', tr', k') ->
  invariant H' (M', tr', ks1 ++ (i, k') :: ks2).
Proof.
  intros HD (H & P & Q & ss & [G D R ND Hout]) St. cbn in *.
  pose proof (rest_drf _ _ _ _ _ R HD) as HQ. apply drf_cons in HQ as [HQ _].
  destruct (all_to_barrier_middle _ _ _ _ _ _ _ _ D ND) as (B & s & Di & EB).
  assert (Hi : In i (thread_ids (ks1 ++ (i, k) :: ks2))).
  { unfold thread_ids. rewrite map_app, in_app_iff. right. now left. }
  assert (Rest : rest H (ks1 ++ (i, k') :: ks2) Q ss H').
  { destruct R as [R | (l & ks' & _ & R)]; [now left | right].
    exists l, ks'. split; [now destruct ks1 | exact R]. }
  assert (Quiet : forall e o j, kstep k e k' -> access_of e = Some (o, j) ->
                                ~ racy_values ((i, o, j) :: tr)).
  { intros e o j Hk HA. eapply big_step_access_quiet; eauto.
    unfold in_phase. rewrite EB. eapply step_access_in_stop; eassumption. }
  (* what remains to find: the new log *)
  enough (exists P', good H P' M' tr' /\
            (forall i', i' <> i -> at_thread P' i' = at_thread P i') /\
            (forall B s, to_barrier H i (at_thread P i) k B s ->
                         to_barrier H i (at_thread P' i) k' B s)) as (P' & G' & EO & Hs).
  { exists H, P', Q, ss. split; cbn; auto.
    - eapply all_to_barrier_replace; eassumption.
    - now rewrite (thread_ids_replace ks1 i k).
    - intros i'. rewrite (thread_ids_replace ks1 i k). intro Hni.
      rewrite EO; [now apply Hout | intros ->; contradiction]. }
  assert (HS := good_history _ _ _ _ G).
  destruct (at_thread P i) as [RR W] eqn:EA.
  inversion St as [? ? ? ? Hk | ? ? ? j v ? Hk Hv | ? ? ? j v ? Hk]; subst.
  - exists P. split; [exact G |]. split; [auto |]. intros B' s' D'. rewrite EA.
    exact (step_keeps_stop H i k Silent k' HS Hk _ _ _ D' I).
  - destruct (load_value _ _ _ _ i _ _ G Hv) as [HR | L]; [now destruct (Quiet _ rd j Hk eq_refl) |].
    destruct (good_load _ _ _ _ i _ _ j G EA) as [HR | G'];
      [now destruct (Quiet _ rd j Hk eq_refl) |].
    eexists. split; [exact G' |]. split; [intros; now apply at_set_other |].
    intros B' s' D'. rewrite at_set_same. rewrite EA in L.
    exact (step_keeps_stop H i k (Load j v) k' HS Hk _ _ _ D' L).
  - destruct (good_store _ _ _ _ i _ _ j v G EA) as [HR | G'];
      [now destruct (Quiet _ wr j Hk eq_refl) |].
    eexists. split; [exact G' |]. split; [intros; now apply at_set_other |].
    intros B' s' D'. rewrite at_set_same.
    exact (step_keeps_stop H i k (Store j v) k' HS Hk _ _ _ D' I).
Qed.

(** ** So does a barrier *)

(** When every thread is at a stop, the stops and accesses are the big step's. *)
Lemma all_stopped_big_step H P ks Q ss ss' :
  all_to_barrier H P ks Q ss -> all_stopped ks ss' -> NoDup (thread_ids ks) ->
  ss = ss' /\ forall i, In i (thread_ids ks) -> at_thread Q i = at_thread P i.
Proof.
  intro D. revert ss'. induction D as [| i k ks B s Q ss D Ds IH]; intros ss' St ND;
    inversion St as [| ? [i' s'] ? ss2 [E Hs] St']; subst; cbn in *.
  - split; [reflexivity | intros i []].
  - subst i'. inversion ND as [| ? ? Hni ND']; subst.
    destruct (IH ss2 St' ND') as [<- EQ].
    assert (B = at_thread P i /\ s = s') as [-> <-].
    { destruct s' as [| l k']; cbn in Hs.
      - subst k. eapply skip_stop. eassumption.
      - eapply waits_stop; eassumption. }
    split; [reflexivity |]. intros i' Hi'. destruct (N.eq_dec i' i) as [-> | Hne].
    + apply at_thread_cons.
    + rewrite at_thread_cons_other by exact Hne. apply EQ. destruct Hi'; congruence || assumption.
Qed.

Lemma waits_at_all_stopped l ks ks' :
  Forall2 (waits_at l) ks ks' -> all_stopped ks (map (fun e => (fst e, AtBarrier l (snd e))) ks').
Proof. induction 1 as [| e e' ks ks' [E W] _ IH]; cbn; constructor; auto. Qed.

Lemma waits_at_ids l ks ks' : Forall2 (waits_at l) ks ks' -> thread_ids ks' = thread_ids ks.
Proof. induction 1 as [| e e' ks ks' [E _] _ IH]; cbn; unfold thread_ids in *; congruence. Qed.

(** All threads stopped: the log is the big step's phase. *)
Lemma stopped_same_phase H P ks Q ss ss' :
  all_to_barrier H P ks Q ss -> all_stopped ks ss' -> NoDup (thread_ids ks) ->
  (forall i, ~ In i (thread_ids ks) -> at_thread P i = no_access) ->
  ss = ss' /\ same_phase P Q.
Proof.
  intros D St ND Hout. destruct (all_stopped_big_step _ _ _ _ _ _ D St ND) as [-> EQ].
  split; [reflexivity |]. intro i.
  destruct (in_dec N.eq_dec i (thread_ids ks)) as [Hi | Hi]; [symmetry; auto |].
  rewrite Hout by exact Hi. symmetry. apply at_thread_outside.
  now rewrite (all_to_barrier_ids _ _ _ _ _ D).
Qed.

Lemma barrier_keeps H' M tr ks l ks' :
  drf H' -> invariant H' (M, tr, ks) -> ks <> [] -> Forall2 (waits_at l) ks ks' ->
  invariant H' (M, [], ks').
Proof.
  intros HD (H & P & Q & ss & [G D R ND Hout]) Hks W. cbn in *.
  assert (Hks' : ks' <> []) by (intros ->; inversion W; subst; contradiction).
  pose proof (rest_drf _ _ _ _ _ R HD) as HQ.
  destruct (stopped_same_phase _ _ _ _ _ _ D (waits_at_all_stopped _ _ _ W) ND Hout) as [-> EQ].
  destruct R as [[Hf _] | (l2 & ks2 & _ & Hl & HB)].
  - destruct ks' as [| [i k'] ks']; [contradiction |].
    specialize (Hf i (AtBarrier l k') (or_introl eq_refl)). discriminate.
  - rewrite <- (all_at_unique (l1 := l) eq_refl Hl) in HB.
    apply invariant_start with (Q :: H).
    + now apply drf_single_writers.
    + eapply memory_of_same; [exact EQ | apply (good_memory _ _ _ _ G)].
    + now rewrite (waits_at_ids _ _ _ W).
    + exact HB.
Qed.

Lemma invariant_step H' c c' : drf H' -> invariant H' c -> config_step c c' -> invariant H' c'.
Proof.
  intros HD HI St. destruct St.
  - eapply thread_step_keeps; eassumption.
  - eapply barrier_keeps; eassumption.
Qed.

Lemma invariant_reaches H' c c' : drf H' -> invariant H' c -> reaches c c' -> invariant H' c'.
Proof. unfold reaches. intros HD HI R. induction R; eauto using invariant_step. Qed.

(** ** What the invariant gives *)

Lemma invariant_quiet H' c : invariant H' c -> ~ conflicting c.
Proof. intros (H & P & Q & ss & [G _ _ _ _]). exact (good_quiet _ _ _ _ G). Qed.

Lemma final_all_stopped ks :
  Forall (fun e => snd e = Skip) ks -> all_stopped ks (map (fun e => (fst e, Finished)) ks).
Proof. induction 1; cbn; constructor; auto. Qed.

Lemma invariant_final H' c : invariant H' c -> final c -> memory_of (fst (fst c)) H'.
Proof.
  intros (H & P & Q & ss & [G D R ND Hout]) F. destruct c as [[M tr] ks]. cbn in *.
  destruct (stopped_same_phase _ _ _ _ _ _ D (final_all_stopped _ F) ND Hout) as [-> EQ].
  destruct R as [[_ ->] | (l & ks' & Hks & Hl & _)].
  - eapply memory_of_same; [exact EQ | apply (good_memory _ _ _ _ G)].
  - destruct ks as [| e ks], ks' as [| e' ks']; try contradiction; discriminate Hl.
Qed.

(** Some thread can step, or all are at their stops. *)
Lemma pool_progress H P M tr ks Q ss :
  good H P M tr -> all_to_barrier H P ks Q ss ->
  all_stopped ks ss \/
  exists ks1 i k ks2 M' tr' k',
    ks = ks1 ++ (i, k) :: ks2 /\ thread_step i (M, tr, k) (M', tr', k').
Proof.
  intros G. induction 1 as [| i k ks B s Q ss D Ds [IH | IH]].
  - left. constructor.
  - destruct (thread_progress H P M tr i G _ _ _ _ D eq_refl) as [St | (M' & tr' & k' & St)].
    + left. constructor; [now split | exact IH].
    + right. exists [], i, k, ks, M', tr', k'. split; [reflexivity | exact St].
  - destruct IH as (ks1 & i' & k1 & ks2 & M' & tr' & k' & -> & St).
    right. exists ((i, k) :: ks1), i', k1, ks2, M', tr', k'. split; [reflexivity | exact St].
Qed.

Lemma invariant_progress H' c : invariant H' c -> final c \/ exists c', config_step c c'.
Proof.
  intros (H & P & Q & ss & [G D R ND Hout]). destruct c as [[M tr] ks]. cbn in *.
  destruct (pool_progress _ _ _ _ _ _ _ G D) as [St | (ks1 & i & k & ks2 & M' & tr' & k' & -> & St)].
  - destruct R as [[Hf _] | (l & ks' & Hks & Hl & _)].
    + left. unfold final. cbn. clear - St Hf. induction St as [| [i k] [i' s] ks ss [E Hs] _ IH].
      * constructor.
      * cbn in *. constructor.
        -- rewrite (Hf i' s (or_introl eq_refl)) in Hs. exact Hs.
        -- apply IH. intros i0 s0 HI. apply (Hf i0 s0). now right.
    + right. unfold all_at in Hl. rewrite Hl in St. apply stopped_waits_at in St.
      exists (M, [], ks'). eapply c_barrier; eassumption.
  - right. eexists. eapply c_thread. exact St.
Qed.

(** ** T6 *)

Section T6.
Variables (H : history) (M : writes) (ks : remaining) (H' : history).
Context (before_drf : drf H) (memory_before : memory_of M H)
  (threads_distinct : NoDup (thread_ids ks))
  (block_ends_in_H' : block_run ([] :: H) ks (Ends H')).

(** No interleaving of a DRF history has a conflict in a barrier interval. *)
Theorem drf_history_has_no_racy_interleaving c :
  drf H' -> reaches (M, [], ks) c -> ~ conflicting c.
Proof.
  intros HD R. eapply invariant_quiet, invariant_reaches; [exact HD | | exact R].
  apply invariant_start with H; auto using drf_single_writers.
Qed.

(** Every interleaving of a DRF history that ends, ends in its memory. *)
Theorem drf_interleavings_end_in_the_big_step_memory c :
  drf H' -> reaches (M, [], ks) c -> final c -> memory_of (fst (fst c)) H'.
Proof.
  intros HD R. eapply invariant_final, invariant_reaches; [exact HD | | exact R].
  apply invariant_start with H; auto using drf_single_writers.
Qed.

(** No interleaving of a DRF history gets stuck. *)
Theorem drf_interleavings_progress c :
  drf H' -> reaches (M, [], ks) c -> final c \/ exists c', config_step c c'.
Proof.
  intros HD R. eapply invariant_progress, invariant_reaches; [exact HD | | exact R].
  apply invariant_start with H; auto using drf_single_writers.
Qed.

(** T6: the big-step history is racy iff some interleaving is. *)
Theorem adequacy :
  ~ drf H' <-> exists c, reaches (M, [], ks) c /\ conflicting c.
Proof.
  split.
  - intro HR. eapply racy_history_has_racy_interleaving; eassumption.
  - intros (c & R & C) HD. exact (drf_history_has_no_racy_interleaving c HD R C).
Qed.

End T6.
