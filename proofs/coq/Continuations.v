(** * Programs under continuations

    For the agreement of the two semantics on the stratified language: threads
    that run like others, and blocks of such threads. *)

From BabyCUDA Require Export SameHistories.
Local Open Scope N_scope.

(** ** Programs under continuations: [plug k [c1; c2]] is [(k; c1); c2] *)

Definition plug (k : prog) (cs : list prog) : prog := fold_left Seq cs k.

(** What runs like [k] runs like [k] under continuations. *)
Lemma to_barrier_plug H i cs :
  forall A A' k k',
    (forall B s, to_barrier H i A' k' B s -> to_barrier H i A k B s) ->
    forall B s, to_barrier H i A' (plug k' cs) B s -> to_barrier H i A (plug k cs) B s.
Proof.
  induction cs as [| c cs IH]; cbn; intros A A' k k' Hk B s D; [auto |].
  apply IH with (A' := A') (k' := Seq k' c); [| exact D].
  intros B' s' D'. inversion D'; subst; eauto using b_seq_1, b_seq_2.
Qed.

Lemma plug_barrier H i cs :
  forall A k B l k', to_barrier H i A k B (AtBarrier l k') ->
  to_barrier H i A (plug k cs) B (AtBarrier l (plug k' cs)).
Proof. induction cs as [| c cs IH]; cbn; intros A k B l k' D; eauto using b_seq_2. Qed.

Lemma skip_to_barrier H i A B s : to_barrier H i A Skip B s -> B = A /\ s = Finished.
Proof.
  now inversion 1.
Qed.

(** A block under continuations runs, and then the continuations do. *)
Lemma plug_block_inv H i b cs A B s :
  sync_free b = true ->
  to_barrier H i A (plug b cs) B s ->
  exists C, thread H i A b C /\ to_barrier H i C (plug Skip cs) B s.
Proof.
  intro HS. enough (G : forall k k',
    (forall B s, to_barrier H i A k B s -> exists C, thread H i A b C /\ to_barrier H i C k' B s) ->
    forall B s, to_barrier H i A (plug k cs) B s ->
    exists C, thread H i A b C /\ to_barrier H i C (plug k' cs) B s).
  { apply G. intros B' s' D. assert (s' = Finished) as -> by (eapply sync_free_finishes; eassumption).
    exists B'. split; [now apply thread_iff | apply b_skip]. }
  clear. induction cs as [| c cs IH]; cbn; intros k k' Hk B s D; [auto |].
  eapply IH; [| exact D]. intros B' s' D'. inversion D'; subst.
  - match goal with E : to_barrier _ _ _ k _ _ |- _ => apply Hk in E as (C & DC & E) end.
    eauto using b_seq_1.
  - match goal with E : to_barrier _ _ _ k _ _ |- _ => apply Hk in E as (C & DC & E) end.
    eauto using b_seq_2.
Qed.

Lemma plug_sync_inv H i l cs A B s :
  to_barrier H i A (plug (Sync l) cs) B s -> B = A /\ s = AtBarrier l (plug Skip cs).
Proof.
  enough (G : forall k k',
    (forall B s, to_barrier H i A k B s -> B = A /\ s = AtBarrier l k') ->
    forall B s, to_barrier H i A (plug k cs) B s -> B = A /\ s = AtBarrier l (plug k' cs)).
  { apply G. intros B' s' D. inversion D; subst. auto. }
  clear. induction cs as [| c cs IH]; cbn; intros k k' Hk B s D; [auto |].
  eapply IH; [| exact D]. intros B' s' D'. inversion D'; subst.
  - match goal with E : to_barrier _ _ _ k _ _ |- _ => apply Hk in E as [_ E]; discriminate E end.
  - match goal with E : to_barrier _ _ _ k _ _ |- _ => apply Hk in E as [-> [= -> ->]] end. auto.
Qed.

Section Pool.
Variable T : list N.
Context (some_thread : T <> []).

(** All threads of [T], thread [i] with [f i] left to run. *)
Definition pool (f : N -> prog) : remaining := map (fun i => (i, f i)) T.

Lemma all_to_barrier_pool H P P' f f' Q ss :
  all_to_barrier H P' (pool f') Q ss ->
  (forall i, In i T -> forall B s,
     to_barrier H i (at_thread P' i) (f' i) B s -> to_barrier H i (at_thread P i) (f i) B s) ->
  all_to_barrier H P (pool f) Q ss.
Proof.
  unfold pool. clear some_thread. revert Q ss.
  induction T as [| i T' IH]; cbn; intros Q ss D Hf; inversion D; subst; constructor; auto.
Qed.

(** What runs like [f'] from [P'], thread by thread, has the same outcomes. *)
Lemma block_run_pool H P P' f f' out :
  block_run (P' :: H) (pool f') out ->
  (forall i, In i T -> forall B s,
     to_barrier H i (at_thread P' i) (f' i) B s -> to_barrier H i (at_thread P i) (f i) B s) ->
  block_run (P :: H) (pool f) out.
Proof.
  intros R Hf. inversion R; subst.
  - eapply block_ends; [eapply all_to_barrier_pool |]; eassumption.
  - eapply block_syncs; try eassumption; [eapply all_to_barrier_pool; eassumption |].
    unfold pool. destruct T; [contradiction | discriminate].
  - eapply block_diverges; try eassumption. eapply all_to_barrier_pool; eassumption.
Qed.

(** [H'] with [f'] to run is a later point of [H] with [f] to run. *)
Definition leads (H : history) (f : N -> prog) (H' : history) (f' : N -> prog) : Prop :=
  forall out', block_run H' (pool f') out' ->
  exists out, block_run H (pool f) out /\ same_outcome out' out.

Lemma leads_trans H1 f1 H2 f2 H3 f3 :
  leads H1 f1 H2 f2 -> leads H2 f2 H3 f3 -> leads H1 f1 H3 f3.
Proof.
  intros L1 L2 o3 R3. destruct (L2 o3 R3) as (o2 & R2 & S2).
  destruct (L1 o2 R2) as (o1 & R1 & S1). eauto using same_outcome_trans.
Qed.

(** The same history, and threads that run alike. *)
Lemma leads_like H f f' :
  (forall H i A B s, to_barrier H i A (f' i) B s -> to_barrier H i A (f i) B s) ->
  leads H f H f'.
Proof.
  intros Hf out R. exists out. split; [| apply same_outcome_refl].
  destruct H as [| P H]; [inversion R |]. eapply block_run_pool; eauto.
Qed.

Lemma leads_plug H cs k k' :
  (forall H i A B s, to_barrier H i A (k' i) B s -> to_barrier H i A (k i) B s) ->
  leads H (fun i => plug (k i) (cs i)) H (fun i => plug (k' i) (cs i)).
Proof. intro Hk. apply leads_like. intros H' i A. apply to_barrier_plug. auto. Qed.

End Pool.
