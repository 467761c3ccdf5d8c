(** * T13. What atomics on one cell yield, in any order of them

    In an interleaving, the atomics and stores on one cell happen one after the
    other, and each atomic yields the value that it finds.  Here are the facts that
    a protocol may use of these values, and examples of where they end.  Numbers
    are below a modulus, [2^w]. *)

From BabyCUDA Require Export Syntax.
Local Open Scope N_scope.

(** What happens to the cell, in order; a plain store is the atomic that writes [k]. *)
Inductive update_of_cell :=
| AddOf (c : N)
| CasOf (expected new : N)
| StoreOf (k : N).

Section Modulus.
Variable M : N.

Definition apply (v : N) (u : update_of_cell) : N :=
  match u with
  | AddOf c => (v + c) mod M
  | CasOf e k => if v =? e then k else v
  | StoreOf k => k
  end.

(** The values found, from [v] on, and the value after all. *)
Fixpoint yields (v : N) (us : list update_of_cell) : list N :=
  match us with
  | [] => []
  | u :: us => v :: yields (apply v u) us
  end.

Definition after_all (v : N) (us : list update_of_cell) : N := fold_left apply us v.

(** ** Additions whose sum does not wrap *)

Fixpoint sum (cs : list N) : N := match cs with [] => 0 | c :: cs => c + sum cs end.

Lemma sum_app cs1 cs2 : sum (cs1 ++ cs2) = sum cs1 + sum cs2.
Proof. induction cs1 as [| c cs1 IH]; cbn; lia. Qed.

Lemma yields_sum cs : forall v p,
  v + sum cs < M -> (p < length cs)%nat ->
  nth_error (yields v (map AddOf cs)) p = Some (v + sum (firstn p cs)).
Proof.
  induction cs as [| c cs IH]; cbn; intros v [| p] Hlt Hp; try lia.
  - cbn. now rewrite N.add_0_r.
  - cbn. rewrite N.mod_small by lia. rewrite IH by lia. f_equal. lia.
Qed.

Lemma after_additions cs : forall v,
  v + sum cs < M -> after_all v (map AddOf cs) = v + sum cs.
Proof.
  induction cs as [| c cs IH]; cbn; intros v Hlt; [lia |].
  rewrite N.mod_small by lia. fold (after_all (v + c) (map AddOf cs)). rewrite IH; lia.
Qed.

Lemma sum_firstn_S cs p c : nth_error cs p = Some c -> sum (firstn (S p) cs) = sum (firstn p cs) + c.
Proof.
  revert p. induction cs as [| c' cs IH]; intros [| p] E; cbn in *; try discriminate.
  - injection E as ->. lia.
  - rewrite (IH p E). lia.
Qed.

Lemma sum_firstn_le cs p q : (p <= q)%nat -> sum (firstn p cs) <= sum (firstn q cs).
Proof.
  intro Hle. rewrite <- (firstn_skipn p (firstn q cs)), firstn_firstn, sum_app.
  replace (Nat.min p q) with p by lia. lia.
Qed.

(** The ranges [x, x + c) of the values [x] that additions of [c] yield lie one
    after the other, between the value before and the value after: so they are
    disjoint, and those of one thread increase. *)
Theorem additions_yield_ranges v cs p x c :
  v + sum cs < M ->
  nth_error (yields v (map AddOf cs)) p = Some x -> nth_error cs p = Some c ->
  v <= x /\ x + c <= after_all v (map AddOf cs) /\
  forall q y, (p < q)%nat -> nth_error (yields v (map AddOf cs)) q = Some y -> x + c <= y.
Proof.
  intros Hlt Hx Hc.
  assert (Hp : (p < length cs)%nat) by (apply nth_error_Some; congruence).
  rewrite yields_sum in Hx by assumption. injection Hx as <-.
  pose proof (sum_firstn_S cs p c Hc) as HS. split; [lia |]. split.
  - rewrite after_additions by exact Hlt. pose proof (sum_firstn_le cs (S p) (length cs) Hp) as HL.
    rewrite firstn_all in HL. lia.
  - intros q y Hpq Hy.
    assert (Hq : (q < length cs)%nat).
    { assert (L : length (yields v (map AddOf cs)) = length cs).
      { clear. revert v. induction cs as [| c cs IH]; intro v; cbn; [reflexivity | now rewrite IH]. }
      rewrite <- L. apply nth_error_Some. congruence. }
    rewrite yields_sum in Hy by assumption. injection Hy as <-.
    pose proof (sum_firstn_le cs (S p) q Hpq). lia.
Qed.

(** ** Equal additions that may wrap *)

Context (M_positive : M <> 0).

Lemma yields_repeat c n : forall v p, v < M -> (p < n)%nat ->
  nth_error (yields v (repeat (AddOf c) n)) p = Some ((v + N.of_nat p * c) mod M).
Proof.
  induction n as [| n IH]; intros v [| p] Hv Hp; try lia.
  - cbn. f_equal. rewrite N.add_0_r. symmetry. now apply N.mod_small.
  - cbn -[N.of_nat]. rewrite IH; [| now apply N.mod_lt | lia]. f_equal.
    rewrite N.add_mod_idemp_l by exact M_positive. f_equal. lia.
Qed.

(** The first [n] values of additions of [c] are distinct. *)
Definition distinct (v c n : N) : Prop :=
  forall p q, p < n -> q < n -> (v + p * c) mod M = (v + q * c) mod M -> p = q.

Lemma same_residue v a b : a <= b -> (v + a) mod M = (v + b) mod M -> N.divide M (b - a).
Proof.
  intros Hle E. apply N.mod_divide; [exact M_positive |].
  pose proof (N.div_mod (v + a) M M_positive) as Da. pose proof (N.div_mod (v + b) M M_positive) as Db.
  rewrite E in Da.
  replace (b - a) with (((v + b) / M - (v + a) / M) * M).
  - apply N.mod_mul, M_positive.
  - pose proof (N.div_le_mono (v + a) (v + b) M M_positive ltac:(lia)) as Hd.
    rewrite N.mul_sub_distr_r. lia.
Qed.

Theorem additions_distinct_iff v c n : distinct v c n <-> n <= M / N.gcd c M.
Proof.
  assert (Hg : N.gcd c M <> 0) by (intro E; apply N.gcd_eq_0_r in E; contradiction).
  destruct (N.gcd_divide_l c M) as [c' Hc]. destruct (N.gcd_divide_r c M) as [m Hm].
  remember (N.gcd c M) as g eqn:Eg.
  assert (HM : M / g = m) by (rewrite Hm; now apply N.div_mul).
  assert (Hm0 : m <> 0) by (intros ->; lia).
  rewrite HM. split.
  - intro D. destruct (N.le_gt_cases n m) as [Hle | Hgt]; [exact Hle |]. exfalso.
    assert (E : 0 = m); [| congruence].
    apply D; try lia. rewrite N.mul_0_l, N.add_0_r. symmetry.
    replace (m * c) with (c' * M) by (rewrite Hm, Hc; ring).
    apply N.mod_add, M_positive.
  - intros Hle. enough (W : forall p q, p <= q -> q < n -> (v + p * c) mod M = (v + q * c) mod M -> p = q).
    { intros p q Hp Hq E. destruct (N.le_gt_cases p q); [auto | symmetry; apply W; auto; lia]. }
    intros p q Hpq Hq E. apply same_residue in E; [| now apply N.mul_le_mono_r].
    rewrite <- N.mul_sub_distr_r, Hc, Hm, N.mul_assoc in E.
    apply N.mul_divide_cancel_r in E; [| exact Hg].
    assert (G : N.gcd m c' = 1).
    { apply (N.mul_cancel_r _ _ g Hg). rewrite N.mul_1_l, <- N.gcd_mul_mono_r, <- Hc, <- Hm, Eg. apply N.gcd_comm. }
    rewrite N.mul_comm in E. apply N.gauss in E; [| exact G].
    destruct (N.eq_dec p q) as [-> | Hne]; [reflexivity |].
    apply N.divide_pos_le in E; lia.
Qed.

(** ** Compare-and-swap *)

(** No update leaves [e] in the cell: stores and winners write another value. *)
Definition never_stores (e : N) (us : list update_of_cell) : Prop :=
  forall u, In u us ->
  match u with AddOf _ => False | CasOf _ k | StoreOf k => k <> e end.

Lemma never_again e us : never_stores e us -> forall v p, v <> e -> nth_error (yields v us) p <> Some e.
Proof.
  induction us as [| u us IH]; intros HN v [| p] Hv; cbn; try congruence.
  apply IH; [intros u' Hu'; apply HN; now right |].
  specialize (HN u (or_introl eq_refl)). destruct u as [c | e' k | k]; cbn; [destruct HN | | exact HN].
  now destruct (v =? e').
Qed.

(** At most one compare-and-swap that expects [e] finds it. *)
Theorem at_most_one_winner e us : never_stores e us ->
  forall v p q k1 k2, (p < q)%nat ->
  nth_error us p = Some (CasOf e k1) -> nth_error (yields v us) p = Some e ->
  nth_error us q = Some (CasOf e k2) -> nth_error (yields v us) q <> Some e.
Proof.
  induction us as [| u us IH]; intros HN v p q k1 k2 Hpq E1 Y1 E2; [destruct p; discriminate |].
  assert (HN' : never_stores e us) by (intros u' Hu'; apply HN; now right).
  destruct p as [| p], q as [| q]; try lia; cbn in *.
  - injection E1 as ->. injection Y1 as ->. apply never_again; [exact HN' |].
    cbn. rewrite N.eqb_refl. exact (HN _ (or_introl eq_refl)).
  - apply (IH HN' (apply v u) p q k1 k2); [lia | assumption..].
Qed.

End Modulus.

(** ** Where the facts end *)

(** Mixed signs: additions of 1, of -1, and of 1 yield 0, 1, 0. *)
Example mixed_signs : yields 256 0 [AddOf 1; AddOf 255; AddOf 1] = [0; 1; 0].
Proof. reflexivity. Qed.

(** A store between two additions of 1: both yield 0. *)
Example store_between : yields 256 0 [AddOf 1; StoreOf 0; AddOf 1] = [0; 1; 0].
Proof. reflexivity. Qed.

(** [cas(A, 0 → tid)] has two winners: thread 0 leaves 0. *)
Example two_winners : yields 256 0 [CasOf 0 0; CasOf 0 1] = [0; 0].
Proof. reflexivity. Qed.

(** So does an addition that brings the expected value back, though nothing stores it. *)
Example addition_brings_back : yields 256 0 [CasOf 0 1; AddOf 255; CasOf 0 1] = [0; 1; 0].
Proof. reflexivity. Qed.
