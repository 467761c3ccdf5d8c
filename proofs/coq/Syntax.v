(** * Syntax of BabyCUDA and of memory access protocols

    LCL22 Fig. 5 (programs [b]) and the unsynchronized part of Fig. 2
    (protocols [u]), beyond the paper with several arrays, and with
    barriers, which may stand anywhere.  The paper's fragment has one array and is
    [sync_free]. *)

From BabyCUDA Require Export Expressions.

(** The name of an array.  A cell is an array with an index. *)
Definition array := string.
Notation cell := (array * N)%type.

(** The identity of one barrier in the source text. *)
Definition site := N.

(** ** Programs

    [b ::= A[n] := m | let x = A[n] in b | b ; b
         | if c {b} else {b} | forU x in n..m {b} | skip | sync] *)
Inductive prog :=
| Write (a : array) (n m : nexp)
| Read (x : var) (a : array) (n : nexp) (b : prog)
| Seq (b1 b2 : prog)
| If (c : bexp) (b1 b2 : prog)
| For (x : var) (n m : nexp) (b : prog)
| Skip
| Sync (l : site).

(** ** Access modes and protocols

    [o ::= rd | wr]
    [u ::= skip | o A[n] | u ; u | if c {u} else {u} | forU x in n..m {u} | sync
         | let x = input A[n] in u] *)
Inductive mode := rd | wr.

Inductive protocol :=
| USkip
| UAccess (o : mode) (a : array) (n : nexp)
| USeq (u1 u2 : protocol)
| UIf (c : bexp) (u1 u2 : protocol)
| UFor (x : var) (n m : nexp) (u : protocol)
| USync (l : site)
| UInput (x : var) (a : array) (n : nexp) (u : protocol).

(** ** Read-only inputs

    The arrays that the host fills and the program never writes, and what the
    host stored in them (of a cell in which it stored nothing: any value). *)
Class inputs := {
  read_only : array -> bool;
  host : cell -> N
}.

(** No array is read-only: the paper's protocols and types. *)
Definition no_inputs : inputs := {| read_only _ := false; host _ := 0%N |}.

(** ** Code without barriers *)

Fixpoint sync_free (b : prog) : bool :=
  match b with
  | Write _ _ _ | Skip => true
  | Read _ _ _ b | For _ _ _ b => sync_free b
  | Seq b1 b2 | If _ b1 b2 => sync_free b1 && sync_free b2
  | Sync _ => false
  end.

Fixpoint sync_free_u (u : protocol) : bool :=
  match u with
  | USkip | UAccess _ _ _ => true
  | USeq u1 u2 | UIf _ u1 u2 => sync_free_u u1 && sync_free_u u2
  | UFor _ _ _ u | UInput _ _ _ u => sync_free_u u
  | USync _ => false
  end.

(** ** Substitution of a natural for a variable

    It stops at a binder of the same name.  Only naturals are substituted, so
    nothing can be captured. *)

Fixpoint subst (x : var) (k : N) (b : prog) : prog :=
  match b with
  | Write a n m => Write a (subst_n x k n) (subst_n x k m)
  | Read y a n b =>
      Read y a (subst_n x k n) (if var_eq_dec x y then b else subst x k b)
  | Seq b1 b2 => Seq (subst x k b1) (subst x k b2)
  | If c b1 b2 => If (subst_c x k c) (subst x k b1) (subst x k b2)
  | For y n m b =>
      For y (subst_n x k n) (subst_n x k m)
        (if var_eq_dec x y then b else subst x k b)
  | Skip => Skip
  | Sync l => Sync l
  end.

Fixpoint subst_u (x : var) (k : N) (u : protocol) : protocol :=
  match u with
  | USkip => USkip
  | UAccess o a n => UAccess o a (subst_n x k n)
  | USeq u1 u2 => USeq (subst_u x k u1) (subst_u x k u2)
  | UIf c u1 u2 => UIf (subst_c x k c) (subst_u x k u1) (subst_u x k u2)
  | UFor y n m u =>
      UFor y (subst_n x k n) (subst_n x k m)
        (if var_eq_dec x y then u else subst_u x k u)
  | USync l => USync l
  | UInput y a n u =>
      UInput y a (subst_n x k n) (if var_eq_dec x y then u else subst_u x k u)
  end.

(** ** Free variables *)

Fixpoint fv (b : prog) : list var :=
  match b with
  | Write _ n m => fv_n n ++ fv_n m
  | Read x _ n b => fv_n n ++ remove var_eq_dec x (fv b)
  | Seq b1 b2 => fv b1 ++ fv b2
  | If c b1 b2 => fv_c c ++ fv b1 ++ fv b2
  | For x n m b => fv_n n ++ fv_n m ++ remove var_eq_dec x (fv b)
  | Skip | Sync _ => []
  end.

Fixpoint fv_u (u : protocol) : list var :=
  match u with
  | USkip | USync _ => []
  | UAccess _ _ n => fv_n n
  | USeq u1 u2 => fv_u u1 ++ fv_u u2
  | UIf c u1 u2 => fv_c c ++ fv_u u1 ++ fv_u u2
  | UFor x n m u => fv_n n ++ fv_n m ++ remove var_eq_dec x (fv_u u)
  | UInput x _ n u => fv_n n ++ remove var_eq_dec x (fv_u u)
  end.

(** ** Depth

    Substitution keeps the depth, so it is a measure on which a program and
    the programs its evaluation meets can be compared. *)

Fixpoint depth (b : prog) : nat :=
  match b with
  | Write _ _ _ | Skip | Sync _ => 1
  | Read _ _ _ b | For _ _ _ b => S (depth b)
  | Seq b1 b2 | If _ b1 b2 => S (Nat.max (depth b1) (depth b2))
  end.

Fixpoint depth_u (u : protocol) : nat :=
  match u with
  | UAccess _ _ _ | USkip | USync _ => 1
  | UFor _ _ _ u | UInput _ _ _ u => S (depth_u u)
  | USeq u1 u2 | UIf _ u1 u2 => S (Nat.max (depth_u u1) (depth_u u2))
  end.

Lemma depth_subst x k b : depth (subst x k b) = depth b.
Proof.
  induction b; cbn; try destruct (var_eq_dec _ _); congruence.
Qed.

Lemma depth_subst_u x k u : depth_u (subst_u x k u) = depth_u u.
Proof.
  induction u; cbn; try destruct (var_eq_dec _ _); congruence.
Qed.

Lemma sync_free_subst x k b : sync_free (subst x k b) = sync_free b.
Proof.
  induction b; cbn; try destruct (var_eq_dec _ _); congruence.
Qed.

Lemma sync_free_subst_u x k u : sync_free_u (subst_u x k u) = sync_free_u u.
Proof.
  induction u; cbn; try destruct (var_eq_dec _ _); congruence.
Qed.

(** ** Substitution and free variables *)

Lemma in_remove_iff (x y : var) l :
  In y (remove var_eq_dec x l) <-> In y l /\ y <> x.
Proof.
  split; intro H.
  - apply in_remove in H; exact H.
  - apply in_in_remove; tauto.
Qed.

(** [y ∈ fv(b[x := k])] iff [y ∈ fv(b)] and [y ≠ x]. *)
Lemma fv_subst x k b y : In y (fv (subst x k b)) <-> In y (fv b) /\ y <> x.
Proof.
  induction b as [a n m | z a n b IH | b1 IH1 b2 IH2 | c b1 IH1 b2 IH2 | z n m b IH | |]; cbn;
    rewrite ?in_app_iff, ?fv_subst_n, ?fv_subst_c, ?IH1, ?IH2, ?in_remove_iff; try tauto;
    destruct (var_eq_dec x z) as [<- | Hne]; rewrite ?IH; tauto.
Qed.

Lemma fv_subst_u x k u y : In y (fv_u (subst_u x k u)) <-> In y (fv_u u) /\ y <> x.
Proof.
  induction u as [| o a n | u1 IH1 u2 IH2 | c u1 IH1 u2 IH2 | z n m u IH | l | z a n u IH]; cbn;
    rewrite ?in_app_iff, ?fv_subst_n, ?fv_subst_c, ?IH1, ?IH2, ?in_remove_iff; try tauto;
    destruct (var_eq_dec x z) as [<- | Hne]; rewrite ?IH; tauto.
Qed.

(** A substitution for a variable that does not occur does nothing. *)
Lemma subst_u_fresh x k u : ~ In x (fv_u u) -> subst_u x k u = u.
Proof.
  induction u as [| o a n | u1 IH1 u2 IH2 | c u1 IH1 u2 IH2 | z n m u IH | l | z a n u IH];
    cbn; rewrite ?in_app_iff, ?in_remove_iff; intro Hx.
  - reflexivity.
  - now rewrite subst_n_fresh.
  - rewrite IH1, IH2 by tauto. reflexivity.
  - rewrite subst_c_fresh, IH1, IH2 by tauto. reflexivity.
  - rewrite !subst_n_fresh by tauto. destruct (var_eq_dec x z); [reflexivity |].
    rewrite IH by intuition. reflexivity.
  - reflexivity.
  - rewrite subst_n_fresh by tauto. destruct (var_eq_dec x z); [reflexivity |].
    rewrite IH by intuition. reflexivity.
Qed.

(** If [fv(b) ⊆ {x}] then [b[x := k]] is closed. *)
Lemma subst_closes x k b : incl (fv b) [x] -> incl (fv (subst x k b)) [].
Proof. intros Hb y [Hy Hne]%fv_subst. destruct (Hb y Hy); congruence || assumption. Qed.

Lemma subst_u_closes x k u : incl (fv_u u) [x] -> incl (fv_u (subst_u x k u)) [].
Proof. intros Hu y [Hy Hne]%fv_subst_u. destruct (Hu y Hy); congruence || assumption. Qed.

(** Inside a binder: if [fv(b) \ {x}] is empty then [b[x := k]] is closed. *)
Lemma body_closes x k b : incl (remove var_eq_dec x (fv b)) [] -> incl (fv (subst x k b)) [].
Proof. intros Hb y [Hy Hne]%fv_subst. apply Hb, in_remove_iff; tauto. Qed.

Lemma body_closes_u x k u :
  incl (remove var_eq_dec x (fv_u u)) [] -> incl (fv_u (subst_u x k u)) [].
Proof. intros Hu y [Hy Hne]%fv_subst_u. apply Hu, in_remove_iff; tauto. Qed.

(** Substitutions for different variables commute. *)
Lemma subst_u_commute x v y w u :
  x <> y -> subst_u x v (subst_u y w u) = subst_u y w (subst_u x v u).
Proof.
  intro Hne. induction u; cbn; try destruct (var_eq_dec y _), (var_eq_dec x _);
    cbn; f_equal; auto using subst_n_commute, subst_c_commute.
Qed.

Lemma subst_commute x v y w b :
  x <> y -> subst x v (subst y w b) = subst y w (subst x v b).
Proof.
  intro Hne. induction b; cbn; try destruct (var_eq_dec y _), (var_eq_dec x _);
    cbn; f_equal; auto using subst_n_commute, subst_c_commute.
Qed.
