(** * T4. T1 and T2 for the synchronized language, phase by phase

    Let [⊢ s ▶ p], [P0 :: H0, s ↓ H'] and [p ↓ Λs'] from [Λ0], where [P0] has
    exactly the accesses [Λ0].  Then [H' = Ps ++ H0] and the phases [Ps] have
    exactly the accesses of [Λs'], one by one.  Hence [H'] is DRF iff every
    [Λ] of [Λs'] and [H0] are. *)

From BabyCUDA Require Export CorrectedTheorem1 SyncProtocols.

Section Relative.
Context {ins : inputs}.

(** [P] has exactly the accesses [Λ], all by threads of [T]. *)
Definition phase_is (T : list N) (P : phase) (L : access_values) : Prop :=
  (forall a, phase_set P a <-> In a L) /\ threads_within T P.

Lemma phase_is_nil T : phase_is T [] [].
Proof.
  split.
  - intros [[i o] j]. cbn. split; [apply no_access_empty | tauto].
  - intros i o j HA. now apply no_access_empty in HA.
Qed.

(** One block, by T2. *)
Lemma phase_is_block T P H b Q L u L' :
  typed [tid] b u ->
  holds_inputs (P :: H) ->
  parallel T (P :: H) b (Q :: H) ->
  unsync_all u T L' ->
  phase_is T P L ->
  phase_is T Q (L ++ L').
Proof.
  intros HT HH D HU [HS HP]. split.
  - intro a. rewrite in_app_iff, <- HS. eapply phase_access_equivalence; eassumption.
  - intros i o j HA. destruct (in_dec N.eq_dec i T) as [Hi | Hi]; [exact Hi |].
    inversion D as [? ? ? ? F]; subst. unfold in_phase in HA.
    rewrite (run_threads_outside T H P b Q i F Hi) in HA. now apply no_access_empty in HA.
Qed.

(** T2, phase by phase, from any number of phases. *)
Lemma synchronized_access_equivalence_gen T H s H' :
  sync_run T H s H' ->
  forall p Ps Ls Ls' H0,
    typed_s [] s p ->
    holds_inputs H ->
    sync_phases T Ls p Ls' ->
    H = Ps ++ H0 ->
    Forall2 (phase_is T) Ps Ls ->
    holds_inputs H' /\ exists Ps', H' = Ps' ++ H0 /\ Forall2 (phase_is T) Ps' Ls'.
Proof.
  induction 1 as [H b H' D | P H l | H1 s1 s2 H2 H3 D1 IH1 D2 IH2 | H x n m s k l Hn Hm Hle
                 | H1 x n m s k l H2 H3 Hn Hm Hlt D1 IH1 D2 IH2];
    intros p Ps Ls Ls' H0 HT HH HP HE HF; inversion HT; subst; inversion HP; subst; same_values;
    try lia.
  - (* block *)
    inversion HF as [| P1 L1 Ps1 Ls1 HPL HF1]; subst.
    cbn in D. inversion D as [? ? ? Q F]; subst.
    split; [eapply parallel_holds; eassumption |]. exists (Q :: Ps1). split; [reflexivity |].
    constructor; [| assumption]. eapply phase_is_block; eassumption.
  - (* sync *)
    inversion HF as [| P1 L1 Ps1 Ls1 HPL HF1]; subst.
    split; [now apply holds_next |]. exists ([] :: P1 :: Ps1). split; [now injection HE as -> -> |].
    constructor; [apply phase_is_nil | now constructor].
  - (* seq *)
    match goal with
    | T1 : typed_s [] s1 _, T2 : typed_s [] s2 _, E1 : sync_phases _ Ls _ _ |- _ =>
        destruct (IH1 _ Ps Ls _ H0 T1 HH E1 eq_refl HF) as (HH2 & Ps2 & -> & HF2)
    end.
    eapply IH2; eauto.
  - (* for-1 *)
    eauto.
  - (* for-2 *)
    match goal with E1 : sync_phases _ Ls (subst_p _ _ ?p') _, B : typed_s [x] s ?p' |- _ =>
      assert (T1 : typed_s [] (subst_s x k s) (subst_p x k p'))
        by (apply typed_s_body; [intro E; subst; cbn in *; tauto | exact B]);
      destruct (IH1 _ Ps Ls _ H0 T1 HH E1 eq_refl HF) as (HH2 & Ps2 & -> & HF2)
    end.
    eapply IH2; eauto using typed_s_remaining.
Qed.

(** T4: T2, phase by phase. *)
Theorem synchronized_access_equivalence T P H0 s H' p L Ls' :
  typed_s [] s p ->
  holds_inputs (P :: H0) ->
  sync_run T (P :: H0) s H' ->
  sync_phases T [L] p Ls' ->
  phase_is T P L ->
  exists Ps', H' = Ps' ++ H0 /\ Forall2 (phase_is T) Ps' Ls'.
Proof.
  intros HT HH D HP HL. eapply synchronized_access_equivalence_gen with (Ps := [P]); eauto.
Qed.

Lemma phases_drf T Ps Ls :
  Forall2 (phase_is T) Ps Ls -> drf Ps <-> Forall drf_values Ls.
Proof.
  induction 1 as [| P L Ps Ls [HS _] _ IH].
  - split; [constructor | intros _ Q []].
  - rewrite drf_cons, IH. unfold drf_phase. rewrite racy_iff_racy_set, (racy_set_ext _ _ HS).
    split; [intros []; now constructor | now inversion 1].
Qed.

Lemma drf_app H1 H2 : drf (H1 ++ H2) <-> drf H1 /\ drf H2.
Proof.
  unfold drf. setoid_rewrite in_app_iff. split; [auto |].
  intros [D1 D2] P [HP | HP]; auto.
Qed.

(** T4: T1 (corrected), phase by phase. *)
Theorem synchronized_theorem_1 T P H0 s H' p L Ls' :
  typed_s [] s p ->
  holds_inputs (P :: H0) ->
  sync_run T (P :: H0) s H' ->
  sync_phases T [L] p Ls' ->
  phase_is T P L ->
  drf H' <-> Forall drf_values Ls' /\ drf H0.
Proof.
  intros HT HH D HP HL.
  destruct (synchronized_access_equivalence T P H0 s H' p L Ls' HT HH D HP HL) as (Ps & -> & HF).
  rewrite drf_app, (phases_drf T Ps Ls' HF). reflexivity.
Qed.

Lemma host_contents_drf W0 : drf [host_contents W0].
Proof.
  intros P [<- | []].
  intros (i1 & i2 & j & Hne & [k Hk] & H2). unfold host_contents in *.
  assert (i1 = 0%N) as ->.
  { destruct (N.eq_dec i1 0) as [E | N0]; [exact E |].
    rewrite at_singleton_other in Hk by assumption. discriminate. }
  rewrite at_singleton_other in H2 by auto. cbn in H2.
  destruct H2 as [[] | [k' Hk']]; discriminate.
Qed.

(** T4 for a whole program on contents [W0] that the host stored. *)
Corollary synchronized_program_drf T W0 s H' p Ls' :
  typed_s [] s p ->
  sees_inputs [host_contents W0] ->
  sync_run T [[]; host_contents W0] s H' ->
  sync_phases T [[]] p Ls' ->
  drf H' <-> Forall drf_values Ls'.
Proof.
  intros HT HS D HP.
  rewrite (synchronized_theorem_1 T [] _ s H' p [] Ls' HT (holds_empty _ HS) D HP (phase_is_nil T)).
  pose proof (host_contents_drf W0). tauto.
Qed.

End Relative.
