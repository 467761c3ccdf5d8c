(** * From a synchronized protocol to parametrised unsynchronized phases

    The transformation that race checking rests on: align loops with their
    barriers, split at barriers.  For each [p] compute
    - [syncs p]: does [p] meet a barrier? a thread-independent condition;
    - [pre p]: what runs up to the first barrier, or all of [p];
    - [post p]: what runs after the last barrier, when there is one;
    - [inner p]: the complete phases in between.
    Thread-independent guards take the place of case splits, so that loops that
    may run zero times are right.

    The iterations of a loop must be alike: all of them meet a barrier, or
    whether they do does not depend on the loop's variable ([alignable]).  Other
    loops are out of its scope. *)

From BabyCUDA Require Export SyncProtocols.
Local Open Scope N_scope.

Section Relative.
Context {ins : inputs}.

(** [n < m], and [u[x := n]] written as the loop of the one iteration [x = n]
    (nothing can be captured). *)
Definition less (n m : nexp) : bexp := Compare Natural Lt n m.
Definition succ (n : nexp) : nexp := Arith Natural Add n (Num 1).
Definition pred (n : nexp) : nexp := Arith Natural Sub n (Num 1).
Definition ULet (x : var) (n : nexp) (u : protocol) : protocol := UFor x n (succ n) u.
Definition UWhen (c : bexp) (u : protocol) : protocol := UIf c u USkip.

(** [p] has a barrier that no loop contains. *)
Fixpoint always_syncs (p : sprotocol) : bool :=
  match p with
  | PUnsync _ | PFor _ _ _ _ => false
  | PSync _ => true
  | PSeq p q => always_syncs p || always_syncs q
  end.

(** The condition [c] of a loop body [p], when [p] may do without. *)
Definition guard (p : sprotocol) (c : bexp) : bexp := if always_syncs p then Bool true else c.

Fixpoint syncs (p : sprotocol) : bexp :=
  match p with
  | PUnsync _ => Bool false
  | PSync _ => Bool true
  | PSeq p q => Connect Or (syncs p) (syncs q)
  | PFor _ n m p => Connect And (less n m) (guard p (syncs p))
  end.

(** The condition under which the iterations of a loop over [p] meet a barrier. *)
Definition body_syncs (p : sprotocol) : bexp := guard p (syncs p).

Fixpoint pre (p : sprotocol) : protocol :=
  match p with
  | PUnsync u => u
  | PSync _ => USkip
  | PSeq p q => USeq (pre p) (UWhen (Not (syncs p)) (pre q))
  | PFor x n m p =>
      UIf (body_syncs p) (UWhen (less n m) (ULet x n (pre p))) (UFor x n m (pre p))
  end.

Fixpoint post (p : sprotocol) : protocol :=
  match p with
  | PUnsync _ | PSync _ => USkip
  | PSeq p q => UIf (syncs q) (post q) (USeq (post p) (pre q))
  | PFor x n m p => UWhen (less n m) (ULet x (pred m) (post p))
  end.

(** ** Parametrised phases: a phase under shared loop variables and guards *)

Inductive pphase :=
| Phase (u : protocol)
| When (c : bexp) (h : pphase)
| ForEach (x : var) (n m : nexp) (h : pphase).

Fixpoint inner (p : sprotocol) : list pphase :=
  match p with
  | PUnsync _ | PSync _ => []
  | PSeq p q =>
      inner p ++ inner q ++
      [When (Connect And (syncs p) (syncs q)) (Phase (USeq (post p) (pre q)))]
  | PFor x n m p =>
      map (When (body_syncs p))
        (map (ForEach x n m) (inner p) ++
         [ForEach x n (pred m) (Phase (USeq (post p) (ULet x (succ (Var x)) (pre p))))])
  end.

(** All phases of [p], run from an empty phase. *)
Definition split_phases (p : sprotocol) : list pphase :=
  Phase (pre p) :: inner p ++ [When (syncs p) (Phase (post p))].

(** ** Which protocols are split *)

Definition occurs (x : var) (c : bexp) : bool :=
  if in_dec var_eq_dec x (fv_c c) then true else false.

(** Whether an iteration meets a barrier does not depend on the loop's variable;
    no loop binds [tid]. *)
Fixpoint alignable (p : sprotocol) : bool :=
  match p with
  | PUnsync _ | PSync _ => true
  | PSeq p q => alignable p && alignable q
  | PFor x _ _ p => negb (String.eqb x tid) && negb (occurs x (body_syncs p)) && alignable p
  end.

(** The free variables of loop bounds. *)
Fixpoint fv_p (p : sprotocol) : list var :=
  match p with
  | PUnsync _ | PSync _ => []
  | PSeq p q => fv_p p ++ fv_p q
  | PFor x n m p => fv_n n ++ fv_n m ++ remove var_eq_dec x (fv_p p)
  end.

(** ** The phases that a parametrised phase stands for *)

Fixpoint subst_h (x : var) (k : N) (h : pphase) : pphase :=
  match h with
  | Phase u => Phase (subst_u x k u)
  | When c h => When (subst_c x k c) (subst_h x k h)
  | ForEach y n m h =>
      ForEach y (subst_n x k n) (subst_n x k m)
        (if var_eq_dec x y then h else subst_h x k h)
  end.

Inductive instance (T : list N) : pphase -> access_values -> Prop :=
| inst_phase : forall u L,
    unsync_all u T L ->
    instance T (Phase u) L
| inst_when : forall c h L,
    eval_c c = Some true ->
    instance T h L ->
    instance T (When c h) L
| inst_for_each : forall x n m h k l v L,
    eval_n n = Some k ->
    eval_n m = Some l ->
    k <= v < l ->
    instance T (subst_h x v h) L ->
    instance T (ForEach x n m h) L.

(** ** Everything commutes with substitution *)

Lemma alignable_for x n m p :
  alignable (PFor x n m p) = true ->
  x <> tid /\ ~ In x (fv_c (body_syncs p)) /\ alignable p = true.
Proof.
  cbn. rewrite !andb_true_iff, !negb_true_iff, String.eqb_neq. unfold occurs.
  destruct (in_dec _ _ _); intuition discriminate.
Qed.

Lemma alignable_for_intro x n m p :
  x <> tid -> ~ In x (fv_c (body_syncs p)) -> alignable p = true ->
  alignable (PFor x n m p) = true.
Proof.
  cbn. rewrite !andb_true_iff, !negb_true_iff, String.eqb_neq. unfold occurs.
  destruct (in_dec _ _ _); tauto.
Qed.

Lemma always_syncs_subst x k p : always_syncs (subst_p x k p) = always_syncs p.
Proof. induction p; cbn; congruence. Qed.

(** All at once, for protocols that are split. *)
Lemma syncs_subst x k p :
  alignable p = true -> syncs (subst_p x k p) = subst_c x k (syncs p).
Proof.
  induction p as [u | l | p IHp q IHq | y n m p IH]; intro HA; try reflexivity.
  - cbn in HA. apply andb_true_iff in HA as [HA HB]. cbn. now rewrite IHp, IHq.
  - apply alignable_for in HA as (_ & Hy & HA). cbn. unfold less. do 2 f_equal.
    change (guard p (syncs p)) with (body_syncs p). destruct (var_eq_dec x y) as [-> | Hne].
    + symmetry. now apply subst_c_fresh.
    + unfold body_syncs, guard. rewrite always_syncs_subst, IH by exact HA.
      now destruct (always_syncs p).
Qed.

Lemma body_syncs_subst x k p :
  alignable p = true -> body_syncs (subst_p x k p) = subst_c x k (body_syncs p).
Proof.
  intro HA. unfold body_syncs, guard. rewrite always_syncs_subst, syncs_subst by exact HA.
  now destruct (always_syncs p).
Qed.

Lemma pre_subst x k p : alignable p = true -> pre (subst_p x k p) = subst_u x k (pre p).
Proof.
  induction p as [u | l | p IHp q IHq | y n m p IH]; intro HA; try reflexivity.
  - cbn in HA. apply andb_true_iff in HA as [HA HB]. cbn. now rewrite IHp, IHq, syncs_subst.
  - apply alignable_for in HA as (_ & Hy & HA). cbn. destruct (var_eq_dec x y) as [-> | Hne].
    + now rewrite subst_c_fresh.
    + now rewrite IH, body_syncs_subst.
Qed.

Lemma post_subst x k p : alignable p = true -> post (subst_p x k p) = subst_u x k (post p).
Proof.
  induction p as [u | l | p IHp q IHq | y n m p IH]; intro HA; try reflexivity.
  - cbn in HA. apply andb_true_iff in HA as [HA HB]. cbn.
    now rewrite IHp, IHq, syncs_subst, pre_subst.
  - apply alignable_for in HA as (_ & Hy & HA). cbn. destruct (var_eq_dec x y); [reflexivity |].
    now rewrite IH.
Qed.

Lemma inner_subst x k p :
  alignable p = true -> inner (subst_p x k p) = map (subst_h x k) (inner p).
Proof.
  induction p as [u | l | p IHp q IHq | y n m p IH]; intro HA; try reflexivity.
  - cbn in HA. apply andb_true_iff in HA as [HA HB]. cbn.
    rewrite !map_app, IHp, IHq by assumption. cbn.
    now rewrite !syncs_subst, post_subst, pre_subst.
  - apply alignable_for in HA as (_ & Hy & HA). cbn. rewrite !map_app, !map_map. cbn.
    destruct (var_eq_dec x y) as [-> | Hne].
    + rewrite subst_c_fresh by exact Hy. reflexivity.
    + rewrite IH, body_syncs_subst, map_map, post_subst, pre_subst by exact HA. reflexivity.
Qed.

Lemma alignable_subst x k p : alignable p = true -> alignable (subst_p x k p) = true.
Proof.
  induction p as [u | l | p IHp q IHq | y n m p IH]; intro HA; try reflexivity.
  - cbn in *. rewrite andb_true_iff in *. tauto.
  - apply alignable_for in HA as (Hy & Hf & HA). apply alignable_for_intro; [exact Hy | |];
      destruct (var_eq_dec x y); auto.
    rewrite body_syncs_subst by exact HA. intro HI. apply fv_subst_c in HI. tauto.
Qed.

(** ** Conditions evaluate *)

(** When a body meets a barrier or not, so says its condition. *)
Lemma body_syncs_value p t : eval_c (syncs p) = Some t -> eval_c (body_syncs p) = Some t.
Proof.
  unfold body_syncs, guard. destruct (always_syncs p) eqn:HA; [| auto]. cbn. intro E. f_equal.
  symmetry. revert t HA E.
  induction p as [u | l | p IHp q IHq | y n m p IH]; cbn; intros t HA E; try congruence.
  destruct (eval_c (syncs p)) as [a |], (eval_c (syncs q)) as [b |]; try discriminate.
  injection E as <-. apply orb_true_iff in HA as [HA | HA].
  - now rewrite (IHp a).
  - rewrite (IHq b) by auto. apply orb_true_r.
Qed.

Lemma syncs_fv p : alignable p = true -> incl (fv_c (syncs p)) (fv_p p).
Proof.
  induction p as [u | l | p IHp q IHq | x n m p IH]; intro HA; try apply incl_nil_l.
  - cbn in *. apply andb_true_iff in HA as [HA HB].
    apply incl_app; [apply incl_appl | apply incl_appr]; auto.
  - apply alignable_for in HA as (_ & Hx & HA). cbn. intros y Hy.
    change (guard p (syncs p)) with (body_syncs p) in Hy.
    rewrite !in_app_iff in *. destruct Hy as [[Hy | Hy] | Hy]; auto.
    right. right. apply in_remove_iff. split; [| intros ->; contradiction].
    apply (IH HA). unfold body_syncs, guard in Hy. destruct (always_syncs p); [destruct Hy | exact Hy].
Qed.

Lemma fv_subst_p x k p y : In y (fv_p (subst_p x k p)) <-> In y (fv_p p) /\ y <> x.
Proof.
  induction p as [u | l | p IHp q IHq | z n m p IH]; cbn;
    rewrite ?in_app_iff, ?fv_subst_n, ?IHp, ?IHq, ?in_remove_iff; try tauto.
  destruct (var_eq_dec x z) as [<- | Hne]; rewrite ?IH; tauto.
Qed.

(** A loop whose bounds are closed has a closed condition. *)
Lemma closed_body_syncs x n m p :
  alignable (PFor x n m p) = true -> incl (fv_p (PFor x n m p)) [] ->
  exists t, eval_c (body_syncs p) = Some t.
Proof.
  intros HA HC. apply closed_c_evaluates. intros y Hy. apply HC.
  apply (syncs_fv _ HA). cbn. rewrite in_app_iff. right. exact Hy.
Qed.

(** Types have closed bounds. *)
Lemma typed_s_fv V s p : typed_s V s p -> incl (fv_p p) V.
Proof.
  unfold typed_n.
  induction 1 as [V b u HS D | V l | V s1 s2 p1 p2 D1 IH1 D2 IH2 | V x n m s p Hn Hm Hx D IH]; cbn;
    repeat apply incl_app; auto using incl_nil_l.
  intros y [Hy Hne]%in_remove_iff. destruct (IH y Hy); congruence || assumption.
Qed.

End Relative.
