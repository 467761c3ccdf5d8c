(** * Decidability: race checkers

    [races P] lists the races of a phase, [conflicts Λ] the conflicting pairs of
    a protocol phase; each is sound and complete for Definition 1. *)

From BabyCUDA Require Export Races.
Local Open Scope N_scope.

(** ** Phases *)

(** [(i1, i2, j)]: thread [i1] writes [j], which [i2 ≠ i1] reads or writes. *)
Definition race_at (P : phase) (i1 i2 : N) (j : cell) : Prop :=
  i1 <> i2 /\ in_dom j (snd (at_thread P i1)) /\
  (In j (fst (at_thread P i2)) \/ in_dom j (snd (at_thread P i2))).

Definition mem_n (j : cell) (l : list cell) : bool := existsb (cell_eqb j) l.

Lemma mem_n_correct j l : mem_n j l = true <-> In j l.
Proof.
  unfold mem_n. rewrite existsb_exists. split.
  - intros (k & Hk & E). now destruct (cell_eqb_spec j k) as [-> |].
  - intro Hj. exists j. split; [assumption |]. now destruct (cell_eqb_spec j j).
Qed.

Lemma in_dom_iff j W : in_dom j W <-> In j (map fst W).
Proof.
  unfold in_dom. destruct (lookup j W) as [k |] eqn:E.
  - split; [| eauto]. intros _. apply lookup_in, (in_map fst) in E. exact E.
  - split; [intros [k Hk]; discriminate |]. now apply lookup_none in E.
Qed.

Definition accesses_b (A : access_pair) (j : cell) : bool :=
  mem_n j (fst A) || mem_n j (map fst (snd A)).

Lemma accesses_b_correct A j :
  accesses_b A j = true <-> In j (fst A) \/ in_dom j (snd A).
Proof. unfold accesses_b. now rewrite orb_true_iff, !mem_n_correct, in_dom_iff. Qed.

(** All races of a phase. *)
Definition races (P : phase) : list (N * N * cell) :=
  flat_map (fun i1 =>
    flat_map (fun j =>
      map (fun i2 => (i1, i2, j))
        (filter (fun i2 => negb (i1 =? i2) && accesses_b (at_thread P i2) j) (map fst P)))
      (map fst (snd (at_thread P i1))))
    (map fst P).

(** [races] lists exactly the races. *)
Theorem races_correct P i1 i2 j : In (i1, i2, j) (races P) <-> race_at P i1 i2 j.
Proof.
  unfold races, race_at. rewrite in_flat_map. split.
  - intros (i & Hi & HI). apply in_flat_map in HI as (j' & Hj & HI).
    apply in_map_iff in HI as (i' & [= -> -> ->] & HF).
    apply filter_In in HF as [_ [Hne HA]%andb_true_iff].
    apply negb_true_iff, N.eqb_neq in Hne. apply accesses_b_correct in HA.
    rewrite in_dom_iff. auto.
  - intros (Hne & HW & HA). exists i1. split.
    + apply at_thread_domain. intro E. rewrite E in HW. destruct HW; discriminate.
    + apply in_flat_map. exists j. split; [now apply in_dom_iff |].
      apply in_map_iff. exists i2. split; [reflexivity |]. apply filter_In. split.
      * apply at_thread_domain. intro E. rewrite E in HA.
        destruct HA as [[] | [k Hk]]; discriminate.
      * apply andb_true_iff. split; [now apply negb_true_iff, N.eqb_neq |].
        now apply accesses_b_correct.
Qed.

Lemma nil_iff_no_member {X} (l : list X) : l = [] <-> forall x, ~ In x l.
Proof.
  destruct l as [| x l]; split; intro E; try reflexivity; try discriminate.
  - intros x [].
  - destruct (E x). now left.
Qed.

(** A phase is DRF iff [races] finds nothing. *)
Corollary drf_phase_iff P : drf_phase P <-> races P = [].
Proof.
  rewrite nil_iff_no_member. split.
  - intros HD [[i1 i2] j] HR%races_correct. apply HD. now exists i1, i2, j.
  - intros HN (i1 & i2 & j & HR). apply (HN (i1, i2, j)), races_correct, HR.
Qed.

Corollary racy_dec P : {racy P} + {drf_phase P}.
Proof.
  destruct (races P) as [| [[i1 i2] j] rs] eqn:E.
  - right. now apply drf_phase_iff.
  - left. exists i1, i2, j. apply races_correct. rewrite E. now left.
Defined.

(** ** Histories *)

Definition drf_b (H : history) : bool :=
  forallb (fun P => match races P with [] => true | _ => false end) H.

Theorem drf_b_correct H : drf_b H = true <-> drf H.
Proof.
  unfold drf_b, drf. rewrite forallb_forall. split; intros HD P HP; specialize (HD P HP).
  - apply drf_phase_iff. destruct (races P); [reflexivity | discriminate].
  - apply drf_phase_iff in HD. now rewrite HD.
Qed.

(** ** Phases of protocols *)

Definition conflict_b (a1 a2 : access_value) : bool :=
  let '(i1, o1, j1) := a1 in
  let '(i2, o2, j2) := a2 in
  negb (i1 =? i2) && cell_eqb j1 j2 && match o1 with wr => true | rd => false end.

Lemma conflict_b_correct a1 a2 : conflict_b a1 a2 = true <-> conflict a1 a2.
Proof.
  destruct a1 as [[i1 o1] j1], a2 as [[i2 o2] j2]. cbn -[cell_eqb].
  rewrite !andb_true_iff, negb_true_iff, N.eqb_neq.
  destruct o1, (cell_eqb_spec j1 j2); intuition (congruence || discriminate).
Qed.

(** All conflicting pairs of a protocol phase. *)
Definition conflicts (L : access_values) : list (access_value * access_value) :=
  filter (fun p => conflict_b (fst p) (snd p)) (list_prod L L).

Theorem conflicts_correct L a1 a2 :
  In (a1, a2) (conflicts L) <-> In a1 L /\ In a2 L /\ conflict a1 a2.
Proof.
  unfold conflicts. rewrite filter_In, in_prod_iff. cbn. rewrite conflict_b_correct. tauto.
Qed.

Corollary drf_values_iff L : drf_values L <-> conflicts L = [].
Proof.
  rewrite nil_iff_no_member. split.
  - intros HD [a1 a2] HC%conflicts_correct. apply HD. now exists a1, a2.
  - intros HN (a1 & a2 & HC). apply (HN (a1, a2)). apply conflicts_correct. tauto.
Qed.

Corollary racy_values_dec L : {racy_values L} + {drf_values L}.
Proof.
  destruct (conflicts L) as [| [a1 a2] cs] eqn:E.
  - right. now apply drf_values_iff.
  - left. exists a1, a2. apply conflicts_correct. rewrite E. now left.
Defined.
