(** * T1, corrected

    Let [{tid} ⊢ b ▶ u], [P :: H, b ↓ Q :: H] and [u ↓ Λ].

    - In general: [Q :: H] is DRF iff [accesses(P) ∪ Λ] and [H] are.
    - When [P = ∅]: [Q :: H] is DRF iff [Λ] and [H] are. *)

From BabyCUDA Require Export AccessEquivalence.

Section Relative.
Context {ins : inputs}.

(** T1 in general. *)
Theorem corrected_theorem_1_any_head T P H b Q u L :
  typed [tid] b u ->
  holds_inputs (P :: H) ->
  parallel T (P :: H) b (Q :: H) ->
  unsync_all u T L ->
  threads_within T P ->
  drf (Q :: H) <-> ~ racy_set (fun a => phase_set P a \/ In a L) /\ drf H.
Proof.
  intros HT HH D HU HP. rewrite drf_cons. unfold drf_phase. rewrite racy_iff_racy_set.
  rewrite (racy_set_ext (phase_set Q) (fun a => phase_set P a \/ In a L)); [tauto |].
  eapply phase_access_equivalence; eassumption.
Qed.

(** A phase without accesses: [P = ∅]. *)
Definition empty_phase (P : phase) : Prop := forall a, ~ phase_set P a.

Lemma nil_empty_phase : empty_phase [].
Proof. intros [[i o] j]. apply no_access_empty. Qed.

(** T1 for an empty head phase, as the paper uses it. *)
Theorem corrected_theorem_1 T P H b Q u L :
  typed [tid] b u ->
  holds_inputs (P :: H) ->
  parallel T (P :: H) b (Q :: H) ->
  unsync_all u T L ->
  empty_phase P ->
  drf (Q :: H) <-> drf_values L /\ drf H.
Proof.
  intros HT HH D HU HE.
  rewrite (corrected_theorem_1_any_head T P H b Q u L HT HH D HU).
  - rewrite (racy_set_ext _ (fun a => In a L)); [reflexivity |].
    intro a. specialize (HE a). tauto.
  - intros i o j HA. destruct (HE (i, o, j) HA).
Qed.

(** The paper's reading for a program: [b] is DRF iff its protocol is. *)
Corollary program_drf_iff_protocol_drf T b Q u L :
  typed [tid] b u ->
  parallel T [[]] b [Q] ->
  unsync_all u T L ->
  drf [Q] <-> drf_values L.
Proof.
  intros HT D HU. rewrite (corrected_theorem_1 T [] [] b Q u L HT empty_history_holds D HU nil_empty_phase).
  split; [tauto |]. intro HD. split; [assumption |]. intros P [].
Qed.

End Relative.
