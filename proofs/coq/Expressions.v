(** * Expressions: numbers, conditions, and their total operators

    [n ::= x | k | n * n]    [c ::= true | false | n <> n | c o c | !c]

    LCL22 Figs. 2 and 5.  Values, indices and thread identifiers are naturals
    ([N], unbounded).  Every operator is TOTAL.  Machine arithmetic is not
    another semantics: it is more operators on naturals, so one theory serves
    the paper's naturals and CUDA's [int] alike. *)

From Coq Require Export String NArith ZArith List Bool Lia.
Export ListNotations.
Local Open Scope N_scope.

(** ** Variables *)

Definition var := string.

(** The variable that holds the thread identifier. *)
Definition tid : var := "tid"%string.

Definition var_eq_dec : forall x y : var, {x = y} + {x <> y} := string_dec.

(** ** Operators *)

(** Widths of machine numbers. *)
Inductive width := W8 | W16 | W32 | W64.

Definition bits (w : width) : N :=
  match w with W8 => 8 | W16 => 16 | W32 => 32 | W64 => 64 end.

(** How an operator reads its operands: as naturals, as unsigned bit patterns
    ([u32]), or as two's complement bit patterns ([i32]). *)
Inductive sort := Natural | Unsigned (w : width) | Signed (w : width).

Inductive arithmetic :=
  Add | Sub | Mul | Div | Rem | Min | Max | BitAnd | BitOr | BitXor | Shl | Shr.

Inductive comparison_operator := Eq | Ne | Lt | Le | Gt | Ge.

Inductive connective := And | Or.

(** *** On naturals: [-] is truncated, [n/0 = 0], [n%0 = n]. *)
Definition natural_arithmetic (o : arithmetic) (a b : N) : N :=
  match o with
  | Add => a + b          | Sub => a - b          | Mul => a * b
  | Div => a / b          | Rem => a mod b
  | Min => N.min a b      | Max => N.max a b
  | BitAnd => N.land a b  | BitOr => N.lor a b    | BitXor => N.lxor a b
  | Shl => N.shiftl a b   | Shr => N.shiftr a b
  end.

(** *** On bit patterns: read both operands as integers, compute, wrap. *)

(** The bit pattern, below [2^w], of an integer. *)
Definition wrap (w : width) (z : Z) : N :=
  Z.to_N (z mod 2 ^ Z.of_N (bits w))%Z.

(** The integer a bit pattern stands for; higher bits are ignored. *)
Definition read_unsigned (w : width) (a : N) : Z :=
  Z.of_N (a mod 2 ^ bits w).

Definition read_signed (w : width) (a : N) : Z :=
  let u := read_unsigned w a in
  if (u <? 2 ^ (Z.of_N (bits w) - 1))%Z then u else (u - 2 ^ Z.of_N (bits w))%Z.

(** Division truncates towards zero and gives 0 on a zero divisor; the
    remainder by zero is the dividend, as on naturals.  A shift by the width
    or more gives 0, an arithmetic right shift the sign.  [count] is the second
    operand read as unsigned. *)
Definition integer_arithmetic (w : width) (o : arithmetic) (a b count : Z) : Z :=
  match o with
  | Add => a + b            | Sub => a - b            | Mul => a * b
  | Div => Z.quot a b       | Rem => Z.rem a b
  | Min => Z.min a b        | Max => Z.max a b
  | BitAnd => Z.land a b    | BitOr => Z.lor a b      | BitXor => Z.lxor a b
  | Shl => if count <? Z.of_N (bits w) then Z.shiftl a count else 0
  | Shr => Z.shiftr a (Z.min count (Z.of_N (bits w)))
  end%Z.

Definition apply_arithmetic (s : sort) (o : arithmetic) (a b : N) : N :=
  match s with
  | Natural => natural_arithmetic o a b
  | Unsigned w =>
      wrap w (integer_arithmetic w o
                (read_unsigned w a) (read_unsigned w b) (read_unsigned w b))
  | Signed w =>
      wrap w (integer_arithmetic w o
                (read_signed w a) (read_signed w b) (read_unsigned w b))
  end.

Definition compare_integers (o : comparison_operator) (a b : Z) : bool :=
  match o with
  | Eq => a =? b   | Ne => negb (a =? b)
  | Lt => a <? b   | Le => a <=? b
  | Gt => b <? a   | Ge => b <=? a
  end%Z.

Definition apply_comparison (s : sort) (o : comparison_operator) (a b : N) : bool :=
  match s with
  | Natural => compare_integers o (Z.of_N a) (Z.of_N b)
  | Unsigned w => compare_integers o (read_unsigned w a) (read_unsigned w b)
  | Signed w => compare_integers o (read_signed w a) (read_signed w b)
  end.

Definition apply_connective (o : connective) (a b : bool) : bool :=
  match o with And => a && b | Or => a || b end.

(** ** Syntax *)

Inductive nexp :=
| Var (x : var)
| Num (k : N)
| Arith (s : sort) (o : arithmetic) (n1 n2 : nexp).

Inductive bexp :=
| Bool (t : bool)
| Compare (s : sort) (o : comparison_operator) (n1 n2 : nexp)
| Connect (o : connective) (c1 c2 : bexp)
| Not (c : bexp).

(** ** Free variables *)

Fixpoint fv_n (n : nexp) : list var :=
  match n with
  | Var x => [x]
  | Num _ => []
  | Arith _ _ n1 n2 => fv_n n1 ++ fv_n n2
  end.

Fixpoint fv_c (c : bexp) : list var :=
  match c with
  | Bool _ => []
  | Compare _ _ n1 n2 => fv_n n1 ++ fv_n n2
  | Connect _ c1 c2 => fv_c c1 ++ fv_c c2
  | Not c => fv_c c
  end.

(** ** Substitution of a natural for a variable: [n[x := k]], [c[x := k]] *)

Fixpoint subst_n (x : var) (k : N) (n : nexp) : nexp :=
  match n with
  | Var y => if var_eq_dec x y then Num k else Var y
  | Num i => Num i
  | Arith s o n1 n2 => Arith s o (subst_n x k n1) (subst_n x k n2)
  end.

Fixpoint subst_c (x : var) (k : N) (c : bexp) : bexp :=
  match c with
  | Bool t => Bool t
  | Compare s o n1 n2 => Compare s o (subst_n x k n1) (subst_n x k n2)
  | Connect o c1 c2 => Connect o (subst_c x k c1) (subst_c x k c2)
  | Not c => Not (subst_c x k c)
  end.

(** ** Evaluation: [n ↓ k] is [eval_n n = Some k]; [None] is an unbound variable *)

Fixpoint eval_n (n : nexp) : option N :=
  match n with
  | Var _ => None
  | Num k => Some k
  | Arith s o n1 n2 =>
      match eval_n n1, eval_n n2 with
      | Some k1, Some k2 => Some (apply_arithmetic s o k1 k2)
      | _, _ => None
      end
  end.

Fixpoint eval_c (c : bexp) : option bool :=
  match c with
  | Bool t => Some t
  | Compare s o n1 n2 =>
      match eval_n n1, eval_n n2 with
      | Some k1, Some k2 => Some (apply_comparison s o k1 k2)
      | _, _ => None
      end
  | Connect o c1 c2 =>
      match eval_c c1, eval_c c2 with
      | Some t1, Some t2 => Some (apply_connective o t1 t2)
      | _, _ => None
      end
  | Not c => option_map negb (eval_c c)
  end.

(** ** Closed expressions evaluate; substitution removes its variable *)

(** [fv(n) ⊆ ∅] implies [∃k, n ↓ k]. *)
Lemma closed_n_evaluates n : incl (fv_n n) [] -> exists k, eval_n n = Some k.
Proof.
  induction n as [x | k | s o n1 IH1 n2 IH2]; cbn; intro Hc.
  - destruct (Hc x); left; reflexivity.
  - eauto.
  - apply incl_app_inv in Hc as [H1 H2].
    destruct (IH1 H1) as [k1 ->], (IH2 H2) as [k2 ->]; eauto.
Qed.

(** [fv(c) ⊆ ∅] implies [∃t, c ↓ t]. *)
Lemma closed_c_evaluates c : incl (fv_c c) [] -> exists t, eval_c c = Some t.
Proof.
  induction c as [t | s o n1 n2 | o c1 IH1 c2 IH2 | c IH]; cbn; intro Hc.
  - eauto.
  - apply incl_app_inv in Hc as [H1 H2].
    destruct (closed_n_evaluates n1 H1) as [k1 ->].
    destruct (closed_n_evaluates n2 H2) as [k2 ->]; eauto.
  - apply incl_app_inv in Hc as [H1 H2].
    destruct (IH1 H1) as [k1 ->], (IH2 H2) as [k2 ->]; eauto.
  - destruct (IH Hc) as [t ->]; cbn; eauto.
Qed.

(** [y ∈ fv(n[x := k])] iff [y ∈ fv(n)] and [y ≠ x]. *)
Lemma fv_subst_n x k n y : In y (fv_n (subst_n x k n)) <-> In y (fv_n n) /\ y <> x.
Proof.
  induction n as [z | i | s o n1 IH1 n2 IH2]; cbn.
  - destruct (var_eq_dec x z); cbn; intuition (subst; congruence).
  - tauto.
  - rewrite !in_app_iff, IH1, IH2; tauto.
Qed.

Lemma fv_subst_c x k c y : In y (fv_c (subst_c x k c)) <-> In y (fv_c c) /\ y <> x.
Proof.
  induction c as [t | s o n1 n2 | o c1 IH1 c2 IH2 | c IH]; cbn.
  - tauto.
  - rewrite !in_app_iff, !fv_subst_n; tauto.
  - rewrite !in_app_iff, IH1, IH2; tauto.
  - exact IH.
Qed.

(** If [fv(n) ⊆ V ∪ {x}] then [fv(n[x := k]) ⊆ V]. *)
Lemma subst_n_incl x k n V V' :
  incl (fv_n n) V -> incl V (x :: V') -> incl (fv_n (subst_n x k n)) V'.
Proof.
  intros Hn HV y [Hy Hne]%fv_subst_n.
  destruct (HV y (Hn y Hy)); congruence || assumption.
Qed.

Lemma subst_c_incl x k c V V' :
  incl (fv_c c) V -> incl V (x :: V') -> incl (fv_c (subst_c x k c)) V'.
Proof.
  intros Hc HV y [Hy Hne]%fv_subst_c.
  destruct (HV y (Hc y Hy)); congruence || assumption.
Qed.

(** A substitution for a variable that does not occur does nothing. *)
Lemma subst_n_fresh x k n : ~ In x (fv_n n) -> subst_n x k n = n.
Proof.
  induction n as [y | i | s o n1 IH1 n2 IH2]; cbn; intro Hx.
  - destruct (var_eq_dec x y); subst; tauto.
  - reflexivity.
  - rewrite in_app_iff in Hx; rewrite IH1, IH2 by tauto; reflexivity.
Qed.

Lemma subst_c_fresh x k c : ~ In x (fv_c c) -> subst_c x k c = c.
Proof.
  induction c as [t | s o n1 n2 | o c1 IH1 c2 IH2 | c IH]; cbn; intro Hx;
    rewrite ?in_app_iff in Hx.
  - reflexivity.
  - rewrite !subst_n_fresh by tauto; reflexivity.
  - rewrite IH1, IH2 by tauto; reflexivity.
  - rewrite IH by tauto; reflexivity.
Qed.

(** A substitution does not change what already evaluates. *)
Lemma eval_n_closed n k : eval_n n = Some k -> incl (fv_n n) [].
Proof.
  revert k; induction n as [x | i | s o n1 IH1 n2 IH2]; cbn; intros k E.
  - discriminate.
  - apply incl_nil_l.
  - destruct (eval_n n1), (eval_n n2); try discriminate.
    apply incl_app; eauto.
Qed.

(** ** Equality of expressions is decidable *)

Definition nexp_eq_dec : forall n m : nexp, {n = m} + {n <> m}.
Proof.
  decide equality; try apply N.eq_dec; try apply string_dec; repeat decide equality.
Defined.

Definition bexp_eq_dec : forall c d : bexp, {c = d} + {c <> d}.
Proof. decide equality; try apply nexp_eq_dec; repeat decide equality. Defined.
