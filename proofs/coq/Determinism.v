(** * T0. Determinism

    If every phase of [H] has at most one writer per cell, then
    [A, b ↓_{H,i} B] has at most one [B], a run to the next barrier has at most
    one end, and [P :: H, b ↓ Q :: H] at most one [Q].
    A DRF history is such a history. *)

From BabyCUDA Require Export Barriers Protocols Races.
Local Open Scope N_scope.

(** At most one writer per cell. *)
Definition single_writer (P : phase) : Prop :=
  forall j i1 i2,
    in_dom j (snd (at_thread P i1)) -> in_dom j (snd (at_thread P i2)) -> i1 = i2.

Definition single_writers (H : history) : Prop := forall P, In P H -> single_writer P.

Lemma drf_phase_single_writer P : drf_phase P -> single_writer P.
Proof.
  intros HD j i1 i2 H1 H2. destruct (N.eq_dec i1 i2) as [E | Hne]; [exact E |].
  destruct HD. exists i1, i2, j. auto.
Qed.

Lemma drf_single_writers H : drf H -> single_writers H.
Proof. intros HD P HP. apply drf_phase_single_writer, HD, HP. Qed.

Lemma singleton_single_writer i A : single_writer (singleton i A).
Proof.
  assert (Hi : forall j i', in_dom j (snd (at_thread (singleton i A) i')) -> i' = i).
  { intros j i' [k Hk]. destruct (N.eq_dec i' i) as [E | Hne]; [exact E |].
    rewrite at_singleton_other in Hk by assumption. discriminate. }
  intros j i1 i2 H1 H2. now rewrite (Hi _ _ H1), (Hi _ _ H2).
Qed.

(** [lastwrite] is a partial function on such histories. *)
Lemma lastwrite_functional j H k1 k2 :
  single_writers H -> lastwrite j H k1 -> lastwrite j H k2 -> k1 = k2.
Proof.
  intros HS L1. revert k2.
  induction L1 as [P H i1 k1 E1 | P H k1 HN L1 IH]; inversion 1 as [? ? i2 ? E2 | ? ? ? HN2 L2]; subst.
  - assert (i1 = i2) as <-.
    { apply (HS P (or_introl eq_refl) j); eexists; eassumption. }
    congruence.
  - rewrite HN2 in E1. discriminate.
  - rewrite HN in E2. discriminate.
  - apply IH; [| assumption]. intros Q HQ. apply HS. now right.
Qed.

(** T0, one thread, to its next barrier. *)
Theorem to_barrier_deterministic H i A k B1 s1 B2 s2 :
  single_writers H -> to_barrier H i A k B1 s1 -> to_barrier H i A k B2 s2 -> B1 = B2 /\ s1 = s2.
Proof.
  intros HS D. revert B2 s2.
  induction D as [R W a n m j v Hn Hm | A | A l | R W x a n k j v B s Hn L D IH
    | A k1 k2 B C s D1 IH1 D2 IH2 | A k1 k2 B l k1' D IH | A c k1 k2 B s Hc D IH
    | A c k1 k2 B s Hc D IH | A x n m k v w Hn Hm Hle | A x n m k v w B s Hn Hm Hlt D IH];
    intros B2 s2 D'; inversion D'; subst; same_values; try lia; auto.
  - apply IH.
    match goal with L' : lastwrite _ _ ?v' |- _ => replace v with v'; [assumption |] end.
    apply (lastwrite_functional (a, j) (singleton i (R, W) :: H)); try assumption.
    intros P [<- | HP]; [apply singleton_single_writer | auto].
  - match goal with E : to_barrier _ _ _ k1 ?X _ |- _ => apply IH1 in E as [<- _] end. auto.
  - match goal with E : to_barrier _ _ _ k1 _ _ |- _ => apply IH1 in E as [_ E]; discriminate E end.
  - match goal with E : to_barrier _ _ _ k1 _ _ |- _ => apply IH in E as [_ E]; discriminate E end.
  - match goal with E : to_barrier _ _ _ k1 _ _ |- _ => apply IH in E as [<- [= <- <-]] end. auto.
Qed.

(** T0, one thread. *)
Theorem thread_deterministic H i A b B1 B2 :
  single_writers H -> thread H i A b B1 -> thread H i A b B2 -> B1 = B2.
Proof. rewrite !thread_iff. intros HS D1 D2. eapply to_barrier_deterministic; eassumption. Qed.

(** T0, all threads. *)
Theorem parallel_deterministic T H b H1 H2 :
  single_writers (tl H) -> parallel T H b H1 -> parallel T H b H2 -> H1 = H2.
Proof.
  intros HS D1 D2. destruct D1 as [P H b Q1 F1]. inversion D2 as [? ? ? Q2 F2]; subst.
  f_equal. clear D2. cbn in HS. revert Q2 F2.
  induction F1 as [| i [i1 A1] T Q1 [E1 X1] _ IH]; intros Q2 F2;
    inversion F2 as [| ? [i2 A2] ? Q2' [E2 X2] F2']; subst.
  - reflexivity.
  - cbn in *. subst. f_equal; [f_equal | auto]. eapply thread_deterministic; eassumption.
Qed.
