(** * Semantics of unsynchronized memory access protocols: [u ↓ Λ]

    A protocol runs without data: the judgment of one thread lists the accesses
    [o[j]], that of all threads the access values [i:o[j]] of the phase.  LCL22
    uses it from the paper on protocols (CAV 2021); the rules follow the thread
    judgment, premise by premise. *)

From BabyCUDA Require Export Syntax.
Local Open Scope N_scope.

(** One thread's accesses, in program order. *)
Definition thread_accesses := list (mode * N).

(** An access value [α = i:o[j]], and a phase of a protocol [Λ]. *)
Definition access_value : Type := N * mode * N.
Definition access_values := list access_value.

(** ** One thread: [u ↓ Λ_i], for closed [u] *)
Inductive unsync : protocol -> thread_accesses -> Prop :=
| u_skip :
    unsync USkip []
| u_access : forall o n j,
    eval_n n = Some j ->
    unsync (UAccess o n) [(o, j)]
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
    unsync (UFor x n m u) (L1 ++ L2).

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

(** ** Determinism: a protocol has at most one [Λ] *)

Ltac same_values :=
  repeat match goal with
  | E1 : ?e = Some _, E2 : ?e = Some _ |- _ =>
      rewrite E1 in E2; injection E2 as <- || discriminate E2
  end.

Theorem unsync_deterministic u L1 L2 : unsync u L1 -> unsync u L2 -> L1 = L2.
Proof.
  intro D. revert L2. induction D; inversion 1; subst; same_values; try lia; try congruence.
  - f_equal; auto.
  - auto.
  - auto.
  - f_equal; auto.
Qed.

Theorem unsync_all_deterministic u T L1 L2 :
  unsync_all u T L1 -> unsync_all u T L2 -> L1 = L2.
Proof.
  intro D. revert L2. induction D; inversion 1; subst; [reflexivity |].
  f_equal; [f_equal; eapply unsync_deterministic |]; eauto.
Qed.

(** ** Totality: a closed protocol has a [Λ] *)

(** A loop has a [Λ] when its body has one in every iteration. *)
Lemma unsync_loop x u l :
  (forall k, exists L, unsync (subst_u x k u) L) ->
  forall k, exists L, unsync (UFor x (Num k) (Num l) u) L.
Proof.
  intros Hbody k. remember (N.to_nat (l - k)) as d eqn:Hd. revert k Hd.
  induction d as [| d IH]; intros k Hd.
  - exists []. eapply u_for_1; try reflexivity. lia.
  - destruct (Hbody k) as [L1 H1], (IH (k + 1)) as [L2 H2]; [lia |].
    exists (L1 ++ L2). eapply u_for_2; try reflexivity; eauto. lia.
Qed.

Theorem closed_unsync_total u : incl (fv_u u) [] -> exists L, unsync u L.
Proof.
  remember (depth_u u) as d eqn:Hd. assert (Hle : (depth_u u <= d)%nat) by lia. clear Hd.
  revert u Hle. induction d as [| d IH]; intros [| o n | u1 u2 | c u1 u2 | x n m u] Hle Hc;
    cbn in Hle, Hc; try lia.
  - eauto using u_skip.
  - destruct (closed_n_evaluates n Hc) as [j Hj]. eauto using u_access.
  - apply incl_app_inv in Hc as [H1 H2].
    destruct (IH u1) as [L1 D1]; [lia | assumption |].
    destruct (IH u2) as [L2 D2]; [lia | assumption |]. eauto using u_seq.
  - apply incl_app_inv in Hc as [H0 [H1 H2]%incl_app_inv].
    destruct (closed_c_evaluates c H0) as [[] Ht].
    + destruct (IH u1) as [L D]; [lia | assumption |]. eauto using u_if_t.
    + destruct (IH u2) as [L D]; [lia | assumption |]. eauto using u_if_f.
  - apply incl_app_inv in Hc as [Hn [Hm Hb]%incl_app_inv].
    destruct (closed_n_evaluates n Hn) as [k Hk], (closed_n_evaluates m Hm) as [l Hl].
    assert (Hbody : forall k, exists L, unsync (subst_u x k u) L).
    { intro k'. apply IH; [rewrite depth_subst_u; lia | now apply body_closes_u]. }
    destruct (unsync_loop x u l Hbody k) as [L D].
    exists L. inversion D as [| | | | | ? ? ? ? k' l' E1 E2 Hge | ? ? ? ? k' l' L1 L2 E1 E2 Hlt D1 D2];
      subst; cbn in E1, E2; injection E1 as <-; injection E2 as <-.
    + eauto using u_for_1.
    + eauto using u_for_2.
Qed.

Theorem closed_unsync_all_total u T : incl (fv_u u) [tid] -> exists L, unsync_all u T L.
Proof.
  intro Hc. induction T as [| i T [Ls D]].
  - exists []. constructor.
  - destruct (closed_unsync_total (subst_u tid i u)) as [L DL]; [now apply subst_u_closes |].
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
