(** * On the stratified language, both semantics agree

    A synchronized program [s] has its barriers at the top level and in [forS]
    loops whose bounds do not depend on the thread.  As a program with barriers
    anywhere, whatever the sites of its barriers, it has the same runs: if
    [H, s ↓ H'] then the block that runs [s] ends, in [H'], and every outcome of
    that block is such an end.  In particular it never diverges.  So what T6 says
    of blocks, it says of [s]. *)

From BabyCUDA Require Export Synchronized Continuations.
Local Open Scope N_scope.

(** The free variables of loop bounds. *)
Fixpoint fv_bounds (s : sprog) : list var :=
  match s with
  | Block _ | SSync _ => []
  | SSeq s1 s2 => fv_bounds s1 ++ fv_bounds s2
  | SFor x n m s => fv_n n ++ fv_n m ++ remove var_eq_dec x (fv_bounds s)
  end.

Lemma fv_bounds_subst x k s y : In y (fv_bounds (subst_s x k s)) <-> In y (fv_bounds s) /\ y <> x.
Proof.
  induction s as [b | | s1 IH1 s2 IH2 | z n m s IH]; cbn;
    rewrite ?in_app_iff, ?fv_subst_n, ?IH1, ?IH2, ?in_remove_iff; try tauto.
  destruct (var_eq_dec x z) as [<- | Hne]; rewrite ?IH; tauto.
Qed.

Section Agreement.
Variable T : list N.
Context (some_thread : T <> []).
Local Notation pool := (pool T).
Local Notation leads := (leads T).
Local Notation leads_plug := (leads_plug T some_thread).
Local Notation block_run_pool := (block_run_pool T some_thread).

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

(** At a barrier, every thread stops at its site and the block goes on. *)
Lemma leads_sync P H l cs :
  (forall i, ~ In i T -> at_thread P i = no_access) ->
  leads (P :: H) (fun i => plug (Sync l) (cs i)) ([] :: P :: H) (fun i => plug Skip (cs i)).
Proof.
  intros HP out R.
  destruct (block_run_same _ _ _ R ([] :: restrict P :: H)) as (out2 & R2 & S2).
  { repeat constructor; try (intro; reflexivity); [| apply same_history_refl].
    apply same_phase_sym, restrict_same, HP. }
  exists out2. split; [| exact S2].
  eapply block_syncs with (ks' := pool (fun i => plug Skip (cs i))) (l := l); [| | reflexivity | exact R2].
  - unfold pool, restrict. rewrite map_map. clear - some_thread. cbn. clear some_thread.
    induction T as [| i T' IH]; cbn; constructor; auto. apply plug_barrier. constructor.
  - unfold pool. destruct T; [contradiction | discriminate].
Qed.

Lemma sync_run_leads H s H' :
  sync_run T H s H' -> stratified s -> head_within H ->
  forall cs, leads H (fun i => plug (subst tid i (embed s)) (cs i))
                   H' (fun i => plug Skip (cs i)).
Proof.
  induction 1 as [H b H' D | P H l | H1 s1 s2 H2 H3 D1 IH1 D2 IH2 | H x n m s v w Hn Hm Hle
                 | H1 x n m s v w H2 H3 Hn Hm Hlt D1 IH1 D2 IH2]; intros HK HW cs; cbn in *.
  - (* block *)
    destruct D as [P H0 b Q F]. intros out R. exists out. split; [| apply same_outcome_refl].
    eapply block_run_pool; [exact R |]. intros i Hi. apply to_barrier_plug.
    intros B s [-> ->]%skip_to_barrier. apply b_block. eapply run_threads_at; eassumption.
  - (* sync *)
    now apply leads_sync.
  - (* seq *)
    destruct HK as [K1 K2].
    eapply leads_trans; [| eapply leads_trans; [| exact (IH2 K2 (sync_run_head_within _ _ _ D1 HW) cs)]].
    + exact (IH1 K1 HW (fun i => subst tid i (embed s2) :: cs i)).
    + apply (leads_plug H2 cs (fun i => Seq Skip (subst tid i (embed s2)))).
      intros Hi i A B s' D. eapply b_seq_1; [apply b_skip | exact D].
  - (* for-1 *)
    destruct HK as [Hx _]. destruct (var_eq_dec tid x) as [E | _]; [congruence |].
    apply (leads_plug H cs _ (fun _ => Skip)). intros H' i A B s' [-> ->]%skip_to_barrier.
    rewrite !subst_n_fresh by (eapply eval_n_closed; eassumption). eapply b_for_1; eassumption.
  - (* for-2 *)
    destruct HK as [Hx K]. destruct (var_eq_dec tid x) as [E | _]; [congruence |].
    specialize (IH1 (stratified_subst x v s K) HW).
    specialize (IH2 (conj Hx K)
                  (sync_run_head_within _ _ _ D1 HW) cs).
    pose (loop := fun i => For x (Num (v + 1)) (Num w) (subst tid i (embed s))).
    cbn in IH2. destruct (var_eq_dec tid x) as [E | _]; [congruence |].
    eapply leads_trans; [| eapply leads_trans; [exact (IH1 (fun i => loop i :: cs i)) |]].
    + apply (leads_plug H1 cs _
               (fun i => Seq (subst tid i (embed (subst_s x v s))) (loop i))).
      intros Hi i A B s' D. rewrite !subst_n_fresh by (eapply eval_n_closed; eassumption).
      eapply b_for_2; try eassumption.
      rewrite embed_subst, subst_commute in D by congruence. exact D.
    + eapply leads_trans; [| exact IH2].
      apply (leads_plug H2 cs (fun i => Seq Skip (loop i))).
      intros Hi i A B s' D. eapply b_seq_1; [apply b_skip | exact D].
Qed.

(** A run of [s] is a run of its block. *)
Lemma sync_run_cons P H s H' : sync_run T (P :: H) s H' -> exists P' H0, H' = P' :: H0.
Proof.
  intro D. remember (P :: H) as H1 eqn:E. revert P H E.
  induction D as [H1 b H' D | P1 H1 | H1 s1 s2 H2 H3 D1 IH1 D2 IH2
                 | H1 x n m s k l Hn Hm Hle | H1 x n m s k l H2 H3 Hn Hm Hlt D1 IH1 D2 IH2]; intros P H E; eauto.
  - destruct D. eauto.
  - destruct (IH1 P H E) as (P2 & H0 & E2). eauto.
  - destruct (IH1 P H E) as (P2 & H0 & E2). eauto.
Qed.

Theorem stratified_run_is_block_run P H s H' :
  stratified s -> head_within (P :: H) ->
  sync_run T (P :: H) s H' ->
  exists H'', block_run (P :: H) (start T (embed s)) (Ends H'') /\ same_history H' H''.
Proof.
  intros HK HW D.
  pose proof (sync_run_head_within _ _ _ D HW) as HW'.
  destruct (sync_run_cons _ _ _ _ D) as (P' & H0 & ->).
  assert (R : block_run (P' :: H0) (pool (fun _ => Skip)) (Ends (restrict P' :: H0))).
  { apply block_ends with (map (fun i => (i, Finished)) T).
    - unfold pool, restrict. clear. induction T as [| i T' IH]; cbn; constructor; auto.
      apply b_skip.
    - intros i s'. rewrite in_map_iff. intros (i' & [= <- <-] & _). reflexivity. }
  destruct (sync_run_leads _ _ _ D HK HW (fun _ => []) _ R) as ([H'' | ? ? ? ? ?] & R' & S); [| destruct S].
  exists H''. split; [exact R' |]. eapply same_history_trans; [| exact S].
  constructor; [apply same_phase_sym, restrict_same, HW' | apply same_history_refl].
Qed.

(** *** And back: what the block does, [s] does *)

Context (threads_distinct : NoDup T).

Lemma pool_block_inv H P b cs Q ss :
  sync_free b = true ->
  all_to_barrier H P (pool (fun i => plug (subst tid i b) (cs i))) Q ss ->
  exists Q0, Forall2 (run_thread H P b) T Q0 /\
    all_to_barrier H Q0 (pool (fun i => plug Skip (cs i))) Q ss.
Proof.
  intros HS D.
  assert (G : exists Q0, Forall2 (run_thread H P b) T Q0 /\
    forall R, (forall i C, In (i, C) Q0 -> at_thread R i = C) ->
    all_to_barrier H R (pool (fun i => plug Skip (cs i))) Q ss).
  { clear some_thread threads_distinct. unfold pool in *. revert Q ss D.
    induction T as [| i T' IH]; cbn; intros Q ss D; inversion D; subst.
    - exists []. split; constructor.
    - match goal with E : to_barrier _ _ _ _ _ _ |- _ =>
        apply plug_block_inv in E as (C & DC & E); [| now rewrite sync_free_subst] end.
      match goal with E : all_to_barrier _ _ _ _ _ |- _ =>
        destruct (IH _ _ E) as (Q1 & F & HR) end.
      exists ((i, C) :: Q1). split; [constructor; [now split | exact F] |].
      intros R Hat. constructor; [| apply HR; intros; apply Hat; now right].
      rewrite (Hat i C) by now left. assumption. }
  destruct G as (Q0 & F & HR). exists Q0. split; [exact F |]. apply HR.
  assert (ND : NoDup (map fst Q0)) by now rewrite (run_threads_domain T H P b Q0 F).
  clear - ND. intros i C Hin. unfold at_thread.
  assert (E : lookup i Q0 = Some C).
  { induction Q0 as [| [i' C'] Q0 IH]; [destruct Hin |]. cbn in *. inversion ND; subst.
    destruct (N.eqb_spec i i') as [-> | Hne].
    - destruct Hin as [[= <-] | Hin]; [reflexivity |]. destruct H1. exact (in_map fst _ _ Hin).
    - destruct Hin as [[= -> _] | Hin]; [congruence | auto]. }
  now rewrite E.
Qed.

Lemma block_run_block_inv P H b cs out :
  sync_free b = true ->
  block_run (P :: H) (pool (fun i => plug (subst tid i b) (cs i))) out ->
  exists H1, parallel T (P :: H) b H1 /\ block_run H1 (pool (fun i => plug Skip (cs i))) out.
Proof.
  intros HS R. inversion R; subst;
    match goal with D : all_to_barrier _ _ _ _ _ |- _ =>
      destruct (pool_block_inv _ _ _ _ _ _ HS D) as (Q0 & F & D') end;
    exists (Q0 :: H); (split; [now constructor |]).
  - eapply block_ends; eassumption.
  - eapply block_syncs; eauto. unfold pool. destruct T; [contradiction | discriminate].
  - eapply block_diverges; eassumption.
Qed.

Lemma pool_sync_inv H P l cs Q ss :
  all_to_barrier H P (pool (fun i => plug (Sync l) (cs i))) Q ss ->
  Q = restrict P /\ ss = map (fun i => (i, AtBarrier l (plug Skip (cs i)))) T.
Proof.
  clear some_thread threads_distinct. unfold pool, restrict. revert Q ss.
  induction T as [| i T' IH]; cbn; intros Q ss D; inversion D; subst; [auto |].
  match goal with E : to_barrier _ _ _ _ _ _ |- _ => apply plug_sync_inv in E as [-> ->] end.
  match goal with E : all_to_barrier _ _ _ _ _ |- _ => destruct (IH _ _ E) as [-> ->] end. auto.
Qed.

Lemma block_run_sync_inv P H l cs out :
  (forall i, ~ In i T -> at_thread P i = no_access) ->
  block_run (P :: H) (pool (fun i => plug (Sync l) (cs i))) out ->
  exists out', block_run ([] :: P :: H) (pool (fun i => plug Skip (cs i))) out' /\
    same_outcome out out'.
Proof.
  intros HP R.
  inversion R as [? ? ? ? ? D Hf | ? ? ? ? ? l' ks' ? D Hne Ha HB | ? ? ? ? ? i1 s1 i2 s2 D I1 I2 Hne];
    subst; destruct (pool_sync_inv _ _ _ _ _ _ D) as [-> ->].
  - assert (exists i0 T0, T = i0 :: T0) as (i0 & T0 & ET) by (destruct T; [contradiction | eauto]).
    rewrite ET in Hf. cbn in Hf. specialize (Hf i0 _ (or_introl eq_refl)). discriminate.
  - assert (ks' = pool (fun i => plug Skip (cs i))) as ->.
    { apply (all_at_unique (l2 := l) Ha). unfold all_at, pool. now rewrite map_map. }
    apply (block_run_same _ _ _ HB). repeat constructor; try (intro; reflexivity).
    + apply restrict_same, HP.
    + apply same_history_refl.
  - exfalso. apply in_map_iff in I1 as (? & [= <- <-] & _), I2 as (? & [= <- <-] & _).
    now apply Hne.
Qed.

(** The block runs [s], in as many steps of [s] as there are, and goes on. *)
Lemma block_run_follows s :
  stratified s -> incl (fv_bounds s) [] ->
  forall P H cs out, head_within (P :: H) ->
  block_run (P :: H) (pool (fun i => plug (subst tid i (embed s)) (cs i))) out ->
  exists H1 out', sync_run T (P :: H) s H1 /\
    block_run H1 (pool (fun i => plug Skip (cs i))) out' /\ same_outcome out out'.
Proof.
  remember (depth_s s) as d eqn:Hd. assert (Hle : (depth_s s <= d)%nat) by lia. clear Hd.
  revert s Hle. induction d as [| d IH]; intros s Hle HK HC P H cs out HW R;
    [destruct s; cbn in Hle; lia |].
  destruct s as [b | l | s1 s2 | x n m s]; cbn in *.
  - destruct (block_run_block_inv _ _ _ _ _ HK R) as (H1 & D & R1).
    exists H1, out. split; [now constructor |]. split; [exact R1 | apply same_outcome_refl].
  - destruct (block_run_sync_inv _ _ _ _ _ HW R) as (out' & R' & S).
    exists ([] :: P :: H), out'. split; [constructor | auto].
  - destruct HK as [K1 K2]. apply incl_app_inv in HC as [C1 C2].
    destruct (IH s1 ltac:(lia) K1 C1 P H (fun i => subst tid i (embed s2) :: cs i) out HW R)
      as (H1 & o1 & D1 & R1 & S1).
    pose proof (sync_run_head_within _ _ _ D1 HW) as HW1.
    destruct (sync_run_cons _ _ _ _ D1) as (P1 & H1' & ->).
    assert (R1' : block_run (P1 :: H1') (pool (fun i => plug (subst tid i (embed s2)) (cs i))) o1).
    { eapply block_run_pool; [exact R1 |]. intros i _. cbn. apply to_barrier_plug.
      intros B t D. inversion D; subst;
        match goal with E : to_barrier _ _ _ Skip _ _ |- _ =>
          apply skip_to_barrier in E as [-> E]; try discriminate E end. assumption. }
    destruct (IH s2 ltac:(lia) K2 C2 P1 H1' cs o1 HW1 R1') as (H2 & o2 & D2 & R2 & S2).
    exists H2, o2. split; [eapply run_seq; eassumption |].
    split; [exact R2 | eapply same_outcome_trans; eassumption].
  - destruct HK as [Hx K]. apply incl_app_inv in HC as [Cn [Cm Cb]%incl_app_inv].
    destruct (var_eq_dec tid x) as [E | _]; [congruence |].
    destruct (closed_n_evaluates n Cn) as [v Hv], (closed_n_evaluates m Cm) as [w Hw].
    assert (Loop : forall d v P H cs out, d = N.to_nat (w - v) -> head_within (P :: H) ->
      block_run (P :: H) (pool (fun i => plug (For x (Num v) (Num w) (subst tid i (embed s))) (cs i))) out ->
      exists H1 out', sync_run T (P :: H) (SFor x (Num v) (Num w) s) H1 /\
        block_run H1 (pool (fun i => plug Skip (cs i))) out' /\ same_outcome out out').
    { clear v Hv P H cs out HW R. intro e.
      induction e as [| e IHe]; intros v P H cs out He HW R.
      - exists (P :: H), out. split; [eapply run_for_1; try reflexivity; lia |].
        split; [| apply same_outcome_refl].
        eapply block_run_pool; [exact R |]. intros i _. apply to_barrier_plug.
        intros B t D. inversion D; subst; numbers; [apply b_skip | lia].
      - assert (R1 : block_run (P :: H) (pool (fun i => plug (subst tid i (embed (subst_s x v s)))
                       (For x (Num (v + 1)) (Num w) (subst tid i (embed s)) :: cs i))) out).
        { eapply block_run_pool; [exact R |]. intros i _. cbn. apply to_barrier_plug.
          intros B t D. rewrite embed_subst, subst_commute by congruence. inversion D; subst; numbers; [lia |].
          assumption. }
        destruct (IH (subst_s x v s)) with (P := P) (H := H) (out := out)
          (cs := fun i => For x (Num (v + 1)) (Num w) (subst tid i (embed s)) :: cs i)
          as (H1 & o1 & D1 & Ra & S1); auto using stratified_subst.
        + rewrite depth_subst_s. lia.
        + intros y [Hy Hne]%fv_bounds_subst. apply Cb, in_remove_iff. auto.
        + pose proof (sync_run_head_within _ _ _ D1 HW) as HW1.
          destruct (sync_run_cons _ _ _ _ D1) as (P1 & H1' & ->).
          destruct (IHe (v + 1) P1 H1' cs o1) as (H2 & o2 & D2 & R2 & S2); [lia | exact HW1 | |].
          * eapply block_run_pool; [exact Ra |]. intros i _. cbn. apply to_barrier_plug.
            intros B t D. inversion D; subst;
              match goal with E : to_barrier _ _ _ Skip _ _ |- _ =>
                apply skip_to_barrier in E as [-> E]; try discriminate E end. assumption.
          * exists H2, o2. split; [eapply run_for_2; try reflexivity; eauto; lia |].
            split; [exact R2 | eapply same_outcome_trans; eassumption]. }
    destruct (Loop (N.to_nat (w - v)) v P H cs out eq_refl HW) as (H1 & o1 & D1 & R1 & S1).
    + eapply block_run_pool; [exact R |]. intros i _. apply to_barrier_plug. intros B t D.
      rewrite !subst_n_fresh in D by (eapply eval_n_closed; eassumption).
      inversion D; subst; same_values; [eapply b_for_1 | eapply b_for_2];
        try reflexivity; assumption.
    + exists H1, o1. split; [| auto].
      inversion D1; subst; numbers; eauto using run_for_1, run_for_2.
Qed.

(** Every outcome of the block is the end of a run of [s]: it never diverges. *)
Theorem block_run_is_stratified_run P H s out :
  stratified s -> incl (fv_bounds s) [] -> head_within (P :: H) ->
  block_run (P :: H) (start T (embed s)) out ->
  exists H' H'', sync_run T (P :: H) s H' /\ out = Ends H'' /\ same_history H' H''.
Proof.
  intros HK HC HW R.
  destruct (block_run_follows s HK HC P H (fun _ => []) out HW R) as (H1 & o1 & D & R1 & S).
  destruct (sync_run_cons _ _ _ _ D) as (P1 & H1' & ->).
  pose proof (sync_run_head_within _ _ _ D HW) as HW1. cbn in R1.
  assert (E : forall Q ss, all_to_barrier H1' P1 (pool (fun _ => Skip)) Q ss ->
                Q = restrict P1 /\ all_finished ss).
  { clear. unfold pool, restrict. induction T as [| i T' IH]; cbn; intros Q ss D; inversion D; subst.
    - split; [reflexivity |]. intros i s [].
    - match goal with E : to_barrier _ _ _ _ _ _ |- _ => apply skip_to_barrier in E as [-> ->] end.
      match goal with E : all_to_barrier _ _ _ _ _ |- _ => destruct (IH _ _ E) as [-> Hf] end.
      split; [reflexivity |]. intros i' s' [[= <- <-] | Hin]; [reflexivity | eauto]. }
  inversion R1 as [? ? ? Q ss D1 Hf | ? ? ? Q ss l ks' ? D1 Hne Ha HB | ? ? ? Q ss i1 s1 i2 s2 D1 I1 I2 Hne];
    subst; destruct (E _ _ D1) as [-> HF].
  - destruct out as [H'' | ? ? ? ? ?]; [| destruct S]. exists (P1 :: H1'), H''.
    split; [exact D |]. split; [reflexivity |].
    apply same_history_trans with (restrict P1 :: H1').
    + constructor; [apply same_phase_sym, restrict_same, HW1 | apply same_history_refl].
    + clear - S. cbn in S. induction S; constructor; auto using same_phase_sym.
  - exfalso. unfold all_at in Ha. destruct ss as [| [i s'] ss'].
    + inversion D1 as [E0 |]. unfold pool in *. destruct T; [contradiction | discriminate].
    + destruct ks' as [| [i' k'] ks']; [discriminate |]. injection Ha as -> -> _.
      specialize (HF i' _ (or_introl eq_refl)). discriminate.
  - exfalso. apply Hne. now rewrite (HF _ _ I1), (HF _ _ I2).
Qed.

(** Both semantics agree. *)
Theorem stratified_programs_agree P H s :
  stratified s -> incl (fv_bounds s) [] -> head_within (P :: H) ->
  (forall H', sync_run T (P :: H) s H' ->
     exists H'', block_run (P :: H) (start T (embed s)) (Ends H'') /\ same_history H' H'') /\
  (forall out, block_run (P :: H) (start T (embed s)) out ->
     exists H' H'', sync_run T (P :: H) s H' /\ out = Ends H'' /\ same_history H' H'').
Proof.
  intros HK HC HW. split.
  - intros H' D. now apply stratified_run_is_block_run.
  - intros out R. now apply block_run_is_stratified_run.
Qed.

End Agreement.
