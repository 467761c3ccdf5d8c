(** * The parallel judgment [H, b ↓ H']

    LCL22 Fig. 5, rule par.  Every thread [i] of [T] runs [b[tid := i]] from
    its own accesses [P(i)]; no thread sees another one inside a phase.

    [   Q = ⋃ { i:A | P(i), b[tid := i] ↓_{H,i} A  ∧  i ∈ T }
        -----------------------------------------------------
                      P :: H, b ↓ Q :: H                      ] *)

From BabyCUDA Require Export Thread.

Section Parallel.
Variable T : list N.

(** [run_thread H P b i e]: the entry [e = i:A] of the resulting phase. *)
Definition run_thread (H : history) (P : phase) (b : prog) (i : N)
    (e : N * access_pair) : Prop :=
  fst e = i /\ thread H i (at_thread P i) (subst tid i b) (snd e).

Inductive parallel : history -> prog -> history -> Prop :=
| par : forall P H b Q,
    Forall2 (run_thread H P b) T Q ->
    parallel (P :: H) b (Q :: H).

(** The threads of [Q] are those of [T], in that order. *)
Lemma run_threads_domain H P b Q : Forall2 (run_thread H P b) T Q -> map fst Q = T.
Proof.
  generalize T as T'. intros T' HF.
  induction HF as [| i e T' Q [<- _] _ IH]; cbn; congruence.
Qed.

(** [Q(i)] is the result of thread [i]. *)
Lemma run_threads_at H P b Q i :
  Forall2 (run_thread H P b) T Q -> In i T ->
  thread H i (at_thread P i) (subst tid i b) (at_thread Q i).
Proof.
  generalize T as T'. intros T' HF.
  induction HF as [| i0 [i' A] T' Q [E D] _ IH]; cbn in *; [tauto |]. subst i'.
  unfold at_thread at 2. cbn. destruct (N.eqb_spec i i0) as [-> | Hne].
  - intros _. exact D.
  - intros [-> | Hi]; [congruence | exact (IH Hi)].
Qed.

(** Threads outside [T] have no accesses in [Q]. *)
Lemma run_threads_outside H P b Q i :
  Forall2 (run_thread H P b) T Q -> ~ In i T -> at_thread Q i = no_access.
Proof.
  intros HF Hi. apply run_threads_domain in HF. unfold at_thread.
  destruct (lookup i Q) eqn:E; [| reflexivity].
  apply lookup_in, (in_map fst) in E. rewrite HF in E. contradiction.
Qed.

(** If every thread has a result then so has the phase. *)
Lemma run_threads_exist H P b :
  (forall i, In i T -> exists A, thread H i (at_thread P i) (subst tid i b) A) ->
  exists Q, Forall2 (run_thread H P b) T Q.
Proof.
  generalize T as T'. induction T' as [| i T' IH]; intro HE.
  - exists []. constructor.
  - destruct (HE i) as [A HA]; [now left |].
    destruct IH as [Q HQ]; [intros i' Hi'; apply HE; now right |].
    exists ((i, A) :: Q). constructor; [now split | assumption].
Qed.

End Parallel.
