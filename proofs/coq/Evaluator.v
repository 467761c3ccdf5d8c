(** * Decidability: an evaluator for the thread and parallel judgments

    [evaluate] is a [Fixpoint] on the depth of the program, which substitution
    keeps; a loop is a recursion on its evaluated number of iterations.  Its
    outcomes are typed: a result, a read of [⊥], a read of a cell with several
    possible values, an unbound variable.  It is sound for the thread judgment,
    and complete: a derivable result is the result, unless some read on the way
    is ambiguous (which a history with single writers excludes). *)

From BabyCUDA Require Export Determinism Progress.
Local Open Scope N_scope.

Inductive outcome (X : Type) :=
| Result (x : X)
| Undefined (j : N)
| Ambiguous (j : N) (ks : list N)
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
Definition read_value (j : N) (H : history) : outcome N :=
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

Fixpoint run (d : nat) (H : history) (i : N) (A : access_pair) (b : prog) : outcome access_pair :=
  match d with
  | O => OutOfDepth
  | S d =>
      match b with
      | Write n m =>
          bind (bound (eval_n n)) (fun j =>
          bind (bound (eval_n m)) (fun k =>
          Result (fst A, update j k (snd A))))
      | Read x n b =>
          bind (bound (eval_n n)) (fun j =>
          bind (read_value j (singleton i A :: H)) (fun k =>
          run d H i (add_read j (fst A), snd A) (subst x k b)))
      | Seq b1 b2 => bind (run d H i A b1) (fun B => run d H i B b2)
      | If c b1 b2 =>
          bind (bound (eval_c c)) (fun t => run d H i A (if t then b1 else b2))
      | For x n m b =>
          bind (bound (eval_n n)) (fun k =>
          bind (bound (eval_n m)) (fun l =>
          iterate (fun k A => run d H i A (subst x k b)) (N.to_nat (l - k)) k A))
      | Skip => Result A
      end
  end.

Definition evaluate (H : history) (i : N) (A : access_pair) (b : prog) : outcome access_pair :=
  run (depth b) H i A b.

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

Lemma iterate_sound H i x b l (body : N -> access_pair -> outcome access_pair) :
  (forall k A B, body k A = Result B -> thread H i A (subst x k b) B) ->
  forall count k A B,
    count = N.to_nat (l - k) ->
    iterate body count k A = Result B ->
    thread H i A (For x (Num k) (Num l) b) B.
Proof.
  intro Hbody. induction count as [| count IH]; cbn; intros k A B Hc E.
  - injection E as <-. eapply for_1; try reflexivity. lia.
  - apply bind_result in E as (C & E1 & E2).
    eapply for_2; try reflexivity; [lia | eapply Hbody; exact E1 |]. apply IH; [lia | exact E2].
Qed.

(** A loop whose bounds evaluate runs as the loop over their values. *)
Lemma for_bounds H i A x n m b k l B :
  eval_n n = Some k -> eval_n m = Some l ->
  thread H i A (For x (Num k) (Num l) b) B -> thread H i A (For x n m b) B.
Proof.
  intros Hn Hm D. inversion D; subst; cbn in *;
    repeat match goal with E : Some _ = Some _ |- _ => injection E as <- end;
    eauto using for_1, for_2.
Qed.

Theorem run_sound d H i A b B : run d H i A b = Result B -> thread H i A b B.
Proof.
  revert A b B. induction d as [| d IH]; intros [R W] b B E; [discriminate |].
  destruct b as [n m | x n b | b1 b2 | c b1 b2 | x n m b |]; cbn in E.
  - apply bind_result in E as (j & Hj%bound_result & E).
    apply bind_result in E as (k & Hk%bound_result & E). injection E as <-. eauto using write.
  - apply bind_result in E as (j & Hj%bound_result & E).
    apply bind_result in E as (k & [Hk _]%read_value_result & E). eauto using read.
  - apply bind_result in E as (C & E1 & E2). apply Thread.seq with C; auto.
  - apply bind_result in E as ([|] & Ht%bound_result & E); eauto using if_t, if_f.
  - apply bind_result in E as (k & Hk%bound_result & E).
    apply bind_result in E as (l & Hl%bound_result & E).
    apply (for_bounds H i _ x n m b k l B Hk Hl).
    eapply iterate_sound; [| reflexivity | exact E]. cbn. auto.
  - injection E as <-. apply skip.
Qed.

(** ** Completeness *)

(** The outcome is [B], or some read on the way is ambiguous. *)
Definition result_or_ambiguous {X} (o : outcome X) (x : X) : Prop :=
  o = Result x \/ exists j ks, o = Ambiguous j ks.

Lemma bind_complete {X Y} (o : outcome X) x (f : X -> outcome Y) y :
  result_or_ambiguous o x -> result_or_ambiguous (f x) y -> result_or_ambiguous (bind o f) y.
Proof. intros [-> | (j & ks & ->)] Hf; cbn; [exact Hf | right; eauto]. Qed.

Lemma run_complete_gen H i A b B :
  thread H i A b B -> forall d, (depth b <= d)%nat -> result_or_ambiguous (run d H i A b) B.
Proof.
  induction 1 as [R W x n b j k B Hn L D IH | R W n m j k Hn Hm
                 | A b1 b2 B C D1 IH1 D2 IH2 | A c b1 b2 B Hc D IH | A c b1 b2 B Hc D IH
                 | A x n m b k l Hn Hm Hle | A x n m b k l B C Hn Hm Hlt D1 IH1 D2 IH2
                 | A];
    intros [| d] Hd; cbn in Hd; try lia; cbn.
  - rewrite Hn. cbn. eapply bind_complete.
    + destruct (read_value_complete _ _ _ L) as [-> | [ks ->]]; [left; reflexivity | right; eauto].
    + apply IH. rewrite depth_subst. lia.
  - rewrite Hn, Hm. now left.
  - eapply bind_complete; [apply IH1 | apply IH2]; lia.
  - rewrite Hc. apply IH. lia.
  - rewrite Hc. apply IH. lia.
  - rewrite Hn, Hm. cbn. replace (l - k) with 0 by lia. now left.
  - rewrite Hn, Hm. cbn.
    replace (N.to_nat (l - k)) with (S (N.to_nat (l - (k + 1)))) by lia.
    cbn. eapply bind_complete; [apply IH1; rewrite depth_subst; lia |].
    exact (IH2 (S d) Hd).
  - now left.
Qed.

(** A derivable result is the result, unless a read is ambiguous. *)
Theorem evaluate_complete_or_ambiguous H i A b B :
  thread H i A b B ->
  evaluate H i A b = Result B \/ exists j ks, evaluate H i A b = Ambiguous j ks.
Proof. intro D. now apply run_complete_gen. Qed.

(** The result is the only derivable one. *)
Corollary evaluate_result_unique H i A b B :
  evaluate H i A b = Result B -> forall B', thread H i A b B' -> B' = B.
Proof.
  intros E B' D. destruct (evaluate_complete_or_ambiguous _ _ _ _ _ D) as [E' | (j & ks & E')];
    congruence.
Qed.

(** An ambiguous outcome is the fault of the history: two last writes differ. *)
Lemma bind_ambiguous {X Y} (o : outcome X) (f : X -> outcome Y) j ks :
  bind o f = Ambiguous j ks -> o = Ambiguous j ks \/ exists x, o = Result x /\ f x = Ambiguous j ks.
Proof. destruct o; cbn; intro E; try discriminate; [eauto | left; congruence]. Qed.

Lemma bound_ambiguous {X} (o : option X) j ks : bound o = Ambiguous j ks -> False.
Proof. destruct o; discriminate. Qed.

Lemma iterate_ambiguous {X} (body : N -> X -> outcome X) j ks (P : Prop) :
  (forall k x, body k x = Ambiguous j ks -> P) ->
  forall count k x, iterate body count k x = Ambiguous j ks -> P.
Proof.
  intro Hbody. induction count as [| count IH]; cbn; intros k x E; [discriminate |].
  apply bind_ambiguous in E as [E | (y & _ & E)]; eauto.
Qed.

Theorem run_ambiguous d H i A b j ks :
  run d H i A b = Ambiguous j ks ->
  exists A' k1 k2, k1 <> k2 /\
    lastwrite j (singleton i A' :: H) k1 /\ lastwrite j (singleton i A' :: H) k2.
Proof.
  revert A b. induction d as [| d IH]; intros A b E; [discriminate |].
  destruct b as [n m | x n b | b1 b2 | c b1 b2 | x n m b |]; cbn in E; try discriminate;
    repeat match goal with
    | E : bind _ _ = Ambiguous _ _ |- _ => apply bind_ambiguous in E as [E | (? & ? & E)]
    | E : bound _ = Ambiguous _ _ |- _ => destruct (bound_ambiguous _ _ _ E)
    end; try discriminate; eauto.
  - apply read_value_ambiguous in E as (<- & k1 & k2 & HK). eauto.
  - eapply iterate_ambiguous; [| exact E]. cbn. eauto.
Qed.

(** Sound and complete on histories with single writers. *)
Theorem evaluate_correct H i A b B :
  single_writers H -> evaluate H i A b = Result B <-> thread H i A b B.
Proof.
  intro HS. split; [apply run_sound |]. intro D.
  destruct (evaluate_complete_or_ambiguous _ _ _ _ _ D) as [E | (j & ks & E)]; [exact E |].
  destruct (run_ambiguous _ _ _ _ _ _ _ E) as (A' & k1 & k2 & Hne & L1 & L2).
  destruct Hne. apply (lastwrite_functional j (singleton i A' :: H)); auto.
  intros P [<- | HP]; [apply singleton_single_writer | auto].
Qed.

(** ** The other outcomes mean what they say *)

Lemma bind_undefined {X Y} (o : outcome X) (f : X -> outcome Y) j :
  bind o f = Undefined j -> o = Undefined j \/ exists x, o = Result x /\ f x = Undefined j.
Proof. destruct o; cbn; intro E; try discriminate; [eauto | left; congruence]. Qed.

Lemma bound_undefined {X} (o : option X) j : bound o = Undefined j -> False.
Proof. destruct o; discriminate. Qed.

Lemma iterate_undefined H i x b l (body : N -> access_pair -> outcome access_pair) j :
  (forall k A B, body k A = Result B -> thread H i A (subst x k b) B) ->
  (forall k A, body k A = Undefined j -> reads_undefined H i A (subst x k b) j) ->
  forall count k A,
    count = N.to_nat (l - k) ->
    iterate body count k A = Undefined j ->
    reads_undefined H i A (For x (Num k) (Num l) b) j.
Proof.
  intros Hres Hund. induction count as [| count IH]; cbn; intros k A Hc E; [discriminate |].
  apply bind_undefined in E as [E | (B & E1 & E2)].
  - eapply undefined_for_1; try reflexivity; [lia | auto].
  - eapply undefined_for_2; try reflexivity; [lia | eauto |]. apply IH; [lia | exact E2].
Qed.

(** [Undefined j]: the thread reaches a read of [⊥] at [j]. *)
Theorem run_undefined d H i A b j : run d H i A b = Undefined j -> reads_undefined H i A b j.
Proof.
  revert A b. induction d as [| d IH]; intros [R W] b E; [discriminate |].
  destruct b as [n m | x n b | b1 b2 | c b1 b2 | x n m b |]; cbn in E; try discriminate;
    repeat match goal with
    | E : bind (bound _) _ = Undefined _ |- _ =>
        apply bind_undefined in E as [E | (? & ?%bound_result & E)];
        [destruct (bound_undefined _ _ E) |]
    end; try discriminate.
  - apply bind_undefined in E as [E | (k & [Hk _]%read_value_result & E)].
    + apply read_value_undefined in E as [-> HU]. eauto using undefined_here.
    + eauto using undefined_read.
  - apply bind_undefined in E as [E | (B & E1%run_sound & E2)];
      eauto using undefined_seq_1, undefined_seq_2.
  - match goal with E : run _ _ _ _ (if ?t then _ else _) = _ |- _ => destruct t end;
      eauto using undefined_if_t, undefined_if_f.
  - match goal with E : iterate _ _ ?k _ = _, Hn : eval_n n = Some ?k, Hm : eval_n m = Some ?l |- _ =>
      assert (D : reads_undefined H i (R, W) (For x (Num k) (Num l) b) j)
        by (eapply iterate_undefined; [| | reflexivity | exact E]; cbn; eauto using run_sound)
    end.
    inversion D; subst; cbn in *;
      repeat match goal with E : Some _ = Some _ |- _ => injection E as <- end;
      eauto using undefined_for_1, undefined_for_2.
Qed.

(** [OutOfDepth] never happens to [evaluate]. *)
Lemma iterate_in_depth {X} (body : N -> X -> outcome X) :
  (forall k x, body k x <> OutOfDepth) ->
  forall count k x, iterate body count k x <> OutOfDepth.
Proof.
  intro Hbody. induction count as [| count IH]; cbn; intros k x; [discriminate |].
  specialize (Hbody k x). destruct (body k x); cbn; try discriminate; auto.
Qed.

Lemma run_in_depth d H i A b : (depth b <= d)%nat -> run d H i A b <> OutOfDepth.
Proof.
  revert A b. induction d as [| d IH]; intros A b Hd; [destruct b; cbn in Hd; lia |].
  destruct b as [n m | x n b | b1 b2 | c b1 b2 | x n m b |]; cbn in *.
  - destruct (eval_n n), (eval_n m); discriminate.
  - destruct (eval_n n) as [j |]; cbn; [| discriminate].
    unfold read_value. destruct (nodup _ _) as [| k [| k' ks]]; cbn; try discriminate.
    apply IH. rewrite depth_subst. lia.
  - assert (H1 : run d H i A b1 <> OutOfDepth) by (apply IH; lia).
    destruct (run d H i A b1); cbn; try discriminate; [apply IH; lia | congruence].
  - destruct (eval_c c) as [[|] |]; cbn; try discriminate; apply IH; lia.
  - destruct (eval_n n), (eval_n m); cbn; try discriminate.
    apply iterate_in_depth. intros k B. apply IH. rewrite depth_subst. lia.
  - discriminate.
Qed.

Theorem evaluate_in_depth H i A b : evaluate H i A b <> OutOfDepth.
Proof. now apply run_in_depth. Qed.

(** [Unbound]: the program is not closed. *)
Lemma iterate_unbound {X} (body : N -> X -> outcome X) :
  (forall k x, body k x <> Unbound) ->
  forall count k x, iterate body count k x <> Unbound.
Proof.
  intro Hbody. induction count as [| count IH]; cbn; intros k x; [discriminate |].
  specialize (Hbody k x). destruct (body k x); cbn; try discriminate; auto.
Qed.

Lemma run_bound d H i A b : incl (fv b) [] -> run d H i A b <> Unbound.
Proof.
  revert A b. induction d as [| d IH]; intros A b Hc; [discriminate |].
  destruct b as [n m | x n b | b1 b2 | c b1 b2 | x n m b |]; cbn in *.
  - apply incl_app_inv in Hc as [Hn Hm].
    destruct (closed_n_evaluates n Hn) as [j ->], (closed_n_evaluates m Hm) as [k ->]. discriminate.
  - apply incl_app_inv in Hc as [Hn Hb]. destruct (closed_n_evaluates n Hn) as [j ->]. cbn.
    unfold read_value. destruct (nodup _ _) as [| k [| k' ks]]; cbn; try discriminate.
    apply IH. now apply body_closes.
  - apply incl_app_inv in Hc as [H1 H2]. specialize (IH A b1 H1) as E1.
    destruct (run d H i A b1); cbn; try discriminate; auto.
  - apply incl_app_inv in Hc as [H0 [H1 H2]%incl_app_inv].
    destruct (closed_c_evaluates c H0) as [[|] ->]; cbn; auto.
  - apply incl_app_inv in Hc as [Hn [Hm Hb]%incl_app_inv].
    destruct (closed_n_evaluates n Hn) as [k ->], (closed_n_evaluates m Hm) as [l ->]. cbn.
    apply iterate_unbound. intros k' B. apply IH. now apply body_closes.
  - discriminate.
Qed.

Theorem evaluate_bound H i A b : incl (fv b) [] -> evaluate H i A b <> Unbound.
Proof. apply run_bound. Qed.
