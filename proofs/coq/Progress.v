(** * T3. Progress

    A closed program is stuck only on [⊥]: it arrives at a barrier or at its end,
    or it reaches a read of a cell that has no last write.  A closed well-typed
    program whose contents cover every cell that its protocol reads is never stuck. *)

From BabyCUDA Require Export AccessEquivalence.
Local Open Scope N_scope.

Section Relative.
Context {ins : inputs}.

(** ** Reaching a read of [⊥]

    [reads_undefined H i A b j]: thread [i], started with [A] on [b], reaches a
    read of index [j] at which [lastwrite] is undefined, before any barrier. *)
Inductive reads_undefined (H : history) (i : N) : access_pair -> prog -> cell -> Prop :=
| undefined_here : forall R W x a n k j,
    eval_n n = Some j ->
    undefined (a, j) (singleton i (R, W) :: H) ->
    reads_undefined H i (R, W) (Read x a n k) (a, j)
| undefined_read : forall R W x a n k j v j',
    eval_n n = Some j ->
    lastwrite (a, j) (singleton i (R, W) :: H) v ->
    reads_undefined H i (add_read (a, j) R, W) (subst x v k) j' ->
    reads_undefined H i (R, W) (Read x a n k) j'
| undefined_seq_1 : forall A k1 k2 j,
    reads_undefined H i A k1 j ->
    reads_undefined H i A (Seq k1 k2) j
| undefined_seq_2 : forall A k1 k2 B j,
    to_barrier H i A k1 B Finished ->
    reads_undefined H i B k2 j ->
    reads_undefined H i A (Seq k1 k2) j
| undefined_if_t : forall A c k1 k2 j,
    eval_c c = Some true ->
    reads_undefined H i A k1 j ->
    reads_undefined H i A (If c k1 k2) j
| undefined_if_f : forall A c k1 k2 j,
    eval_c c = Some false ->
    reads_undefined H i A k2 j ->
    reads_undefined H i A (If c k1 k2) j
| undefined_for : forall A x n m k v w j,
    eval_n n = Some v -> eval_n m = Some w -> v < w ->
    reads_undefined H i A (Seq (subst x v k) (For x (Num (v + 1)) (Num w) k)) j ->
    reads_undefined H i A (For x n m k) j.

Definition progresses (H : history) (i : N) (A : access_pair) (k : prog) : Prop :=
  (exists B s, to_barrier H i A k B s) \/ (exists j, reads_undefined H i A k j).

Lemma seq_progresses H i A k1 k2 :
  progresses H i A k1 -> (forall B, progresses H i B k2) -> progresses H i A (Seq k1 k2).
Proof.
  intros [(B & [| l k1'] & D) | [j Hj]] H2.
  - destruct (H2 B) as [(C & s & DC) | [j Hj]].
    + left. eauto using b_seq_1.
    + right. eauto using undefined_seq_2.
  - left. eauto using b_seq_2.
  - right. eauto using undefined_seq_1.
Qed.

Lemma for_progresses H i x k w :
  (forall A v, progresses H i A (subst x v k)) ->
  forall A v, progresses H i A (For x (Num v) (Num w) k).
Proof.
  intros Hbody A v. remember (N.to_nat (w - v)) as d eqn:Hd. revert A v Hd.
  induction d as [| d IH]; intros A v Hd.
  - left. exists A, Finished. eapply b_for_1; try reflexivity. lia.
  - assert (Hlt : v < w) by lia.
    destruct (seq_progresses H i A (subst x v k) (For x (Num (v + 1)) (Num w) k))
      as [(B & s & D) | [j Hj]]; auto.
    + intro B. apply IH. lia.
    + left. exists B, s. eapply b_for_2; try reflexivity; eassumption.
    + right. exists j. eapply undefined_for; try reflexivity; eassumption.
Qed.

(** T3, first half, for one thread. *)
Theorem to_barrier_stuck_only_on_undefined H i A k : incl (fv k) [] -> progresses H i A k.
Proof.
  remember (depth k) as d eqn:Hd. assert (Hle : (depth k <= d)%nat) by lia.
  clear Hd. revert A k Hle.
  induction d as [| d IH]; intros [R W] [a n m | x a n k | k1 k2 | c k1 k2 | x n m k | | l] Hle Hc;
    cbn in Hle, Hc; try lia.
  - apply incl_app_inv in Hc as [Hn Hm].
    destruct (closed_n_evaluates n Hn) as [j Hj], (closed_n_evaluates m Hm) as [v Hv].
    left. eauto using b_write.
  - apply incl_app_inv in Hc as [Hn Hb]. destruct (closed_n_evaluates n Hn) as [j Hj].
    destruct (lastwrite_or_undefined (a, j) (singleton i (R, W) :: H)) as [[v Hv] | HU].
    + destruct (IH (add_read (a, j) R, W) (subst x v k)) as [(B & s & D) | [j' Hj']].
      * rewrite depth_subst. lia.
      * now apply body_closes.
      * left. eauto using b_read.
      * right. eauto using undefined_read.
    + right. eauto using undefined_here.
  - apply incl_app_inv in Hc as [H1 H2].
    apply seq_progresses; [apply IH | intro B; apply IH]; auto; lia.
  - apply incl_app_inv in Hc as [H0 [H1 H2]%incl_app_inv].
    destruct (closed_c_evaluates c H0) as [[] Ht].
    + destruct (IH (R, W) k1) as [(B & s & D) | [j Hj]]; [lia | assumption | |].
      * left. eauto using b_if_t.
      * right. eauto using undefined_if_t.
    + destruct (IH (R, W) k2) as [(B & s & D) | [j Hj]]; [lia | assumption | |].
      * left. eauto using b_if_f.
      * right. eauto using undefined_if_f.
  - apply incl_app_inv in Hc as [Hn [Hm Hb]%incl_app_inv].
    destruct (closed_n_evaluates n Hn) as [v Hv], (closed_n_evaluates m Hm) as [w Hw].
    assert (Hbody : forall A v, progresses H i A (subst x v k)).
    { intros A' v'. apply IH; [rewrite depth_subst; lia | now apply body_closes]. }
    destruct (for_progresses H i x k w Hbody (R, W) v) as [(B & s & D) | [j D]].
    + left. exists B, s.
      inversion D; subst; numbers; eauto using b_for_1, b_for_2.
    + right. exists j.
      inversion D; subst; numbers; eauto using undefined_for.
  - left. eauto using b_skip.
  - left. eauto using b_sync.
Qed.

(** The same without barriers: a result, or a read of [⊥]. *)
Theorem stuck_only_on_undefined H i A b :
  sync_free b = true -> incl (fv b) [] ->
  (exists B, thread H i A b B) \/ (exists j, reads_undefined H i A b j).
Proof.
  intros HS HC. destruct (to_barrier_stuck_only_on_undefined H i A b HC) as [(B & s & D) | E]; [| now right].
  left. exists B. apply thread_iff. now rewrite <- (sync_free_finishes _ _ _ _ _ _ D HS).
Qed.

(** A read of [⊥] by a well-typed program is a read of its protocol, of a cell
    that no older phase wrote. *)
Lemma reads_undefined_in_protocol H i A k j :
  sees_inputs H ->
  reads_undefined H i A k j -> unwritten A ->
  forall q L s, typed [] k q -> q_to_barrier q L s -> In (rd, j) L /\ undefined j H.
Proof.
  intro HS. induction 1 as [R W x a n k j Hn HU | R W x a n k j v j' Hn L0 D IH | A k1 k2 j D IH
    | A k1 k2 B j D1 D2 IH | A c k1 k2 j Hc D IH | A c k1 k2 j Hc D IH | A x n m k v w j Hn Hm Hlt D IH];
    intros HN q L s HT HQ; inversion HT; subst; inversion HQ; subst; same_values; try lia;
    repeat match goal with
    | E : q_to_barrier (UAccess rd _ _) _ _ |- _ => inversion E; subst; clear E; same_values
    end.
  - split; [now left |]. intros v Hv. destruct (lookup (a, j) W) as [v' |] eqn:E.
    + apply (HU v'), lastwrite_own. now left.
    + apply (HU v), lastwrite_own. now right.
  - split; [now left |]. intros v Hv. destruct (lookup (a, j) W) as [v' |] eqn:E.
    + apply (HU v'), lastwrite_own. now left.
    + apply (HU v), lastwrite_own. now right.
  - match goal with Tk : typed [] k ?q', Dq : q_to_barrier ?q' _ _ |- _ =>
      destruct (IH HN _ _ _ (typed_data x v _ _ Tk) Dq) end.
    split; [now right | assumption].
  - assert (v = host (a, j)) as -> by (eapply sees_own; eassumption).
    match goal with Dq : q_to_barrier (UInput _ _ _ _) _ _ |- _ => inversion Dq; subst; same_values end.
    match goal with Tk : typed [x] k ?q', Dq : q_to_barrier _ ?L' s |- In _ (_ ++ ?L') /\ _ =>
      destruct (IH HN _ _ _ (typed_body x (host (a, j)) _ _ Tk) Dq) end.
    split; [now right | assumption].
  - edestruct IH; eauto. split; [apply in_app_iff; now left | assumption].
  - edestruct IH; eauto.
  - match goal with T2 : typed [] k2 _, Q2 : q_to_barrier ?q2 _ s |- _ =>
      destruct (IH ltac:(eapply to_barrier_unwritten; eassumption) _ _ _ T2 Q2) end. split; [apply in_app_iff; now right | assumption].
  - match goal with T1 : typed [] k1 ?q1, Q1 : q_to_barrier ?q1 _ _ |- _ =>
      destruct (to_barrier_access_equivalence _ _ _ _ _ _ HS D1 HN _ T1) as (L' & t & Dq & St & _);
      destruct (q_to_barrier_deterministic _ _ _ _ _ Q1 Dq) as [_ <-] end. destruct St.
  - eauto.
  - eauto.
  - match goal with Tk : typed [x] k ?q', Dq : q_to_barrier (USeq _ _) _ _ |- _ =>
      eapply IH; [exact HN | | exact Dq] end.
    apply t_seq; [now apply typed_body | eapply typed_remaining, HT].
Qed.

(** [H] covers the reads of [Λ_i]: every cell read has a last write. *)
Definition covers (H : history) (L : thread_accesses) : Prop :=
  forall j, In (rd, j) L -> exists k, lastwrite j H k.

(** T3, second half: contents that cover the reads leave no thread stuck. *)
Theorem covered_program_progresses H i A b u L :
  typed [] b u -> sees_inputs H -> unwritten A ->
  incl (fv b) [] -> unsync u L -> covers H L ->
  exists B, thread H i A b B.
Proof.
  intros HT HS HN Hc HU%unsync_iff HC.
  destruct (to_barrier_stuck_only_on_undefined H i A b Hc) as [(B & s & D) | [j Hj]].
  - exists B. apply thread_iff.
    destruct (to_barrier_access_equivalence _ _ _ _ _ _ HS D HN u HT) as (L' & t & DL & S & _).
    destruct (q_to_barrier_deterministic _ _ _ _ _ HU DL) as [_ <-]. now destruct s.
  - destruct (reads_undefined_in_protocol _ _ _ _ _ HS Hj HN u L _ HT HU) as [Hin Hun].
    destruct (HC j Hin) as [k Hk]. destruct (Hun k Hk).
Qed.

(** T3 for a phase: [P :: H, b] has a result when [H] covers the reads of [Λ]. *)
Theorem covered_phase_progresses T P H b u L :
  typed [tid] b u -> holds_inputs (P :: H) -> incl (fv b) [tid] -> unsync_all u T L ->
  (forall i j, In (i, rd, j) L -> exists k, lastwrite j H k) ->
  exists Q, parallel T (P :: H) b (Q :: H).
Proof.
  intros HT [HN HS] Hc HU HC. destruct (run_threads_exist T H P b) as [Q HQ].
  - intros i Hi.
    destruct (unsync_all_at u T L i HU Hi) as [Li HLi].
    eapply covered_program_progresses; eauto using typed_subst_tid, subst_closes.
    intros j Hj. apply (HC i). apply (in_unsync_all u T L i rd j HU). eauto.
  - exists Q. now constructor.
Qed.

End Relative.
