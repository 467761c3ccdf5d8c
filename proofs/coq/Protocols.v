(** * Semantics of memory access protocols: [u ↓ Λ], [u ⇓ (Λ, stop)]

    A protocol runs without data: the judgment of one thread lists the accesses
    [o A[j]], that of all threads the access values [i:o[j]] of the phase.  LCL22
    uses it from the paper on protocols (CAV 2021); the rules follow the thread
    judgment, premise by premise.  With barriers anywhere, a thread of a protocol
    runs to its next barrier and yields what is left of it.  [Λ] is relative to
    what the host stored in read-only inputs. *)

From BabyCUDA Require Export Stops.
Local Open Scope N_scope.

(** One thread's accesses, in program order. *)
Definition thread_accesses := list (mode * cell).

(** An access value [α = i:o[j]], and a phase of a protocol [Λ]. *)
Definition access_value : Type := N * mode * cell.
Definition access_values := list access_value.

Ltac same_values :=
  repeat match goal with
  | E1 : ?e = Some _, E2 : ?e = Some _ |- _ =>
      rewrite E1 in E2; injection E2 as <- || discriminate E2
  end.

Section Relative.
Context {ins : inputs}.

(** ** One thread: [u ↓ Λ_i], for closed [u] *)
Inductive unsync : protocol -> thread_accesses -> Prop :=
| u_skip :
    unsync USkip []
| u_access : forall o a n j,
    eval_n n = Some j ->
    unsync (UAccess o a n) [(o, (a, j))]
| u_seq : forall u1 u2 L1 L2,
    unsync u1 L1 ->
    unsync u2 L2 ->
    unsync (USeq u1 u2) (L1 ++ L2)
| u_if_t : forall c u1 u2 L,
    eval_c c = Some true ->
    unsync u1 L ->
    unsync (UIf c u1 u2) L
| u_if_f : forall c u1 u2 L,
    eval_c c = Some false ->
    unsync u2 L ->
    unsync (UIf c u1 u2) L
| u_for_1 : forall x n m u k l,
    eval_n n = Some k ->
    eval_n m = Some l ->
    l <= k ->
    unsync (UFor x n m u) []
| u_for_2 : forall x n m u k l L1 L2,
    eval_n n = Some k ->
    eval_n m = Some l ->
    k < l ->
    unsync (subst_u x k u) L1 ->
    unsync (UFor x (Num (k + 1)) (Num l) u) L2 ->
    unsync (UFor x n m u) (L1 ++ L2)
| u_input : forall x a n u j L,
    eval_n n = Some j ->
    unsync (subst_u x (host (a, j)) u) L ->
    unsync (UInput x a n u) L.

(** ** One thread, to its next barrier: [q ⇓ (Λ_i, done)] or [q ⇓ (Λ_i, sync_ℓ ▷ q')] *)

Inductive q_to_barrier : protocol -> thread_accesses -> qstop -> Prop :=
| q_skip :
    q_to_barrier USkip [] Finished
| q_access : forall o a n j,
    eval_n n = Some j ->
    q_to_barrier (UAccess o a n) [(o, (a, j))] Finished
| q_sync : forall l,
    q_to_barrier (USync l) [] (AtBarrier l USkip)
| q_seq_1 : forall q1 q2 L1 L2 s,
    q_to_barrier q1 L1 Finished ->
    q_to_barrier q2 L2 s ->
    q_to_barrier (USeq q1 q2) (L1 ++ L2) s
| q_seq_2 : forall q1 q2 L l q1',
    q_to_barrier q1 L (AtBarrier l q1') ->
    q_to_barrier (USeq q1 q2) L (AtBarrier l (USeq q1' q2))
| q_if_t : forall c q1 q2 L s,
    eval_c c = Some true ->
    q_to_barrier q1 L s ->
    q_to_barrier (UIf c q1 q2) L s
| q_if_f : forall c q1 q2 L s,
    eval_c c = Some false ->
    q_to_barrier q2 L s ->
    q_to_barrier (UIf c q1 q2) L s
| q_for_1 : forall x n m q v w,
    eval_n n = Some v ->
    eval_n m = Some w ->
    w <= v ->
    q_to_barrier (UFor x n m q) [] Finished
| q_for_2 : forall x n m q v w L s,
    eval_n n = Some v ->
    eval_n m = Some w ->
    v < w ->
    q_to_barrier (USeq (subst_u x v q) (UFor x (Num (v + 1)) (Num w) q)) L s ->
    q_to_barrier (UFor x n m q) L s
| q_input : forall x a n q j L s,
    eval_n n = Some j ->
    q_to_barrier (subst_u x (host (a, j)) q) L s ->
    q_to_barrier (UInput x a n q) L s.

(** [u ↓ Λ_i] is a run that meets no barrier. *)
Theorem unsync_iff u L : unsync u L <-> q_to_barrier u L Finished.
Proof.
  split.
  - induction 1; eauto using q_skip, q_access, q_seq_1, q_if_t, q_if_f, q_for_1, q_for_2, q_input.
  - remember Finished as s eqn:Es. intro D. revert Es.
    induction D; intro Es; try discriminate Es; subst;
      eauto using u_skip, u_access, u_seq, u_if_t, u_if_f, u_for_1, u_input.
    specialize (IHD eq_refl). inversion IHD; subst. eauto using u_for_2.
Qed.

Lemma sync_free_u_finishes u L s : q_to_barrier u L s -> sync_free_u u = true -> s = Finished.
Proof.
  induction 1; cbn in *; rewrite ?andb_true_iff, ?sync_free_subst_u in *; intuition congruence.
Qed.

(** ** Determinism: a protocol has at most one [Λ] *)

Theorem q_to_barrier_deterministic q L1 s1 L2 s2 :
  q_to_barrier q L1 s1 -> q_to_barrier q L2 s2 -> L1 = L2 /\ s1 = s2.
Proof.
  intro D. revert L2 s2.
  induction D as [| o a n j Hn | l | q1 q2 L1 L1' s D1 IH1 D2 IH2 | q1 q2 L l q1' D IH
    | c q1 q2 L s Hc D IH | c q1 q2 L s Hc D IH | x n m q v w Hn Hm Hle
    | x n m q v w L s Hn Hm Hlt D IH | x a n q j L s Hn D IH];
    intros L2 s2 D'; inversion D'; subst; same_values; try lia; auto.
  - match goal with E : q_to_barrier q1 _ _ |- _ => apply IH1 in E as [<- _] end.
    match goal with E : q_to_barrier q2 _ _ |- _ => apply IH2 in E as [<- <-] end. auto.
  - match goal with E : q_to_barrier q1 _ _ |- _ => apply IH1 in E as [_ E]; discriminate E end.
  - match goal with E : q_to_barrier q1 _ _ |- _ => apply IH in E as [_ E]; discriminate E end.
  - match goal with E : q_to_barrier q1 _ _ |- _ => apply IH in E as [<- [= <- <-]] end. auto.
Qed.

Theorem unsync_deterministic u L1 L2 : unsync u L1 -> unsync u L2 -> L1 = L2.
Proof. rewrite !unsync_iff. intros D1 D2. eapply q_to_barrier_deterministic; eassumption. Qed.

(** ** Totality: a closed protocol runs to its next barrier *)

Lemma q_seq_total q1 q2 :
  (exists L s, q_to_barrier q1 L s) -> (exists L s, q_to_barrier q2 L s) ->
  exists L s, q_to_barrier (USeq q1 q2) L s.
Proof.
  intros (L1 & [| l q1'] & D1) (L2 & s2 & D2); [eauto using q_seq_1 |]. eauto using q_seq_2.
Qed.

Lemma q_for_total x q w :
  (forall v, exists L s, q_to_barrier (subst_u x v q) L s) ->
  forall v, exists L s, q_to_barrier (UFor x (Num v) (Num w) q) L s.
Proof.
  intros Hbody v. remember (N.to_nat (w - v)) as d eqn:Hd. revert v Hd.
  induction d as [| d IH]; intros v Hd.
  - exists [], Finished. eapply q_for_1; try reflexivity. lia.
  - destruct (q_seq_total (subst_u x v q) (UFor x (Num (v + 1)) (Num w) q) (Hbody v))
      as (L & s & D); [apply IH; lia |].
    exists L, s. eapply q_for_2; try reflexivity; [lia | exact D].
Qed.

Theorem closed_q_total u : incl (fv_u u) [] -> exists L s, q_to_barrier u L s.
Proof.
  remember (depth_u u) as d eqn:Hd. assert (Hle : (depth_u u <= d)%nat) by lia. clear Hd.
  revert u Hle. induction d as [| d IH]; intros [| o a n | u1 u2 | c u1 u2 | x n m u | l | x a n u] Hle Hc;
    cbn in Hle, Hc; try lia.
  - eauto using q_skip.
  - destruct (closed_n_evaluates n Hc) as [j Hj]. eauto using q_access.
  - apply incl_app_inv in Hc as [H1 H2]. apply q_seq_total; apply IH; auto; lia.
  - apply incl_app_inv in Hc as [H0 [H1 H2]%incl_app_inv].
    destruct (closed_c_evaluates c H0) as [[] Ht].
    + destruct (IH u1) as (L & s & D); [lia | assumption |]. eauto using q_if_t.
    + destruct (IH u2) as (L & s & D); [lia | assumption |]. eauto using q_if_f.
  - apply incl_app_inv in Hc as [Hn [Hm Hb]%incl_app_inv].
    destruct (closed_n_evaluates n Hn) as [v Hv], (closed_n_evaluates m Hm) as [w Hw].
    destruct (q_for_total x u w) with (v := v) as (L & s & D).
    { intro v'. apply IH; [rewrite depth_subst_u; lia | now apply body_closes_u]. }
    exists L, s. inversion D; subst; numbers; eauto using q_for_1, q_for_2.
  - eauto using q_sync.
  - apply incl_app_inv in Hc as [Hn Hb]. destruct (closed_n_evaluates n Hn) as [j Hj].
    destruct (IH (subst_u x (host (a, j)) u)) as (L & s & D);
      [rewrite depth_subst_u; lia | now apply body_closes_u |]. eauto using q_input.
Qed.

Theorem closed_unsync_total u :
  sync_free_u u = true -> incl (fv_u u) [] -> exists L, unsync u L.
Proof.
  intros HS HC. destruct (closed_q_total u HC) as (L & s & D). exists L. apply unsync_iff.
  now rewrite <- (sync_free_u_finishes _ _ _ D HS).
Qed.

(** ** All threads: [u ↓ Λ] with [Λ = { i:o[j] | u[tid := i] ↓ Λ_i, o[j] ∈ Λ_i }] *)

Definition with_thread (i : N) (L : thread_accesses) : access_values :=
  map (fun a => (i, fst a, snd a)) L.

Inductive unsync_all (u : protocol) : list N -> access_values -> Prop :=
| all_nil :
    unsync_all u [] []
| all_cons : forall i T L Ls,
    unsync (subst_u tid i u) L ->
    unsync_all u T Ls ->
    unsync_all u (i :: T) (with_thread i L ++ Ls).

Lemma in_with_thread i L i' o j :
  In (i', o, j) (with_thread i L) <-> i' = i /\ In (o, j) L.
Proof.
  unfold with_thread. rewrite in_map_iff. split.
  - intros ([o' j'] & [= <- <- <-] & Hin). auto.
  - intros [-> Hin]. exists (o, j). auto.
Qed.

Theorem unsync_all_deterministic u T L1 L2 :
  unsync_all u T L1 -> unsync_all u T L2 -> L1 = L2.
Proof.
  intro D. revert L2. induction D; inversion 1; subst; [reflexivity |].
  f_equal; [f_equal; eapply unsync_deterministic |]; eauto.
Qed.

Theorem closed_unsync_all_total u T :
  sync_free_u u = true -> incl (fv_u u) [tid] -> exists L, unsync_all u T L.
Proof.
  intros HS Hc. induction T as [| i T [Ls D]].
  - exists []. constructor.
  - destruct (closed_unsync_total (subst_u tid i u)) as [L DL]; [now rewrite sync_free_subst_u | now apply subst_u_closes |].
    eauto using all_cons.
Qed.

(** [i:o[j] ∈ Λ] iff [i ∈ T] and [o[j]] is an access of [u[tid := i]]. *)
Theorem in_unsync_all u T L i o j :
  unsync_all u T L ->
  In (i, o, j) L <-> In i T /\ exists Li, unsync (subst_u tid i u) Li /\ In (o, j) Li.
Proof.
  induction 1 as [| i' T Li Ls Du D IH]; cbn.
  - tauto.
  - rewrite in_app_iff, in_with_thread, IH. split.
    + intros [[-> Hin] | [Hi E]]; eauto.
    + intros [[<- | Hi] (L' & D' & Hin)]; [left | right; eauto].
      now rewrite (unsync_deterministic _ _ _ Du D').
Qed.

(** Every thread has its [Λ_i]. *)
Lemma unsync_all_at u T L i :
  unsync_all u T L -> In i T -> exists Li, unsync (subst_u tid i u) Li.
Proof. induction 1; [intros [] | intros [<- | Hi]]; eauto. Qed.

End Relative.
