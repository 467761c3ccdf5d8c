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
    inversion D; subst; cbn in *;
      repeat match goal with E : Some _ = Some _ |- _ => injection E as <- end;
      eauto using b_for_1, b_for_2.
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

(** ** The other outcomes mean what they say *)

(** An ambiguous outcome is the fault of the history: two last writes differ. *)
Lemma bind_ambiguous {X Y} (o : outcome X) (f : X -> outcome Y) j ks :
  bind o f = Ambiguous j ks -> o = Ambiguous j ks \/ exists x, o = Result x /\ f x = Ambiguous j ks.
Proof. destruct o; cbn; intro E; try discriminate; [eauto | left; congruence]. Qed.

Lemma bound_ambiguous {X} (o : option X) j ks : bound o = Ambiguous j ks -> False.
Proof. destruct o; discriminate. Qed.

Lemma and_then_ambiguous r left next j ks :
  and_then r left next = Ambiguous j ks ->
  r = Ambiguous j ks \/ exists B, next B = Ambiguous j ks.
Proof. destruct r as [[B [| l k]] | | | |]; cbn; intro E; try discriminate; eauto. Qed.

Lemma iterate_k_ambiguous body left j ks (P : Prop) :
  (forall v A, body v A = Ambiguous j ks -> P) ->
  forall count v A, iterate_k body left count v A = Ambiguous j ks -> P.
Proof.
  intro Hbody. induction count as [| count IH]; cbn; intros v A E; [discriminate |].
  apply and_then_ambiguous in E as [E | (B & E)]; eauto.
Qed.

Theorem run_ambiguous d H i A b j ks :
  run_k d H i A b = Ambiguous j ks ->
  exists A' k1 k2, k1 <> k2 /\
    lastwrite j (singleton i A' :: H) k1 /\ lastwrite j (singleton i A' :: H) k2.
Proof.
  revert A b. induction d as [| d IH]; intros A b E; [discriminate |].
  destruct b as [a n m | x a n b | b1 b2 | c b1 b2 | x n m b | | l]; cbn in E; try discriminate;
    repeat match goal with
    | E : bind _ _ = Ambiguous _ _ |- _ => apply bind_ambiguous in E as [E | (? & ? & E)]
    | E : bound _ = Ambiguous _ _ |- _ => destruct (bound_ambiguous _ _ _ E)
    end; try discriminate; eauto.
  - apply read_value_ambiguous in E as (<- & k1 & k2 & HK). eauto.
  - apply and_then_ambiguous in E as [E | (B & E)]; eauto.
  - eapply iterate_k_ambiguous; [| exact E]. cbn. eauto.
Qed.

Lemma ambiguous_not_single d H i A b j ks : run_k d H i A b = Ambiguous j ks -> ~ single_writers H.
Proof.
  intros E HS. destruct (run_ambiguous _ _ _ _ _ _ _ E) as (A' & k1 & k2 & Hne & L1 & L2).
  destruct Hne. apply (lastwrite_functional j (singleton i A' :: H)); auto.
  intros P [<- | HP]; [apply singleton_single_writer | auto].
Qed.

Lemma bind_undefined {X Y} (o : outcome X) (f : X -> outcome Y) j :
  bind o f = Undefined j -> o = Undefined j \/ exists x, o = Result x /\ f x = Undefined j.
Proof. destruct o; cbn; intro E; try discriminate; [eauto | left; congruence]. Qed.

Lemma bound_undefined {X} (o : option X) j : bound o = Undefined j -> False.
Proof. destruct o; discriminate. Qed.

Lemma and_then_undefined r left next j :
  and_then r left next = Undefined j ->
  r = Undefined j \/ exists B, r = Result (B, Finished) /\ next B = Undefined j.
Proof. destruct r as [[B [| l k]] | | | |]; cbn; intro E; try discriminate; eauto. Qed.

Lemma iterate_k_undefined H i x b w body j :
  (forall v A B s, body v A = Result (B, s) -> to_barrier H i A (subst x v b) B s) ->
  (forall v A, body v A = Undefined j -> reads_undefined H i A (subst x v b) j) ->
  forall count v A,
    count = N.to_nat (w - v) ->
    iterate_k body (fun v => For x (Num v) (Num w) b) count v A = Undefined j ->
    reads_undefined H i A (For x (Num v) (Num w) b) j.
Proof.
  intros Hres Hund. induction count as [| count IH]; cbn; intros v A Hc E; [discriminate |].
  eapply undefined_for; try reflexivity; [lia |].
  apply and_then_undefined in E as [E | (B & E1 & E2)]; [eauto using undefined_seq_1 |].
  eapply undefined_seq_2; [eauto | apply IH; [lia | exact E2]].
Qed.

(** [Undefined j]: the thread reaches a read of [⊥] at [j]. *)
Theorem run_undefined d H i A b j : run_k d H i A b = Undefined j -> reads_undefined H i A b j.
Proof.
  revert A b. induction d as [| d IH]; intros [R W] b E; [discriminate |].
  destruct b as [a n m | x a n b | b1 b2 | c b1 b2 | x n m b | | l]; cbn in E; try discriminate;
    repeat match goal with
    | E : bind (bound _) _ = Undefined _ |- _ =>
        apply bind_undefined in E as [E | (? & ?%bound_result & E)];
        [destruct (bound_undefined _ _ E) |]
    end; try discriminate.
  - apply bind_undefined in E as [E | (k & [Hk _]%read_value_result & E)].
    + apply read_value_undefined in E as [-> HU]. eauto using undefined_here.
    + eauto using undefined_read.
  - apply and_then_undefined in E as [E | (B & E1%run_k_sound & E2)];
      eauto using undefined_seq_1, undefined_seq_2.
  - match goal with E : run_k _ _ _ _ (if ?t then _ else _) = _ |- _ => destruct t end;
      eauto using undefined_if_t, undefined_if_f.
  - match goal with E : iterate_k _ _ _ ?v _ = _, Hn : eval_n n = Some ?v, Hm : eval_n m = Some ?w |- _ =>
      assert (D : reads_undefined H i (R, W) (For x (Num v) (Num w) b) j)
        by (eapply iterate_k_undefined; [| | reflexivity | exact E]; cbn; eauto using run_k_sound)
    end.
    inversion D; subst; cbn in *;
      repeat match goal with E : Some _ = Some _ |- _ => injection E as <- end;
      eauto using undefined_for.
Qed.

(** [OutOfDepth] never happens to [evaluate_k]. *)
Lemma and_then_in_depth r left next :
  r <> OutOfDepth -> (forall A, next A <> OutOfDepth) -> and_then r left next <> OutOfDepth.
Proof. intros Hr Hn. destruct r as [[B [| l k]] | | | |]; cbn; auto; discriminate. Qed.

Lemma iterate_k_in_depth body left :
  (forall v A, body v A <> OutOfDepth) ->
  forall count v A, iterate_k body left count v A <> OutOfDepth.
Proof.
  intro Hbody. induction count as [| count IH]; cbn; intros v A; [discriminate |].
  apply and_then_in_depth; auto.
Qed.

Theorem evaluate_k_in_depth H i A k : evaluate_k H i A k <> OutOfDepth.
Proof.
  unfold evaluate_k.
  enough (F : forall d A k, (depth k <= d)%nat -> run_k d H i A k <> OutOfDepth) by now apply F.
  clear. induction d as [| d IH]; intros A k Hd; [destruct k; cbn in Hd; lia |].
  destruct k as [a n m | x a n k | k1 k2 | c k1 k2 | x n m k | | l]; cbn in *.
  - destruct (eval_n n), (eval_n m); discriminate.
  - destruct (eval_n n) as [j |]; cbn; [| discriminate].
    unfold read_value. destruct (nodup _ _) as [| v [| v' vs]]; cbn; try discriminate.
    apply IH. rewrite depth_subst. lia.
  - apply and_then_in_depth; [apply IH; lia | intro B; apply IH; lia].
  - destruct (eval_c c) as [[|] |]; cbn; try discriminate; apply IH; lia.
  - destruct (eval_n n), (eval_n m); cbn; try discriminate.
    apply iterate_k_in_depth. intros v B. apply IH. rewrite depth_subst. lia.
  - discriminate.
  - discriminate.
Qed.

(** [Unbound]: the program is not closed. *)
Lemma and_then_bound r left next :
  r <> Unbound -> (forall A, next A <> Unbound) -> and_then r left next <> Unbound.
Proof. intros Hr Hn. destruct r as [[B [| l k]] | | | |]; cbn; auto; discriminate. Qed.

Lemma iterate_k_bound body left :
  (forall v A, body v A <> Unbound) ->
  forall count v A, iterate_k body left count v A <> Unbound.
Proof.
  intro Hbody. induction count as [| count IH]; cbn; intros v A; [discriminate |].
  apply and_then_bound; auto.
Qed.

Lemma run_bound d H i A b : incl (fv b) [] -> run_k d H i A b <> Unbound.
Proof.
  revert A b. induction d as [| d IH]; intros A b Hc; [discriminate |].
  destruct b as [a n m | x a n b | b1 b2 | c b1 b2 | x n m b | | l]; cbn in *.
  - apply incl_app_inv in Hc as [Hn Hm].
    destruct (closed_n_evaluates n Hn) as [j ->], (closed_n_evaluates m Hm) as [k ->]. discriminate.
  - apply incl_app_inv in Hc as [Hn Hb]. destruct (closed_n_evaluates n Hn) as [j ->]. cbn.
    unfold read_value. destruct (nodup _ _) as [| k [| k' ks]]; cbn; try discriminate.
    apply IH. now apply body_closes.
  - apply incl_app_inv in Hc as [H1 H2]. apply and_then_bound; auto.
  - apply incl_app_inv in Hc as [H0 [H1 H2]%incl_app_inv].
    destruct (closed_c_evaluates c H0) as [[|] ->]; cbn; auto.
  - apply incl_app_inv in Hc as [Hn [Hm Hb]%incl_app_inv].
    destruct (closed_n_evaluates n Hn) as [k ->], (closed_n_evaluates m Hm) as [l ->]. cbn.
    apply iterate_k_bound. intros k' B. apply IH. now apply body_closes.
  - discriminate.
  - discriminate.
Qed.

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

(** Sound and complete on histories with single writers. *)
Theorem evaluate_correct H i A b B :
  single_writers H -> evaluate H i A b = Result B <-> thread H i A b B.
Proof.
  intro HS. split; [apply evaluate_sound |]. intro D.
  destruct (evaluate_complete_or_ambiguous _ _ _ _ _ D) as [E | (j & ks & E%at_end_ambiguous)];
    [exact E |]. destruct (ambiguous_not_single _ _ _ _ _ _ _ E HS).
Qed.

Theorem evaluate_in_depth H i A b : sync_free b = true -> evaluate H i A b <> OutOfDepth.
Proof.
  intro HS. unfold evaluate, at_end. pose proof (evaluate_k_in_depth H i A b) as ND.
  destruct (evaluate_k H i A b) as [[B s] | | | |] eqn:E; cbn; try congruence.
  now rewrite (sync_free_finishes _ _ _ _ _ _ (evaluate_k_sound _ _ _ _ _ _ E) HS).
Qed.

Theorem evaluate_bound H i A b : incl (fv b) [] -> evaluate H i A b <> Unbound.
Proof.
  intro HC. unfold evaluate, at_end, evaluate_k. pose proof (run_bound (depth b) H i A b HC) as NB.
  destruct (run_k _ _ _ _ _) as [[B [|]] | | | |]; cbn; congruence.
Qed.
