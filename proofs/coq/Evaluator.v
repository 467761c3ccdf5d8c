(** * Decidability: an evaluator for run-to-barrier and the thread judgment

    [run_k] is a [Fixpoint] on the depth of the program, which substitution
    keeps; a loop is a recursion on its evaluated number of iterations.  Its
    outcomes are typed: a result, a read of [⊥], a read of a cell with several
    possible values, an unbound variable.  It is sound for
    [A, b ⇓_{H,i} (B, stop)], and complete: a derivable result is the result, unless some read on the way
    is ambiguous (which a history with single writers excludes). *)

From BabyCUDA Require Export Determinism Progress.
Local Open Scope N_scope.

Inductive outcome (X : Type) :=
| Result (x : X)
| Undefined (j : cell)
| Ambiguous (j : cell) (ks : list N)
| Unbound
| OutOfDepth.
Arguments Result {X}. Arguments Undefined {X}. Arguments Ambiguous {X}.
Arguments Unbound {X}. Arguments OutOfDepth {X}.

Definition bind {X Y} (o : outcome X) (f : X -> outcome Y) : outcome Y :=
  match o with
  | Result x => f x
  | Undefined j => Undefined j
  | Ambiguous j ks => Ambiguous j ks
  | Unbound => Unbound
  | OutOfDepth => OutOfDepth
  end.

Definition bound {X} (o : option X) : outcome X :=
  match o with Some x => Result x | None => Unbound end.

(** [lastwrite], to its three outcomes. *)
Definition read_value (j : cell) (H : history) : outcome N :=
  match nodup N.eq_dec (lastwrites j H) with
  | [] => Undefined j
  | [k] => Result k
  | ks => Ambiguous j ks
  end.

(** [count] iterations from [k] on. *)
Fixpoint iterate {X} (body : N -> X -> outcome X) (count : nat) (k : N) (x : X) : outcome X :=
  match count with
  | O => Result x
  | S count => bind (body k x) (iterate body count (k + 1))
  end.

(** ** One thread *)

Definition stopping := outcome (access_pair * stop).

(** [r], then [next] if [r] finished, else what is left of [r] followed by [left]. *)
Definition and_then (r : stopping) (left : prog) (next : access_pair -> stopping) : stopping :=
  bind r (fun e =>
    match snd e with
    | Finished => next (fst e)
    | AtBarrier l k => Result (fst e, AtBarrier l (Seq k left))
    end).

(** [count] iterations from [v] on; [left v] is the loop from [v] on. *)
Fixpoint iterate_k (body : N -> access_pair -> stopping) (left : N -> prog)
    (count : nat) (v : N) (A : access_pair) : stopping :=
  match count with
  | O => Result (A, Finished)
  | S count =>
      and_then (body v A) (left (v + 1)) (iterate_k body left count (v + 1))
  end.

Fixpoint run_k (d : nat) (H : history) (i : N) (A : access_pair) (k : prog) : stopping :=
  match d with
  | O => OutOfDepth
  | S d =>
      match k with
      | Write a n m =>
          bind (bound (eval_n n)) (fun j =>
          bind (bound (eval_n m)) (fun v =>
          Result ((fst A, update (a, j) v (snd A)), Finished)))
      | Skip => Result (A, Finished)
      | Sync l => Result (A, AtBarrier l Skip)
      | Read x a n k =>
          bind (bound (eval_n n)) (fun j =>
          bind (read_value (a, j) (singleton i A :: H)) (fun v =>
          run_k d H i (add_read (a, j) (fst A), snd A) (subst x v k)))
      | Seq k1 k2 => and_then (run_k d H i A k1) k2 (fun B => run_k d H i B k2)
      | If c k1 k2 => bind (bound (eval_c c)) (fun t => run_k d H i A (if t then k1 else k2))
      | For x n m k =>
          bind (bound (eval_n n)) (fun v =>
          bind (bound (eval_n m)) (fun w =>
          iterate_k (fun v A => run_k d H i A (subst x v k))
            (fun v => For x (Num v) (Num w) k) (N.to_nat (w - v)) v A))
      end
  end.

Definition evaluate_k (H : history) (i : N) (A : access_pair) (k : prog) : stopping :=
  run_k (depth k) H i A k.

(** ** Facts about the pieces *)

Lemma bind_result {X Y} (o : outcome X) (f : X -> outcome Y) y :
  bind o f = Result y -> exists x, o = Result x /\ f x = Result y.
Proof. destruct o; cbn; intro E; try discriminate. eauto. Qed.

Lemma bound_result {X} (o : option X) x : bound o = Result x -> o = Some x.
Proof. destruct o; cbn; congruence. Qed.

Lemma read_value_result j H k :
  read_value j H = Result k -> lastwrite j H k /\ forall k', lastwrite j H k' -> k' = k.
Proof.
  unfold read_value. destruct (nodup N.eq_dec (lastwrites j H)) as [| k0 [| k1 ks]] eqn:E;
    try discriminate. intros [= ->].
  assert (HI : forall k', lastwrite j H k' <-> In k' [k]).
  { intro k'. now rewrite <- lastwrites_correct, <- E, nodup_In. }
  split; [apply HI; now left |]. intros k' [<- | []]%HI. reflexivity.
Qed.

Lemma read_value_undefined j H j' : read_value j H = Undefined j' -> j' = j /\ undefined j H.
Proof.
  unfold read_value. destruct (nodup N.eq_dec (lastwrites j H)) as [| k0 [| k1 ks]] eqn:E;
    try discriminate. intros [= <-]. split; [reflexivity |].
  intros k Hk. apply lastwrites_correct, (nodup_In N.eq_dec) in Hk. now rewrite E in Hk.
Qed.

(** A last write is the value read, or the read is ambiguous. *)
Lemma read_value_complete j H k :
  lastwrite j H k -> read_value j H = Result k \/ exists ks, read_value j H = Ambiguous j ks.
Proof.
  intro L. apply lastwrites_correct, (nodup_In N.eq_dec) in L. unfold read_value.
  destruct (nodup N.eq_dec (lastwrites j H)) as [| k0 [| k1 ks]].
  - destruct L.
  - left. now destruct L as [-> | []].
  - right. eauto.
Qed.

(** An ambiguous read has two different last writes. *)
Lemma read_value_ambiguous j H j' ks :
  read_value j H = Ambiguous j' ks ->
  j' = j /\ exists k1 k2, k1 <> k2 /\ lastwrite j H k1 /\ lastwrite j H k2.
Proof.
  unfold read_value. destruct (nodup N.eq_dec (lastwrites j H)) as [| k0 [| k1 ks']] eqn:E;
    try discriminate. intros [= <- _]. split; [reflexivity |].
  exists k0, k1. pose proof (NoDup_nodup N.eq_dec (lastwrites j H)) as ND. rewrite E in ND.
  repeat split.
  - inversion ND as [| ? ? Hni _]; subst. intros ->. apply Hni. now left.
  - apply lastwrites_correct, (nodup_In N.eq_dec). rewrite E. now left.
  - apply lastwrites_correct, (nodup_In N.eq_dec). rewrite E. right. now left.
Qed.

(** ** Soundness *)

Lemma and_then_sound H i A k1 k2 r next B s :
  (forall B s, r = Result (B, s) -> to_barrier H i A k1 B s) ->
  (forall A B s, next A = Result (B, s) -> to_barrier H i A k2 B s) ->
  and_then r k2 next = Result (B, s) ->
  to_barrier H i A (Seq k1 k2) B s.
Proof.
  intros H1 H2 E. apply bind_result in E as ([C t] & -> & E). cbn in E.
  specialize (H1 C t eq_refl). destruct t as [| l k1'].
  - eauto using b_seq_1.
  - injection E as <- <-. now apply b_seq_2.
Qed.

Lemma iterate_k_sound H i x k w body :
  (forall v A B s, body v A = Result (B, s) -> to_barrier H i A (subst x v k) B s) ->
  forall count v A B s,
    count = N.to_nat (w - v) ->
    iterate_k body (fun v => For x (Num v) (Num w) k) count v A = Result (B, s) ->
    to_barrier H i A (For x (Num v) (Num w) k) B s.
Proof.
  intro Hbody. induction count as [| count IH]; cbn; intros v A B s Hc E.
  - injection E as <- <-. eapply b_for_1; try reflexivity. lia.
  - eapply b_for_2; try reflexivity; [lia |].
    eapply and_then_sound; [eauto | | exact E]. intros A' B' s' E'. apply IH; [lia | exact E'].
Qed.

Theorem run_k_sound d H i A k B s : run_k d H i A k = Result (B, s) -> to_barrier H i A k B s.
Proof.
  revert A k B s. induction d as [| d IH]; intros [R W] k B s E; [discriminate |].
  destruct k as [a n m | x a n k | k1 k2 | c k1 k2 | x n m k | | l]; cbn in E.
  - apply bind_result in E as (j & Hj%bound_result & E).
    apply bind_result in E as (v & Hv%bound_result & E). injection E as <- <-. eauto using b_write.
  - apply bind_result in E as (j & Hj%bound_result & E).
    apply bind_result in E as (v & [Hv _]%read_value_result & E). eauto using b_read.
  - eapply and_then_sound; [| | exact E]; cbn; auto.
  - apply bind_result in E as ([|] & Ht%bound_result & E); eauto using b_if_t, b_if_f.
  - apply bind_result in E as (v & Hv%bound_result & E).
    apply bind_result in E as (w & Hw%bound_result & E).
    assert (D : to_barrier H i (R, W) (For x (Num v) (Num w) k) B s).
    { eapply iterate_k_sound; [| reflexivity | exact E]. cbn. auto. }
    inversion D; subst; numbers; eauto using b_for_1, b_for_2.
  - injection E as <- <-. apply b_skip.
  - injection E as <- <-. apply b_sync.
Qed.

(** ** Completeness *)

(** The outcome is [B], or some read on the way is ambiguous. *)
Definition result_or_ambiguous {X} (o : outcome X) (x : X) : Prop :=
  o = Result x \/ exists j ks, o = Ambiguous j ks.

Lemma bind_complete {X Y} (o : outcome X) x (f : X -> outcome Y) y :
  result_or_ambiguous o x -> result_or_ambiguous (f x) y -> result_or_ambiguous (bind o f) y.
Proof. intros [-> | (j & ks & ->)] Hf; cbn; [exact Hf | right; eauto]. Qed.


Lemma and_then_ext r1 r2 left n1 n2 :
  r1 = r2 -> (forall A, n1 A = n2 A) -> and_then r1 left n1 = and_then r2 left n2.
Proof.
  intros -> E. unfold and_then. destruct r2 as [[B [| l k]] | | | |]; cbn; auto.
Qed.

Lemma iterate_k_ext body1 body2 left :
  (forall v A, body1 v A = body2 v A) ->
  forall count v A, iterate_k body1 left count v A = iterate_k body2 left count v A.
Proof.
  intro E. induction count as [| count IH]; cbn; intros v A; [reflexivity |].
  apply and_then_ext; auto.
Qed.

(** More depth changes nothing. *)
Lemma run_k_depth H i k :
  forall d1 d2 A, (depth k <= d1)%nat -> (depth k <= d2)%nat ->
  run_k d1 H i A k = run_k d2 H i A k.
Proof.
  remember (depth k) as n eqn:En. assert (Hn : (depth k <= n)%nat) by lia. clear En.
  revert k Hn. induction n as [| n IH]; intros k Hn; [destruct k; cbn in Hn; lia |].
  intros [| d1] [| d2] A H1 H2; try lia.
  destruct k as [a n1 m | x a e k | k1 k2 | c k1 k2 | x e m k | | l]; cbn in *; auto.
  - destruct (eval_n e) as [j |]; cbn; [| reflexivity].
    destruct (read_value _ _); cbn; auto. apply IH; rewrite ?depth_subst; lia.
  - apply and_then_ext; [apply IH; lia | intro B; apply IH; lia].
  - destruct (eval_c c) as [[|] |]; cbn; auto; apply IH; lia.
  - destruct (eval_n e), (eval_n m); cbn; auto. apply iterate_k_ext.
    intros v B. apply IH; rewrite ?depth_subst; lia.
Qed.

Lemma and_then_complete (r : stopping) B left next C s :
  result_or_ambiguous r (B, Finished) -> result_or_ambiguous (next B) (C, s) ->
  result_or_ambiguous (and_then r left next) (C, s).
Proof. intros HR HN. eapply bind_complete; [exact HR | exact HN]. Qed.

Lemma and_then_barrier (r : stopping) B l k left next :
  result_or_ambiguous r (B, AtBarrier l k) ->
  result_or_ambiguous (and_then r left next) (B, AtBarrier l (Seq k left)).
Proof. intro HR. eapply bind_complete; [exact HR |]. now left. Qed.

Lemma run_k_complete H i A k B s :
  to_barrier H i A k B s ->
  forall d, (depth k <= d)%nat -> result_or_ambiguous (run_k d H i A k) (B, s).
Proof.
  induction 1 as [R W a n m j v Hn Hm | A | A l | R W x a n k j v B s Hn L D IH
    | A k1 k2 B C s D1 IH1 D2 IH2 | A k1 k2 B l k1' D IH | A c k1 k2 B s Hc D IH
    | A c k1 k2 B s Hc D IH | A x n m k v w Hn Hm Hle | A x n m k v w B s Hn Hm Hlt D IH];
    intros [| d] Hd; cbn in Hd; try lia.
  - cbn. rewrite Hn, Hm. now left.
  - now left.
  - now left.
  - cbn. rewrite Hn. cbn. eapply bind_complete.
    + destruct (read_value_complete _ _ _ L) as [-> | [ks ->]]; [left; reflexivity | right; eauto].
    + apply IH. rewrite depth_subst. lia.
  - cbn. eapply and_then_complete; [apply IH1; lia | apply IH2; lia].
  - cbn. apply and_then_barrier. apply IH. lia.
  - cbn. rewrite Hc. apply IH. lia.
  - cbn. rewrite Hc. apply IH. lia.
  - cbn. rewrite Hn, Hm. cbn. replace (w - v) with 0 by lia. now left.
  - assert (E : run_k (S d) H i A (For x n m k) =
                run_k (S (S d)) H i A (Seq (subst x v k) (For x (Num (v + 1)) (Num w) k))).
    { transitivity (and_then (run_k d H i A (subst x v k)) (For x (Num (v + 1)) (Num w) k)
                      (fun B => run_k (S d) H i B (For x (Num (v + 1)) (Num w) k))).
      - cbn. rewrite Hn, Hm. cbn.
        replace (N.to_nat (w - v)) with (S (N.to_nat (w - (v + 1)))) by lia. reflexivity.
      - change (run_k (S (S d)) H i A (Seq (subst x v k) (For x (Num (v + 1)) (Num w) k)))
          with (and_then (run_k (S d) H i A (subst x v k)) (For x (Num (v + 1)) (Num w) k)
                  (fun B => run_k (S d) H i B (For x (Num (v + 1)) (Num w) k))).
        apply and_then_ext; [apply run_k_depth; rewrite depth_subst; lia | reflexivity]. }
    rewrite E. apply IH. cbn. rewrite depth_subst. lia.
Qed.

(** A derivable stop is the result, unless a read is ambiguous. *)
Theorem evaluate_k_complete H i A k B s :
  to_barrier H i A k B s ->
  evaluate_k H i A k = Result (B, s) \/ exists j ks, evaluate_k H i A k = Ambiguous j ks.
Proof. intro D. now apply run_k_complete. Qed.

Theorem evaluate_k_sound H i A k B s :
  evaluate_k H i A k = Result (B, s) -> to_barrier H i A k B s.
Proof. apply run_k_sound. Qed.

(** ** The thread judgment: a run that meets no barrier *)

Definition at_end (r : stopping) : outcome access_pair :=
  bind r (fun e => match snd e with Finished => Result (fst e) | AtBarrier _ _ => OutOfDepth end).

Definition evaluate (H : history) (i : N) (A : access_pair) (b : prog) : outcome access_pair :=
  at_end (evaluate_k H i A b).

Lemma at_end_result r B : at_end r = Result B <-> r = Result (B, Finished).
Proof. destruct r as [[C [| l k]] | | | |]; cbn; split; congruence. Qed.

Lemma at_end_ambiguous r j ks : at_end r = Ambiguous j ks <-> r = Ambiguous j ks.
Proof. destruct r as [[C [| l k]] | | | |]; cbn; split; congruence. Qed.

Theorem evaluate_sound H i A b B : evaluate H i A b = Result B -> thread H i A b B.
Proof. intros E%at_end_result. apply thread_iff. now apply evaluate_k_sound. Qed.

(** A derivable result is the result, unless a read is ambiguous. *)
Theorem evaluate_complete_or_ambiguous H i A b B :
  thread H i A b B -> result_or_ambiguous (evaluate H i A b) B.
Proof.
  intros D%thread_iff. unfold evaluate.
  destruct (evaluate_k_complete _ _ _ _ _ _ D) as [-> | (j & ks & ->)]; [now left | right; now exists j, ks].
Qed.

(** The result is the only derivable one. *)
Corollary evaluate_result_unique H i A b B :
  evaluate H i A b = Result B -> forall B', thread H i A b B' -> B' = B.
Proof.
  intros E B' D. destruct (evaluate_complete_or_ambiguous _ _ _ _ _ D) as [E' | (j & ks & E')];
    congruence.
Qed.
