(** * Decidability: what the evaluator's other outcomes mean

    A read of [⊥], a cell with several values, an unbound variable.  On histories
    with single writers, [evaluate] is complete without exception. *)

From BabyCUDA Require Export Evaluator.
Local Open Scope N_scope.

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
    inversion D; subst; numbers; eauto using undefined_for.
Qed.

(** [OutOfDepth] never happens to [evaluate_k]. *)
Lemma and_then_never (bad : stopping) r left next :
  (forall e, bad <> Result e) ->
  r <> bad -> (forall A, next A <> bad) -> and_then r left next <> bad.
Proof. intros HB Hr Hn. destruct r as [[B [| l k]] | | | |]; cbn; auto; congruence. Qed.

Lemma iterate_k_never bad body left :
  (forall e, bad <> Result e) -> (forall v A, body v A <> bad) ->
  forall count v A, iterate_k body left count v A <> bad.
Proof.
  intros HB Hbody. induction count as [| count IH]; cbn; intros v A; [congruence |].
  apply and_then_never; auto.
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
  - apply and_then_never; [discriminate | apply IH; lia | intro B; apply IH; lia].
  - destruct (eval_c c) as [[|] |]; cbn; try discriminate; apply IH; lia.
  - destruct (eval_n n), (eval_n m); cbn; try discriminate.
    apply iterate_k_never; [discriminate |]. intros v B. apply IH. rewrite depth_subst. lia.
  - discriminate.
  - discriminate.
Qed.

(** [Unbound]: the program is not closed. *)
Lemma run_bound d H i A b : incl (fv b) [] -> run_k d H i A b <> Unbound.
Proof.
  revert A b. induction d as [| d IH]; intros A b Hc; [discriminate |].
  destruct b as [a n m | x a n b | b1 b2 | c b1 b2 | x n m b | | l]; cbn in *.
  - apply incl_app_inv in Hc as [Hn Hm].
    destruct (closed_n_evaluates n Hn) as [j ->], (closed_n_evaluates m Hm) as [k ->]. discriminate.
  - apply incl_app_inv in Hc as [Hn Hb]. destruct (closed_n_evaluates n Hn) as [j ->]. cbn.
    unfold read_value. destruct (nodup _ _) as [| k [| k' ks]]; cbn; try discriminate.
    apply IH. now apply body_closes.
  - apply incl_app_inv in Hc as [H1 H2]. apply and_then_never; auto; discriminate.
  - apply incl_app_inv in Hc as [H0 [H1 H2]%incl_app_inv].
    destruct (closed_c_evaluates c H0) as [[|] ->]; cbn; auto.
  - apply incl_app_inv in Hc as [Hn [Hm Hb]%incl_app_inv].
    destruct (closed_n_evaluates n Hn) as [k ->], (closed_n_evaluates m Hm) as [l ->]. cbn.
    apply iterate_k_never; [discriminate |]. intros k' B. apply IH. now apply body_closes.
  - discriminate.
  - discriminate.
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
