(** * Beyond a race the two semantics may differ

    T6 says nothing about memories once a phase is racy, and cannot: LCL22's
    “form of memory movement caused by data-races” is lost.  A small example:
    contents [A = {0:0}], threads 0 and 1, and

    [if tid == 0 { A[0] := 1 } else { let x = A[0] in A[1] := x }]

    In the history, thread 1 does not see the write of thread 0: [A[1] = 0].  In
    the interleaving where thread 0 goes first, [A[1] = 1]. *)

From BabyCUDA Require Export HistoryEvaluator SynchronizedAdequacy.
Local Open Scope N_scope.
Local Open Scope string_scope.

Definition A : array := "A".

Definition sees_a_racy_write : prog :=
  If (Compare Natural Eq (Var tid) (Num 0))
    (Write A (Num 0) (Num 1))
    (Read "x" A (Num 0) (Write A (Num 1) (Var "x"))).

Definition contents : history := [host_contents [((A, 0), 0)]].

(** The big step: one result, in which [A[1]] is 0. *)
Example big_step_history :
  evaluate_parallel [0; 1] ([] :: contents) sees_a_racy_write =
  Result ([(0, ([], [((A, 0), 1)])); (1, ([(A, 0)], [((A, 1), 0)]))] :: contents).
Proof. reflexivity. Qed.

(** The interleaving: thread 0, then thread 1; [A[1]] is 1. *)
Example racy_interleaving :
  reaches ([((A, 0), 0)], [], start [0; 1] sees_a_racy_write)
          ([((A, 0), 1); ((A, 1), 1)],
           [(1, wr, (A, 1)); (1, rd, (A, 0)); (0, wr, (A, 0))], [(0, Skip); (1, Skip)]).
Proof.
  unfold reaches, start, sees_a_racy_write. cbn [map subst].
  eapply Relation_Operators.rt1n_trans.
  { eapply (c_thread _ _ [] 0 _ [_]), i_silent, s_if. reflexivity. }
  eapply Relation_Operators.rt1n_trans.
  { eapply (c_thread _ _ [] 0 _ [_]), i_store, s_write; reflexivity. }
  eapply Relation_Operators.rt1n_trans.
  { eapply (c_thread _ _ [_] 1 _ []), i_silent, s_if. reflexivity. }
  eapply Relation_Operators.rt1n_trans.
  { eapply (c_thread _ _ [_] 1 _ []), i_load; [apply s_read |]; reflexivity. }
  eapply Relation_Operators.rt1n_trans.
  { eapply (c_thread _ _ [_] 1 _ []), i_store, s_write; reflexivity. }
  apply rt1n_refl.
Qed.
