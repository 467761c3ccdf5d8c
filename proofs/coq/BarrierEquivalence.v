(** * T4 for barriers anywhere

    Let [{tid} ⊢ k ▶ q], and let a block of threads run [k].  Then its protocol
    runs, too, with phases that have exactly the accesses of the phases of the
    program, one by one; it ends if the block ends, and where two threads of the
    block stop at different places, the same threads of the protocol stop at the
    same places. *)

From BabyCUDA Require Export SynchronizedEquivalence BarrierProtocols.
Local Open Scope N_scope.

Section Relative.
Context {ins : inputs}.

(** ** All threads *)

(** What every thread has left to run, and its type. *)
Definition typed_pool : remaining -> qremaining -> Prop :=
  Forall2 (fun e f => fst e = fst f /\ typed [] (snd e) (snd f)).

Definition same_stops : stops -> qstops -> Prop :=
  Forall2 (fun e f => fst e = fst f /\ same_stop (snd e) (snd f)).

Definition ids {A} (ks : list (N * A)) : list N := map fst ks.

Lemma all_to_barrier_ids H P ks Q ss : all_to_barrier H P ks Q ss -> ids Q = ids ks /\ ids ss = ids ks.
Proof. unfold ids. induction 1 as [| i k ks B s Q ss D Ds [E1 E2]]; cbn; [auto |]. now rewrite E1, E2. Qed.

(** A well-typed block writes no input. *)
Lemma all_to_barrier_unwritten H P ks Q ss :
  all_to_barrier H P ks Q ss -> forall qs, typed_pool ks qs ->
  (forall i, unwritten (at_thread P i)) -> forall i, unwritten (at_thread Q i).
Proof.
  induction 1 as [| i k ks B s Q ss D Ds IH]; intros qs HT HN i';
    inversion HT as [| ? [j q] ? qs' [E Tq] HT']; subst; [apply no_access_unwritten |].
  unfold at_thread. cbn. destruct (N.eqb_spec i' i); [| exact (IH _ HT' HN i')].
  eapply to_barrier_unwritten; [exact D | exact Tq | apply HN].
Qed.

Lemma all_to_barrier_equivalence H P ks Q ss :
  holds_inputs (P :: H) ->
  all_to_barrier H P ks Q ss ->
  forall qs, typed_pool ks qs -> NoDup (ids ks) ->
  exists L ts, all_q_to_barrier qs L ts /\ same_stops ss ts /\
    forall i o j, In (i, o, j) L \/ (In i (ids ks) /\ in_phase P i o j) <-> in_phase Q i o j.
Proof.
  intros [HN HS].
  induction 1 as [| i k ks B s Q ss D Ds IH]; intros qs HT ND;
    inversion HT as [| ? [i' q] ? qs' [E Tq] HT']; subst; cbn in *.
  - exists [], []. split; [constructor |]. split; [constructor |]. intros i o j. split.
    + intros [[] | [[] _]].
    + intros HA. now apply no_access_empty in HA.
  - subst i'. inversion ND as [| ? ? Hi ND']; subst.
    destruct (to_barrier_access_equivalence _ _ _ _ _ _ HS D (HN i) _ Tq) as (L1 & t & Dq & St & HA).
    destruct (IH _ HT' ND') as (L & ts & Dqs & Sts & HAs).
    exists (with_thread i L1 ++ L), ((i, t) :: ts). split; [now constructor |].
    split; [now constructor |]. intros i' o j. rewrite in_app_iff, in_with_thread.
    unfold in_phase at 2. unfold at_thread. cbn. destruct (N.eqb_spec i' i) as [-> | Hne].
    + rewrite HA. split; [| tauto]. intros [[[_ Hin] | Hin] | [_ HP]]; auto.
      exfalso. apply Hi. destruct (all_to_barrier_ids _ _ _ _ _ Ds) as [EQ _].
      assert (HQ : in_phase Q i o j) by (apply HAs; now left).
      destruct (in_dec N.eq_dec i (ids ks)) as [Hk | Hk]; [exact Hk |]. exfalso.
      unfold in_phase, at_thread in HQ. destruct (lookup i Q) as [A |] eqn:E.
      * apply Hk. rewrite <- EQ. apply lookup_in in E. exact (in_map fst _ _ E).
      * now apply no_access_empty in HQ.
    + fold (at_thread Q i'). fold (in_phase Q i' o j). rewrite <- HAs. intuition congruence.
Qed.

(** ** Blocks *)

(** The block and its protocol have the same outcome: as many phases on top of
    [H0], with the same accesses, and the same divergence. *)
Definition same_result (T : list N) (H0 : history) (out : block_outcome) (qout : q_outcome) : Prop :=
  match out, qout with
  | Ends H', Ends Ls' =>
      exists Ps', H' = Ps' ++ H0 /\ Forall2 (phase_is T) Ps' Ls'
  | Diverges H' i1 s1 i2 s2, Diverges Ls' j1 t1 j2 t2 =>
      (exists Ps', H' = Ps' ++ H0 /\ Forall2 (phase_is T) Ps' Ls') /\
      i1 = j1 /\ i2 = j2 /\ same_stop s1 t1 /\ same_stop s2 t2
  | _, _ => False
  end.

Lemma same_stops_finished ss ts : same_stops ss ts -> all_finished ss -> all_finished ts.
Proof.
  induction 1 as [| [i s] [j t] ss ts [E St] _ IH]; intros Hf i' t' Hin; [destruct Hin |].
  destruct Hin as [X | Hin]; cbn in *.
  - injection X as <- <-. subst j. rewrite (Hf i s (or_introl eq_refl)) in St. now destruct t.
  - eapply IH; [| exact Hin]. intros i2 s2 H2. apply (Hf i2). now right.
Qed.

Lemma same_stops_at l ss ks ts :
  same_stops ss ts -> all_at l ss ks -> exists qs, all_at l ts qs /\ typed_pool ks qs.
Proof.
  unfold all_at. intro S. revert ks.
  induction S as [| [i s] [j t] ss ts [E St] _ IH]; intros [| [i' k] ks] EA; try discriminate.
  - exists []. split; [reflexivity | constructor].
  - cbn in *. subst j. injection EA as -> -> EA. destruct (IH _ EA) as (qs & -> & HT).
    destruct t as [| l' q]; [destruct St |]. destruct St as [<- Tk].
    exists ((i', q) :: qs). split; [reflexivity |]. constructor; auto.
Qed.

Lemma same_stops_in ss ts i s :
  same_stops ss ts -> In (i, s) ss -> exists t, In (i, t) ts /\ same_stop s t.
Proof.
  induction 1 as [| [i1 s1] [j t1] ss ts [E St] _ IH]; intro Hin; [destruct Hin |].
  destruct Hin as [X | Hin]; cbn in *.
  - injection X as -> ->. subst j. eauto.
  - destruct (IH Hin) as (t & Ht & S). eauto.
Qed.

Lemma same_stop_place s1 t1 s2 t2 :
  same_stop s1 t1 -> same_stop s2 t2 -> same_place t1 t2 -> same_place s1 s2.
Proof. destruct s1, t1, s2, t2; cbn; intuition congruence. Qed.

Lemma phase_is_interval T H P L ks qs Q ss :
  holds_inputs (P :: H) ->
  all_to_barrier H P ks Q ss -> typed_pool ks qs -> NoDup (ids ks) -> ids ks = T ->
  phase_is T P L ->
  exists L' ts, all_q_to_barrier qs L' ts /\ same_stops ss ts /\ phase_is T Q (L ++ L').
Proof.
  intros HH D HT ND <- [HS HP].
  destruct (all_to_barrier_equivalence _ _ _ _ _ HH D _ HT ND) as (L' & ts & Dq & St & HA).
  exists L', ts. split; [exact Dq |]. split; [exact St |]. split.
  - intros [[i o] j]. cbn. rewrite in_app_iff, <- HA. specialize (HS (i, o, j)). cbn in HS.
    rewrite <- HS. split; [tauto |]. intros [X | X]; [right | now left].
    split; [eapply HP; exact X | exact X].
  - intros i o j HQ. destruct (all_to_barrier_ids _ _ _ _ _ D) as [<- _].
    unfold in_phase, at_thread in HQ. destruct (lookup i Q) as [A |] eqn:E.
    + apply lookup_in in E. exact (in_map fst _ _ E).
    + now apply no_access_empty in HQ.
Qed.

Theorem block_access_equivalence_gen H ks out :
  block_run H ks out ->
  forall T qs P Ps L Ls H0,
    holds_inputs H -> typed_pool ks qs -> NoDup T -> ids ks = T ->
    H = (P :: Ps) ++ H0 -> phase_is T P L -> Forall2 (phase_is T) Ps Ls ->
    exists qout, q_block_run (L :: Ls) qs qout /\ same_result T H0 out qout.
Proof.
  induction 1 as [P H ks Q ss D Hf | P H ks Q ss l ks' out D Hks Ha HB IH
                 | P H ks Q ss i1 s1 i2 s2 D I1 I2 Hne];
    intros T qs P' Ps L Ls H0 HH HT ND ET EH HP HPs; cbn in EH; injection EH as <- ->;
    destruct (phase_is_interval T _ _ L ks qs _ _ HH D HT) as (L' & ts & Dq & St & HQ);
    rewrite ?ET; auto.
  - eexists. split; [eapply q_block_ends; eauto using same_stops_finished |].
    exists (Q :: Ps). split; [reflexivity | now constructor].
  - destruct (same_stops_at _ _ _ _ St Ha) as (qs' & Hqs & HT').
    assert (ET' : ids ks' = T).
    { destruct (all_to_barrier_ids _ _ _ _ _ D) as [_ E]. rewrite Ha in E. unfold ids in *.
      rewrite map_map in E. exact (eq_trans E ET). }
    assert (HH' : holds_inputs ([] :: Q :: Ps ++ H0)).
    { apply holds_next. destruct HH as [HN HS]. split; [| exact HS].
      eapply all_to_barrier_unwritten; [exact D | exact HT | exact HN]. }
    destruct (IH T qs' [] (Q :: Ps) [] ((L ++ L') :: Ls) H0 HH' HT' ND ET' eq_refl (phase_is_nil T))
      as (qout & Rq & S); [now constructor |].
    exists qout. split; [| exact S]. eapply q_block_syncs; eauto.
    intros ->. inversion HT; subst. contradiction.
  - destruct (same_stops_in _ _ _ _ St I1) as (t1 & J1 & S1).
    destruct (same_stops_in _ _ _ _ St I2) as (t2 & J2 & S2).
    eexists. split.
    + eapply q_block_diverges; [exact Dq | exact J1 | exact J2 |].
      intro X. apply Hne. eapply same_stop_place; [exact S1 | exact S2 | exact X].
    + cbn. split; [| auto]. exists (Q :: Ps). split; [reflexivity | now constructor].
Qed.

Lemma typed_start T k q : typed [tid] k q -> typed_pool (start T k) (q_start T q).
Proof.
  intro D. unfold start, q_start. induction T as [| i T IH]; cbn; constructor; auto.
  split; [reflexivity |]. now apply typed_subst_tid.
Qed.

Lemma ids_start T k : ids (start T k) = T.
Proof. unfold ids, start. rewrite map_map. cbn. apply map_id. Qed.

(** T4: T2, phase by phase, with the same divergence. *)
Theorem block_access_equivalence T P H0 k q L out :
  typed [tid] k q -> NoDup T -> holds_inputs (P :: H0) ->
  block_run (P :: H0) (start T k) out ->
  phase_is T P L ->
  exists qout, q_block_run [L] (q_start T q) qout /\ same_result T H0 out qout.
Proof.
  intros HT ND HH D HP.
  exact (block_access_equivalence_gen _ _ _ D T (q_start T q) P [] L [] H0
           HH (typed_start T k q HT) ND (ids_start T k) eq_refl HP (Forall2_nil _)).
Qed.

(** T4: T1 (corrected), phase by phase. *)
Theorem block_theorem_1 T P H0 k q L out qout :
  typed [tid] k q -> NoDup T -> holds_inputs (P :: H0) ->
  block_run (P :: H0) (start T k) out ->
  q_block_run [L] (q_start T q) qout ->
  phase_is T P L ->
  (drf (reached out) <-> Forall drf_values (fst (q_summary qout)) /\ drf H0) /\
  diverges out = snd (q_summary qout).
Proof.
  intros HT ND HH D Dq HP.
  destruct (block_access_equivalence T P H0 k q L out HT ND HH D HP) as (qout' & Dq' & S).
  rewrite (q_block_deterministic _ _ _ _ Dq Dq').
  destruct out as [H' | H' i1 s1 i2 s2], qout' as [Ls' | Ls' j1 t1 j2 t2]; cbn in *;
    try contradiction.
  - destruct S as (Ps' & -> & HF). rewrite drf_app, (phases_drf T Ps' Ls' HF). tauto.
  - destruct S as ((Ps' & -> & HF) & _). rewrite drf_app, (phases_drf T Ps' Ls' HF). tauto.
Qed.

End Relative.
