(** * T6, first direction: a racy history has a racy interleaving

    Run the threads one after the other.  Either two accesses conflict on the
    way, or every thread arrives at its stop with the accesses that the
    big-step history gives it; when those are racy, they conflict too. *)

From BabyCUDA Require Export IntervalInvariant.
Local Open Scope N_scope.

(** ** One thread alone *)

Inductive solo (i : N) : writes -> access_values -> prog -> writes -> access_values -> prog -> Prop :=
| solo_done : forall M tr k,
    solo i M tr k M tr k
| solo_step : forall M tr k M1 tr1 k1 M2 tr2 k2,
    thread_step i (M, tr, k) (M1, tr1, k1) ->
    solo i M1 tr1 k1 M2 tr2 k2 ->
    solo i M tr k M2 tr2 k2.

Lemma solo_trans i M tr k M1 tr1 k1 M2 tr2 k2 :
  solo i M tr k M1 tr1 k1 -> solo i M1 tr1 k1 M2 tr2 k2 -> solo i M tr k M2 tr2 k2.
Proof. induction 1; eauto using solo_step. Qed.

Lemma thread_step_seq i M tr k1 M' tr' k1' k2 :
  thread_step i (M, tr, k1) (M', tr', k1') ->
  thread_step i (M, tr, Seq k1 k2) (M', tr', Seq k1' k2).
Proof.
  inversion 1; subst; [eapply i_silent | eapply i_load | eapply i_store];
    eauto using Interleavings.s_seq.
Qed.

Lemma solo_seq i M tr k1 M' tr' k1' k2 :
  solo i M tr k1 M' tr' k1' -> solo i M tr (Seq k1 k2) M' tr' (Seq k1' k2).
Proof. induction 1; [apply solo_done | eauto using solo_step, thread_step_seq]. Qed.

(** Thread [i] runs alone until something conflicts, or arrives at stop [s] with
    the accesses [B], the other threads' accesses untouched. *)
Definition arrives (H : history) (i : N) (P : phase) (M : writes) (tr : access_values)
    (k : prog) (B : access_pair) (s : stop) : Prop :=
  exists M' tr' k',
    solo i M tr k M' tr' k' /\
    (racy_values tr' \/
     stopped k' s /\
     exists P', good H P' M' tr' /\ at_thread P' i = B /\
                forall i', i' <> i -> at_thread P' i' = at_thread P i').

Lemma arrives_now H i P M tr k B s :
  good H P M tr -> at_thread P i = B -> stopped k s -> arrives H i P M tr k B s.
Proof.
  intros G E St. exists M, tr, k. split; [apply solo_done |]. right. split; [exact St |].
  exists P. auto.
Qed.

Lemma arrives_silent H i P M tr k k1 B s :
  kstep k Silent k1 -> arrives H i P M tr k1 B s -> arrives H i P M tr k B s.
Proof.
  intros St (M' & tr' & k' & S & E). exists M', tr', k'. split; [| exact E].
  eauto using solo_step, i_silent.
Qed.

(** A step to the log [P1], which differs from [P] at [i] only. *)
Lemma arrives_access H i P P1 M tr k M1 tr1 k1 B s :
  thread_step i (M, tr, k) (M1, tr1, k1) ->
  (forall i', i' <> i -> at_thread P1 i' = at_thread P i') ->
  racy_values tr1 \/ arrives H i P1 M1 tr1 k1 B s ->
  arrives H i P M tr k B s.
Proof.
  intros St EO [HR | (M' & tr' & k' & S & E)].
  - exists M1, tr1, k1. split; [eauto using solo_step, solo_done | now left].
  - exists M', tr', k'. split; [eauto using solo_step |].
    destruct E as [HR | (Hs & P' & G & EB & EO')]; [now left | right].
    split; [exact Hs |]. exists P'. split; [exact G |]. split; [exact EB |].
    intros i' Hne. now rewrite EO', EO.
Qed.

Lemma arrives_load H i P M tr k R W j v B s kont :
  good H P M tr -> at_thread P i = (R, W) ->
  lastwrite j (singleton i (R, W) :: H) v ->
  (forall v, kstep k (Load j v) (kont v)) ->
  (forall P1 tr1, good H P1 M tr1 -> at_thread P1 i = (add_read j R, W) ->
     arrives H i P1 M tr1 (kont v) B s) ->
  arrives H i P M tr k B s.
Proof.
  intros G EA L Hk Hrest.
  assert (L' : lastwrite j (singleton i (at_thread P i) :: H) v) by now rewrite EA.
  destruct (load_exists _ _ _ _ _ _ _ G L') as [v' Hv'].
  eapply (arrives_access H i P (set_thread P i (add_read j R, W))).
  - eapply i_load; eauto.
  - intros i' Hne. now apply at_set_other.
  - destruct (load_value _ _ _ _ i _ _ G Hv') as [HR | L2]; [now left |].
    destruct (good_load _ _ _ _ i _ _ j G EA) as [HR | G']; [now left | right].
    rewrite (lastwrite_singleton_functional _ _ _ _ _ _ (good_history _ _ _ _ G) L2 L').
    apply Hrest; [exact G' | apply at_set_same].
Qed.

Lemma arrives_store H i P M tr k R W j v :
  good H P M tr -> at_thread P i = (R, W) ->
  kstep k (Store j v) Skip ->
  arrives H i P M tr k (R, update j v W) Finished.
Proof.
  intros G EA Hk.
  eapply (arrives_access H i P (set_thread P i (R, update j v W))).
  - eapply i_store; eauto.
  - intros i' Hne. now apply at_set_other.
  - destruct (good_store _ _ _ _ i _ _ j v G EA) as [HR | G']; [now left | right].
    apply arrives_now; [exact G' | apply at_set_same | reflexivity].
Qed.

Lemma arrives_seq H i P M tr k1 k2 B C s :
  arrives H i P M tr k1 B Finished ->
  (forall P1 M1 tr1, good H P1 M1 tr1 -> at_thread P1 i = B -> arrives H i P1 M1 tr1 k2 C s) ->
  arrives H i P M tr (Seq k1 k2) C s.
Proof.
  intros (M1 & tr1 & k1' & S1 & E1) H2. apply (solo_seq i _ _ _ _ _ _ k2) in S1.
  destruct E1 as [HR | (Hs & P1 & G1 & EB & EO)].
  - exists M1, tr1, (Seq k1' k2). auto.
  - cbn in Hs. subst k1'.
    destruct (arrives_silent H i P1 M1 tr1 _ _ C s (s_seq_skip k2) (H2 P1 M1 tr1 G1 EB))
      as (M2 & tr2 & k2' & S2 & E2).
    exists M2, tr2, k2'. split; [eapply solo_trans; eassumption |].
    destruct E2 as [HR | (Hs & P2 & G2 & EC & EO2)]; [now left | right].
    split; [exact Hs |]. exists P2. split; [exact G2 |]. split; [exact EC |].
    intros i' Hne. now rewrite EO2, EO.
Qed.

Lemma arrives_seq_barrier H i P M tr k1 k2 B l k1' :
  arrives H i P M tr k1 B (AtBarrier l k1') ->
  arrives H i P M tr (Seq k1 k2) B (AtBarrier l (Seq k1' k2)).
Proof.
  intros (M1 & tr1 & k & S1 & E1). exists M1, tr1, (Seq k k2).
  split; [now apply solo_seq |].
  destruct E1 as [HR | (Hs & E)]; [now left | right]. split; [now constructor | exact E].
Qed.

(** A run to the next barrier is followed by the thread alone. *)
Lemma thread_arrives H i A k B s :
  to_barrier H i A k B s ->
  forall P M tr, good H P M tr -> at_thread P i = A -> arrives H i P M tr k B s.
Proof.
  induction 1 as [R W a n m j v Hn Hm | A | A l | R W x a n k j v B s Hn L D IH
    | A k1 k2 B C s D1 IH1 D2 IH2 | A k1 k2 B l k1' D IH | A c k1 k2 B s Hc D IH
    | A c k1 k2 B s Hc D IH | A x n m k v w Hn Hm Hle | A x n m k v w B s Hn Hm Hlt D IH];
    intros P M tr G EA.
  - apply arrives_store; eauto using s_write.
  - now apply arrives_now.
  - apply arrives_now; [exact G | exact EA | constructor].
  - eapply arrives_load with (kont := fun v => subst x v k); eauto using s_read.
  - eapply arrives_seq; eauto.
  - apply arrives_seq_barrier. eauto.
  - eapply arrives_silent; [eapply s_if; eassumption |]. cbn. eauto.
  - eapply arrives_silent; [eapply s_if; eassumption |]. cbn. eauto.
  - eapply arrives_silent; [eapply s_for_1; eassumption |]. now apply arrives_now.
  - eapply arrives_silent; [eapply s_for_2; eassumption |]. eauto.
Qed.

(** ** All threads, one after the other *)

Definition thread_ids (ks : remaining) : list N := map fst ks.

Lemma reaches_trans c1 c2 c3 : reaches c1 c2 -> reaches c2 c3 -> reaches c1 c3.
Proof.
  unfold reaches. intros R1 R2. induction R1; [exact R2 |].
  eapply Relation_Operators.rt1n_trans; [eassumption | auto].
Qed.

Lemma solo_reaches i ks1 ks2 M tr k M' tr' k' :
  solo i M tr k M' tr' k' ->
  reaches (M, tr, ks1 ++ (i, k) :: ks2) (M', tr', ks1 ++ (i, k') :: ks2).
Proof.
  induction 1; [apply rt1n_refl |]. eapply Relation_Operators.rt1n_trans; [| eassumption].
  now apply c_thread.
Qed.

(** [ks] stopped at [ss], thread by thread. *)
Definition all_stopped (ks : remaining) (ss : stops) : Prop :=
  Forall2 (fun e e' => fst e = fst e' /\ stopped (snd e) (snd e')) ks ss.

Lemma all_to_barrier_ids H P ks Q ss :
  all_to_barrier H P ks Q ss -> map fst Q = thread_ids ks.
Proof. induction 1; cbn; [reflexivity | now f_equal]. Qed.

Lemma at_thread_cons i A Q : at_thread ((i, A) :: Q) i = A.
Proof. apply at_set_same. Qed.

Lemma at_thread_cons_other i A Q i' : i' <> i -> at_thread ((i, A) :: Q) i' = at_thread Q i'.
Proof. apply at_set_other. Qed.

Lemma all_arrive H P0 ks Q ss :
  all_to_barrier H P0 ks Q ss ->
  forall done P M tr,
    good H P M tr ->
    (forall i, In i (thread_ids ks) -> at_thread P i = at_thread P0 i) ->
    NoDup (thread_ids ks) ->
    exists M' tr' ks',
      reaches (M, tr, done ++ ks) (M', tr', done ++ ks') /\
      (racy_values tr' \/
       all_stopped ks' ss /\
       exists P', good H P' M' tr' /\
         (forall i, In i (thread_ids ks) -> at_thread P' i = at_thread Q i) /\
         (forall i, ~ In i (thread_ids ks) -> at_thread P' i = at_thread P i)).
Proof.
  induction 1 as [| i k ks B s Q ss D Ds IH]; intros done P M tr G EP ND.
  - exists M, tr, []. split; [apply rt1n_refl |]. right. split; [constructor |].
    exists P. split; [exact G |]. split; [intros i [] | auto].
  - cbn in ND. inversion ND as [| ? ? Hni ND']; subst.
    assert (EA : at_thread P i = at_thread P0 i) by (apply EP; now left).
    destruct (thread_arrives _ _ _ _ _ _ D P M tr G EA) as (M1 & tr1 & k1 & S1 & E1).
    apply (solo_reaches i done ks) in S1.
    destruct E1 as [HR | (Hs & P1 & G1 & EB & EO)]; [do 3 eexists; split; [exact S1 | now left] |].
    destruct (IH (done ++ [(i, k1)]) P1 M1 tr1 G1) as (M2 & tr2 & ks' & S2 & E2).
    + intros i' Hi'. rewrite EO by (intros ->; contradiction). apply EP. now right.
    + exact ND'.
    + rewrite <- !app_assoc in S2. cbn in S2.
      exists M2, tr2, ((i, k1) :: ks'). split; [eapply reaches_trans; eassumption |].
      destruct E2 as [HR | (Hss & P2 & G2 & EQ & EO2)]; [now left | right].
      split; [constructor; [now split | exact Hss] |].
      exists P2. split; [exact G2 |]. split.
      * intros i' [<- | Hi'].
        -- cbn [fst]. rewrite at_thread_cons, EO2 by exact Hni. exact EB.
        -- rewrite (EQ i' Hi'). symmetry. apply at_set_other. intros ->. contradiction.
      * intros i' Hi'. rewrite EO2, EO; [reflexivity | |]; intro C; apply Hi'.
        -- subst. now left.
        -- now right.
Qed.

(** ** One interval *)

Lemma at_thread_outside P i : ~ In i (map fst P) -> at_thread P i = no_access.
Proof.
  intro Hi. unfold at_thread. apply lookup_none in Hi. now rewrite Hi.
Qed.

Lemma good_same_phase_drf H P Q M tr : good H P M tr -> same_phase P Q -> drf_phase Q.
Proof.
  intros G E HR. apply (good_drf _ _ _ _ G). destruct HR as (i1 & i2 & j & HR).
  exists i1, i2, j. now rewrite !E.
Qed.

(** From the start of an interval: a conflict, or every thread at its stop. *)
Theorem interval_arrives H ks Q ss M :
  single_writers H -> memory_of M H -> NoDup (thread_ids ks) ->
  all_to_barrier H [] ks Q ss ->
  exists M' tr' ks',
    reaches (M, [], ks) (M', tr', ks') /\
    (racy_values tr' \/
     all_stopped ks' ss /\ exists P', good H P' M' tr' /\ same_phase P' Q).
Proof.
  intros HS HM ND D.
  destruct (all_arrive _ _ _ _ _ D [] [] M [] (good_start H M HS HM)) as (M' & tr' & ks' & R & E);
    auto.
  exists M', tr', ks'. split; [exact R |].
  destruct E as [HR | (Hss & P' & G & EQ & EO)]; [now left | right].
  split; [exact Hss |]. exists P'. split; [exact G |]. intro i.
  destruct (in_dec N.eq_dec i (thread_ids ks)) as [Hi | Hi]; [auto |].
  rewrite EO, (at_thread_outside Q); [reflexivity | | exact Hi].
  now rewrite (all_to_barrier_ids _ _ _ _ _ D).
Qed.

(** A racy phase has a racy interleaving. *)
Corollary racy_interval H ks Q ss M :
  single_writers H -> memory_of M H -> NoDup (thread_ids ks) ->
  all_to_barrier H [] ks Q ss -> racy Q ->
  exists c, reaches (M, [], ks) c /\ conflicting c.
Proof.
  intros HS HM ND D HR.
  destruct (interval_arrives H ks Q ss M HS HM ND D) as (M' & tr' & ks' & R & [C | E]).
  - exists (M', tr', ks'). split; [exact R | exact C].
  - destruct E as (_ & P' & G & EQ). destruct (good_same_phase_drf _ _ _ _ _ G EQ HR).
Qed.

(** ** All intervals *)

Lemma stopped_waits_at l ks ks' :
  all_stopped ks (map (fun e => (fst e, AtBarrier l (snd e))) ks') -> Forall2 (waits_at l) ks ks'.
Proof.
  revert ks. induction ks' as [| [i k'] ks' IH]; cbn; intros ks F; inversion F as [| [i' k] ? ? ? [E St] F'];
    subst; constructor; auto. now split.
Qed.

Lemma memory_of_same M P Q H : same_phase P Q -> memory_of M (P :: H) -> memory_of M (Q :: H).
Proof.
  intros E HM j v. rewrite (HM j v). split; apply lastwrite_same_head; [exact E |].
  intro i. symmetry. apply E.
Qed.

Lemma all_to_barrier_stop_ids H P ks Q ss :
  all_to_barrier H P ks Q ss -> map fst ss = thread_ids ks.
Proof. induction 1; cbn; [reflexivity | now f_equal]. Qed.

Lemma all_at_ids l ss ks' : all_at l ss ks' -> map fst ss = thread_ids ks'.
Proof. intros ->. rewrite map_map. reflexivity. Qed.

Lemma racy_history_gen H0 ks out :
  block_run H0 ks out ->
  forall H M H',
    H0 = [] :: H -> out = Ends H' ->
    drf H -> memory_of M H -> NoDup (thread_ids ks) -> ~ drf H' ->
    exists c, reaches (M, [], ks) c /\ conflicting c.
Proof.
  induction 1 as [P H ks Q ss D Hf | P H ks Q ss l ks' out D Hks Hl HB IH | ];
    intros Hold M H' E EO HD HM ND HR; try discriminate; injection E as -> <-.
  - injection EO as <-. eapply racy_interval; eauto using drf_single_writers.
    destruct (racy_dec Q) as [HQ | HQ]; [exact HQ |]. destruct HR. now apply drf_cons.
  - destruct (racy_dec Q) as [HQ | HQ].
    + eapply racy_interval; eauto using drf_single_writers.
    + destruct (interval_arrives H ks Q ss M (drf_single_writers H HD) HM ND D)
        as (M1 & tr1 & ks1 & R & [C | (St & P1 & G & EQ)]).
      { exists (M1, tr1, ks1). split; [exact R | exact C]. }
      pose proof (all_at_ids _ _ _ Hl) as I1. rewrite (all_to_barrier_stop_ids _ _ _ _ _ D) in I1.
      assert (ks1 <> []).
      { intros ->. inversion St as [E1 E2 |]. rewrite <- E2 in D. inversion D; subst. now apply Hks. }
      unfold all_at in Hl. rewrite Hl in St. apply stopped_waits_at in St.
      destruct (IH (Q :: H) M1 H' eq_refl EO) as (c & Rc & C).
      * now apply drf_cons.
      * eapply memory_of_same; [exact EQ | apply (good_memory _ _ _ _ G)].
      * now rewrite <- I1.
      * exact HR.
      * exists c. split; [| exact C]. eapply reaches_trans; [exact R |].
        eapply Relation_Operators.rt1n_trans; [| exact Rc]. eapply c_barrier; eassumption.
Qed.

(** T6: a racy history has a racy interleaving.  [H] is what came before the
    program, for instance the contents that the host stored. *)
Theorem racy_history_has_racy_interleaving H M ks H' :
  drf H -> memory_of M H -> NoDup (thread_ids ks) ->
  block_run ([] :: H) ks (Ends H') ->
  ~ drf H' ->
  exists c, reaches (M, [], ks) c /\ conflicting c.
Proof. intros HD HM ND HB HR. eapply racy_history_gen; eauto. Qed.
