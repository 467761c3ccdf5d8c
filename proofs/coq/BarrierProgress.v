(** * T3 for barriers anywhere, and termination

    A block of closed programs has an outcome, or one of its threads reaches a
    read of [⊥]: no run is endless.  A well-typed one whose contents cover every
    cell that its protocol reads has an outcome. *)

From BabyCUDA Require Export Progress BarrierEquivalence BarrierEvaluator.
Local Open Scope N_scope.

Section Relative.
Context {ins : inputs}.

Definition closed (k : prog) : Prop := incl (fv k) [].

(** What is left of a closed program is closed. *)
Lemma to_barrier_closed H i A k B s :
  to_barrier H i A k B s -> closed k -> forall l k', s = AtBarrier l k' -> closed k'.
Proof.
  unfold closed.
  induction 1 as [R W a n m j v Hn Hm | A | A l | R W x a n k j v B s Hn L D IH
    | A k1 k2 B C s D1 IH1 D2 IH2 | A k1 k2 B l k1' D IH | A c k1 k2 B s Hc D IH
    | A c k1 k2 B s Hc D IH | A x n m k v w Hn Hm Hle | A x n m k v w B s Hn Hm Hlt D IH];
    cbn [fv]; intros HC l0 k0 E; try discriminate.
  - injection E as _ <-. apply incl_nil_l.
  - apply incl_app_inv in HC as [_ HC]. eapply IH; [| exact E]. now apply body_closes.
  - apply incl_app_inv in HC as [_ HC]. eauto.
  - apply incl_app_inv in HC as [HC1 HC2]. injection E as _ <-. cbn. apply incl_app; eauto.
  - apply incl_app_inv in HC as [_ [HC _]%incl_app_inv]. eauto.
  - apply incl_app_inv in HC as [_ [_ HC]%incl_app_inv]. eauto.
  - apply incl_app_inv in HC as [_ [_ HC]%incl_app_inv]. eapply IH; [| exact E]. cbn.
    apply incl_app; [now apply body_closes | exact HC].
Qed.

(** ** No run is endless

    [left_of k' k]: some run of [k] to its next barrier leaves [k']. *)
Definition left_of (k' k : prog) : Prop :=
  exists H i A B l, to_barrier H i A k B (AtBarrier l k').

Lemma finite_seq k1 k2 : Acc left_of k1 -> Acc left_of k2 -> Acc left_of (Seq k1 k2).
Proof.
  intros A1 A2. induction A1 as [k1 _ IH]. constructor. intros k' (H & i & A & B & l & D).
  inversion D as [| | | | | ? ? ? ? ? k1' D1 | | | |]; subst.
  - destruct A2 as [A2]. apply A2. do 5 eexists. eassumption.
  - apply IH. do 5 eexists. eassumption.
Qed.

Lemma finite_for x k w :
  (forall v, Acc left_of (subst x v k)) -> forall v, Acc left_of (For x (Num v) (Num w) k).
Proof.
  intros Hbody v. remember (N.to_nat (w - v)) as d eqn:Hd. revert v Hd.
  induction d as [| d IH]; intros v Hd; constructor; intros k' (H & i & A & B & l & D);
    inversion D; subst; numbers; [lia |].
  assert (F : Acc left_of (Seq (subst x v k) (For x (Num (v + 1)) (Num w) k))).
  { apply finite_seq; [apply Hbody | apply IH; lia]. }
  destruct F as [F]. apply F. do 5 eexists. eassumption.
Qed.

(** Every program, closed or not, passes finitely many barriers. *)
Theorem left_of_well_founded : well_founded left_of.
Proof.
  intro k. remember (depth k) as d eqn:Hd. assert (Hle : (depth k <= d)%nat) by lia. clear Hd.
  revert k Hle.
  induction d as [| d IH]; intros [a n m | x a n k | k1 k2 | c k1 k2 | x n m k | | l] Hle;
    cbn in Hle; try lia.
  - constructor. intros k' (H & i & A & B & l & D). inversion D.
  - constructor. intros k' (H & i & A & B & l & D). inversion D; subst.
    match goal with E : to_barrier _ _ _ (subst x ?v k) _ _ |- _ =>
      assert (F : Acc left_of (subst x v k)) by (apply IH; rewrite depth_subst; lia) end.
    destruct F as [F]. apply F. do 5 eexists. eassumption.
  - apply finite_seq; apply IH; lia.
  - constructor. intros k' (H & i & A & B & l & D). inversion D; subst.
    + assert (F : Acc left_of k1) by (apply IH; lia). destruct F as [F]. apply F.
      do 5 eexists. eassumption.
    + assert (F : Acc left_of k2) by (apply IH; lia). destruct F as [F]. apply F.
      do 5 eexists. eassumption.
  - constructor. intros k' (H & i & A & B & l & D). inversion D; subst.
    match goal with Hn : eval_n n = Some ?v, Hm : eval_n m = Some ?w |- _ =>
      assert (F : Acc left_of (For x (Num v) (Num w) k))
        by (apply finite_for; intro; apply IH; rewrite depth_subst; lia) end.
    destruct F as [F]. apply F. do 5 eexists. eapply b_for_2; try reflexivity; eassumption.
  - constructor. intros k' (H & i & A & B & l & D). inversion D.
  - constructor. intros k' (H & i & A & B & l' & D). inversion D; subst.
    constructor. intros k' (H' & i' & A' & B' & l'' & D'). inversion D'.
Qed.

(** ** Blocks *)

(** Some thread of the block reaches a read of [⊥] at [j]. *)
Inductive block_reads_undefined : history -> remaining -> cell -> Prop :=
| bu_here : forall P H ks i k j,
    In (i, k) ks ->
    reads_undefined H i (at_thread P i) k j ->
    block_reads_undefined (P :: H) ks j
| bu_syncs : forall P H ks Q ss l ks' j,
    all_to_barrier H P ks Q ss ->
    ks <> [] ->
    all_at l ss ks' ->
    block_reads_undefined ([] :: Q :: H) ks' j ->
    block_reads_undefined (P :: H) ks j.

Definition closed_pool (ks : remaining) : Prop := forall i k, In (i, k) ks -> closed k.

Lemma all_progress H P ks :
  closed_pool ks ->
  (exists Q ss, all_to_barrier H P ks Q ss) \/
  (exists i k j, In (i, k) ks /\ reads_undefined H i (at_thread P i) k j).
Proof.
  induction ks as [| [i k] ks IH]; intro HC; [left; exists [], []; constructor |].
  destruct (to_barrier_stuck_only_on_undefined H i (at_thread P i) k) as [(B & s & D) | [j Hj]].
  - eapply HC. now left.
  - destruct IH as [(Q & ss & Ds) | (i' & k' & j & Hin & Hj)].
    + intros i' k' Hin. eapply HC. right. exact Hin.
    + left. exists ((i, B) :: Q), ((i, s) :: ss). now constructor.
    + right. exists i', k', j. split; [now right | exact Hj].
  - right. exists i, k, j. split; [now left | exact Hj].
Qed.

Lemma all_to_barrier_left H P ks Q ss l ks' :
  all_to_barrier H P ks Q ss -> all_at l ss ks' ->
  (closed_pool ks -> closed_pool ks') /\
  forall i k, hd_error ks = Some (i, k) -> exists k', hd_error ks' = Some (i, k') /\ left_of k' k.
Proof.
  unfold all_at. intro D. revert ks'.
  induction D as [| i k ks B s Q ss D Ds IH]; intros [| [i' k'] ks'] E; try discriminate.
  - split; [intros _ i k [] | discriminate].
  - injection E as <- -> E. destruct (IH _ E) as [IHc _]. split.
    + intros HC i2 k2 [[= <- <-] | Hin].
      * eapply to_barrier_closed; [exact D | eapply HC; now left | reflexivity].
      * eapply IHc; [| exact Hin]. intros i3 k3 H3. eapply HC. right. exact H3.
    + intros i2 k2 [= <- <-]. exists k'. split; [reflexivity |]. do 5 eexists. exact D.
Qed.

(** T3, first half, with termination: a block of closed programs has an outcome,
    or a thread reaches a read of [⊥]. *)
Theorem block_stuck_only_on_undefined P H ks :
  closed_pool ks ->
  (exists out, block_run (P :: H) ks out) \/ (exists j, block_reads_undefined (P :: H) ks j).
Proof.
  intro HC. destruct ks as [| [i k] ks].
  { left. exists (Ends ([] :: H)). eapply block_ends; [constructor |]. intros i s []. }
  revert P H ks HC. induction k as [k IH] using (well_founded_induction left_of_well_founded).
  intros P H ks HC.
  destruct (all_progress H P _ HC) as [(Q & ss & D) | (i' & k' & j & Hin & Hj)];
    [| right; exists j; eapply bu_here; eassumption].
  pose proof (judge_correct ss) as J. destruct (judge ss) as [| l ks' | i1 s1 i2 s2].
  - left. eexists. eapply block_ends; eassumption.
  - destruct J as [_ Ha]. destruct (all_to_barrier_left _ _ _ _ _ _ _ D Ha) as [HC' HL].
    destruct (HL i k eq_refl) as (k' & E & Hk). destruct ks' as [| e ks']; [discriminate |].
    injection E as ->.
    destruct (IH k' Hk [] (Q :: H) ks' (HC' HC)) as [[out R] | [j Hj]].
    + left. exists out. eapply block_syncs; eauto. discriminate.
    + right. exists j. eapply bu_syncs; eauto. discriminate.
  - destruct J as (I1 & I2 & Hne). left. eexists.
    eapply block_diverges; [exact D | exact I1 | exact I2 | exact Hne].
Qed.

(** ** The evaluator ends, too *)

Lemma run_pool_in_depth H P ks : run_pool H P ks <> OutOfDepth.
Proof.
  induction ks as [| [i k] ks IH]; cbn; [discriminate |].
  pose proof (evaluate_k_in_depth H i (at_thread P i) k) as E.
  destruct (evaluate_k H i (at_thread P i) k); cbn; try congruence.
  destruct (run_pool H P ks); cbn; congruence.
Qed.

(** With enough fuel, the evaluator of a block answers, whatever the program. *)
Theorem evaluate_block_terminates P H ks :
  exists fuel, evaluate_block fuel (P :: H) ks <> OutOfDepth.
Proof.
  destruct ks as [| [i k] ks]; [exists 1%nat; discriminate |].
  revert P H ks. induction k as [k IH] using (well_founded_induction left_of_well_founded).
  intros P H ks. pose proof (run_pool_in_depth H P ((i, k) :: ks)) as HR.
  destruct (run_pool H P ((i, k) :: ks)) as [[Q ss] | j | j vs | |] eqn:E;
    try (exists 1%nat; cbn [evaluate_block]; rewrite E; discriminate); [| congruence].
  apply run_pool_sound in E as D. pose proof (judge_correct ss) as J.
  destruct (judge ss) as [| l ks' | i1 s1 i2 s2] eqn:EJ;
    try (exists 1%nat; cbn [evaluate_block]; rewrite E; cbn; rewrite EJ; discriminate).
  destruct J as [_ Ha]. destruct (all_to_barrier_left _ _ _ _ _ _ _ D Ha) as [_ HL].
  destruct (HL i k eq_refl) as (k' & E' & Hk). destruct ks' as [| e ks']; [discriminate |].
  injection E' as ->. destruct (IH k' Hk [] (Q :: H) ks') as [fuel HF].
  exists (S fuel). cbn [evaluate_block]. rewrite E. cbn [bind fst snd]. rewrite EJ. exact HF.
Qed.

(** ** Contents that cover the reads of the protocol *)

(** The protocol of a block reads [j] in some phase. *)
Inductive q_reads : qremaining -> cell -> Prop :=
| q_reads_here : forall qs i q L s j,
    In (i, q) qs ->
    q_to_barrier q L s ->
    In (rd, j) L ->
    q_reads qs j
| q_reads_later : forall qs L ss l qs' j,
    all_q_to_barrier qs L ss ->
    all_at l ss qs' ->
    q_reads qs' j ->
    q_reads qs j.

Lemma lastwrite_later j Ps H v : lastwrite j H v -> exists v', lastwrite j (Ps ++ H) v'.
Proof.
  intro L. induction Ps as [| P Ps [v' L']]; [eauto |].
  destruct (lastwrite_or_undefined j ((P :: Ps) ++ H)) as [E | HU]; [exact E |]. exfalso.
  apply (HU v'). cbn. apply lastwrite_prev; [| exact L'].
  intro i. destruct (lookup j (snd (at_thread P i))) as [w |] eqn:E; [| reflexivity].
  destruct (HU w). cbn. now apply lastwrite_curr with i.
Qed.

Lemma block_reads_undefined_in_protocol H1 ks j :
  block_reads_undefined H1 ks j ->
  forall qs P Ps H, holds_inputs H1 -> typed_pool ks qs -> NoDup (ids ks) -> H1 = P :: Ps ++ H ->
  q_reads qs j /\ undefined j H.
Proof.
  induction 1 as [P H1 ks i k j Hin Hj | P H1 ks Q ss l ks' j D Hks Ha HB IH];
    intros qs P0 Ps H HH HT ND E; injection E as <- ->; pose proof HH as [HN HS].
  - assert (exists q, In (i, q) qs /\ typed [] k q) as (q & Hq & Tq).
    { clear - Hin HT. induction HT as [| [i1 k1] [i2 q2] ks qs [E T] _ IH]; [destruct Hin |].
      cbn in *. subst i2. destruct Hin as [X | Hin].
      - injection X as -> ->. eauto.
      - destruct (IH Hin) as (q & Hq & Tq). eauto. }
    destruct (closed_q_total q (typed_fv _ _ _ Tq)) as (L & s & Dq).
    destruct (reads_undefined_in_protocol _ _ _ _ _ HS Hj (HN i) _ _ _ Tq Dq) as [Hr HU].
    split; [eapply q_reads_here; eassumption |].
    intros v Hv. destruct (lastwrite_later j Ps H v Hv) as [v' Hv']. exact (HU v' Hv').
  - destruct (all_to_barrier_equivalence _ _ _ _ _ HH D _ HT ND) as (L & ts & Dq & St & _).
    destruct (same_stops_at _ _ _ _ St Ha) as (qs' & Hqs & HT').
    assert (E' : ids ks' = ids ks).
    { destruct (all_to_barrier_ids _ _ _ _ _ D) as [_ E]. rewrite Ha in E. unfold ids in *.
      rewrite map_map in E. exact E. }
    destruct (IH qs' [] (Q :: Ps) H) as [Hr HU]; [| exact HT' | now rewrite E' | reflexivity |].
    { apply holds_next. split; [| exact HS].
      eapply all_to_barrier_unwritten; [exact D | exact HT | exact HN]. }
    split; [eapply q_reads_later; eassumption | exact HU].
Qed.

(** T3, second half: contents that cover the reads of the protocol leave no
    thread stuck. *)
Theorem covered_block_progresses T P H k q :
  typed [tid] k q -> holds_inputs (P :: H) -> incl (fv k) [tid] -> NoDup T ->
  (forall j, q_reads (q_start T q) j -> exists v, lastwrite j H v) ->
  exists out, block_run (P :: H) (start T k) out.
Proof.
  intros HT HH Hc ND HC.
  destruct (block_stuck_only_on_undefined P H (start T k)) as [E | [j Hj]]; [| exact E |].
  - intros i k' Hin. apply in_map_iff in Hin as (i' & [= <- <-] & _).
    intros y [Hy Hne]%fv_subst. destruct (Hc y Hy); congruence || assumption.
  - destruct (block_reads_undefined_in_protocol _ _ _ Hj (q_start T q) P [] H HH (typed_start T k q HT))
      as [Hr HU]; [now rewrite ids_start | reflexivity |].
    destruct (HC j Hr) as [v Hv]. destruct (HU v Hv).
Qed.

End Relative.
