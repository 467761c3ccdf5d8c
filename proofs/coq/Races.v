(** * Data races: LCL22 Definition 1

    A phase is racy when two different threads access one index and at least
    one of the two accesses is a write.  A phase of a protocol is racy in the
    same way. *)

From BabyCUDA Require Export Histories Protocols.

(** Definition 1: [i1 ≠ i2], [j ∈ dom(W1)], [j ∈ R2 ∪ dom(W2)]. *)
Definition racy (P : phase) : Prop :=
  exists i1 i2 j,
    i1 <> i2 /\
    in_dom j (snd (at_thread P i1)) /\
    (In j (fst (at_thread P i2)) \/ in_dom j (snd (at_thread P i2))).

Definition drf_phase (P : phase) : Prop := ~ racy P.

(** [H] is DRF when every phase of it is. *)
Definition drf (H : history) : Prop := forall P, In P H -> drf_phase P.

(** Two access values conflict. *)
Definition conflict (a1 a2 : access_value) : Prop :=
  let '(i1, o1, j1) := a1 in
  let '(i2, o2, j2) := a2 in
  i1 <> i2 /\ j1 = j2 /\ o1 = wr.

(** A set of access values, as a predicate, is racy. *)
Definition racy_set (S : access_value -> Prop) : Prop :=
  exists a1 a2, S a1 /\ S a2 /\ conflict a1 a2.

(** [Λ] is racy, DRF. *)
Definition racy_values (L : access_values) : Prop := racy_set (fun a => In a L).
Definition drf_values (L : access_values) : Prop := ~ racy_values L.

(** [{ α | α ∈̂ P }] *)
Definition phase_set (P : phase) (a : access_value) : Prop :=
  let '(i, o, j) := a in in_phase P i o j.

(** Definition 1 in terms of access values. *)
Lemma racy_iff_racy_set P : racy P <-> racy_set (phase_set P).
Proof.
  split.
  - intros (i1 & i2 & j & Hne & H1 & [H2 | H2]).
    + exists (i1, wr, j), (i2, rd, j). repeat split; auto.
    + exists (i1, wr, j), (i2, wr, j). repeat split; auto.
  - intros ([[i1 o1] j] & [[i2 [|]] j'] & H1 & H2 & Hne & <- & ->);
      exists i1, i2, j; repeat split; auto.
Qed.

(** Racy sets with the same members. *)
Lemma racy_set_ext S1 S2 : (forall a, S1 a <-> S2 a) -> racy_set S1 <-> racy_set S2.
Proof.
  intro E. split; intros (a1 & a2 & H1 & H2 & C); exists a1, a2; repeat split; auto; now apply E.
Qed.

Lemma drf_cons P H : drf (P :: H) <-> drf_phase P /\ drf H.
Proof.
  unfold drf. cbn. split.
  - intro HD. split; auto.
  - intros [HP HH] Q [<- | HQ]; auto.
Qed.
