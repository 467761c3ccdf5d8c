(** * T11. Theorem 1 relative to the host's memory

    Let [RO] be arrays that a program never writes ([typed] checks that), and
    [W0] what the host stored.  A program typed with t-read-input has, on [W0],
    exactly the races of its protocol evaluated in [W0], and diverges as it does.
    So an alarm comes with contents on which it is a race; and a protocol that is
    DRF in all contents proves that the program is.  Nothing is asked of [W0];
    that it covers what is read is only needed for a run to exist. *)

From BabyCUDA Require Export BarrierInvariance BarrierProgress TypeChecker ProtocolEvaluator RaceChecker.
Local Open Scope N_scope.

Lemma host_lastwrite W0 j k : lastwrite j [host_contents W0] k <-> lookup j W0 = Some k.
Proof.
  split.
  - inversion 1 as [? ? i ? E | ? ? ? _ L]; subst; [| inversion L].
    destruct (N.eq_dec i 0) as [-> | Hi]; [exact E |].
    unfold host_contents in E. rewrite at_singleton_other in E by exact Hi. discriminate.
  - intro E. now apply lastwrite_curr with 0.
Qed.

(** Two contents that agree on [RO] are the same inputs. *)
Definition agree (RO : array -> bool) (W1 W2 : writes) : Prop :=
  forall a j, RO a = true -> lookup (a, j) W1 = lookup (a, j) W2.

Lemma sees_stored RO W1 W2 : agree RO W1 W2 -> @sees_inputs (stored RO W1) [host_contents W2].
Proof.
  intros E a j k Ha L%host_lastwrite. cbn in *. now rewrite (E a j Ha), L.
Qed.

(** The type does not depend on what the host stored. *)
Theorem typed_once RO W1 W2 V b u : @typed (stored RO W1) V b u -> @typed (stored RO W2) V b u.
Proof. induction 1; [apply t_write | apply t_read | apply t_read_input | | | | |]; now try constructor. Qed.

Section Relative.
Variables (T : list N) (RO : array -> bool) (k : prog) (q : protocol).
Context (threads_distinct : NoDup T) (k_typed : @typed (stored RO []) [tid] k q).

Let typed_in W0 : @typed (stored RO W0) [tid] k q := typed_once RO [] W0 _ _ _ k_typed.

(** The protocol's phases in [W0], with [true] if its threads then diverge. *)
Definition phases_in (W0 : writes) (phases : list access_values) (divergence : bool) : Prop :=
  exists qout, @q_block_run (stored RO W0) [[]] (q_start T q) qout /\
    q_summary qout = (phases, divergence).

(** T2 and T4: as many phases, with the same accesses, and the same divergence. *)
Theorem relative_access_equivalence W0 out :
  block_run [[]; host_contents W0] (start T k) out ->
  exists Ps Ls, reached out = Ps ++ [host_contents W0] /\
    phases_in W0 Ls (diverges out) /\ Forall2 (phase_is T) Ps Ls.
Proof.
  intro D.
  destruct (@block_access_equivalence (stored RO W0) T [] [host_contents W0] k q [] out) as (qout & R & S);
    auto using phase_is_nil.
  { apply holds_empty, sees_stored. intros a j _. reflexivity. }
  destruct out as [H' | H' i1 s1 i2 s2], qout as [Ls | Ls j1 t1 j2 t2]; cbn in *; try contradiction.
  - destruct S as (Ps & -> & F). exists Ps, Ls.
    split; [reflexivity |]. split; [| exact F]. eexists. split; [exact R | reflexivity].
  - destruct S as ((Ps & -> & F) & _). exists Ps, Ls.
    split; [reflexivity |]. split; [| exact F]. eexists. split; [exact R | reflexivity].
Qed.

(** T1, corrected. *)
Theorem relative_theorem_1 W0 out Ls divergence :
  block_run [[]; host_contents W0] (start T k) out ->
  phases_in W0 Ls divergence ->
  (drf (reached out) <-> Forall drf_values Ls) /\ diverges out = divergence.
Proof.
  intros D (qout & R & E).
  destruct (@block_theorem_1 (stored RO W0) T [] [host_contents W0] k q [] out qout) as [HD HE];
    auto using phase_is_nil.
  { apply holds_empty, sees_stored. intros a j _. reflexivity. }
  rewrite E in *. split; [| exact HE]. rewrite HD. pose proof (host_contents_drf W0). tauto.
Qed.

(** T5: contents that agree on [RO] give the same accesses, phase by phase. *)
Theorem relative_access_invariance W1 W2 out1 out2 :
  agree RO W1 W2 ->
  block_run [[]; host_contents W1] (start T k) out1 ->
  block_run [[]; host_contents W2] (start T k) out2 ->
  diverges out1 = diverges out2 /\
  exists Ps1 Ps2, reached out1 = Ps1 ++ [host_contents W1] /\
    reached out2 = Ps2 ++ [host_contents W2] /\ Forall2 same_phase_accesses Ps1 Ps2.
Proof.
  intros E D1 D2. eapply (@block_access_invariant (stored RO W1)); eauto using sees_stored.
  apply sees_stored. intros a j _. reflexivity.
Qed.

(** A protocol that is DRF in all contents proves race-freedom on all. *)
Corollary drf_for_all_contents :
  (forall W0 Ls divergence, phases_in W0 Ls divergence -> Forall drf_values Ls) ->
  forall W0 out, block_run [[]; host_contents W0] (start T k) out -> drf (reached out).
Proof.
  intros HQ W0 out D. destruct (relative_access_equivalence W0 out D) as (Ps & Ls & _ & HP & _).
  apply (relative_theorem_1 W0 out Ls _ D HP). eauto.
Qed.

(** An alarm replays on the contents that it comes with, when they cover what is read. *)
Corollary alarm_replays W0 Ls divergence :
  incl (fv k) [tid] ->
  (forall j, @q_reads (stored RO W0) (q_start T q) j -> exists v, lookup j W0 = Some v) ->
  phases_in W0 Ls divergence -> ~ Forall drf_values Ls ->
  exists out, block_run [[]; host_contents W0] (start T k) out /\ ~ drf (reached out).
Proof.
  intros Hc HC HP HR.
  destruct (@covered_block_progresses (stored RO W0) T [] [host_contents W0] k q) as [out D]; auto.
  { apply holds_empty, sees_stored. intros a j _. reflexivity. }
  { intros j Hj. destruct (HC j Hj) as [v Hv]. exists v. now apply host_lastwrite. }
  exists out. split; [exact D |]. intro HD. apply HR, (relative_theorem_1 W0 out Ls _ D HP), HD.
Qed.

End Relative.
