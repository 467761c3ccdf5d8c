(** * Protocols with barriers anywhere, and their types

    Beyond the printed fragment, as [Barriers.v] is for programs:

    [q ::= u | sync | q ; q | if c {q} else {q} | for x in n..m {q}]

    A thread of a protocol runs to its next barrier and yields what is left of
    it.  Typing is Fig. 6, rule by rule, with a barrier that is always
    well-typed: nothing forbids a barrier under a guard or a bound that depends
    on the thread.  Stratified programs are those of [SyncProtocols.v]; their
    types are types here ([typed_s_typed_k]). *)

From BabyCUDA Require Export StratifiedBarriers SyncProtocols.
Local Open Scope N_scope.

Inductive kprotocol :=
| QBlock (u : protocol)
| QSync (l : site)
| QSeq (q1 q2 : kprotocol)
| QIf (c : bexp) (q1 q2 : kprotocol)
| QFor (x : var) (n m : nexp) (q : kprotocol).

Definition QSkip : kprotocol := QBlock USkip.

Fixpoint subst_q (x : var) (v : N) (q : kprotocol) : kprotocol :=
  match q with
  | QBlock u => QBlock (subst_u x v u)
  | QSync l => QSync l
  | QSeq q1 q2 => QSeq (subst_q x v q1) (subst_q x v q2)
  | QIf c q1 q2 => QIf (subst_c x v c) (subst_q x v q1) (subst_q x v q2)
  | QFor y n m q =>
      QFor y (subst_n x v n) (subst_n x v m)
        (if var_eq_dec x y then q else subst_q x v q)
  end.

Fixpoint fv_q (q : kprotocol) : list var :=
  match q with
  | QBlock u => fv_u u
  | QSync _ => []
  | QSeq q1 q2 => fv_q q1 ++ fv_q q2
  | QIf c q1 q2 => fv_c c ++ fv_q q1 ++ fv_q q2
  | QFor x n m q => fv_n n ++ fv_n m ++ remove var_eq_dec x (fv_q q)
  end.

Lemma subst_q_fresh x k q : ~ In x (fv_q q) -> subst_q x k q = q.
Proof.
  induction q as [u | l | q1 IH1 q2 IH2 | c q1 IH1 q2 IH2 | z n m q IH];
    cbn; rewrite ?in_app_iff, ?in_remove_iff; intro Hx.
  - now rewrite subst_u_fresh.
  - reflexivity.
  - rewrite IH1, IH2 by tauto. reflexivity.
  - rewrite subst_c_fresh, IH1, IH2 by tauto. reflexivity.
  - rewrite !subst_n_fresh by tauto. destruct (var_eq_dec x z); [reflexivity |].
    rewrite IH by intuition. reflexivity.
Qed.

(** ** One thread, to its next barrier: [q ⇓ (Λ_i, done)] or [q ⇓ (Λ_i, sync_ℓ ▷ q')] *)

Inductive qstop :=
| QFinished
| QAtBarrier (l : site) (q : kprotocol).

Inductive q_to_barrier : kprotocol -> thread_accesses -> qstop -> Prop :=
| q_block : forall u L,
    unsync u L ->
    q_to_barrier (QBlock u) L QFinished
| q_sync : forall l,
    q_to_barrier (QSync l) [] (QAtBarrier l QSkip)
| q_seq_1 : forall q1 q2 L1 L2 s,
    q_to_barrier q1 L1 QFinished ->
    q_to_barrier q2 L2 s ->
    q_to_barrier (QSeq q1 q2) (L1 ++ L2) s
| q_seq_2 : forall q1 q2 L l q1',
    q_to_barrier q1 L (QAtBarrier l q1') ->
    q_to_barrier (QSeq q1 q2) L (QAtBarrier l (QSeq q1' q2))
| q_if_t : forall c q1 q2 L s,
    eval_c c = Some true ->
    q_to_barrier q1 L s ->
    q_to_barrier (QIf c q1 q2) L s
| q_if_f : forall c q1 q2 L s,
    eval_c c = Some false ->
    q_to_barrier q2 L s ->
    q_to_barrier (QIf c q1 q2) L s
| q_for_1 : forall x n m q v w,
    eval_n n = Some v ->
    eval_n m = Some w ->
    w <= v ->
    q_to_barrier (QFor x n m q) [] QFinished
| q_for_2 : forall x n m q v w L s,
    eval_n n = Some v ->
    eval_n m = Some w ->
    v < w ->
    q_to_barrier (QSeq (subst_q x v q) (QFor x (Num (v + 1)) (Num w) q)) L s ->
    q_to_barrier (QFor x n m q) L s.

Theorem q_to_barrier_deterministic q L1 s1 L2 s2 :
  q_to_barrier q L1 s1 -> q_to_barrier q L2 s2 -> L1 = L2 /\ s1 = s2.
Proof.
  intro D. revert L2 s2.
  induction D as [u L D | l | q1 q2 L1 L1' s D1 IH1 D2 IH2 | q1 q2 L l q1' D IH
    | c q1 q2 L s Hc D IH | c q1 q2 L s Hc D IH | x n m q v w Hn Hm Hle
    | x n m q v w L s Hn Hm Hlt D IH];
    intros L2 s2 D'; inversion D'; subst; same_values; try lia; auto.
  - split; [eapply unsync_deterministic; eassumption | reflexivity].
  - match goal with E : q_to_barrier q1 _ _ |- _ => apply IH1 in E as [<- _] end.
    match goal with E : q_to_barrier q2 _ _ |- _ => apply IH2 in E as [<- <-] end. auto.
  - match goal with E : q_to_barrier q1 _ _ |- _ => apply IH1 in E as [_ E]; discriminate E end.
  - match goal with E : q_to_barrier q1 _ _ |- _ => apply IH in E as [_ E]; discriminate E end.
  - match goal with E : q_to_barrier q1 _ _ |- _ => apply IH in E as [<- [= <- <-]] end. auto.
Qed.

(** ** All threads of a block

    [Λs, qs ⇓ outcome], where [Λs] are the phases so far, newest first. *)

Definition qremaining := list (N * kprotocol).
Definition qstops := list (N * qstop).

Inductive all_q_to_barrier : qremaining -> access_values -> qstops -> Prop :=
| all_q_nil :
    all_q_to_barrier [] [] []
| all_q_cons : forall i q qs L s Ls ss,
    q_to_barrier q L s ->
    all_q_to_barrier qs Ls ss ->
    all_q_to_barrier ((i, q) :: qs) (with_thread i L ++ Ls) ((i, s) :: ss).

Definition q_all_finished (ss : qstops) : Prop := forall i s, In (i, s) ss -> s = QFinished.

Definition q_all_at (l : site) (ss : qstops) (qs : qremaining) : Prop :=
  ss = map (fun e => (fst e, QAtBarrier l (snd e))) qs.

Definition q_same_place (s1 s2 : qstop) : Prop :=
  match s1, s2 with
  | QFinished, QFinished => True
  | QAtBarrier l1 _, QAtBarrier l2 _ => l1 = l2
  | _, _ => False
  end.

Inductive q_outcome :=
| QEnds (Ls : list access_values)
| QDiverges (Ls : list access_values) (i1 : N) (s1 : qstop) (i2 : N) (s2 : qstop).

Inductive q_block_run : list access_values -> qremaining -> q_outcome -> Prop :=
| q_block_ends : forall L0 Ls qs L ss,
    all_q_to_barrier qs L ss ->
    q_all_finished ss ->
    q_block_run (L0 :: Ls) qs (QEnds ((L0 ++ L) :: Ls))
| q_block_syncs : forall L0 Ls qs L ss l qs' out,
    all_q_to_barrier qs L ss ->
    qs <> [] ->
    q_all_at l ss qs' ->
    q_block_run ([] :: (L0 ++ L) :: Ls) qs' out ->
    q_block_run (L0 :: Ls) qs out
| q_block_diverges : forall L0 Ls qs L ss i1 s1 i2 s2,
    all_q_to_barrier qs L ss ->
    In (i1, s1) ss ->
    In (i2, s2) ss ->
    ~ q_same_place s1 s2 ->
    q_block_run (L0 :: Ls) qs (QDiverges ((L0 ++ L) :: Ls) i1 s1 i2 s2).

(** A block of threads [T], all running [q]. *)
Definition q_start (T : list N) (q : kprotocol) : qremaining :=
  map (fun i => (i, subst_q tid i q)) T.

(** *** A protocol has one outcome, up to which two threads witness a divergence *)

Lemma all_q_deterministic qs L1 ss1 L2 ss2 :
  all_q_to_barrier qs L1 ss1 -> all_q_to_barrier qs L2 ss2 -> L1 = L2 /\ ss1 = ss2.
Proof.
  intro D. revert L2 ss2. induction D as [| i q qs L s Ls ss D Ds IH]; intros L2 ss2 D';
    inversion D' as [| ? ? ? L' s' Ls' ss' E Es]; subst; [auto |].
  destruct (q_to_barrier_deterministic _ _ _ _ _ D E) as [<- <-].
  destruct (IH _ _ Es) as [<- <-]. auto.
Qed.

(** The phases, and whether the threads diverged after the newest. *)
Definition q_summary (out : q_outcome) : list access_values * bool :=
  match out with
  | QEnds Ls => (Ls, false)
  | QDiverges Ls _ _ _ _ => (Ls, true)
  end.

Lemma q_all_at_place l ss qs i s : q_all_at l ss qs -> In (i, s) ss -> exists q, s = QAtBarrier l q.
Proof. intros -> H. apply in_map_iff in H as (e & [= <- <-] & _). eauto. Qed.

Theorem q_block_deterministic Ls qs out1 out2 :
  q_block_run Ls qs out1 -> q_block_run Ls qs out2 -> q_summary out1 = q_summary out2.
Proof.
  intro D. revert out2.
  induction D as [L0 Ls qs L ss D Hf | L0 Ls qs L ss l qs' out D Hq Ha HB IH
                 | L0 Ls qs L ss i1 s1 i2 s2 D H1 H2 Hne];
    intros out2 D'; inversion D'; subst;
    match goal with E : all_q_to_barrier qs ?L2 ?ss2 |- _ =>
      destruct (all_q_deterministic _ _ _ _ _ D E) as [<- <-] end; cbn; try reflexivity.
  - exfalso. inversion D; subst; [contradiction |].
    match goal with E : q_all_at _ _ _ |- _ =>
      destruct (q_all_at_place _ _ _ _ _ E (or_introl eq_refl)) as [q' ->] end.
    specialize (Hf _ _ (or_introl eq_refl)). discriminate.
  - exfalso. repeat match goal with E : In (_, _) ss |- _ => apply Hf in E; subst end.
    match goal with E : ~ _ |- _ => now apply E end.
  - exfalso. inversion D; subst; [contradiction |].
    destruct (q_all_at_place _ _ _ _ _ Ha (or_introl eq_refl)) as [q' ->].
    match goal with E : q_all_finished _ |- _ => specialize (E _ _ (or_introl eq_refl)) end.
    discriminate.
  - apply IH. unfold q_all_at in *. match goal with E : ss = map _ ?qs2 |- _ =>
      assert (qs' = qs2) as ->; [| assumption] end.
    subst ss. match goal with E : map _ qs' = map _ ?qs2 |- _ => revert E; generalize qs2 end.
    clear. induction qs' as [| [i q] qs' IH]; intros [| [i2 q2] qs2] E; try discriminate;
      [reflexivity |]. injection E as <- _ <- E. f_equal. auto.
  - exfalso. repeat match goal with E : In (_, _) ss |- _ =>
      destruct (q_all_at_place _ _ _ _ _ Ha E) as [? ->]; clear E end.
    match goal with E : ~ q_same_place _ _ |- _ => apply E end. reflexivity.
  - exfalso. repeat match goal with E : In (_, _) ss, F : q_all_finished ss |- _ =>
      apply F in E; subst end.
    now apply Hne.
  - exfalso. repeat match goal with E : In (_, _) ss, F : q_all_at _ ss _ |- _ =>
      destruct (q_all_at_place _ _ _ _ _ F E) as [? ->]; clear E end.
    apply Hne. reflexivity.
Qed.

(** ** Types: [V ⊢ k ▶ q] *)

Inductive typed_k (V : list var) : kprog -> kprotocol -> Prop :=
| k_block : forall b u,
    typed V b u ->
    typed_k V (KBlock b) (QBlock u)
| k_sync : forall l,
    typed_k V (KSync l) (QSync l)
| k_read : forall y n k q,
    typed_n V n ->
    ~ In y V ->
    typed_k V k q ->
    typed_k V (KRead y n k) (QSeq (QBlock (UAccess rd n)) q)
| k_seq : forall k1 k2 q1 q2,
    typed_k V k1 q1 ->
    typed_k V k2 q2 ->
    typed_k V (KSeq k1 k2) (QSeq q1 q2)
| k_if : forall c k1 k2 q1 q2,
    typed_c V c ->
    typed_k V k1 q1 ->
    typed_k V k2 q2 ->
    typed_k V (KIf c k1 k2) (QIf c q1 q2)
| k_for : forall x n m k q,
    typed_n V n ->
    typed_n V m ->
    ~ In x V ->
    typed_k (x :: V) k q ->
    typed_k V (KFor x n m k) (QFor x n m q).

Lemma typed_k_same_set V k q :
  typed_k V k q -> forall V', incl V V' -> incl V' V -> typed_k V' k q.
Proof.
  unfold typed_n, typed_c.
  induction 1; intros V' Sub Sup; constructor; unfold typed_n, typed_c in *;
    eauto using incl_tran, typed_same_set.
  apply IHtyped_k; apply incl_cons; auto using in_eq, incl_tl.
Qed.

Lemma typed_k_fv V k q : typed_k V k q -> incl (fv_q q) V.
Proof.
  unfold typed_n, typed_c.
  induction 1; cbn; repeat apply incl_app; auto using incl_nil_l.
  - eapply typed_fv; eassumption.
  - intros y [Hy Hne]%in_remove_iff. destruct (IHtyped_k y Hy); congruence || assumption.
Qed.

(** As [typed_subst_gen]. *)
Lemma typed_k_subst_gen V k q :
  typed_k V k q ->
  forall x v V', incl V (x :: V') -> incl V' V ->
  typed_k V' (subst_k x v k) (subst_q x v q).
Proof.
  induction 1 as [V b u D | V l | V y n k q Hn Hy D IH | V k1 k2 q1 q2 D1 IH1 D2 IH2
                 | V c k1 k2 q1 q2 Hc D1 IH1 D2 IH2 | V y n m k q Hn Hm Hy D IH];
    intros x v V' Sub Sup; cbn; unfold typed_n, typed_c in *.
  - constructor. eauto using typed_subst_gen.
  - constructor.
  - constructor; [red; eauto using subst_n_incl | auto |].
    destruct (var_eq_dec x y) as [-> | Hne]; [| auto].
    assert (Hin : incl V V').
    { intros z Hz. destruct (Sub z Hz) as [<- | ]; [contradiction | assumption]. }
    rewrite subst_q_fresh by (intro HI; apply Hy, (typed_k_fv _ _ _ D), HI).
    now apply typed_k_same_set with V.
  - constructor; auto.
  - constructor; auto. red. eauto using subst_c_incl.
  - apply k_for; [red; eauto using subst_n_incl | red; eauto using subst_n_incl | auto |].
    destruct (var_eq_dec x y) as [-> | Hne].
    + apply typed_k_same_set with (y :: V); auto.
      * intros z [<- | Hz]; [now left | auto].
      * intros z [<- | Hz]; [now left | right; auto].
    + apply IH.
      * intros z [<- | Hz]; [right; now left |].
        destruct (Sub z Hz); [now left | right; now right].
      * intros z [<- | Hz]; [now left | right; auto].
Qed.

Lemma typed_k_subst_tid k q i :
  typed_k [tid] k q -> typed_k [] (subst_k tid i k) (subst_q tid i q).
Proof. intro D. apply typed_k_subst_gen with [tid]; auto using incl_nil_l, incl_refl. Qed.

Lemma typed_k_body x v k q : typed_k [x] k q -> typed_k [] (subst_k x v k) (subst_q x v q).
Proof. intro D. apply typed_k_subst_gen with [x]; auto using incl_nil_l, incl_refl. Qed.

Lemma typed_k_data x v k q : typed_k [] k q -> typed_k [] (subst_k x v k) q.
Proof.
  intro D. replace q with (subst_q x v q).
  - apply typed_k_subst_gen with []; auto using incl_nil_l, incl_refl.
  - apply subst_q_fresh. intro HI. destruct (typed_k_fv _ _ _ D x HI).
Qed.

(** ** Stratified programs are programs with barriers anywhere, and so are their types *)

(** [embeds_p p q]: as [embeds], for protocols. *)
Inductive embeds_p : sprotocol -> kprotocol -> Prop :=
| embeds_p_unsync : forall u, embeds_p (PUnsync u) (QBlock u)
| embeds_p_sync : forall l, embeds_p PSync (QSync l)
| embeds_p_seq : forall p1 p2 q1 q2,
    embeds_p p1 q1 -> embeds_p p2 q2 -> embeds_p (PSeq p1 p2) (QSeq q1 q2)
| embeds_p_for : forall x n m p q, embeds_p p q -> embeds_p (PFor x n m p) (QFor x n m q).

(** A type of a stratified program is a type of it with barriers anywhere.  The
    converse fails: [forS x in 0..tid {sync}] has the one and not the other
    ([thread_dependent_bounds]). *)
Theorem typed_s_typed_k V s p k :
  typed_s V s p -> embeds s k -> exists q, typed_k (tid :: V) k q /\ embeds_p p q.
Proof.
  unfold typed_n. intro D. revert k.
  induction D as [V b u D | V | V s1 s2 p1 p2 D1 IH1 D2 IH2 | V x n m s p Hn Hm Hx D IH];
    intros k E; inversion E as [| | ? ? k1 k2 E1 E2 | ? ? ? ? k' E']; subst.
  - exists (QBlock u). split; constructor. exact D.
  - exists (QSync l). split; constructor.
  - destruct (IH1 _ E1) as (q1 & T1 & P1), (IH2 _ E2) as (q2 & T2 & P2).
    exists (QSeq q1 q2). split; constructor; assumption.
  - destruct (IH _ E') as (q & Tq & Pq). exists (QFor x n m q). split; constructor; auto;
      try (apply incl_tl; assumption).
    apply typed_k_same_set with (tid :: x :: V); [exact Tq | |]; intros z; cbn; tauto.
Qed.

(** A loop whose bound depends on the thread: typed with barriers anywhere, and
    not as a stratified program. *)
Example thread_dependent_bounds :
  typed_k [tid] (KFor "x"%string (Num 0) (Var tid) (KSync 0)) (QFor "x"%string (Num 0) (Var tid) (QSync 0)) /\
  forall p, ~ typed_s [] (SFor "x"%string (Num 0) (Var tid) Sync) p.
Proof.
  split.
  - constructor; [apply incl_nil_l | apply incl_refl | | constructor]. intros [E | []]. discriminate E.
  - intros p D. inversion D as [| | | ? ? ? ? ? Hn Hm Hx D']; subst. exact (Hm tid (or_introl eq_refl)).
Qed.
