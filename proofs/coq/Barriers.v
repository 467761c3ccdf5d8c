(** * Barriers anywhere: running to the next barrier

    Beyond the printed fragment.  A barrier may stand under any guard or loop.
    A thread runs to its next barrier and yields what is left of it:
    [A, k ⇓_{H,i} (B, done)] or [A, k ⇓_{H,i} (B, sync_ℓ ▷ k')]. *)

From BabyCUDA Require Export Parallel Stops.
Local Open Scope N_scope.

(** ** One thread, to its next barrier *)

Inductive to_barrier (H : history) (i : N) : access_pair -> prog -> access_pair -> stop -> Prop :=
| b_write : forall R W a n m j v,
    eval_n n = Some j ->
    eval_n m = Some v ->
    to_barrier H i (R, W) (Write a n m) (R, update (a, j) v W) Finished
| b_skip : forall A,
    to_barrier H i A Skip A Finished
| b_sync : forall A l,
    to_barrier H i A (Sync l) A (AtBarrier l Skip)
| b_read : forall R W x a n k j v B s,
    eval_n n = Some j ->
    lastwrite (a, j) (singleton i (R, W) :: H) v ->
    to_barrier H i (add_read (a, j) R, W) (subst x v k) B s ->
    to_barrier H i (R, W) (Read x a n k) B s
| b_seq_1 : forall A k1 k2 B C s,
    to_barrier H i A k1 B Finished ->
    to_barrier H i B k2 C s ->
    to_barrier H i A (Seq k1 k2) C s
| b_seq_2 : forall A k1 k2 B l k1',
    to_barrier H i A k1 B (AtBarrier l k1') ->
    to_barrier H i A (Seq k1 k2) B (AtBarrier l (Seq k1' k2))
| b_if_t : forall A c k1 k2 B s,
    eval_c c = Some true ->
    to_barrier H i A k1 B s ->
    to_barrier H i A (If c k1 k2) B s
| b_if_f : forall A c k1 k2 B s,
    eval_c c = Some false ->
    to_barrier H i A k2 B s ->
    to_barrier H i A (If c k1 k2) B s
| b_for_1 : forall A x n m k v w,
    eval_n n = Some v ->
    eval_n m = Some w ->
    w <= v ->
    to_barrier H i A (For x n m k) A Finished
| b_for_2 : forall A x n m k v w B s,
    eval_n n = Some v ->
    eval_n m = Some w ->
    v < w ->
    to_barrier H i A (Seq (subst x v k) (For x (Num (v + 1)) (Num w) k)) B s ->
    to_barrier H i A (For x n m k) B s.

(** The thread judgment of Fig. 5 is a run that meets no barrier. *)
Definition b_block H i A b B : thread H i A b B -> to_barrier H i A b B Finished.
Proof.
  induction 1; eauto using b_write, b_skip, b_read, b_seq_1, b_if_t, b_if_f, b_for_1, b_for_2.
Qed.

Theorem thread_iff H i A b B : thread H i A b B <-> to_barrier H i A b B Finished.
Proof.
  split; [apply b_block |]. remember Finished as s eqn:Es. intro D. revert Es.
  induction D; intro Es; try discriminate Es; subst;
    eauto using read, write, Thread.seq, if_t, if_f, for_1, Thread.skip.
  specialize (IHD eq_refl). inversion IHD; subst. eauto using for_2.
Qed.

(** Code without barriers runs to its end. *)
Lemma sync_free_finishes H i A b B s :
  to_barrier H i A b B s -> sync_free b = true -> s = Finished.
Proof.
  induction 1; cbn in *; rewrite ?andb_true_iff, ?sync_free_subst in *; intuition congruence.
Qed.

(** ** All threads of a block *)

(** All threads of [ks] run to their next barrier, from their accesses in [P]. *)
Inductive all_to_barrier (H : history) (P : phase) : remaining -> phase -> stops -> Prop :=
| to_barrier_nil :
    all_to_barrier H P [] [] []
| to_barrier_cons : forall i k ks B s Q ss,
    to_barrier H i (at_thread P i) k B s ->
    all_to_barrier H P ks Q ss ->
    all_to_barrier H P ((i, k) :: ks) ((i, B) :: Q) ((i, s) :: ss).

Notation block_outcome := (ending prog history).

(** [H, ks ⇓ outcome] *)
Inductive block_run : history -> remaining -> block_outcome -> Prop :=
| block_ends : forall P H ks Q ss,
    all_to_barrier H P ks Q ss ->
    all_finished ss ->
    block_run (P :: H) ks (Ends (Q :: H))
| block_syncs : forall P H ks Q ss l ks' out,
    all_to_barrier H P ks Q ss ->
    ks <> [] ->
    all_at l ss ks' ->
    block_run ([] :: Q :: H) ks' out ->
    block_run (P :: H) ks out
| block_diverges : forall P H ks Q ss i1 s1 i2 s2,
    all_to_barrier H P ks Q ss ->
    In (i1, s1) ss ->
    In (i2, s2) ss ->
    ~ same_place s1 s2 ->
    block_run (P :: H) ks (Diverges (Q :: H) i1 s1 i2 s2).

(** A block of threads [T], all running [k]. *)
Definition start (T : list N) (k : prog) : remaining :=
  map (fun i => (i, subst tid i k)) T.

(** The older phases are part of the result. *)
Lemma block_run_suffix H0 ks out :
  block_run H0 ks out -> forall H', out = Ends H' -> exists new, H' = new ++ tl H0.
Proof.
  induction 1 as [P H ks Q ss D Hf | P H ks Q ss l ks' out D Hks Hl HB IH | ];
    intros H' E; try discriminate.
  - injection E as <-. now exists [Q].
  - destruct (IH H' E) as [new ->]. exists (new ++ [Q]). cbn. now rewrite <- app_assoc.
Qed.
