(** * On the stratified language, both semantics agree

    A synchronized program [s] has its barriers at the top level and in [forS]
    loops whose bounds do not depend on the thread.  As a program with barriers
    anywhere it has the same history: if [H, s ↓ H'] then the block that runs [s]
    ends, in [H'].  So what T6 says of blocks, it says of [s]. *)

From BabyCUDA Require Export Synchronized SameHistories.
Local Open Scope N_scope.

(** [s], with barriers anywhere; all of them have site 0. *)
Fixpoint embed (s : sprog) : kprog :=
  match s with
  | Block b => KBlock b
  | Sync => KSync 0
  | SSeq s1 s2 => KSeq (embed s1) (embed s2)
  | SFor x n m s => KFor x n m (embed s)
  end.

(** No [forS] loop binds [tid]. *)
Fixpoint keeps_tid (s : sprog) : Prop :=
  match s with
  | Block _ | Sync => True
  | SSeq s1 s2 => keeps_tid s1 /\ keeps_tid s2
  | SFor x _ _ s => x <> tid /\ keeps_tid s
  end.

Lemma keeps_tid_subst x k s : keeps_tid s -> keeps_tid (subst_s x k s).
Proof.
  induction s; cbn; try tauto. destruct (var_eq_dec x x0); tauto.
Qed.

Lemma embed_subst x k s : embed (subst_s x k s) = subst_k x k (embed s).
Proof.
  induction s; cbn; try congruence. destruct (var_eq_dec x x0); congruence.
Qed.

Lemma subst_k_commute x v y w k :
  x <> y -> subst_k x v (subst_k y w k) = subst_k y w (subst_k x v k).
Proof.
  intro Hne. induction k; cbn; try destruct (var_eq_dec y _), (var_eq_dec x _);
    cbn; f_equal; auto using subst_commute, subst_n_commute, subst_c_commute.
Qed.

(** ** Programs under continuations: [plug k [c1; c2]] is [(k; c1); c2] *)

Definition plug (k : kprog) (cs : list kprog) : kprog := fold_left KSeq cs k.

(** What runs like [k] runs like [k] under continuations. *)
Lemma to_barrier_plug H i cs :
  forall A A' k k',
    (forall B s, to_barrier H i A' k' B s -> to_barrier H i A k B s) ->
    forall B s, to_barrier H i A' (plug k' cs) B s -> to_barrier H i A (plug k cs) B s.
Proof.
  induction cs as [| c cs IH]; cbn; intros A A' k k' Hk B s D; [auto |].
  apply IH with (A' := A') (k' := KSeq k' c); [| exact D].
  intros B' s' D'. inversion D'; subst; eauto using b_seq_1, b_seq_2.
Qed.

Lemma plug_barrier H i cs :
  forall A k B l k', to_barrier H i A k B (AtBarrier l k') ->
  to_barrier H i A (plug k cs) B (AtBarrier l (plug k' cs)).
Proof. induction cs as [| c cs IH]; cbn; intros A k B l k' D; eauto using b_seq_2. Qed.

Lemma skip_to_barrier H i A B s : to_barrier H i A KSkip B s -> B = A /\ s = Finished.
Proof.
  inversion 1; subst. match goal with T : thread _ _ _ _ _ |- _ => inversion T end. auto.
Qed.

Lemma plug_skip H i cs : forall A, (forall c, In c cs -> c = KSkip) ->
  to_barrier H i A (plug KSkip cs) A Finished.
Proof.
  intros A Hcs. induction cs as [| c cs IH] using rev_ind; cbn.
  - apply b_block, Thread.skip.
  - unfold plug. rewrite fold_left_app. cbn. apply b_seq_1 with A.
    + apply IH. intros c' Hc'. apply Hcs, in_app_iff. now left.
    + rewrite (Hcs c) by (apply in_app_iff; right; now left). apply b_block, Thread.skip.
Qed.

Section Agreement.
Variable T : list N.
Context (some_thread : T <> []).

(** All threads of [T], thread [i] with [f i] left to run. *)
Definition pool (f : N -> kprog) : remaining := map (fun i => (i, f i)) T.

Lemma all_to_barrier_pool H P P' f f' Q ss :
  all_to_barrier H P' (pool f') Q ss ->
  (forall i, In i T -> forall B s,
     to_barrier H i (at_thread P' i) (f' i) B s -> to_barrier H i (at_thread P i) (f i) B s) ->
  all_to_barrier H P (pool f) Q ss.
Proof.
  unfold pool. clear some_thread. revert Q ss.
  induction T as [| i T' IH]; cbn; intros Q ss D Hf; inversion D; subst; constructor; auto.
Qed.

(** What runs like [f'] from [P'], thread by thread, has the same outcomes. *)
Lemma block_run_pool H P P' f f' out :
  block_run (P' :: H) (pool f') out ->
  (forall i, In i T -> forall B s,
     to_barrier H i (at_thread P' i) (f' i) B s -> to_barrier H i (at_thread P i) (f i) B s) ->
  block_run (P :: H) (pool f) out.
Proof.
  intros R Hf. inversion R; subst.
  - eapply block_ends; [eapply all_to_barrier_pool |]; eassumption.
  - eapply block_syncs; try eassumption; [eapply all_to_barrier_pool; eassumption |].
    unfold pool. destruct T; [contradiction | discriminate].
  - eapply block_diverges; try eassumption. eapply all_to_barrier_pool; eassumption.
Qed.

(** [H'] with [f'] to run is a later point of [H] with [f] to run. *)
Definition leads (H : history) (f : N -> kprog) (H' : history) (f' : N -> kprog) : Prop :=
  forall out', block_run H' (pool f') out' ->
  exists out, block_run H (pool f) out /\ same_outcome out' out.

Lemma leads_trans H1 f1 H2 f2 H3 f3 :
  leads H1 f1 H2 f2 -> leads H2 f2 H3 f3 -> leads H1 f1 H3 f3.
Proof.
  intros L1 L2 o3 R3. destruct (L2 o3 R3) as (o2 & R2 & S2).
  destruct (L1 o2 R2) as (o1 & R1 & S1). eauto using same_outcome_trans.
Qed.

(** The same history, and threads that run alike. *)
Lemma leads_like H f f' :
  (forall H i A B s, to_barrier H i A (f' i) B s -> to_barrier H i A (f i) B s) ->
  leads H f H f'.
Proof.
  intros Hf out R. exists out. split; [| apply same_outcome_refl].
  destruct H as [| P H]; [inversion R |]. eapply block_run_pool; eauto.
Qed.

Lemma leads_plug H cs k k' :
  (forall H i A B s, to_barrier H i A (k' i) B s -> to_barrier H i A (k i) B s) ->
  leads H (fun i => plug (k i) (cs i)) H (fun i => plug (k' i) (cs i)).
Proof. intro Hk. apply leads_like. intros H' i A. apply to_barrier_plug. auto. Qed.

(** Threads outside [T] have no accesses in the newest phase. *)
Definition head_within (H : history) : Prop :=
  match H with
  | [] => True
  | P :: _ => forall i, ~ In i T -> at_thread P i = no_access
  end.

Lemma sync_run_head_within H s H' : sync_run T H s H' -> head_within H -> head_within H'.
Proof.
  induction 1 as [H b H' D | | | |]; auto.
  - intros _. destruct D as [P H0 b Q F]. cbn. intros i. eapply run_threads_outside; exact F.
  - intros _ i _. reflexivity.
Qed.

(** [P], with one entry per thread of [T]. *)
Definition restrict (P : phase) : phase := map (fun i => (i, at_thread P i)) T.

Lemma restrict_same P :
  (forall i, ~ In i T -> at_thread P i = no_access) -> same_phase (restrict P) P.
Proof.
  intros HP i. unfold at_thread at 1, restrict. rewrite lookup_map.
  destruct (in_dec N.eq_dec i T); [reflexivity | symmetry; auto].
Qed.

(** At a barrier, every thread stops at site 0 and the block goes on. *)
Lemma leads_sync P H cs :
  (forall i, ~ In i T -> at_thread P i = no_access) ->
  leads (P :: H) (fun i => plug (KSync 0) (cs i)) ([] :: P :: H) (fun i => plug KSkip (cs i)).
Proof.
  intros HP out R.
  destruct (block_run_same _ _ _ R ([] :: restrict P :: H)) as (out2 & R2 & S2).
  { repeat constructor; try (intro; reflexivity); [| apply same_history_refl].
    apply same_phase_sym, restrict_same, HP. }
  exists out2. split; [| exact S2].
  eapply block_syncs with (ks' := pool (fun i => plug KSkip (cs i))) (l := 0); [| | reflexivity | exact R2].
  - unfold pool, restrict. rewrite map_map. clear - some_thread. cbn. clear some_thread.
    induction T as [| i T' IH]; cbn; constructor; auto. apply plug_barrier. constructor.
  - unfold pool. destruct T; [contradiction | discriminate].
Qed.

Lemma sync_run_leads H s H' :
  sync_run T H s H' -> keeps_tid s -> head_within H ->
  forall cs, leads H (fun i => plug (subst_k tid i (embed s)) (cs i))
                   H' (fun i => plug KSkip (cs i)).
Proof.
  induction 1 as [H b H' D | P H | H1 s1 s2 H2 H3 D1 IH1 D2 IH2 | H x n m s k l Hn Hm Hle
                 | H1 x n m s k l H2 H3 Hn Hm Hlt D1 IH1 D2 IH2]; intros HK HW cs; cbn in *.
  - (* block *)
    destruct D as [P H0 b Q F]. intros out R. exists out. split; [| apply same_outcome_refl].
    eapply block_run_pool; [exact R |]. intros i Hi. apply to_barrier_plug.
    intros B s [-> ->]%skip_to_barrier. apply b_block. eapply run_threads_at; eassumption.
  - (* sync *)
    now apply leads_sync.
  - (* seq *)
    destruct HK as [K1 K2]. eapply leads_trans; [| eapply leads_trans; [| exact (IH2 K2 (sync_run_head_within _ _ _ D1 HW) cs)]].
    + exact (IH1 K1 HW (fun i => subst_k tid i (embed s2) :: cs i)).
    + apply (leads_plug H2 cs (fun i => KSeq KSkip (subst_k tid i (embed s2)))).
      intros Hi i A B s' D. eapply b_seq_1; [apply b_block, Thread.skip | exact D].
  - (* for-1 *)
    destruct HK as [Hx _]. destruct (var_eq_dec tid x) as [E | _]; [congruence |].
    apply (leads_plug H cs _ (fun _ => KSkip)). intros H' i A B s' [-> ->]%skip_to_barrier.
    rewrite !subst_n_fresh by (eapply eval_n_closed; eassumption). eapply b_for_1; eassumption.
  - (* for-2 *)
    destruct HK as [Hx K]. destruct (var_eq_dec tid x) as [E | _]; [congruence |].
    specialize (IH1 (keeps_tid_subst x k s K) HW).
    specialize (IH2 (conj Hx K) (sync_run_head_within _ _ _ D1 HW) cs).
    pose (loop := fun i => KFor x (Num (k + 1)) (Num l) (subst_k tid i (embed s))).
    eapply leads_trans; [| eapply leads_trans; [exact (IH1 (fun i => loop i :: cs i)) |]].
    + apply (leads_plug H1 cs _
               (fun i => KSeq (subst_k tid i (embed (subst_s x k s))) (loop i))).
      intros Hi i A B s' D. rewrite !subst_n_fresh by (eapply eval_n_closed; eassumption).
      eapply b_for_2; try eassumption.
      rewrite embed_subst, subst_k_commute in D by congruence. exact D.
    + eapply leads_trans; [| exact IH2].
      apply (leads_plug H2 cs (fun i => KSeq KSkip (loop i))).
      intros Hi i A B s' D. eapply b_seq_1; [apply b_block, Thread.skip | exact D].
Qed.

(** Both semantics agree. *)
Theorem stratified_programs_agree P H s H' :
  sync_run T (P :: H) s H' -> keeps_tid s -> head_within (P :: H) ->
  exists H'', block_run (P :: H) (start T (embed s)) (Ends H'') /\ same_history H' H''.
Proof.
  intros D HK HW.
  pose proof (sync_run_head_within _ _ _ D HW) as HW'.
  assert (exists P' H0, H' = P' :: H0) as (P' & H0 & ->).
  { clear - D. remember (P :: H) as H1 eqn:E. revert P H E.
    induction D as [H1 b H' D | P1 H1 | H1 s1 s2 H2 H3 D1 IH1 D2 IH2
                   | H1 x n m s k l Hn Hm Hle | H1 x n m s k l H2 H3 Hn Hm Hlt D1 IH1 D2 IH2]; intros P H E; eauto.
    - destruct D. eauto.
    - destruct (IH1 P H E) as (P2 & H0 & E2). eauto.
    - destruct (IH1 P H E) as (P2 & H0 & E2). eauto. }
  assert (R : block_run (P' :: H0) (pool (fun _ => KSkip)) (Ends (restrict P' :: H0))).
  { apply block_ends with (map (fun i => (i, Finished)) T).
    - unfold pool, restrict. clear. induction T as [| i T' IH]; cbn; constructor; auto.
      apply b_block, Thread.skip.
    - intros i s'. rewrite in_map_iff. intros (i' & [= <- <-] & _). reflexivity. }
  destruct (sync_run_leads _ _ _ D HK HW (fun _ => []) _ R) as ([H'' | ? ? ? ? ?] & R' & S); [| destruct S].
  exists H''. split; [exact R' |]. eapply same_history_trans; [| exact S].
  constructor; [apply same_phase_sym, restrict_same, HW' | apply same_history_refl].
Qed.

End Agreement.
