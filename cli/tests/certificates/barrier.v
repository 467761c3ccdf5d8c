(* Checked by: coqc -Q proofs/coq BabyCUDA FILE *)
From BabyCUDA Require Import Certificate.
Local Open Scope N_scope.
Local Open Scope string_scope.

Definition P0 : phase := host_contents [(("A", 0), 7)].
Definition H0 : history := [P0].
Definition A0 : access_pair := ([("A", 0)], []).
Definition A1 : access_pair := ([("A", 0)], [(("B", 0), 7)]).
Definition b0 : prog := Write "B" (Num 0) (Num 7).
(* thread/write *)
Lemma d0 : thread H0 0 A0 b0 A1.
Proof. exact (write (eq_refl : eval_n (Num 0) = Some 0) (eq_refl : eval_n (Num 7) = Some 7)). Qed.
(* barrier/block *)
Lemma d1 : to_barrier H0 0 A0 b0 A1 Finished.
Proof. exact (b_block d0). Qed.
Definition b1 : prog := Sync 2.
Definition b2 : prog := Skip.
(* barrier/sync *)
Lemma d2 : to_barrier H0 0 A1 b1 A1 (AtBarrier 2 b2).
Proof. exact b_sync. Qed.
Definition b3 : prog := Write "A" (Num 0) (Num 1).
Definition b4 : prog := Seq b1 b3.
Definition b5 : prog := Seq b2 b3.
(* barrier/seq-2 *)
Lemma d3 : to_barrier H0 0 A1 b4 A1 (AtBarrier 2 b5).
Proof. exact (b_seq_2 d2). Qed.
Definition b6 : prog := Seq b0 b4.
(* barrier/seq-1 *)
Lemma d4 : to_barrier H0 0 A0 b6 A1 (AtBarrier 2 b5).
Proof. exact (b_seq_1 d1 d3). Qed.
Definition A2 : access_pair := ([], []).
Definition b7 : prog := Write "B" (Num 0) (Var "y").
Definition b8 : prog := Seq b7 b4.
Definition b9 : prog := Read "y" "A" (Num 0) b8.
(* barrier/read *)
Lemma d5 : to_barrier H0 0 A2 b9 A1 (AtBarrier 2 b5).
Proof. exact (b_read (eq_refl : eval_n (Num 0) = Some 0) (last_write ("A", 0) 7 eq_refl) d4). Qed.
Definition A3 : access_pair := ([("A", 0)], [(("B", 1), 7)]).
Definition b10 : prog := Write "B" (Num 1) (Num 7).
(* thread/write *)
Lemma d6 : thread H0 1 A0 b10 A3.
Proof. exact (write (eq_refl : eval_n (Num 1) = Some 1) (eq_refl : eval_n (Num 7) = Some 7)). Qed.
(* barrier/block *)
Lemma d7 : to_barrier H0 1 A0 b10 A3 Finished.
Proof. exact (b_block d6). Qed.
(* barrier/sync *)
Lemma d8 : to_barrier H0 1 A3 b1 A3 (AtBarrier 2 b2).
Proof. exact b_sync. Qed.
Definition b11 : prog := Write "A" (Num 1) (Num 1).
Definition b12 : prog := Seq b1 b11.
Definition b13 : prog := Seq b2 b11.
(* barrier/seq-2 *)
Lemma d9 : to_barrier H0 1 A3 b12 A3 (AtBarrier 2 b13).
Proof. exact (b_seq_2 d8). Qed.
Definition b14 : prog := Seq b10 b12.
(* barrier/seq-1 *)
Lemma d10 : to_barrier H0 1 A0 b14 A3 (AtBarrier 2 b13).
Proof. exact (b_seq_1 d7 d9). Qed.
Definition b15 : prog := Write "B" (Num 1) (Var "y").
Definition b16 : prog := Seq b15 b12.
Definition b17 : prog := Read "y" "A" (Num 0) b16.
(* barrier/read *)
Lemma d11 : to_barrier H0 1 A2 b17 A3 (AtBarrier 2 b13).
Proof. exact (b_read (eq_refl : eval_n (Num 0) = Some 0) (last_write ("A", 0) 7 eq_refl) d10). Qed.
Definition P1 : phase := [(0, A1); (1, A3)].
Definition H1 : history := [P1; P0].
(* thread/skip *)
Lemma d12 : thread H1 0 A2 b2 A2.
Proof. exact skip. Qed.
Definition A4 : access_pair := ([], [(("A", 0), 1)]).
(* thread/write *)
Lemma d13 : thread H1 0 A2 b3 A4.
Proof. exact (write (eq_refl : eval_n (Num 0) = Some 0) (eq_refl : eval_n (Num 1) = Some 1)). Qed.
(* thread/seq *)
Lemma d14 : thread H1 0 A2 b5 A4.
Proof. exact (seq d12 d13). Qed.
(* barrier/block *)
Lemma d15 : to_barrier H1 0 A2 b5 A4 Finished.
Proof. exact (b_block d14). Qed.
(* thread/skip *)
Lemma d16 : thread H1 1 A2 b2 A2.
Proof. exact skip. Qed.
Definition A5 : access_pair := ([], [(("A", 1), 1)]).
(* thread/write *)
Lemma d17 : thread H1 1 A2 b11 A5.
Proof. exact (write (eq_refl : eval_n (Num 1) = Some 1) (eq_refl : eval_n (Num 1) = Some 1)). Qed.
(* thread/seq *)
Lemma d18 : thread H1 1 A2 b13 A5.
Proof. exact (seq d16 d17). Qed.
(* barrier/block *)
Lemma d19 : to_barrier H1 1 A2 b13 A5 Finished.
Proof. exact (b_block d18). Qed.
Definition P2 : phase := [].
Definition H2 : history := [P2; P1; P0].
Definition P3 : phase := [(0, A4); (1, A5)].
Definition H3 : history := [P3; P1; P0].
(* block/ends *)
Lemma d20 : block_run H2 [(0, b5); (1, b13)] (Ends H3).
Proof. exact (block_ends (to_barrier_cons d15 (to_barrier_cons d19 to_barrier_nil))
  (finished eq_refl)). Qed.
Definition H4 : history := [P2; P0].
(* block/syncs *)
Lemma d21 : block_run H4 [(0, b9); (1, b17)] (Ends H3).
Proof. exact (block_syncs 2 [(0, b5); (1, b13)] (to_barrier_cons d5
  (to_barrier_cons d11 to_barrier_nil)) (not_empty eq_refl) eq_refl d20). Qed.
Definition b18 : prog := Write "B" (Var "tid") (Var "y").
Definition b19 : prog := Write "A" (Var "tid") (Num 1).
Definition b20 : prog := Seq b1 b19.
Definition b21 : prog := Seq b18 b20.
Definition b22 : prog := Read "y" "A" (Num 0) b21.
(* block/start *)
Lemma d22 : block_run H4 (start [0; 1] b22) (Ends H3).
Proof. exact d21. Qed.

Theorem certificate : block_run [[]; (host_contents [(("A", 0), 7)])]
  (start [0; 1] (Read "y" "A" (Num 0) (Seq (Write "B" (Var "tid") (Var "y"))
  (Seq (Sync 2) (Write "A" (Var "tid") (Num 1))))))
  (Ends [[(0, ([], [(("A", 0), 1)])); (1, ([], [(("A", 1), 1)]))];
  [(0, ([("A", 0)], [(("B", 0), 7)])); (1, ([("A", 0)], [(("B", 1), 7)]))];
  (host_contents [(("A", 0), 7)])]).
Proof. exact d22. Qed.
Print Assumptions certificate.
