(** * The invariant of one barrier interval, for T6

    While nothing conflicts, the memory of an interleaving is that of the
    big-step history, so every thread reads what it would read alone and
    moves towards the stop that the run-to-barrier judgment gives it. *)

From BabyCUDA Require Export SameHistories Interleavings Determinism RaceChecker.
Local Open Scope N_scope.

(** [P] with the accesses of thread [i] replaced. *)
Definition set_thread (P : phase) (i : N) (A : access_pair) : phase := (i, A) :: P.

Lemma at_set_same P i A : at_thread (set_thread P i A) i = A.
Proof. unfold at_thread, set_thread. cbn. now rewrite N.eqb_refl. Qed.

Lemma at_set_other P i A i' : i' <> i -> at_thread (set_thread P i A) i' = at_thread P i'.
Proof. intro Hne. unfold at_thread, set_thread. cbn. now apply N.eqb_neq in Hne as ->. Qed.

(** ** The invariant of one barrier interval

    [P] logs the accesses since the last barrier; the memory is that of
    [P :: H]; so far nothing conflicts. *)
Record good (H : history) (P : phase) (M : writes) (tr : access_values) : Prop := {
  good_history : single_writers H;
  good_trace : forall a, In a tr <-> phase_set P a;
  good_quiet : drf_values tr;
  good_memory : memory_of M (P :: H)
}.

Lemma good_drf H P M tr : good H P M tr -> drf_phase P.
Proof.
  intros [_ HT HQ _] HR. apply HQ. apply racy_iff_racy_set in HR.
  revert HR. apply racy_set_ext. intro a. apply HT.
Qed.

(** A value seen in the memory is the thread's own last write, or there is a conflict. *)
Lemma load_value H P M tr i j v :
  good H P M tr -> lookup j M = Some v ->
  racy_values ((i, rd, j) :: tr) \/ lastwrite j (singleton i (at_thread P i) :: H) v.
Proof.
  intros G HM. apply (good_memory _ _ _ _ G) in HM.
  destruct (at_thread P i) as [R W] eqn:EA.
  inversion HM as [P0 H0 i' k Hk | P0 H0 k HN L]; subst.
  - destruct (N.eq_dec i' i) as [-> | Hne].
    + right. apply lastwrite_own. left. now rewrite EA in Hk.
    + left. exists (i', wr, j), (i, rd, j). split; [| split].
      * right. apply (good_trace _ _ _ _ G). cbn. exists v. exact Hk.
      * now left.
      * repeat split; auto.
  - right. apply lastwrite_own. right. split; [| exact L].
    specialize (HN i). now rewrite EA in HN.
Qed.

(** What the thread could read alone, it finds in the memory (with some value). *)
Lemma load_exists H P M tr i j v :
  good H P M tr -> lastwrite j (singleton i (at_thread P i) :: H) v ->
  exists v', lookup j M = Some v'.
Proof.
  intros G L. enough (exists v', lastwrite j (P :: H) v') as [v' L'].
  { exists v'. now apply (good_memory _ _ _ _ G). }
  destruct (at_thread P i) as [R W] eqn:EA. apply lastwrite_own in L as [E | [E L]].
  - exists v. apply lastwrite_curr with i. now rewrite EA.
  - destruct (values_written j P) as [| v' vs] eqn:EV.
    + exists v. apply lastwrite_prev; [| exact L]. now apply values_written_nil.
    + exists v'. assert (HI : In v' (values_written j P)) by (rewrite EV; now left).
      apply in_values_written in HI as [i' Hi']. now apply lastwrite_curr with i'.
Qed.

(** A load keeps the invariant, or there is a conflict. *)
Lemma good_load H P M tr i R W j :
  good H P M tr -> at_thread P i = (R, W) ->
  racy_values ((i, rd, j) :: tr) \/
  good H (set_thread P i (add_read j R, W)) M ((i, rd, j) :: tr).
Proof.
  intros G EA. destruct (racy_values_dec ((i, rd, j) :: tr)) as [HR | HD]; [now left | right].
  destruct G as [HS HT HQ HM]. split; [exact HS | | exact HD |].
  - intros [[i' o] j']. cbn. rewrite (HT (i', o, j')). cbn. unfold in_phase.
    destruct (N.eq_dec i' i) as [-> | Hne].
    + rewrite at_set_same, EA, accesses_read. intuition congruence.
    + rewrite at_set_other by assumption. intuition congruence.
  - assert (EW : forall i', snd (at_thread (set_thread P i (add_read j R, W)) i')
                            = snd (at_thread P i')).
    { intro i'. destruct (N.eq_dec i' i) as [-> | Hne].
      - now rewrite at_set_same, EA.
      - now rewrite at_set_other. }
    intros j' v. rewrite (HM j' v). split; intro L; inversion L as [P0 H0 i' k Hk | P0 H0 k HN L0]; subst.
    + apply lastwrite_curr with i'. now rewrite EW.
    + apply lastwrite_prev; [| exact L0]. intro i'. now rewrite EW.
    + apply lastwrite_curr with i'. now rewrite <- EW.
    + apply lastwrite_prev; [| exact L0]. intro i'. now rewrite <- EW.
Qed.

(** So does a store. *)
Lemma good_store H P M tr i R W j v :
  good H P M tr -> at_thread P i = (R, W) ->
  racy_values ((i, wr, j) :: tr) \/
  good H (set_thread P i (R, update j v W)) (update j v M) ((i, wr, j) :: tr).
Proof.
  intros G EA. destruct (racy_values_dec ((i, wr, j) :: tr)) as [HR | HD]; [now left | right].
  destruct G as [HS HT HQ HM].
  assert (HT' : forall a, In a ((i, wr, j) :: tr) <->
                          phase_set (set_thread P i (R, update j v W)) a).
  { intros [[i' o] j']. cbn. rewrite (HT (i', o, j')). cbn. unfold in_phase.
    destruct (N.eq_dec i' i) as [-> | Hne].
    - rewrite at_set_same, EA, accesses_write. intuition congruence.
    - rewrite at_set_other by assumption. intuition congruence. }
  split; [exact HS | exact HT' | exact HD |].
  assert (HO : forall i', i' <> i -> lookup j (snd (at_thread P i')) = None).
  { intros i' Hne. destruct (lookup j (snd (at_thread P i'))) eqn:E; [| reflexivity].
    destruct HD. exists (i', wr, j), (i, wr, j). split; [| split].
    - right. apply HT. exists n. exact E.
    - now left.
    - repeat split; auto. }
  assert (EW : forall i' j', j' <> j ->
      lookup j' (snd (at_thread (set_thread P i (R, update j v W)) i'))
      = lookup j' (snd (at_thread P i'))).
  { intros i' j' Hj. destruct (N.eq_dec i' i) as [-> | Hne].
    - rewrite at_set_same, EA. cbn. rewrite lookup_update.
      now destruct (cell_eqb_spec j' j).
    - now rewrite at_set_other. }
  intros j' v'. rewrite lookup_update. destruct (cell_eqb_spec j' j) as [-> | Hj].
  - split.
    + intros [= ->]. apply lastwrite_curr with i. rewrite at_set_same. cbn.
      rewrite lookup_update. now destruct (cell_eqb_spec j j).
    + intro L. inversion L as [P0 H0 i' k Hk | P0 H0 k HN L0]; subst.
      * destruct (N.eq_dec i' i) as [-> | Hne].
        -- rewrite at_set_same in Hk. cbn in Hk. rewrite lookup_update in Hk. destruct (cell_eqb_spec j j); congruence.
        -- rewrite at_set_other, HO in Hk by assumption. discriminate.
      * specialize (HN i). rewrite at_set_same in HN. cbn in HN.
        rewrite lookup_update in HN. destruct (cell_eqb_spec j j); congruence.
  - rewrite (HM j' v'). split; intro L; inversion L as [P0 H0 i' k Hk | P0 H0 k HN L0]; subst.
    + apply lastwrite_curr with i'. now rewrite EW.
    + apply lastwrite_prev; [| exact L0]. intro i'. now rewrite EW.
    + apply lastwrite_curr with i'. now rewrite <- EW.
    + apply lastwrite_prev; [| exact L0]. intro i'. now rewrite <- EW by assumption.
Qed.

(** The interval begins. *)
Lemma good_start H M :
  single_writers H -> memory_of M H -> good H [] M [].
Proof.
  intros HS HM. split; [exact HS | | |].
  - intros [[i o] j]. cbn. split; [tauto |]. apply no_access_empty.
  - intros (a & b & [] & _).
  - intros j v. rewrite (HM j v). split; intro L.
    + now apply lastwrite_prev.
    + inversion L as [P0 H0 i k Hk | P0 H0 k HN L0]; subst; [discriminate | exact L0].
Qed.

(** ** One step against run-to-barrier *)

(** The thread's accesses after a step. *)
Definition after (A : access_pair) (e : event) : access_pair :=
  match e with
  | Silent => A
  | Load j _ => (add_read j (fst A), snd A)
  | Store j v => (fst A, update j v (snd A))
  end.

(** A load yields what the thread would read alone. *)
Definition consistent (H : history) (i : N) (A : access_pair) (e : event) : Prop :=
  match e with
  | Load j v => lastwrite j (singleton i A :: H) v
  | _ => True
  end.

Lemma lastwrite_singleton_functional H i A j v1 v2 :
  single_writers H -> lastwrite j (singleton i A :: H) v1 ->
  lastwrite j (singleton i A :: H) v2 -> v1 = v2.
Proof.
  intros HS. apply lastwrite_functional. intros P [<- | HP]; [apply singleton_single_writer | auto].
Qed.

(** A step leads towards the same stop, with the same accesses. *)
Lemma step_keeps_stop H i k e k' :
  single_writers H -> kstep k e k' ->
  forall A B s, to_barrier H i A k B s -> consistent H i A e -> to_barrier H i (after A e) k' B s.
Proof.
  intros HS D. induction D; intros A B s D' HC;
    inversion D'; subst; same_values; cbn in *; try lia;
    try match goal with
    | L1 : lastwrite ?j ?H1 ?v1, L2 : lastwrite ?j ?H1 ?v2 |- _ =>
        assert (v1 = v2) as <- by (eapply lastwrite_singleton_functional; eassumption)
    end;
    try match goal with D1 : to_barrier _ _ _ Skip _ _ |- _ => inversion D1; subst end;
    eauto using b_skip, b_seq_1, b_seq_2.
Qed.

(** Accesses only grow on the way to a barrier. *)
Lemma to_barrier_accesses_grow H i A k B s :
  to_barrier H i A k B s -> forall o j, accesses A o j -> accesses B o j.
Proof.
  induction 1; intros o' j' HA; auto.
  - apply accesses_write. now left.
  - apply IHto_barrier, accesses_read. now left.
Qed.

(** The access that an event makes. *)
Definition access_of (e : event) : option (mode * cell) :=
  match e with
  | Silent => None
  | Load j _ => Some (rd, j)
  | Store j _ => Some (wr, j)
  end.

(** The access of a step is one of the big step. *)
Lemma step_access_in_stop H i k e k' :
  kstep k e k' ->
  forall A B s o j, to_barrier H i A k B s -> access_of e = Some (o, j) -> accesses B o j.
Proof.
  induction 1; intros A B s o' j' D' HE; cbn in HE; try discriminate;
    try (injection HE as <- <-); inversion D'; subst; same_values.
  - apply accesses_write. now right.
  - eapply to_barrier_accesses_grow; [eassumption |]. apply accesses_read. now right.
  - eapply to_barrier_accesses_grow; [eassumption |]. eauto.
  - eauto.
Qed.

(** ** Stops *)

(** [k] is at the stop [s]. *)
Definition stopped (k : prog) (s : stop) : Prop :=
  match s with
  | Finished => k = Skip
  | AtBarrier l k' => waits k l k'
  end.

(** A thread that waits has no accesses left before its barrier. *)
Lemma waits_stop H i k l k' :
  waits k l k' -> forall A B s, to_barrier H i A k B s -> B = A /\ s = AtBarrier l k'.
Proof.
  induction 1 as [l | k1 k2 l k1' D IH]; intros A B s D'; inversion D'; subst.
  - auto.
  - match goal with E : to_barrier _ _ _ k1 _ _ |- _ => apply IH in E as [_ [=]] end.
  - match goal with E : to_barrier _ _ _ k1 _ _ |- _ => apply IH in E as [-> [= -> ->]] end. auto.
Qed.

Lemma skip_stop H i A B s : to_barrier H i A Skip B s -> B = A /\ s = Finished.
Proof. now inversion 1. Qed.

(** A thread is at its stop, or it can step. *)
Lemma thread_progress H P M tr i :
  good H P M tr ->
  forall A k B s, to_barrier H i A k B s -> A = at_thread P i ->
  stopped k s \/ exists M' tr' k', thread_step i (M, tr, k) (M', tr', k').
Proof.
  intros G A k B s D. induction D as [R W a n m j v Hn Hm | A | A l | R W x a n k j v B s Hn L D IH
    | A k1 k2 B C s D1 IH1 D2 IH2 | A k1 k2 B l k1' D IH | A c k1 k2 B s Hc D IH
    | A c k1 k2 B s Hc D IH | A x n m k v w Hn Hm Hle | A x n m k v w B s Hn Hm Hlt D IH]; intro EA.
  - right. do 3 eexists. eapply i_store. eauto using s_write.
  - left. reflexivity.
  - left. constructor.
  - right. rewrite EA in L. destruct (load_exists _ _ _ _ _ _ _ G L) as [v' Hv'].
    do 3 eexists. eapply i_load; eauto using s_read.
  - right. destruct (IH1 EA) as [E | (M' & tr' & k' & St)].
    + cbn in E. subst k1. do 3 eexists. apply i_silent, s_seq_skip.
    + inversion St; subst; do 3 eexists;
        [eapply i_silent | eapply i_load | eapply i_store]; eauto using Interleavings.s_seq.
  - destruct (IH EA) as [E | (M' & tr' & k' & St)].
    + left. now constructor.
    + right. inversion St; subst; do 3 eexists;
        [eapply i_silent | eapply i_load | eapply i_store]; eauto using Interleavings.s_seq.
  - right. do 3 eexists. apply i_silent. eauto using s_if.
  - right. do 3 eexists. apply i_silent. eauto using s_if.
  - right. do 3 eexists. apply i_silent. eauto using s_for_1.
  - right. do 3 eexists. apply i_silent. eauto using s_for_2.
Qed.
