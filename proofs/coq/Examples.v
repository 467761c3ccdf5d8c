(** * The examples of LCL22, computed

    Figs. 3 and 4 (program and protocol columns), the history of Eq. 1 with its
    exact races, and the ill-typed program of Eq. 2.  Every statement is
    computed by a proved evaluator. *)

From BabyCUDA Require Export HistoryEvaluator ProtocolEvaluator TypeChecker RaceChecker
  BarrierEvaluator PhaseSplitting.
Local Open Scope N_scope.

(** The paper has no read-only inputs. *)
#[local] Existing Instance no_inputs.
Local Open Scope string_scope.

(** The one array of the paper. *)
Definition A : array := "A".

Definition plus (n m : nexp) : nexp := Arith Natural Add n m.
Definition equals (n m : nexp) : bexp := Compare Natural Eq n m.

(** ** Fig. 3, with [M] a parameter: [forU x in 0..M { let y = A[x] in A[x] := y + 1 }] *)

Definition figure_3 : prog :=
  For "x" (Num 0) (Var "M")
    (Read "y" A (Var "x") (Write A (Var "x") (plus (Var "y") (Num 1)))).

(** [forU x in 0..M { rd[x]; wr[x] }] *)
Definition figure_3_type : protocol :=
  UFor "x" (Num 0) (Var "M") (USeq (UAccess rd A (Var "x")) (UAccess wr A (Var "x"))).

Example figure_3_typed : typed ["M"; tid] figure_3 figure_3_type.
Proof. now apply infer_correct. Qed.

(** [M = 2], two threads, host contents [A = {0:5, 1:6}]. *)
Example figure_3_runs :
  evaluate_parallel [0; 1] [[]; host_contents [((A, 0), 5); ((A, 1), 6)]] (subst "M" 2 figure_3) =
  Result [[(0, ([(A, 0); (A, 1)], [((A, 0), 6); ((A, 1), 7)])); (1, ([(A, 0); (A, 1)], [((A, 0), 6); ((A, 1), 7)]))];
          host_contents [((A, 0), 5); ((A, 1), 6)]].
Proof. reflexivity. Qed.

Example figure_3_racy :
  drf_b [[(0, ([(A, 0); (A, 1)], [((A, 0), 6); ((A, 1), 7)])); (1, ([(A, 0); (A, 1)], [((A, 0), 6); ((A, 1), 7)]))]] = false.
Proof. reflexivity. Qed.

(** Without contents, the first read is a read of [⊥]. *)
Example figure_3_stuck :
  evaluate_parallel [0; 1] [[]] (subst "M" 2 figure_3) = Undefined (A, 0).
Proof. reflexivity. Qed.

(** ** Fig. 4: [if tid == 0 { A[0] := tid } else { skip }] *)

Definition figure_4 : prog := If (equals (Var tid) (Num 0)) (Write A (Num 0) (Var tid)) Skip.

(** [if tid == 0 { wr[0] } else { skip }] *)
Definition figure_4_type : protocol :=
  UIf (equals (Var tid) (Num 0)) (UAccess wr A (Num 0)) USkip.

Example figure_4_typed : typed [tid] figure_4 figure_4_type.
Proof. now apply infer_correct. Qed.

Example figure_4_drf :
  exists H, evaluate_parallel [0; 1; 2] [[]] figure_4 = Result H /\ drf_b H = true.
Proof. eexists. split; reflexivity. Qed.

Example figure_4_phase : evaluate_u_all [0; 1; 2] figure_4_type = Some [(0, wr, (A, 0))].
Proof. reflexivity. Qed.

(** ** Eq. 1: phase 0 is not racy; phase 1 has its write-write and read-write races *)

Definition phase_0 : phase := [(0, ([], [((A, 1), 9)])); (1, ([], [((A, 2), 10)]))].
Definition phase_1 : phase := [(0, ([], [((A, 0), 0)])); (1, ([(A, 0)], [((A, 0), 1)]))].
Definition equation_1 : history := [phase_1; phase_0].

Example equation_1_phase_0_drf : races phase_0 = [].
Proof. reflexivity. Qed.

(** Thread 0 writes what thread 1 reads and writes; thread 1 writes what thread 0 writes. *)
Example equation_1_phase_1_races : races phase_1 = [(0, 1, (A, 0)); (1, 0, (A, 0))].
Proof. reflexivity. Qed.

Example equation_1_not_drf : ~ drf equation_1.
Proof. rewrite <- drf_b_correct. discriminate. Qed.

(** Cell 0 has two last writes; cells 1 and 2 one each; cell 3 none. *)
Example equation_1_lastwrite :
  map (fun j => lastwrites (A, j) equation_1) [0; 1; 2; 3] = [[0; 1]; [9]; [10]; []].
Proof. reflexivity. Qed.

(** ** Eq. 2: [A[tid] := tid; let x = A[tid] in A[x] := 9] has no type *)

Definition equation_2 : prog :=
  Seq (Write A (Var tid) (Var tid)) (Read "x" A (Var tid) (Write A (Var "x") (Num 9))).

Example equation_2_ill_typed : forall u, ~ typed [tid] equation_2 u.
Proof. intros u D%infer_correct. discriminate. Qed.

(** Yet it runs, and is DRF: a false alarm of the protocol that ignores this. *)
Example equation_2_drf :
  exists H, evaluate_parallel [0; 1; 2] [[]] equation_2 = Result H /\ drf_b H = true.
Proof. eexists. split; reflexivity. Qed.

(** ** The machine operators *)

Example machine_operators :
  [apply_arithmetic (Signed W32) Sub 0 1;                  (* -1 *)
   apply_arithmetic (Signed W32) Div 0xfffffff9 2;         (* -7 / 2 = -3 *)
   apply_arithmetic (Signed W32) Rem 0xfffffff9 2;         (* -7 % 2 = -1 *)
   apply_arithmetic (Signed W32) Div 0x80000000 0xffffffff;(* MIN / -1 = MIN *)
   apply_arithmetic (Signed W32) Shr 0x80000000 40;        (* the sign *)
   apply_arithmetic (Unsigned W32) Shr 0x80000000 40;
   apply_arithmetic (Unsigned W64) Shl 1 64;
   apply_arithmetic (Unsigned W64) Mul 0xffffffffffffffff 0xffffffffffffffff;
   apply_arithmetic (Unsigned W8) Rem 7 0;
   apply_cast (Signed W32) (Unsigned W64) 0xffffffff]
  = [0xffffffff; 0xfffffffd; 0xffffffff; 0x80000000; 0xffffffff; 0; 0; 1; 7; 0xffffffffffffffff].
Proof. reflexivity. Qed.

Example natural_operators :
  [apply_arithmetic Natural Sub 2 3; apply_arithmetic Natural Div 2 0; apply_arithmetic Natural Rem 2 0]
  = [0; 0; 2].
Proof. reflexivity. Qed.

(** ** Barriers anywhere *)

(** [if tid == 0 { sync } else { skip }] diverges: thread 0 waits, thread 1 ends. *)
Example divergence :
  evaluate_block 2 [[]] (start [0; 1] (If (equals (Var tid) (Num 0)) (Sync 7) Skip)) =
  Result (Diverges [[(0, no_access); (1, no_access)]] 0 (AtBarrier 7 Skip) 1 Finished).
Proof. reflexivity. Qed.

(** [A[tid] := tid; sync; let x = A[1 - tid] in A[tid] := x]: one barrier is not
    enough for a swap. *)
Definition swap : prog :=
  Seq ((Write A (Var tid) (Var tid)))
    (Seq (Sync 0)
       ((Read "x" A (Arith Natural Sub (Num 1) (Var tid)) (Write A (Var tid) (Var "x"))))).

Example swap_runs :
  evaluate_block 2 [[]] (start [0; 1] swap) =
  Result (Ends [[(0, ([(A, 1)], [((A, 0), 1)])); (1, ([(A, 0)], [((A, 1), 0)]))];
                [(0, ([], [((A, 0), 0)])); (1, ([], [((A, 1), 1)]))]]).
Proof. reflexivity. Qed.

(** In the second phase each thread reads the cell that the other one writes. *)
Example swap_races :
  races [(0, ([(A, 1)], [((A, 0), 1)])); (1, ([(A, 0)], [((A, 1), 0)]))]
  = [(0, 1, (A, 0)); (1, 0, (A, 1))].
Proof. reflexivity. Qed.

(** ** Loops with barriers that may run zero times

    [wr[0]; forS x in 0..m { sync }; rd[tid]]: for [m = 0] all accesses share one
    phase, for [m = 1] the barrier parts them. *)
Definition barrier_loop (m : N) : sprotocol :=
  PSeq (PUnsync (UAccess wr A (Num 0)))
    (PSeq (PFor "x" (Num 0) (Num m) (PSync 0)) (PUnsync (UAccess rd A (Var tid)))).

Example barrier_loop_alignable : alignable (barrier_loop 0) = true.
Proof. reflexivity. Qed.

Example barrier_loop_zero_times :
  evaluate_u_all [0; 1] (pre (barrier_loop 0)) =
  Some [(0, wr, (A, 0)); (0, rd, (A, 0)); (1, wr, (A, 0)); (1, rd, (A, 1))] /\
  eval_c (syncs (barrier_loop 0)) = Some false.
Proof. split; reflexivity. Qed.

Example barrier_loop_once :
  evaluate_u_all [0; 1] (pre (barrier_loop 1)) = Some [(0, wr, (A, 0)); (1, wr, (A, 0))] /\
  evaluate_u_all [0; 1] (post (barrier_loop 1)) = Some [(0, rd, (A, 0)); (1, rd, (A, 1))] /\
  eval_c (syncs (barrier_loop 1)) = Some true.
Proof. repeat split; reflexivity. Qed.

(** A loop whose body may itself loop zero times, alike in every iteration. *)
Example nested_loops_alignable :
  alignable (PFor "x" (Num 0) (Var "m") (PFor "y" (Num 0) (Var "l") (PSync 0))) = true.
Proof. reflexivity. Qed.

(** Barriers in some iterations only: not alignable. *)
Example triangular_loops_not_alignable :
  alignable (PFor "x" (Num 0) (Var "m") (PFor "y" (Num 0) (Var "x") (PSync 0))) = false.
Proof. reflexivity. Qed.
