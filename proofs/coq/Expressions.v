(** * Expressions: numbers, conditions, and their total operators

    [n ::= x | k | n ⋆ n | cast n | c ? n : n]
    [c ::= true | false | n ◇ n | c ∘ c | !c]

    LCL22 Figs. 2 and 5.  Values, indices and thread identifiers are naturals
    ([N], unbounded).  Every operator is TOTAL.  Machine arithmetic is not
    another semantics: it is more operators on naturals, so one theory serves
    the paper's naturals and CUDA's [int] alike.  Casts between machine types
    and selection are two more total operators. *)

From Coq Require Export String NArith ZArith List Bool Lia.
Export ListNotations.
Local Open Scope N_scope.

(** ** Variables *)

Definition var := string.

(** The variable that holds the thread identifier. *)
Definition tid : var := "tid"%string.

Definition var_eq_dec : forall x y : var, {x = y} + {x <> y} := string_dec.
Arguments var_eq_dec : simpl never.

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

(** A bit pattern, converted as C converts integers: read by the first sort,
    wrapped to the width of the second. *)
Definition apply_cast (s t : sort) (a : N) : N :=
  let z := match s with
           | Natural => Z.of_N a
           | Unsigned w => read_unsigned w a
           | Signed w => read_signed w a
           end in
  match t with
  | Natural => Z.to_N z
  | Unsigned w | Signed w => wrap w z
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
| Arith (s : sort) (o : arithmetic) (n1 n2 : nexp)
| Cast (s t : sort) (n : nexp)
| Select (c : bexp) (n1 n2 : nexp)
with bexp :=
| Bool (t : bool)
| Compare (s : sort) (o : comparison_operator) (n1 n2 : nexp)
| Connect (o : connective) (c1 c2 : bexp)
| Not (c : bexp).

Scheme nexp_mutual := Induction for nexp Sort Prop
  with bexp_mutual := Induction for bexp Sort Prop.
Combined Scheme expressions_ind from nexp_mutual, bexp_mutual.

(** ** Free variables *)

Fixpoint fv_n (n : nexp) : list var :=
  match n with
  | Var x => [x]
  | Num _ => []
  | Arith _ _ n1 n2 => fv_n n1 ++ fv_n n2
  | Cast _ _ n => fv_n n
  | Select c n1 n2 => fv_c c ++ fv_n n1 ++ fv_n n2
  end
with fv_c (c : bexp) : list var :=
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
  | Cast s t n => Cast s t (subst_n x k n)
  | Select c n1 n2 => Select (subst_c x k c) (subst_n x k n1) (subst_n x k n2)
  end
with subst_c (x : var) (k : N) (c : bexp) : bexp :=
  match c with
  | Bool t => Bool t
  | Compare s o n1 n2 => Compare s o (subst_n x k n1) (subst_n x k n2)
  | Connect o c1 c2 => Connect o (subst_c x k c1) (subst_c x k c2)
  | Not c => Not (subst_c x k c)
  end.

(** ** Evaluation: [n ↓ k] is [eval_n n = Some k]; [None] is an unbound variable

    All operands are evaluated, so that an unbound variable never hides. *)

Fixpoint eval_n (n : nexp) : option N :=
  match n with
  | Var _ => None
  | Num k => Some k
  | Arith s o n1 n2 =>
      match eval_n n1, eval_n n2 with
      | Some k1, Some k2 => Some (apply_arithmetic s o k1 k2)
      | _, _ => None
      end
  | Cast s t n => option_map (apply_cast s t) (eval_n n)
  | Select c n1 n2 =>
      match eval_c c, eval_n n1, eval_n n2 with
      | Some t, Some k1, Some k2 => Some (if t then k1 else k2)
      | _, _, _ => None
      end
  end
with eval_c (c : bexp) : option bool :=
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

(** Uses that two numbers evaluate to one value. *)
Ltac numbers :=
  cbn in *; repeat match goal with E : Some _ = Some _ |- _ => injection E as <- end.

(** ** Closed expressions evaluate *)

Lemma closed_expressions_evaluate :
  (forall n, incl (fv_n n) [] -> exists k, eval_n n = Some k) /\
  (forall c, incl (fv_c c) [] -> exists t, eval_c c = Some t).
Proof.
  apply expressions_ind; cbn; intros;
    repeat match goal with
    | H : incl (_ ++ _) _ |- _ => apply incl_app_inv in H as [? ?]
    | H : incl [?x] [] |- _ => destruct (H x (or_introl eq_refl))
    | IH : ?P -> exists _, _, H : ?P |- _ => destruct (IH H) as [? ->]; clear IH
    end; cbn; eauto.
Qed.

(** [fv(n) ⊆ ∅] implies [∃k, n ↓ k]. *)
Lemma closed_n_evaluates n : incl (fv_n n) [] -> exists k, eval_n n = Some k.
Proof. apply closed_expressions_evaluate. Qed.

(** [fv(c) ⊆ ∅] implies [∃t, c ↓ t]. *)
Lemma closed_c_evaluates c : incl (fv_c c) [] -> exists t, eval_c c = Some t.
Proof. apply closed_expressions_evaluate. Qed.

(** ** Substitution removes its variable, and nothing else *)

Lemma fv_subst_expressions x k y :
  (forall n, In y (fv_n (subst_n x k n)) <-> In y (fv_n n) /\ y <> x) /\
  (forall c, In y (fv_c (subst_c x k c)) <-> In y (fv_c c) /\ y <> x).
Proof.
  apply expressions_ind; cbn; intros; rewrite ?in_app_iff;
    repeat match goal with IH : _ <-> _ |- _ => rewrite IH; clear IH end; try tauto.
  destruct (var_eq_dec x _); cbn; intuition (subst; congruence).
Qed.

(** [y ∈ fv(n[x := k])] iff [y ∈ fv(n)] and [y ≠ x]. *)
Lemma fv_subst_n x k n y : In y (fv_n (subst_n x k n)) <-> In y (fv_n n) /\ y <> x.
Proof. apply fv_subst_expressions. Qed.

Lemma fv_subst_c x k c y : In y (fv_c (subst_c x k c)) <-> In y (fv_c c) /\ y <> x.
Proof. apply fv_subst_expressions. Qed.

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
Lemma subst_fresh_expressions x k :
  (forall n, ~ In x (fv_n n) -> subst_n x k n = n) /\
  (forall c, ~ In x (fv_c c) -> subst_c x k c = c).
Proof.
  apply expressions_ind; cbn; intros;
    repeat match goal with H : ~ In _ _ |- _ => rewrite ?in_app_iff in H end;
    repeat match goal with IH : ~ _ -> _ = _ |- _ => rewrite IH by tauto; clear IH end;
    try reflexivity.
  destruct (var_eq_dec x _); subst; tauto.
Qed.

Lemma subst_n_fresh x k n : ~ In x (fv_n n) -> subst_n x k n = n.
Proof. apply subst_fresh_expressions. Qed.

Lemma subst_c_fresh x k c : ~ In x (fv_c c) -> subst_c x k c = c.
Proof. apply subst_fresh_expressions. Qed.

(** What evaluates is closed: [n ↓ k] implies [fv(n) = ∅]. *)
Lemma evaluated_expressions_closed :
  (forall n k, eval_n n = Some k -> incl (fv_n n) []) /\
  (forall c t, eval_c c = Some t -> incl (fv_c c) []).
Proof.
  apply expressions_ind; cbn; intros;
    repeat match goal with
    | E : match ?o with _ => _ end = Some _ |- _ => destruct o eqn:?; try discriminate E
    | E : option_map _ ?o = Some _ |- _ => destruct o eqn:?; cbn in E; try discriminate E
    end; try discriminate; repeat apply incl_app; eauto using incl_nil_l.
Qed.

Lemma eval_n_closed n k x : eval_n n = Some k -> ~ In x (fv_n n).
Proof. intros E HI. exact (proj1 evaluated_expressions_closed n k E x HI). Qed.

Lemma eval_c_closed c t x : eval_c c = Some t -> ~ In x (fv_c c).
Proof. intros E HI. exact (proj2 evaluated_expressions_closed c t E x HI). Qed.

(** Substitutions for different variables commute. *)
Lemma subst_expressions_commute x v y w : x <> y ->
  (forall n, subst_n x v (subst_n y w n) = subst_n y w (subst_n x v n)) /\
  (forall c, subst_c x v (subst_c y w c) = subst_c y w (subst_c x v c)).
Proof.
  intro Hne. apply expressions_ind; cbn; intros; try congruence.
  destruct (var_eq_dec y x0), (var_eq_dec x x0); cbn;
    repeat match goal with |- context [var_eq_dec ?a ?b] => destruct (var_eq_dec a b) end;
    congruence.
Qed.

Lemma subst_n_commute x v y w n :
  x <> y -> subst_n x v (subst_n y w n) = subst_n y w (subst_n x v n).
Proof. intro Hne. now apply subst_expressions_commute. Qed.

Lemma subst_c_commute x v y w c :
  x <> y -> subst_c x v (subst_c y w c) = subst_c y w (subst_c x v c).
Proof. intro Hne. now apply subst_expressions_commute. Qed.
