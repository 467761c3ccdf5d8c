(* Checked by: coqc -Q proofs/coq BabyCUDA FILE *)
From BabyCUDA Require Import Certificate.
Local Open Scope N_scope.
Local Open Scope string_scope.

Definition H0 : history := [].
Definition A0 : access_pair := ([], []).
Definition A1 : access_pair := ([], [(("A", 0), 0)]).
Definition b0 : prog := Write "A" (Num 0) (Num 0).
(* thread/write *)
Lemma d0 : thread H0 0 A0 b0 A1.
Proof. exact (write (eq_refl : eval_n (Num 0) = Some 0) (eq_refl : eval_n (Num 0) = Some 0)). Qed.
Definition b1 : prog := Skip.
Definition b2 : prog := If (Compare Natural Eq (Num 0) (Num 0)) b0 b1.
(* thread/if-t *)
Lemma d1 : thread H0 0 A0 b2 A1.
Proof. exact (if_t (eq_refl : eval_c (Compare Natural Eq (Num 0) (Num 0)) = Some true) d0). Qed.
(* barrier/block *)
Lemma d2 : to_barrier H0 0 A0 b2 A1 Finished.
Proof. exact (b_block d1). Qed.
(* thread/skip *)
Lemma d3 : thread H0 1 A0 b1 A0.
Proof. exact skip. Qed.
Definition b3 : prog := Write "A" (Num 0) (Num 1).
Definition b4 : prog := If (Compare Natural Eq (Num 1) (Num 0)) b3 b1.
(* thread/if-f *)
Lemma d4 : thread H0 1 A0 b4 A0.
Proof. exact (if_f (eq_refl : eval_c (Compare Natural Eq (Num 1) (Num 0)) = Some false) d3). Qed.
(* barrier/block *)
Lemma d5 : to_barrier H0 1 A0 b4 A0 Finished.
Proof. exact (b_block d4). Qed.
Definition P0 : phase := [].
Definition H1 : history := [P0].
Definition P1 : phase := [(0, A1); (1, A0)].
Definition H2 : history := [P1].
(* block/ends *)
Lemma d6 : block_run H1 [(0, b2); (1, b4)] (Ends H2).
Proof. exact (block_ends (to_barrier_cons d2 (to_barrier_cons d5 to_barrier_nil))
  (finished eq_refl)). Qed.
Definition b5 : prog := Write "A" (Num 0) (Var "tid").
Definition b6 : prog := If (Compare Natural Eq (Var "tid") (Num 0)) b5 b1.
(* block/start *)
Lemma d7 : block_run H1 (start [0; 1] b6) (Ends H2).
Proof. exact d6. Qed.

Theorem certificate : block_run [[]] (start [0; 1]
  (If (Compare Natural Eq (Var "tid") (Num 0)) (Write "A" (Num 0) (Var "tid")) Skip))
  (Ends [[(0, ([], [(("A", 0), 0)])); (1, ([], []))]]).
Proof. exact d7. Qed.
Print Assumptions certificate.
