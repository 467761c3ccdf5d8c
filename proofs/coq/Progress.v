(** * T3. Progress

    A closed program is stuck only on [⊥]: it has a result, or it reaches a read
    of a cell that has no last write.  A closed well-typed program whose
    contents cover every cell that its protocol reads is never stuck. *)

From BabyCUDA Require Export AccessEquivalence.
Local Open Scope N_scope.

(** ** Reaching a read of [⊥]

    [reads_undefined H i A b j]: thread [i], started with [A] on [b], reaches a
    read of index [j] at which [lastwrite] is undefined. *)
Inductive reads_undefined (H : history) (i : N) : access_pair -> prog -> N -> Prop :=
| undefined_here : forall R W x n b j,
    eval_n n = Some j ->
    undefined j (singleton i (R, W) :: H) ->
    reads_undefined H i (R, W) (Read x n b) j
| undefined_read : forall R W x n b j k j',
    eval_n n = Some j ->
    lastwrite j (singleton i (R, W) :: H) k ->
    reads_undefined H i (add_read j R, W) (subst x k b) j' ->
    reads_undefined H i (R, W) (Read x n b) j'
| undefined_seq_1 : forall A b1 b2 j,
    reads_undefined H i A b1 j ->
    reads_undefined H i A (Seq b1 b2) j
| undefined_seq_2 : forall A b1 b2 B j,
    thread H i A b1 B ->
    reads_undefined H i B b2 j ->
    reads_undefined H i A (Seq b1 b2) j
| undefined_if_t : forall A c b1 b2 j,
    eval_c c = Some true ->
    reads_undefined H i A b1 j ->
    reads_undefined H i A (If c b1 b2) j
| undefined_if_f : forall A c b1 b2 j,
    eval_c c = Some false ->
    reads_undefined H i A b2 j ->
    reads_undefined H i A (If c b1 b2) j
| undefined_for_1 : forall A x n m b k l j,
    eval_n n = Some k -> eval_n m = Some l -> k < l ->
    reads_undefined H i A (subst x k b) j ->
    reads_undefined H i A (For x n m b) j
| undefined_for_2 : forall A x n m b k l B j,
    eval_n n = Some k -> eval_n m = Some l -> k < l ->
    thread H i A (subst x k b) B ->
    reads_undefined H i B (For x (Num (k + 1)) (Num l) b) j ->
    reads_undefined H i A (For x n m b) j.

(** A result, or a read of [⊥]. *)
Definition progresses (H : history) (i : N) (A : access_pair) (b : prog) : Prop :=
  (exists B, thread H i A b B) \/ (exists j, reads_undefined H i A b j).

(** A loop progresses when its body does in every iteration. *)
Lemma loop_progresses H i x b l :
  (forall A k, progresses H i A (subst x k b)) ->
  forall A k, progresses H i A (For x (Num k) (Num l) b).
Proof.
  intros Hbody A k. remember (N.to_nat (l - k)) as d eqn:Hd. revert A k Hd.
  induction d as [| d IH]; intros A k Hd.
  - left. exists A. eapply for_1; try reflexivity. lia.
  - assert (Hlt : k < l) by lia.
    destruct (Hbody A k) as [[B DB] | [j Hj]].
    + destruct (IH B (k + 1)) as [[C DC] | [j Hj]]; [lia | |].
      * left. exists C. eapply for_2; try reflexivity; eassumption.
      * right. exists j. eapply undefined_for_2; try reflexivity; eassumption.
    + right. exists j. eapply undefined_for_1; try reflexivity; eassumption.
Qed.

(** T3, first half: a closed program is stuck only on [⊥]. *)
Theorem stuck_only_on_undefined H i A b : incl (fv b) [] -> progresses H i A b.
Proof.
  remember (depth b) as d eqn:Hd. assert (Hle : (depth b <= d)%nat) by lia. clear Hd.
  revert A b Hle.
  induction d as [| d IH]; intros A [n m | x n b | b1 b2 | c b1 b2 | x n m b |] Hle Hc;
    cbn in Hle, Hc; try lia.
  - apply incl_app_inv in Hc as [Hn Hm]. destruct A as [R W].
    destruct (closed_n_evaluates n Hn) as [j Hj], (closed_n_evaluates m Hm) as [k Hk].
    left. eauto using write.
  - apply incl_app_inv in Hc as [Hn Hb]. destruct A as [R W].
    destruct (closed_n_evaluates n Hn) as [j Hj].
    destruct (lastwrite_or_undefined j (singleton i (R, W) :: H)) as [[k Hk] | HU].
    + destruct (IH (add_read j R, W) (subst x k b)) as [[B DB] | [j' Hj']].
      * cbn. rewrite depth_subst. lia.
      * now apply body_closes.
      * left. eauto using read.
      * right. eauto using undefined_read.
    + right. eauto using undefined_here.
  - apply incl_app_inv in Hc as [H1 H2].
    destruct (IH A b1) as [[B DB] | [j Hj]]; [lia | assumption | |].
    + destruct (IH B b2) as [[C DC] | [j Hj]]; [lia | assumption | |].
      * left. eauto using Thread.seq.
      * right. eauto using undefined_seq_2.
    + right. eauto using undefined_seq_1.
  - apply incl_app_inv in Hc as [H0 [H1 H2]%incl_app_inv].
    destruct (closed_c_evaluates c H0) as [[] Ht].
    + destruct (IH A b1) as [[B DB] | [j Hj]]; [lia | assumption | |].
      * left. eauto using if_t.
      * right. eauto using undefined_if_t.
    + destruct (IH A b2) as [[B DB] | [j Hj]]; [lia | assumption | |].
      * left. eauto using if_f.
      * right. eauto using undefined_if_f.
  - apply incl_app_inv in Hc as [Hn [Hm Hb]%incl_app_inv].
    destruct (closed_n_evaluates n Hn) as [k Hk], (closed_n_evaluates m Hm) as [l Hl].
    assert (Hbody : forall A k, progresses H i A (subst x k b)).
    { intros A' k'. apply IH; [rewrite depth_subst; lia | now apply body_closes]. }
    destruct (loop_progresses H i x b l Hbody A k) as [[B D] | [j D]].
    + left. exists B.
      inversion D; subst; cbn in *; repeat match goal with E : Some _ = Some _ |- _ =>
        injection E as <- end; eauto using for_1, for_2.
    + right. exists j.
      inversion D; subst; cbn in *; repeat match goal with E : Some _ = Some _ |- _ =>
        injection E as <- end; eauto using undefined_for_1, undefined_for_2.
  - left. eauto using skip.
Qed.

(** A read of [⊥] by a well-typed program is a read of its protocol, of a cell
    that no older phase wrote. *)
Lemma reads_undefined_in_protocol H i A b j :
  reads_undefined H i A b j ->
  forall u L, typed [] b u -> unsync u L -> In (rd, j) L /\ undefined j H.
Proof.
  induction 1; intros u L HT HU; inversion HT; subst; inversion HU; subst; same_values; try lia;
    try match goal with HA : unsync (UAccess rd _) _ |- _ => inversion HA; subst; same_values end.
  - split; [now left |]. intros k Hk.
    destruct (lookup j W) as [k' |] eqn:E.
    + apply (H1 k'), lastwrite_own. now left.
    + apply (H1 k), lastwrite_own. now right.
  - edestruct IHreads_undefined; eauto using typed_data. split; [now right | assumption].
  - edestruct IHreads_undefined; eauto. split; [apply in_app_iff; now left | assumption].
  - edestruct IHreads_undefined; eauto. split; [apply in_app_iff; now right | assumption].
  - eauto.
  - eauto.
  - edestruct IHreads_undefined; eauto using typed_body.
    split; [apply in_app_iff; now left | assumption].
  - edestruct IHreads_undefined; eauto using typed_remaining.
    split; [apply in_app_iff; now right | assumption].
Qed.

(** [H] covers the reads of [Λ_i]: every cell read has a last write. *)
Definition covers (H : history) (L : thread_accesses) : Prop :=
  forall j, In (rd, j) L -> exists k, lastwrite j H k.

(** T3, second half: contents that cover the reads leave no thread stuck. *)
Theorem covered_program_progresses H i A b u L :
  typed [] b u -> incl (fv b) [] -> unsync u L -> covers H L ->
  exists B, thread H i A b B.
Proof.
  intros HT Hc HU HC. destruct (stuck_only_on_undefined H i A b Hc) as [HB | [j Hj]]; [exact HB |].
  destruct (reads_undefined_in_protocol _ _ _ _ _ Hj u L HT HU) as [Hin Hun].
  destruct (HC j Hin) as [k Hk]. destruct (Hun k Hk).
Qed.

(** T3 for a phase: [P :: H, b] has a result when [H] covers the reads of [Λ]. *)
Theorem covered_phase_progresses T P H b u L :
  typed [tid] b u -> incl (fv b) [tid] -> unsync_all u T L ->
  (forall i j, In (i, rd, j) L -> exists k, lastwrite j H k) ->
  exists Q, parallel T (P :: H) b (Q :: H).
Proof.
  intros HT Hc HU HC. destruct (run_threads_exist T H P b) as [Q HQ].
  - intros i Hi.
    destruct (closed_unsync_total (subst_u tid i u)) as [Li HLi].
    { apply subst_u_closes. eapply typed_fv; eassumption. }
    eapply covered_program_progresses; eauto using typed_subst_tid, subst_closes.
    intros j Hj. apply (HC i). apply (in_unsync_all u T L i rd j HU). eauto.
  - exists Q. now constructor.
Qed.
