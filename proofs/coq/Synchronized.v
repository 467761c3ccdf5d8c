(** * Synchronized programs

    LCL22 omits the synchronized fragment of BabyCUDA “for presentation
    purposes”; this is the fragment that mirrors the synchronized protocols of
    its Fig. 2:

    [s ::= b | sync | s ; s | forS x in n..m {s}]

    All threads run a [forS] loop together, so its bounds may not depend on the
    thread: they are evaluated without a value for [tid]. *)

From BabyCUDA Require Export Parallel.
Local Open Scope N_scope.

Inductive sprog :=
| Block (b : prog)
| SSync (l : site)
| SSeq (s1 s2 : sprog)
| SFor (x : var) (n m : nexp) (s : sprog).

Fixpoint subst_s (x : var) (k : N) (s : sprog) : sprog :=
  match s with
  | Block b => Block (subst x k b)
  | SSync l => SSync l
  | SSeq s1 s2 => SSeq (subst_s x k s1) (subst_s x k s2)
  | SFor y n m s =>
      SFor y (subst_n x k n) (subst_n x k m)
        (if var_eq_dec x y then s else subst_s x k s)
  end.

(** Blocks have no barriers, and no [forS] loop binds [tid]. *)
Fixpoint stratified (s : sprog) : Prop :=
  match s with
  | Block b => sync_free b = true
  | SSync _ => True
  | SSeq s1 s2 => stratified s1 /\ stratified s2
  | SFor x _ _ s => x <> tid /\ stratified s
  end.

Lemma stratified_subst x k s : stratified s -> stratified (subst_s x k s).
Proof.
  induction s; cbn; rewrite ?sync_free_subst; try tauto. destruct (var_eq_dec x x0); tauto.
Qed.

(** The same program, with barriers anywhere. *)
Fixpoint embed (s : sprog) : prog :=
  match s with
  | Block b => b
  | SSync l => Sync l
  | SSeq s1 s2 => Seq (embed s1) (embed s2)
  | SFor x n m s => For x n m (embed s)
  end.

Lemma embed_subst x v s : embed (subst_s x v s) = subst x v (embed s).
Proof. induction s; cbn; try destruct (var_eq_dec x x0); congruence. Qed.

(** Substitution keeps the depth, as in [Syntax.v]. *)
Fixpoint depth_s (s : sprog) : nat :=
  match s with
  | Block _ | SSync _ => 1
  | SSeq s1 s2 => S (Nat.max (depth_s s1) (depth_s s2))
  | SFor _ _ _ s => S (depth_s s)
  end.

Lemma depth_subst_s x k s : depth_s (subst_s x k s) = depth_s s.
Proof. induction s; cbn; try destruct (var_eq_dec _ _); congruence. Qed.

Section Run.
Variable T : list N.

(** [H, s ↓ H']: a block extends the newest phase, a barrier starts a new one. *)
Inductive sync_run : history -> sprog -> history -> Prop :=
| run_block : forall H b H',
    parallel T H b H' ->
    sync_run H (Block b) H'
| run_sync : forall P H l,
    sync_run (P :: H) (SSync l) ([] :: P :: H)
| run_seq : forall H1 s1 s2 H2 H3,
    sync_run H1 s1 H2 ->
    sync_run H2 s2 H3 ->
    sync_run H1 (SSeq s1 s2) H3
| run_for_1 : forall H x n m s k l,
    eval_n n = Some k ->
    eval_n m = Some l ->
    l <= k ->
    sync_run H (SFor x n m s) H
| run_for_2 : forall H1 x n m s k l H2 H3,
    eval_n n = Some k ->
    eval_n m = Some l ->
    k < l ->
    sync_run H1 (subst_s x k s) H2 ->
    sync_run H2 (SFor x (Num (k + 1)) (Num l) s) H3 ->
    sync_run H1 (SFor x n m s) H3.

End Run.
