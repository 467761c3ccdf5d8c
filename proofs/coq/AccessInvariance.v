(** * T5. Well-typed programs are access-invariant

    Any two contents that agree on the read-only inputs and on which a well-typed program is not stuck give the same
    accesses (the property that LGAGJL12 establishes by information flow).  So
    one run decides race-freedom for all data. *)

From BabyCUDA Require Export AccessEquivalence.

Section Relative.
Context {ins : inputs}.

(** Two pairs, two phases, have the same accesses. *)
Definition same_accesses (A1 A2 : access_pair) : Prop :=
  forall o j, accesses A1 o j <-> accesses A2 o j.

Definition same_phase_accesses (P1 P2 : phase) : Prop :=
  forall i, same_accesses (at_thread P1 i) (at_thread P2 i).

(** T5, one thread: [H1] and [H2] are arbitrary. *)
Theorem thread_access_invariant H1 H2 i A1 A2 b B1 B2 u :
  typed [] b u ->
  sees_inputs H1 -> unwritten A1 ->
  sees_inputs H2 -> unwritten A2 ->
  same_accesses A1 A2 ->
  thread H1 i A1 b B1 ->
  thread H2 i A2 b B2 ->
  same_accesses B1 B2.
Proof.
  intros HT S1 N1 S2 N2 HA D1 D2 o j.
  destruct (thread_unsync _ _ _ _ _ _ HT S1 N1 D1) as (L & HL & _).
  rewrite (closed_access_equivalence _ _ _ _ _ S1 N1 D1 u L HT HL o j).
  rewrite (closed_access_equivalence _ _ _ _ _ S2 N2 D2 u L HT HL o j).
  now rewrite (HA o j).
Qed.

(** T5. *)
Theorem well_typed_programs_are_access_invariant T P1 P2 H1 H2 b Q1 Q2 u :
  typed [tid] b u ->
  holds_inputs (P1 :: H1) ->
  holds_inputs (P2 :: H2) ->
  same_phase_accesses P1 P2 ->
  parallel T (P1 :: H1) b (Q1 :: H1) ->
  parallel T (P2 :: H2) b (Q2 :: H2) ->
  same_phase_accesses Q1 Q2.
Proof.
  intros HT [N1 S1] [N2 S2] HP D1 D2 i. inversion D1 as [? ? ? ? F1]; inversion D2 as [? ? ? ? F2]; subst.
  destruct (in_dec N.eq_dec i T) as [Hi | Hi].
  - eapply (thread_access_invariant H1 H2);
      [apply typed_subst_tid, HT | exact S1 | apply (N1 i) | exact S2 | apply (N2 i) | apply (HP i) | |];
      eapply run_threads_at; eassumption.
  - rewrite (run_threads_outside _ _ _ _ _ _ F1 Hi), (run_threads_outside _ _ _ _ _ _ F2 Hi).
    split; auto.
Qed.

(** One run decides race-freedom for all data. *)
Corollary one_run_decides_races T P H1 H2 b Q1 Q2 u :
  typed [tid] b u ->
  holds_inputs (P :: H1) ->
  holds_inputs (P :: H2) ->
  parallel T (P :: H1) b (Q1 :: H1) ->
  parallel T (P :: H2) b (Q2 :: H2) ->
  racy Q1 <-> racy Q2.
Proof.
  intros HT S1 S2 D1 D2. rewrite !racy_iff_racy_set. apply racy_set_ext.
  intros [[i o] j]. unfold phase_set, in_phase.
  eapply (well_typed_programs_are_access_invariant T P P H1 H2); eauto. split; auto.
Qed.

End Relative.
