(** * From a synchronized protocol to parametrised unsynchronized phases

    The transformation that race checking rests on: align loops with their
    barriers, split at barriers.  For each [p] compute
    - [syncs p]: does [p] meet a barrier? a thread-independent condition;
    - [pre p]: what runs up to the first barrier, or all of [p];
    - [post p]: what runs after the last barrier, when there is one;
    - [inner p]: the complete phases in between.
    Thread-independent guards take the place of case splits, so that loops that
    may run zero times are right.

    A loop must have a body that meets a barrier in every iteration
    ([alignable]); others are out of its scope. *)

From BabyCUDA Require Export SyncProtocols.
Local Open Scope N_scope.

(** [n < m], and [u[x := n]] written as the loop of the one iteration [x = n]
    (nothing can be captured). *)
Definition less (n m : nexp) : bexp := Compare Natural Lt n m.
Definition succ (n : nexp) : nexp := Arith Natural Add n (Num 1).
Definition pred (n : nexp) : nexp := Arith Natural Sub n (Num 1).
Definition ULet (x : var) (n : nexp) (u : protocol) : protocol := UFor x n (succ n) u.
Definition UWhen (c : bexp) (u : protocol) : protocol := UIf c u USkip.

Fixpoint syncs (p : sprotocol) : bexp :=
  match p with
  | PUnsync _ => Bool false
  | PSync => Bool true
  | PSeq p q => Connect Or (syncs p) (syncs q)
  | PFor _ n m _ => less n m
  end.

Fixpoint pre (p : sprotocol) : protocol :=
  match p with
  | PUnsync u => u
  | PSync => USkip
  | PSeq p q => USeq (pre p) (UWhen (Not (syncs p)) (pre q))
  | PFor x n m p => UWhen (less n m) (ULet x n (pre p))
  end.

Fixpoint post (p : sprotocol) : protocol :=
  match p with
  | PUnsync _ | PSync => USkip
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
  | PUnsync _ | PSync => []
  | PSeq p q =>
      inner p ++ inner q ++
      [When (Connect And (syncs p) (syncs q)) (Phase (USeq (post p) (pre q)))]
  | PFor x n m p =>
      map (ForEach x n m) (inner p) ++
      [ForEach x n (pred m) (Phase (USeq (post p) (ULet x (succ (Var x)) (pre p))))]
  end.

(** All phases of [p], run from an empty phase. *)
Definition split_phases (p : sprotocol) : list pphase :=
  Phase (pre p) :: inner p ++ [When (syncs p) (Phase (post p))].

(** ** Which protocols are split *)

(** [p] meets a barrier whatever its variables are. *)
Fixpoint always_syncs (p : sprotocol) : bool :=
  match p with
  | PUnsync _ => false
  | PSync => true
  | PSeq p q => always_syncs p || always_syncs q
  | PFor _ n m _ => match eval_c (less n m) with Some t => t | None => false end
  end.

(** Every loop body always meets a barrier; no loop binds [tid]. *)
Fixpoint alignable (p : sprotocol) : bool :=
  match p with
  | PUnsync _ | PSync => true
  | PSeq p q => alignable p && alignable q
  | PFor x _ _ p => negb (String.eqb x tid) && always_syncs p && alignable p
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

Lemma syncs_subst x k p : syncs (subst_p x k p) = subst_c x k (syncs p).
Proof. induction p; cbn; try congruence; reflexivity. Qed.

Lemma pre_subst x k p : pre (subst_p x k p) = subst_u x k (pre p).
Proof.
  induction p as [u | | p IHp q IHq | y n m p IH]; cbn; try reflexivity.
  - now rewrite IHp, IHq, syncs_subst.
  - destruct (var_eq_dec x y); [reflexivity | now rewrite IH].
Qed.

Lemma post_subst x k p : post (subst_p x k p) = subst_u x k (post p).
Proof.
  induction p as [u | | p IHp q IHq | y n m p IH]; cbn; try reflexivity.
  - now rewrite IHp, IHq, syncs_subst, pre_subst.
  - destruct (var_eq_dec x y); [reflexivity | now rewrite IH].
Qed.

Lemma inner_subst x k p : inner (subst_p x k p) = map (subst_h x k) (inner p).
Proof.
  induction p as [u | | p IHp q IHq | y n m p IH]; cbn; try reflexivity.
  - rewrite !map_app, IHp, IHq. cbn. now rewrite !syncs_subst, post_subst, pre_subst.
  - rewrite map_app, !map_map. cbn. f_equal; [| f_equal; f_equal].
    + destruct (var_eq_dec x y) as [E | Hne].
      * apply map_ext. intro h. cbn. destruct (var_eq_dec x y); [reflexivity | contradiction].
      * rewrite IH, map_map. apply map_ext. intro h. cbn.
        destruct (var_eq_dec x y); [contradiction | reflexivity].
    + destruct (var_eq_dec x y) as [E | Hne]; [reflexivity |].
      cbn. rewrite post_subst, pre_subst.
      destruct (var_eq_dec x y); [contradiction | reflexivity].
Qed.

Lemma eval_c_subst x k c t : eval_c c = Some t -> eval_c (subst_c x k c) = Some t.
Proof. intro E. rewrite subst_c_fresh; [exact E | eapply eval_c_closed; exact E]. Qed.

Lemma always_syncs_subst x k p : always_syncs p = true -> always_syncs (subst_p x k p) = true.
Proof.
  induction p as [u | | p IHp q IHq | y n m p IH];
    cbn [always_syncs subst_p]; auto.
  - rewrite !orb_true_iff. tauto.
  - destruct (eval_c (less n m)) as [t |] eqn:E; [| discriminate]. intros ->.
    change (less (subst_n x k n) (subst_n x k m)) with (subst_c x k (less n m)).
    now rewrite (eval_c_subst x k _ _ E).
Qed.

Lemma alignable_subst x k p : alignable p = true -> alignable (subst_p x k p) = true.
Proof.
  induction p as [u | | p IHp q IHq | y n m p IH]; cbn; auto.
  - rewrite !andb_true_iff. tauto.
  - rewrite !andb_true_iff. intros [[Hy HA] HB].
    destruct (var_eq_dec x y); auto using always_syncs_subst.
Qed.

(** A protocol that always meets a barrier meets one. *)
Lemma always_syncs_true p t : always_syncs p = true -> eval_c (syncs p) = Some t -> t = true.
Proof.
  revert t. induction p as [u | | p IHp q IHq | y n m p IH];
    cbn [always_syncs syncs]; intros t HA E.
  - discriminate.
  - cbn in E. congruence.
  - cbn in E. destruct (eval_c (syncs p)) as [a |], (eval_c (syncs q)) as [b |]; try discriminate.
    injection E as <-. apply orb_true_iff in HA as [HA | HA]; cbn.
    + now rewrite (IHp a).
    + rewrite (IHq b) by auto. apply orb_true_r.
  - rewrite E in HA. exact HA.
Qed.
