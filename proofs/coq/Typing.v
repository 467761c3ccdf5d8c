(** * The behavioral type system [V ⊢ b ▶ u]

    LCL22 Fig. 6, and two rules more.  Rule t-sync: nothing forbids a barrier
    under a guard or a bound that depends on the thread.  Rule t-read-input: what
    is read of a read-only input is no data, and no such array is written.  [V] is the set of variables that may occur in indices,
    guards and loop bounds.  A variable bound by [let] holds data, never enters
    [V] and must not already be in it; payloads are unconstrained. *)

From BabyCUDA Require Export Syntax.

(** Rules t-n and t-b: [fv(n) ⊆ V] and [fv(c) ⊆ V]. *)
Definition typed_n (V : list var) (n : nexp) : Prop := incl (fv_n n) V.
Definition typed_c (V : list var) (c : bexp) : Prop := incl (fv_c c) V.

Section Relative.
Context {ins : inputs}.

Inductive typed (V : list var) : prog -> protocol -> Prop :=
| t_write : forall a n m,
    read_only a = false ->
    typed_n V n ->
    typed V (Write a n m) (UAccess wr a n)
| t_read : forall y a n b u,
    read_only a = false ->
    typed_n V n ->
    ~ In y V ->
    typed V b u ->
    typed V (Read y a n b) (USeq (UAccess rd a n) u)
| t_read_input : forall y a n b u,
    read_only a = true ->
    typed_n V n ->
    ~ In y V ->
    typed (y :: V) b u ->
    typed V (Read y a n b) (USeq (UAccess rd a n) (UInput y a n u))
| t_seq : forall b1 b2 u1 u2,
    typed V b1 u1 ->
    typed V b2 u2 ->
    typed V (Seq b1 b2) (USeq u1 u2)
| t_if : forall c b1 b2 u1 u2,
    typed_c V c ->
    typed V b1 u1 ->
    typed V b2 u2 ->
    typed V (If c b1 b2) (UIf c u1 u2)
| t_for : forall x n m b u,
    typed_n V n ->
    typed_n V m ->
    ~ In x V ->
    typed (x :: V) b u ->
    typed V (For x n m b) (UFor x n m u)
| t_skip :
    typed V Skip USkip
| t_sync : forall l,
    typed V (Sync l) (USync l).

(** A program has at most one type. *)
Theorem typed_unique V b u1 u2 : typed V b u1 -> typed V b u2 -> u1 = u2.
Proof.
  intro D. revert u2. induction D; inversion 1; subst; try congruence; f_equal; auto; f_equal; auto.
Qed.

(** Only the set [V] matters. *)
Lemma typed_same_set V b u :
  typed V b u -> forall V', incl V V' -> incl V' V -> typed V' b u.
Proof.
  unfold typed_n, typed_c.
  induction 1; intros V' Sub Sup;
    [apply t_write | apply t_read | apply t_read_input | | | | |]; try constructor;
    unfold typed_n, typed_c in *; eauto using incl_tran.
  all: apply IHtyped; apply incl_cons; auto using in_eq, incl_tl.
Qed.

(** The type has barriers where the program has. *)
Lemma typed_sync_free V b u : typed V b u -> sync_free_u u = sync_free b.
Proof. induction 1; cbn; congruence. Qed.

(** The type uses only [V]: [fv(u) ⊆ V]. *)
Lemma typed_fv V b u : typed V b u -> incl (fv_u u) V.
Proof.
  unfold typed_n, typed_c.
  induction 1; cbn; repeat apply incl_app; auto using incl_nil_l.
  all: intros z [Hz Hne]%in_remove_iff; destruct (IHtyped z Hz); congruence || assumption.
Qed.

(** Substitution, for a variable of [V] and for a data variable alike: if
    [V' ⊆ V ⊆ V' ∪ {x}] and [V ⊢ b ▶ u] then [V' ⊢ b[x:=k] ▶ u[x:=k]]. *)
Lemma typed_subst_gen V b u :
  typed V b u ->
  forall x k V', incl V (x :: V') -> incl V' V ->
  typed V' (subst x k b) (subst_u x k u).
Proof.
  induction 1 as [V a n m Ha Hn | V y a n b u Ha Hn Hy D IH | V y a n b u Ha Hn Hy D IH | V b1 b2 u1 u2 D1 IH1 D2 IH2
                 | V c b1 b2 u1 u2 Hc D1 IH1 D2 IH2 | V y n m b u Hn Hm Hy D IH | V | V l];
    intros x k V' Sub Sup; cbn; unfold typed_n, typed_c in *.
  - constructor; [exact Ha |]. red. eauto using subst_n_incl.
  - apply t_read; [exact Ha | red; eauto using subst_n_incl | auto |].
    destruct (var_eq_dec x y) as [-> | Hne]; [| auto].
    assert (Hin : incl V V').
    { intros z Hz. destruct (Sub z Hz) as [<- | ]; [contradiction | assumption]. }
    rewrite subst_u_fresh by (intro HI; apply Hy, (typed_fv _ _ _ D), HI).
    now apply typed_same_set with V.
  - apply t_read_input; [exact Ha | red; eauto using subst_n_incl | auto |].
    destruct (var_eq_dec x y) as [-> | Hne].
    + apply typed_same_set with (y :: V); auto using in_eq, incl_cons, incl_tl.
    + apply IH; [| auto using in_eq, incl_cons, incl_tl].
      intros z [<- | Hz]; [right; now left |].
      destruct (Sub z Hz); [now left | right; now right].
  - constructor; auto.
  - constructor; auto. red. eauto using subst_c_incl.
  - apply t_for; [red; eauto using subst_n_incl | red; eauto using subst_n_incl | auto |].
    destruct (var_eq_dec x y) as [-> | Hne].
    + apply typed_same_set with (y :: V); auto.
      * intros z [<- | Hz]; [now left | auto].
      * intros z [<- | Hz]; [now left | right; auto].
    + apply IH.
      * intros z [<- | Hz]; [right; now left |].
        destruct (Sub z Hz); [now left | right; now right].
      * intros z [<- | Hz]; [now left | right; auto].
  - constructor.
  - constructor.
Qed.

(** Closing the thread identifier: [{tid} ⊢ b ▶ u] gives [∅ ⊢ b[tid:=i] ▶ u[tid:=i]]. *)
Lemma typed_subst_tid b u i :
  typed [tid] b u -> typed [] (subst tid i b) (subst_u tid i u).
Proof. intro D. apply typed_subst_gen with [tid]; auto using incl_nil_l, incl_refl. Qed.

(** The body of a loop: [{x} ⊢ b ▶ u] gives [∅ ⊢ b[x:=k] ▶ u[x:=k]]. *)
Lemma typed_body x k b u : typed [x] b u -> typed [] (subst x k b) (subst_u x k u).
Proof. intro D. apply typed_subst_gen with [x]; auto using incl_nil_l, incl_refl. Qed.

(** Data never reaches the type: [∅ ⊢ b ▶ u] gives [∅ ⊢ b[x:=k] ▶ u]. *)
Lemma typed_data x k b u : typed [] b u -> typed [] (subst x k b) u.
Proof.
  intro D. replace u with (subst_u x k u).
  - apply typed_subst_gen with []; auto using incl_nil_l, incl_refl.
  - apply subst_u_fresh. intro HI. destruct (typed_fv _ _ _ D x HI).
Qed.

(** The remaining iterations of a loop have the remaining iterations' type. *)
Lemma typed_remaining V x n m b u k l :
  typed V (For x n m b) (UFor x n m u) ->
  typed V (For x (Num k) (Num l) b) (UFor x (Num k) (Num l) u).
Proof. inversion 1; subst. constructor; auto; apply incl_nil_l. Qed.

End Relative.
