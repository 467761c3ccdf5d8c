(** * T2. Access equivalence

    If [{tid} ⊢ b ▶ u], [A, b[tid:=i] ↓_{H,i} B] and [u[tid:=i] ↓ Λ_i] then
    [accesses(B) = accesses(A) ∪ Λ_i].  No history needs to be DRF. *)

From BabyCUDA Require Export Parallel Typing Races.
Local Open Scope N_scope.

(** The general statement, for a closed type: [∅ ⊢ b ▶ u]. *)
Theorem closed_access_equivalence H i A b B :
  thread H i A b B ->
  forall u L, typed [] b u -> unsync u L ->
  forall o j, accesses B o j <-> accesses A o j \/ In (o, j) L.
Proof.
  induction 1 as [R W x n b j k B Hn Hk D IH | R W n m j k Hn Hm
                 | A b1 b2 B C D1 IH1 D2 IH2 | A c b1 b2 B Hc D IH | A c b1 b2 B Hc D IH
                 | A x n m b k l Hn Hm Hle | A x n m b k l B C Hn Hm Hlt D1 IH1 D2 IH2
                 | A];
    intros u L HT HU o' j'; inversion HT; subst; inversion HU; subst; same_values; try lia.
  - (* read *)
    match goal with HA : unsync (UAccess rd n) _ |- _ => inversion HA; subst; same_values end.
    rewrite IH by (eauto using typed_data). rewrite accesses_read. cbn. intuition congruence.
  - (* write *)
    rewrite accesses_write. cbn. intuition congruence.
  - (* seq *)
    rewrite IH2, IH1 by eassumption. rewrite in_app_iff. tauto.
  - (* if-t *)
    eauto.
  - (* if-f *)
    eauto.
  - (* for-1 *)
    cbn. tauto.
  - (* for-2 *)
    rewrite (IH2 _ _ (typed_remaining _ _ _ _ _ _ _ _ HT)) by eassumption.
    rewrite IH1 by (eauto using typed_body).
    rewrite in_app_iff. tauto.
  - (* skip *)
    cbn. tauto.
Qed.

(** T2. *)
Theorem access_equivalence H i A b B u L :
  typed [tid] b u ->
  thread H i A (subst tid i b) B ->
  unsync (subst_u tid i u) L ->
  forall o j, accesses B o j <-> accesses A o j \/ In (o, j) L.
Proof. intros HT D HU. eapply closed_access_equivalence; eauto using typed_subst_tid. Qed.

(** The threads that have accesses in [P] are threads of [T] ([P] maps [T] to
    access pairs, in the words of Fig. 5). *)
Definition threads_within (T : list N) (P : phase) : Prop :=
  forall i o j, in_phase P i o j -> In i T.

(** T2 for a phase: [{α | α ∈̂ Q} = {α | α ∈̂ P} ∪ Λ]. *)
Theorem phase_access_equivalence T P H b Q u L :
  typed [tid] b u ->
  parallel T (P :: H) b (Q :: H) ->
  unsync_all u T L ->
  threads_within T P ->
  forall a, phase_set Q a <-> phase_set P a \/ In a L.
Proof.
  intros HT D HU HP [[i o] j]. cbn. inversion D as [? ? ? ? F]; subst.
  rewrite (in_unsync_all u T L i o j HU). unfold in_phase.
  destruct (in_dec N.eq_dec i T) as [Hi | Hi].
  - destruct (closed_unsync_total (subst_u tid i u)) as [Li HLi].
    { apply subst_u_closes. eapply typed_fv; eassumption. }
    rewrite (access_equivalence H i (at_thread P i) b (at_thread Q i) u Li);
      eauto using run_threads_at.
    split; intros [HA | HA]; auto.
    + right. eauto.
    + right. destruct HA as (_ & L' & HL' & HA).
      now rewrite (unsync_deterministic _ _ _ HLi HL').
  - rewrite (run_threads_outside T H P b Q i F Hi). split.
    + intro HA. now apply no_access_empty in HA.
    + intros [HA | [HA _]]; [| contradiction]. destruct Hi. eapply HP; exact HA.
Qed.
