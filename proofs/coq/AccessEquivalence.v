(** * T2. Access equivalence

    If [{tid} ⊢ b ▶ u], [A, b[tid:=i] ↓_{H,i} B] and [u[tid:=i] ↓ Λ_i] then
    [accesses(B) = accesses(A) ∪ Λ_i].  No history needs to be DRF. *)

From BabyCUDA Require Export Inputs Protocols Races.
Local Open Scope N_scope.

Section Relative.
Context {ins : inputs}.

(** ** One thread: T2 up to the next barrier, for a closed type [∅ ⊢ b ▶ u] *)

(** The program and its protocol stopped at one place, and what is left is typed. *)
Definition same_stop (s : stop) (t : qstop) : Prop :=
  match s, t with
  | Finished, Finished => True
  | AtBarrier l1 k, AtBarrier l2 q => l1 = l2 /\ typed [] k q
  | _, _ => False
  end.

Theorem to_barrier_access_equivalence H i A k B s :
  sees_inputs H ->
  to_barrier H i A k B s ->
  unwritten A ->
  forall q, typed [] k q ->
  exists L t, q_to_barrier q L t /\ same_stop s t /\
    forall o j, accesses B o j <-> accesses A o j \/ In (o, j) L.
Proof.
  intro HS.
  induction 1 as [R W a n m j v Hn Hm | A | A l | R W x a n k j v B s Hn L D IH
    | A k1 k2 B C s D1 IH1 D2 IH2 | A k1 k2 B l k1' D IH | A c k1 k2 B s Hc D IH
    | A c k1 k2 B s Hc D IH | A x n m k v w Hn Hm Hle | A x n m k v w B s Hn Hm Hlt D IH];
    intros HU q HT; inversion HT; subst.
  - exists [(wr, (a, j))], Finished. split; [now apply q_access |]. split; [exact I |].
    intros o j'. rewrite accesses_write. cbn. intuition congruence.
  - exists [], Finished. split; [constructor |]. split; [exact I |]. cbn. tauto.
  - exists [], (AtBarrier l USkip). repeat split; try constructor; try constructor; cbn; try tauto.
  - match goal with Tk : typed [] k _ |- _ =>
      destruct (IH HU _ (typed_data x v _ _ Tk)) as (L' & t & Dq & St & HA) end.
    exists ([(rd, (a, j))] ++ L'), t. split; [| split; [exact St |]].
    + eapply q_seq_1; [now apply q_access | exact Dq].
    + intros o j'. rewrite HA, accesses_read. cbn. intuition congruence.
  - assert (v = host (a, j)) as -> by (eapply sees_own; eassumption).
    match goal with Tk : typed [x] k _ |- _ =>
      destruct (IH HU _ (typed_body x (host (a, j)) _ _ Tk)) as (L' & t & Dq & St & HA) end.
    exists ([(rd, (a, j))] ++ L'), t. split; [| split; [exact St |]].
    + eapply q_seq_1; [now apply q_access | eapply q_input; eassumption].
    + intros o j'. rewrite HA, accesses_read. cbn. intuition congruence.
  - match goal with T1 : typed [] k1 _, T2 : typed [] k2 _ |- _ =>
      destruct (IH1 HU _ T1) as (L1 & t1 & Dq1 & St1 & HA1);
      destruct (IH2 (to_barrier_unwritten _ _ _ _ _ _ D1 _ T1 HU) _ T2)
        as (L2 & t2 & Dq2 & St2 & HA2)
    end.
    destruct t1; [| destruct St1]. exists (L1 ++ L2), t2. split; [now apply q_seq_1 |].
    split; [exact St2 |]. intros o j. rewrite HA2, HA1, in_app_iff. tauto.
  - match goal with T1 : typed [] k1 _ |- _ =>
      destruct (IH HU _ T1) as (L1 & t1 & Dq1 & St1 & HA1) end.
    destruct t1 as [| l1 q1']; [destruct St1 |]. destruct St1 as [<- T1'].
    eexists L1, _. split; [eapply q_seq_2; exact Dq1 |]. split; [| exact HA1].
    split; [reflexivity |]. now constructor.
  - match goal with T1 : typed [] k1 _ |- _ =>
      destruct (IH HU _ T1) as (L & t & Dq & St & HA) end. exists L, t. auto using q_if_t.
  - match goal with T2 : typed [] k2 _ |- _ =>
      destruct (IH HU _ T2) as (L & t & Dq & St & HA) end. exists L, t. auto using q_if_f.
  - exists [], Finished. split; [eapply q_for_1; eassumption |]. split; [exact I |]. cbn. tauto.
  - match goal with Tk : typed [x] k ?q' |- _ =>
      destruct (IH HU (USeq (subst_u x v q') (UFor x (Num (v + 1)) (Num w) q')))
        as (L & t & Dq & St & HA)
    end.
    { apply t_seq; [now apply typed_body | eapply typed_remaining, HT]. }
    exists L, t. split; [eapply q_for_2; eassumption | auto].
Qed.

(** ** To the end *)

(** A run that ends is one of its protocol. *)
Lemma thread_unsync H i A b B u :
  typed [] b u -> sees_inputs H -> unwritten A -> thread H i A b B ->
  exists L, unsync u L /\ forall o j, accesses B o j <-> accesses A o j \/ In (o, j) L.
Proof.
  intros HT HS HN D%thread_iff.
  destruct (to_barrier_access_equivalence _ _ _ _ _ _ HS D HN u HT) as (L & [|] & DL & S & HA);
    [| destruct S].
  exists L. split; [now apply unsync_iff | exact HA].
Qed.

Theorem closed_access_equivalence H i A b B :
  sees_inputs H -> unwritten A ->
  thread H i A b B ->
  forall u L, typed [] b u -> unsync u L ->
  forall o j, accesses B o j <-> accesses A o j \/ In (o, j) L.
Proof.
  intros HS HN D u L HT HU. destruct (thread_unsync _ _ _ _ _ _ HT HS HN D) as (L' & HL & HA).
  now rewrite (unsync_deterministic _ _ _ HU HL).
Qed.

(** T2. *)
Theorem access_equivalence H i A b B u L :
  typed [tid] b u ->
  sees_inputs H -> unwritten A ->
  thread H i A (subst tid i b) B ->
  unsync (subst_u tid i u) L ->
  forall o j, accesses B o j <-> accesses A o j \/ In (o, j) L.
Proof. intros HT HS HN D HU. eapply closed_access_equivalence; eauto using typed_subst_tid. Qed.

(** The threads that have accesses in [P] are threads of [T] ([P] maps [T] to
    access pairs, in the words of Fig. 5). *)
Definition threads_within (T : list N) (P : phase) : Prop :=
  forall i o j, in_phase P i o j -> In i T.

(** T2 for a phase: [{α | α ∈̂ Q} = {α | α ∈̂ P} ∪ Λ]. *)
Theorem phase_access_equivalence T P H b Q u L :
  typed [tid] b u ->
  holds_inputs (P :: H) ->
  parallel T (P :: H) b (Q :: H) ->
  unsync_all u T L ->
  threads_within T P ->
  forall a, phase_set Q a <-> phase_set P a \/ In a L.
Proof.
  intros HT [HN HS] D HU HP [[i o] j]. cbn. inversion D as [? ? ? ? F]; subst.
  rewrite (in_unsync_all u T L i o j HU). unfold in_phase.
  destruct (in_dec N.eq_dec i T) as [Hi | Hi].
  - destruct (thread_unsync H i (at_thread P i) (subst tid i b) (at_thread Q i) (subst_u tid i u))
      as (Li & HLi & _); eauto using typed_subst_tid, run_threads_at.
    rewrite (access_equivalence H i (at_thread P i) b (at_thread Q i) u Li);
      eauto using run_threads_at.
    split; intros [HA | HA]; auto.
    + right. eauto.
    + right. destruct HA as (_ & L' & HL' & HA).
      now rewrite (unsync_deterministic _ _ _ HLi HL').
  - rewrite (run_threads_outside T H P b Q i F Hi). split.
    + intro HA. now apply no_access_empty in HA.
    + intros [HA | [HA _]]; [| contradiction]. destruct Hi. eapply HP; exact HA.
Qed.

End Relative.
