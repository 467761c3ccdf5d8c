(** * T3 for barriers anywhere, and termination

    A block of closed programs has an outcome, or one of its threads reaches a
    read of [⊥]: no run is endless.  A well-typed one whose contents cover every
    cell that its protocol reads has an outcome. *)

From BabyCUDA Require Export Progress BarrierEquivalence BarrierEvaluator.
Local Open Scope N_scope.

Fixpoint fv_k (k : kprog) : list var :=
  match k with
  | KBlock b => fv b
  | KSync _ => []
  | KRead x n k => fv_n n ++ remove var_eq_dec x (fv_k k)
  | KSeq k1 k2 => fv_k k1 ++ fv_k k2
  | KIf c k1 k2 => fv_c c ++ fv_k k1 ++ fv_k k2
  | KFor x n m k => fv_n n ++ fv_n m ++ remove var_eq_dec x (fv_k k)
  end.

Lemma fv_subst_k x v k y : In y (fv_k (subst_k x v k)) <-> In y (fv_k k) /\ y <> x.
Proof.
  induction k as [b | l | z n k IH | k1 IH1 k2 IH2 | c k1 IH1 k2 IH2 | z n m k IH]; cbn;
    rewrite ?in_app_iff, ?fv_subst_n, ?fv_subst_c, ?fv_subst, ?IH1, ?IH2, ?in_remove_iff; try tauto;
    destruct (var_eq_dec x z) as [<- | Hne]; rewrite ?IH; tauto.
Qed.

Definition closed_k (k : kprog) : Prop := incl (fv_k k) [].

Lemma closed_body x v k : incl (remove var_eq_dec x (fv_k k)) [] -> closed_k (subst_k x v k).
Proof. intros Hk y [Hy Hne]%fv_subst_k. apply Hk, in_remove_iff; tauto. Qed.

(** What is left of a closed program is closed. *)
Lemma to_barrier_closed H i A k B s :
  to_barrier H i A k B s -> closed_k k -> forall l k', s = AtBarrier l k' -> closed_k k'.
Proof.
  unfold closed_k.
  induction 1 as [A b B D | A l | R W x n k j v B s Hn L D IH
    | A k1 k2 B C s D1 IH1 D2 IH2 | A k1 k2 B l k1' D IH | A c k1 k2 B s Hc D IH
    | A c k1 k2 B s Hc D IH | A x n m k v w Hn Hm Hle | A x n m k v w B s Hn Hm Hlt D IH];
    cbn [fv_k]; intros HC l0 k0 E; try discriminate.
  - injection E as _ <-. apply incl_nil_l.
  - apply incl_app_inv in HC as [_ HC]. eapply IH; [| exact E]. now apply closed_body.
  - apply incl_app_inv in HC as [_ HC]. eauto.
  - apply incl_app_inv in HC as [HC1 HC2]. injection E as _ <-. cbn. apply incl_app; eauto.
  - apply incl_app_inv in HC as [_ [HC _]%incl_app_inv]. eauto.
  - apply incl_app_inv in HC as [_ [_ HC]%incl_app_inv]. eauto.
  - apply incl_app_inv in HC as [_ [_ HC]%incl_app_inv]. eapply IH; [| exact E]. cbn.
    apply incl_app; [now apply closed_body | exact HC].
Qed.

(** ** One thread: a stop, or a read of [⊥] *)

Inductive k_reads_undefined (H : history) (i : N) : access_pair -> kprog -> N -> Prop :=
| ku_block : forall A b j,
    reads_undefined H i A b j ->
    k_reads_undefined H i A (KBlock b) j
| ku_here : forall R W x n k j,
    eval_n n = Some j ->
    undefined j (singleton i (R, W) :: H) ->
    k_reads_undefined H i (R, W) (KRead x n k) j
| ku_read : forall R W x n k j v j',
    eval_n n = Some j ->
    lastwrite j (singleton i (R, W) :: H) v ->
    k_reads_undefined H i (add_read j R, W) (subst_k x v k) j' ->
    k_reads_undefined H i (R, W) (KRead x n k) j'
| ku_seq_1 : forall A k1 k2 j,
    k_reads_undefined H i A k1 j ->
    k_reads_undefined H i A (KSeq k1 k2) j
| ku_seq_2 : forall A k1 k2 B j,
    to_barrier H i A k1 B Finished ->
    k_reads_undefined H i B k2 j ->
    k_reads_undefined H i A (KSeq k1 k2) j
| ku_if_t : forall A c k1 k2 j,
    eval_c c = Some true ->
    k_reads_undefined H i A k1 j ->
    k_reads_undefined H i A (KIf c k1 k2) j
| ku_if_f : forall A c k1 k2 j,
    eval_c c = Some false ->
    k_reads_undefined H i A k2 j ->
    k_reads_undefined H i A (KIf c k1 k2) j
| ku_for : forall A x n m k v w j,
    eval_n n = Some v -> eval_n m = Some w -> v < w ->
    k_reads_undefined H i A (KSeq (subst_k x v k) (KFor x (Num (v + 1)) (Num w) k)) j ->
    k_reads_undefined H i A (KFor x n m k) j.

Definition k_progresses (H : history) (i : N) (A : access_pair) (k : kprog) : Prop :=
  (exists B s, to_barrier H i A k B s) \/ (exists j, k_reads_undefined H i A k j).

Lemma seq_progresses H i A k1 k2 :
  k_progresses H i A k1 -> (forall B, k_progresses H i B k2) -> k_progresses H i A (KSeq k1 k2).
Proof.
  intros [(B & [| l k1'] & D) | [j Hj]] H2.
  - destruct (H2 B) as [(C & s & DC) | [j Hj]].
    + left. eauto using b_seq_1.
    + right. eauto using ku_seq_2.
  - left. eauto using b_seq_2.
  - right. eauto using ku_seq_1.
Qed.

Lemma for_progresses H i x k w :
  (forall A v, k_progresses H i A (subst_k x v k)) ->
  forall A v, k_progresses H i A (KFor x (Num v) (Num w) k).
Proof.
  intros Hbody A v. remember (N.to_nat (w - v)) as d eqn:Hd. revert A v Hd.
  induction d as [| d IH]; intros A v Hd.
  - left. exists A, Finished. eapply b_for_1; try reflexivity. lia.
  - assert (Hlt : v < w) by lia.
    destruct (seq_progresses H i A (subst_k x v k) (KFor x (Num (v + 1)) (Num w) k))
      as [(B & s & D) | [j Hj]]; auto.
    + intro B. apply IH. lia.
    + left. exists B, s. eapply b_for_2; try reflexivity; eassumption.
    + right. exists j. eapply ku_for; try reflexivity; eassumption.
Qed.

(** T3, first half, for one thread. *)
Theorem to_barrier_stuck_only_on_undefined H i A k : closed_k k -> k_progresses H i A k.
Proof.
  unfold closed_k. remember (depth_k k) as d eqn:Hd. assert (Hle : (depth_k k <= d)%nat) by lia.
  clear Hd. revert A k Hle.
  induction d as [| d IH]; intros [R W] [b | l | x n k | k1 k2 | c k1 k2 | x n m k] Hle Hc;
    cbn in Hle, Hc; try lia.
  - destruct (stuck_only_on_undefined H i (R, W) b Hc) as [[B D] | [j Hj]].
    + left. eauto using b_block.
    + right. eauto using ku_block.
  - left. eauto using b_sync.
  - apply incl_app_inv in Hc as [Hn Hb]. destruct (closed_n_evaluates n Hn) as [j Hj].
    destruct (lastwrite_or_undefined j (singleton i (R, W) :: H)) as [[v Hv] | HU].
    + destruct (IH (add_read j R, W) (subst_k x v k)) as [(B & s & D) | [j' Hj']].
      * rewrite depth_subst_k. lia.
      * now apply closed_body.
      * left. eauto using b_read.
      * right. eauto using ku_read.
    + right. eauto using ku_here.
  - apply incl_app_inv in Hc as [H1 H2].
    apply seq_progresses; [apply IH | intro B; apply IH]; auto; lia.
  - apply incl_app_inv in Hc as [H0 [H1 H2]%incl_app_inv].
    destruct (closed_c_evaluates c H0) as [[] Ht].
    + destruct (IH (R, W) k1) as [(B & s & D) | [j Hj]]; [lia | assumption | |].
      * left. eauto using b_if_t.
      * right. eauto using ku_if_t.
    + destruct (IH (R, W) k2) as [(B & s & D) | [j Hj]]; [lia | assumption | |].
      * left. eauto using b_if_f.
      * right. eauto using ku_if_f.
  - apply incl_app_inv in Hc as [Hn [Hm Hb]%incl_app_inv].
    destruct (closed_n_evaluates n Hn) as [v Hv], (closed_n_evaluates m Hm) as [w Hw].
    assert (Hbody : forall A v, k_progresses H i A (subst_k x v k)).
    { intros A' v'. apply IH; [rewrite depth_subst_k; lia | now apply closed_body]. }
    destruct (for_progresses H i x k w Hbody (R, W) v) as [(B & s & D) | [j D]].
    + left. exists B, s.
      inversion D; subst; cbn in *; repeat match goal with E : Some _ = Some _ |- _ =>
        injection E as <- end; eauto using b_for_1, b_for_2.
    + right. exists j.
      inversion D; subst; cbn in *; repeat match goal with E : Some _ = Some _ |- _ =>
        injection E as <- end; eauto using ku_for.
Qed.

(** ** No run is endless

    [left_of k' k]: some run of [k] to its next barrier leaves [k']. *)
Definition left_of (k' k : kprog) : Prop :=
  exists H i A B l, to_barrier H i A k B (AtBarrier l k').

Lemma finite_seq k1 k2 : Acc left_of k1 -> Acc left_of k2 -> Acc left_of (KSeq k1 k2).
Proof.
  intros A1 A2. induction A1 as [k1 _ IH]. constructor. intros k' (H & i & A & B & l & D).
  inversion D as [| | | | ? ? ? ? ? k1' D1 | | | |]; subst.
  - destruct A2 as [A2]. apply A2. do 5 eexists. eassumption.
  - apply IH. do 5 eexists. eassumption.
Qed.

Lemma finite_for x k w :
  (forall v, Acc left_of (subst_k x v k)) -> forall v, Acc left_of (KFor x (Num v) (Num w) k).
Proof.
  intros Hbody v. remember (N.to_nat (w - v)) as d eqn:Hd. revert v Hd.
  induction d as [| d IH]; intros v Hd; constructor; intros k' (H & i & A & B & l & D);
    inversion D; subst; cbn in *; repeat match goal with E : Some _ = Some _ |- _ =>
      injection E as <- end; [lia |].
  assert (F : Acc left_of (KSeq (subst_k x v k) (KFor x (Num (v + 1)) (Num w) k))).
  { apply finite_seq; [apply Hbody | apply IH; lia]. }
  destruct F as [F]. apply F. do 5 eexists. eassumption.
Qed.

(** Every program, closed or not, passes finitely many barriers. *)
Theorem left_of_well_founded : well_founded left_of.
Proof.
  intro k. remember (depth_k k) as d eqn:Hd. assert (Hle : (depth_k k <= d)%nat) by lia. clear Hd.
  revert k Hle.
  induction d as [| d IH]; intros [b | l | x n k | k1 k2 | c k1 k2 | x n m k] Hle;
    cbn in Hle; try lia.
  - constructor. intros k' (H & i & A & B & l & D). inversion D.
  - constructor. intros k' (H & i & A & B & l' & D). inversion D; subst.
    constructor. intros k' (H' & i' & A' & B' & l'' & D'). inversion D'.
  - constructor. intros k' (H & i & A & B & l & D). inversion D; subst.
    match goal with E : to_barrier _ _ _ (subst_k x ?v k) _ _ |- _ =>
      assert (F : Acc left_of (subst_k x v k)) by (apply IH; rewrite depth_subst_k; lia) end.
    destruct F as [F]. apply F. do 5 eexists. eassumption.
  - apply finite_seq; apply IH; lia.
  - constructor. intros k' (H & i & A & B & l & D). inversion D; subst.
    + assert (F : Acc left_of k1) by (apply IH; lia). destruct F as [F]. apply F.
      do 5 eexists. eassumption.
    + assert (F : Acc left_of k2) by (apply IH; lia). destruct F as [F]. apply F.
      do 5 eexists. eassumption.
  - constructor. intros k' (H & i & A & B & l & D). inversion D; subst.
    match goal with Hn : eval_n n = Some ?v, Hm : eval_n m = Some ?w |- _ =>
      assert (F : Acc left_of (KFor x (Num v) (Num w) k))
        by (apply finite_for; intro; apply IH; rewrite depth_subst_k; lia) end.
    destruct F as [F]. apply F. do 5 eexists. eapply b_for_2; try reflexivity; eassumption.
Qed.

(** ** Blocks *)

(** Some thread of the block reaches a read of [⊥] at [j]. *)
Inductive block_reads_undefined : history -> remaining -> N -> Prop :=
| bu_here : forall P H ks i k j,
    In (i, k) ks ->
    k_reads_undefined H i (at_thread P i) k j ->
    block_reads_undefined (P :: H) ks j
| bu_syncs : forall P H ks Q ss l ks' j,
    all_to_barrier H P ks Q ss ->
    ks <> [] ->
    all_at l ss ks' ->
    block_reads_undefined ([] :: Q :: H) ks' j ->
    block_reads_undefined (P :: H) ks j.

Definition closed_pool (ks : remaining) : Prop := forall i k, In (i, k) ks -> closed_k k.

Lemma all_progress H P ks :
  closed_pool ks ->
  (exists Q ss, all_to_barrier H P ks Q ss) \/
  (exists i k j, In (i, k) ks /\ k_reads_undefined H i (at_thread P i) k j).
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

Lemma and_then_in_depth r left next :
  r <> OutOfDepth -> (forall A, next A <> OutOfDepth) -> and_then r left next <> OutOfDepth.
Proof. intros Hr Hn. destruct r as [[B [| l k]] | | | |]; cbn; auto; discriminate. Qed.

Lemma iterate_k_in_depth body left :
  (forall v A, body v A <> OutOfDepth) ->
  forall count v A, iterate_k body left count v A <> OutOfDepth.
Proof.
  intro Hbody. induction count as [| count IH]; cbn; intros v A; [discriminate |].
  apply and_then_in_depth; auto.
Qed.

Theorem evaluate_k_in_depth H i A k : evaluate_k H i A k <> OutOfDepth.
Proof.
  unfold evaluate_k.
  enough (F : forall d A k, (depth_k k <= d)%nat -> run_k d H i A k <> OutOfDepth) by now apply F.
  clear. induction d as [| d IH]; intros A k Hd; [destruct k; cbn in Hd; lia |].
  destruct k as [b | l | x n k | k1 k2 | c k1 k2 | x n m k]; cbn in *.
  - pose proof (evaluate_in_depth H i A b) as E. destruct (evaluate H i A b); cbn; congruence.
  - discriminate.
  - destruct (eval_n n) as [j |]; cbn; [| discriminate].
    unfold read_value. destruct (nodup _ _) as [| v [| v' vs]]; cbn; try discriminate.
    apply IH. rewrite depth_subst_k. lia.
  - apply and_then_in_depth; [apply IH; lia | intro B; apply IH; lia].
  - destruct (eval_c c) as [[|] |]; cbn; try discriminate; apply IH; lia.
  - destruct (eval_n n), (eval_n m); cbn; try discriminate.
    apply iterate_k_in_depth. intros v B. apply IH. rewrite depth_subst_k. lia.
Qed.

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

Lemma q_seq_total q1 q2 :
  (exists L s, q_to_barrier q1 L s) -> (exists L s, q_to_barrier q2 L s) ->
  exists L s, q_to_barrier (QSeq q1 q2) L s.
Proof.
  intros (L1 & [| l q1'] & D1) (L2 & s2 & D2); [eauto using q_seq_1 |]. eauto using q_seq_2.
Qed.

Lemma q_for_total x q w :
  (forall v, exists L s, q_to_barrier (subst_q x v q) L s) ->
  forall v, exists L s, q_to_barrier (QFor x (Num v) (Num w) q) L s.
Proof.
  intros Hbody v. remember (N.to_nat (w - v)) as d eqn:Hd. revert v Hd.
  induction d as [| d IH]; intros v Hd.
  - exists [], QFinished. eapply q_for_1; try reflexivity. lia.
  - destruct (q_seq_total (subst_q x v q) (QFor x (Num (v + 1)) (Num w) q) (Hbody v))
      as (L & s & D); [apply IH; lia |].
    exists L, s. eapply q_for_2; try reflexivity; [lia | exact D].
Qed.

(** The protocol of a program without free variables runs to its next barrier. *)
Lemma typed_q_total d k q :
  (depth_k k <= d)%nat -> typed_k [] k q -> exists L s, q_to_barrier q L s.
Proof.
  revert k q. induction d as [| d IH]; intros k q Hd HT; [destruct k; cbn in Hd; lia |].
  inversion HT as [b u Tb | l | y n k' q' Hn Hy Tk | k1 k2 q1 q2 T1 T2 | c k1 k2 q1 q2 Hc T1 T2
                  | x n m k' q' Hn Hm Hx Tk]; subst; cbn in Hd.
  - destruct (closed_unsync_total u) as [L D]; [eapply typed_fv; exact Tb |].
    eauto using q_block.
  - eauto using q_sync.
  - apply q_seq_total; [| apply (IH k'); [lia | exact Tk]].
    destruct (closed_n_evaluates n Hn) as [j Hj]. eauto using q_block, u_access.
  - apply q_seq_total; [apply (IH k1) | apply (IH k2)]; auto; lia.
  - destruct (closed_c_evaluates c Hc) as [[|] E].
    + destruct (IH k1 q1) as (L & s & D); [lia | exact T1 |]. eauto using q_if_t.
    + destruct (IH k2 q2) as (L & s & D); [lia | exact T2 |]. eauto using q_if_f.
  - destruct (closed_n_evaluates n Hn) as [v Ev], (closed_n_evaluates m Hm) as [w Ew].
    destruct (q_for_total x q' w) with (v := v) as (L & s & D).
    + intro v'. apply (IH (subst_k x v' k')); [rewrite depth_subst_k; lia |].
      now apply typed_k_body.
    + exists L, s. inversion D; subst; cbn in *; repeat match goal with
        E : Some _ = Some _ |- _ => injection E as <- end; eauto using q_for_1, q_for_2.
Qed.

(** A read of [⊥] by a well-typed program is a read of its protocol, of a cell
    that no older phase wrote. *)
Lemma k_reads_undefined_in_protocol H i A k j :
  k_reads_undefined H i A k j ->
  forall q L s, typed_k [] k q -> q_to_barrier q L s -> In (rd, j) L /\ undefined j H.
Proof.
  induction 1 as [A b j D | R W x n k j Hn HU | R W x n k j v j' Hn L0 D IH | A k1 k2 j D IH
    | A k1 k2 B j D1 D2 IH | A c k1 k2 j Hc D IH | A c k1 k2 j Hc D IH | A x n m k v w j Hn Hm Hlt D IH];
    intros q L s HT HQ; inversion HT; subst; inversion HQ; subst; same_values; try lia;
    repeat match goal with
    | E : q_to_barrier (QBlock (UAccess rd _)) _ _ |- _ => inversion E; subst; clear E
    | E : unsync (UAccess rd _) _ |- _ => inversion E; subst; clear E; same_values
    end.
  - eapply reads_undefined_in_protocol; eassumption.
  - split; [now left |]. intros v Hv. destruct (lookup j W) as [v' |] eqn:E.
    + apply (HU v'), lastwrite_own. now left.
    + apply (HU v), lastwrite_own. now right.
  - match goal with Tk : typed_k [] k ?q', Dq : q_to_barrier ?q' _ _ |- _ =>
      destruct (IH _ _ _ (typed_k_data x v _ _ Tk) Dq) end.
    split; [now right | assumption].
  - edestruct IH; eauto. split; [apply in_app_iff; now left | assumption].
  - edestruct IH; eauto.
  - match goal with T2 : typed_k [] k2 _, Q2 : q_to_barrier ?q2 _ s |- _ =>
      destruct (IH _ _ _ T2 Q2) end. split; [apply in_app_iff; now right | assumption].
  - match goal with T1 : typed_k [] k1 ?q1, Q1 : q_to_barrier ?q1 _ _ |- _ =>
      destruct (to_barrier_access_equivalence _ _ _ _ _ _ D1 _ T1) as (L' & t & Dq & St & _);
      destruct (q_to_barrier_deterministic _ _ _ _ _ Q1 Dq) as [_ <-] end. destruct St.
  - eauto.
  - eauto.
  - match goal with Tk : typed_k [x] k ?q', Dq : q_to_barrier (QSeq _ _) _ _ |- _ =>
      eapply IH; [| exact Dq] end.
    constructor; [now apply typed_k_body | constructor; auto; apply incl_nil_l].
Qed.

(** The protocol of a block reads [j] in some phase. *)
Inductive q_reads : qremaining -> N -> Prop :=
| q_reads_here : forall qs i q L s j,
    In (i, q) qs ->
    q_to_barrier q L s ->
    In (rd, j) L ->
    q_reads qs j
| q_reads_later : forall qs L ss l qs' j,
    all_q_to_barrier qs L ss ->
    q_all_at l ss qs' ->
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
  forall qs P Ps H, typed_pool ks qs -> NoDup (ids ks) -> H1 = P :: Ps ++ H ->
  q_reads qs j /\ undefined j H.
Proof.
  induction 1 as [P H1 ks i k j Hin Hj | P H1 ks Q ss l ks' j D Hks Ha HB IH];
    intros qs P0 Ps H HT ND E; injection E as <- ->.
  - assert (exists q, In (i, q) qs /\ typed_k [] k q) as (q & Hq & Tq).
    { clear - Hin HT. induction HT as [| [i1 k1] [i2 q2] ks qs [E T] _ IH]; [destruct Hin |].
      cbn in *. subst i2. destruct Hin as [X | Hin].
      - injection X as -> ->. eauto.
      - destruct (IH Hin) as (q & Hq & Tq). eauto. }
    destruct (typed_q_total _ k q (le_n _) Tq) as (L & s & Dq).
    destruct (k_reads_undefined_in_protocol _ _ _ _ _ Hj _ _ _ Tq Dq) as [Hr HU].
    split; [eapply q_reads_here; eassumption |].
    intros v Hv. destruct (lastwrite_later j Ps H v Hv) as [v' Hv']. exact (HU v' Hv').
  - destruct (all_to_barrier_equivalence _ _ _ _ _ D _ HT ND) as (L & ts & Dq & St & _).
    destruct (same_stops_at _ _ _ _ St Ha) as (qs' & Hqs & HT').
    assert (E' : ids ks' = ids ks).
    { destruct (all_to_barrier_ids _ _ _ _ _ D) as [_ E]. rewrite Ha in E. unfold ids in *.
      rewrite map_map in E. exact E. }
    destruct (IH qs' [] (Q :: Ps) H HT') as [Hr HU]; [now rewrite E' | reflexivity |].
    split; [eapply q_reads_later; eassumption | exact HU].
Qed.

(** T3, second half: contents that cover the reads of the protocol leave no
    thread stuck. *)
Theorem covered_block_progresses T P H k q :
  typed_k [tid] k q -> incl (fv_k k) [tid] -> NoDup T ->
  (forall j, q_reads (q_start T q) j -> exists v, lastwrite j H v) ->
  exists out, block_run (P :: H) (start T k) out.
Proof.
  intros HT Hc ND HC.
  destruct (block_stuck_only_on_undefined P H (start T k)) as [E | [j Hj]]; [| exact E |].
  - intros i k' Hin. apply in_map_iff in Hin as (i' & [= <- <-] & _).
    intros y [Hy Hne]%fv_subst_k. destruct (Hc y Hy); congruence || assumption.
  - destruct (block_reads_undefined_in_protocol _ _ _ Hj (q_start T q) P [] H (typed_start T k q HT))
      as [Hr HU]; [now rewrite ids_start | reflexivity |].
    destruct (HC j Hr) as [v Hv]. destruct (HU v Hv).
Qed.
