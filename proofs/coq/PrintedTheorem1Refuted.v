(** * T1, as printed, is false

    LCL22 Theorem 1 reads: let [H, b ↓ H'] and [u ↓ Λ]; if [{tid} ⊢ b ▶ u] and
    [H] is DRF, then [H'] is DRF iff [Λ] is DRF (the text has [P] where only
    [Λ] makes sense).  It fails when the head phase of [H] is not empty: an
    access made before [b] can conflict with one that [b] makes.

    A counterexample: threads 0 and 1, [H = [{0: wr 0}]],
    [b = if tid == 1 {A[0] := 1} else {skip}].  [H] is DRF and so is
    [Λ = {1: wr 0}], yet [H' = [{0: wr 0, 1: wr 0}]] is racy.

    The step of the printed proof, [α ∈̂ P] iff [α ∈ Λ] for the head phase [P] of
    [H'], is false already for one thread and [skip].  (Were the [P] of the theorem
    that head phase, the theorem would be true, and say nothing of [Λ].) *)

From BabyCUDA Require Export Parallel Typing Races.
Local Open Scope N_scope.

(** The paper has no read-only inputs. *)
#[local] Existing Instance no_inputs.

Definition printed_theorem_1 : Prop :=
  forall T H b H' u L,
    parallel T H b H' ->
    unsync_all u T L ->
    typed [tid] b u ->
    drf H ->
    (drf H' <-> drf_values L).

Module Counterexample.

Definition T : list N := [0; 1].
Definition is_thread_1 : bexp := Compare Natural Eq (Var tid) (Num 1).
Definition A : array := "A"%string.
Definition b : prog := If is_thread_1 (Write A (Num 0) (Num 1)) Skip.
Definition u : protocol := UIf is_thread_1 (UAccess wr A (Num 0)) USkip.
Definition P : phase := [(0, ([], [((A, 0), 0)]))].
Definition Q : phase := [(0, ([], [((A, 0), 0)])); (1, ([], [((A, 0), 1)]))].
Definition L : access_values := [(1, wr, (A, 0))].

Lemma b_runs : parallel T [P] b [Q].
Proof.
  constructor. repeat apply Forall2_cons; try apply Forall2_nil; (split; [reflexivity |]).
  - apply if_f; [reflexivity | apply skip].
  - apply if_t; [reflexivity |].
    exact (write [] 1 [] [] A (Num 0) (Num 1) 0 1 eq_refl eq_refl).
Qed.

Lemma u_runs : unsync_all u T L.
Proof.
  change L with (with_thread 0 [] ++ with_thread 1 [(wr, (A, 0))] ++ []).
  repeat apply all_cons; [| | apply all_nil].
  - apply u_if_f; [reflexivity | apply u_skip].
  - apply u_if_t; [reflexivity |]. now apply u_access.
Qed.

Lemma b_typed : typed [tid] b u.
Proof.
  apply t_if; [apply incl_refl | apply t_write; [reflexivity | apply incl_nil_l] | apply t_skip].
Qed.

Lemma only_thread_0_writes i j : in_dom j (snd (at_thread P i)) -> i = 0.
Proof.
  intros [k Hk]. unfold P, at_thread in Hk. cbn in Hk.
  destruct (N.eqb_spec i 0); [assumption | discriminate].
Qed.

Lemma nobody_reads i j : ~ In j (fst (at_thread P i)).
Proof. unfold P, at_thread. cbn. destruct (i =? 0); cbn; tauto. Qed.

Lemma P_drf : drf [P].
Proof.
  intros ? [<- | []]. intros (i1 & i2 & j & Hne & H1 & [H2 | H2]).
  - exact (nobody_reads _ _ H2).
  - apply Hne. now rewrite (only_thread_0_writes _ _ H1), (only_thread_0_writes _ _ H2).
Qed.

Lemma Q_racy : ~ drf [Q].
Proof.
  intro HD. apply (HD Q (or_introl eq_refl)). exists 0, 1, (A, 0). split; [discriminate |].
  split; [exists 0 | right; exists 1]; reflexivity.
Qed.

Lemma L_drf : drf_values L.
Proof.
  intros ([[i1 o1] j1] & [[i2 o2] j2] & [E1 | []] & [E2 | []] & Hne & _).
  congruence.
Qed.

End Counterexample.

(** The printed statement of Theorem 1 is refuted. *)
Theorem printed_theorem_1_refuted : ~ printed_theorem_1.
Proof.
  intro HT. apply Counterexample.Q_racy.
  apply (HT _ _ _ _ _ _ Counterexample.b_runs Counterexample.u_runs
           Counterexample.b_typed Counterexample.P_drf), Counterexample.L_drf.
Qed.

(** ** The printed proof

    “We prove a more general result [...]: if [H, b ↓ P :: H'], [u ↓ Λ],
    [{tid} ⊢ b ▶ u], and [H] is DRF, then [α ∈̂ P] if, and only if, [α ∈ Λ].” *)
Definition printed_step : Prop :=
  forall T H b P H' u L,
    parallel T H b (P :: H') ->
    unsync_all u T L ->
    typed [tid] b u ->
    drf H ->
    forall a, phase_set P a <-> In a L.

(** One thread, [skip], and a head phase in which the thread wrote. *)
Theorem printed_step_refuted : ~ printed_step.
Proof.
  intro HS. pose (c := ("A"%string, 0) : cell). pose (P := singleton 0 ([], [(c, 0)])).
  assert (D : parallel [0] [P] Skip [P]).
  { constructor. constructor; [| constructor]. split; [reflexivity | apply skip]. }
  assert (U : unsync_all USkip [0] []).
  { exact (all_cons USkip 0 [] [] [] u_skip (all_nil _)). }
  assert (HD : drf [P]).
  { intros ? [<- | []]. intros (i1 & i2 & j & Hne & [k Hk] & H2).
    assert (E : forall i o j, in_phase P i o j -> i = 0).
    { intros i o j' HA. destruct (N.eq_dec i 0) as [E | Hi]; [exact E |].
      unfold in_phase, P in HA. rewrite at_singleton_other in HA by exact Hi.
      now apply no_access_empty in HA. }
    apply Hne. transitivity 0; [| symmetry].
    - apply (E i1 wr j). now exists k.
    - destruct H2 as [H2 | H2]; [apply (E i2 rd j) | apply (E i2 wr j)]; exact H2. }
  apply (HS [0] [P] Skip P [] USkip [] D U (t_skip _) HD (0, wr, c)).
  exists 0. reflexivity.
Qed.

(** With [P] read as the head phase of [H'], the printed sentence holds of every
    program, typed or not. *)
Theorem other_reading_is_trivial T H b P H' :
  parallel T H b (P :: H') -> drf H -> (drf (P :: H') <-> drf_phase P).
Proof.
  intros D HD. inversion D; subst. rewrite drf_cons. apply drf_cons in HD. tauto.
Qed.
