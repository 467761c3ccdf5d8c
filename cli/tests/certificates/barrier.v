(* Checked by: coqc -Q proofs/coq BabyCUDA FILE *)
From BabyCUDA Require Import Certificate.
Local Open Scope N_scope.
Local Open Scope string_scope.

(* Cell n of the array at position p is cell n * 2 + p. *)
Definition arrays := ["A"; "B"].
Definition P0 : phase := host_contents [(0, 7)].
Definition H0 : history := [P0].
Definition A0 : access_pair := ([0], []).
Definition A1 : access_pair := ([0], [(1, 7)]).
Definition b0 : prog := Write (interleaved 2 1 (Num 0)) (Num 7).
(* thread/write *)
Lemma d0 : thread H0 0 A0 b0 A1.
Proof. exact (write (eq_refl : eval_n (interleaved 2 1 (Num 0)) = Some 1)
  (eq_refl : eval_n (Num 7) = Some 7)). Qed.
Definition k0 : kprog := KBlock b0.
(* barrier/block *)
Lemma d1 : to_barrier H0 0 A0 k0 A1 Finished.
Proof. exact (b_block d0). Qed.
Definition k1 : kprog := KSync 2.
Definition b1 : prog := Skip.
Definition k2 : kprog := KBlock b1.
(* barrier/sync *)
Lemma d2 : to_barrier H0 0 A1 k1 A1 (AtBarrier 2 k2).
Proof. exact b_sync. Qed.
Definition b2 : prog := Write (interleaved 2 0 (Num 0)) (Num 1).
Definition k3 : kprog := KBlock b2.
Definition k4 : kprog := KSeq k1 k3.
Definition k5 : kprog := KSeq k2 k3.
(* barrier/seq-2 *)
Lemma d3 : to_barrier H0 0 A1 k4 A1 (AtBarrier 2 k5).
Proof. exact (b_seq_2 d2). Qed.
Definition k6 : kprog := KSeq k0 k4.
(* barrier/seq-1 *)
Lemma d4 : to_barrier H0 0 A0 k6 A1 (AtBarrier 2 k5).
Proof. exact (b_seq_1 d1 d3). Qed.
Definition A2 : access_pair := ([], []).
Definition b3 : prog := Write (interleaved 2 1 (Num 0)) (Var "y").
Definition k7 : kprog := KBlock b3.
Definition k8 : kprog := KSeq k7 k4.
Definition k9 : kprog := KRead "y" (interleaved 2 0 (Num 0)) k8.
(* barrier/read *)
Lemma d5 : to_barrier H0 0 A2 k9 A1 (AtBarrier 2 k5).
Proof. exact (b_read (eq_refl : eval_n (interleaved 2 0 (Num 0)) = Some 0) (last_write 0 7 eq_refl)
  d4). Qed.
Definition A3 : access_pair := ([0], [(3, 7)]).
Definition b4 : prog := Write (interleaved 2 1 (Num 1)) (Num 7).
(* thread/write *)
Lemma d6 : thread H0 1 A0 b4 A3.
Proof. exact (write (eq_refl : eval_n (interleaved 2 1 (Num 1)) = Some 3)
  (eq_refl : eval_n (Num 7) = Some 7)). Qed.
Definition k10 : kprog := KBlock b4.
(* barrier/block *)
Lemma d7 : to_barrier H0 1 A0 k10 A3 Finished.
Proof. exact (b_block d6). Qed.
(* barrier/sync *)
Lemma d8 : to_barrier H0 1 A3 k1 A3 (AtBarrier 2 k2).
Proof. exact b_sync. Qed.
Definition b5 : prog := Write (interleaved 2 0 (Num 1)) (Num 1).
Definition k11 : kprog := KBlock b5.
Definition k12 : kprog := KSeq k1 k11.
Definition k13 : kprog := KSeq k2 k11.
(* barrier/seq-2 *)
Lemma d9 : to_barrier H0 1 A3 k12 A3 (AtBarrier 2 k13).
Proof. exact (b_seq_2 d8). Qed.
Definition k14 : kprog := KSeq k10 k12.
(* barrier/seq-1 *)
Lemma d10 : to_barrier H0 1 A0 k14 A3 (AtBarrier 2 k13).
Proof. exact (b_seq_1 d7 d9). Qed.
Definition b6 : prog := Write (interleaved 2 1 (Num 1)) (Var "y").
Definition k15 : kprog := KBlock b6.
Definition k16 : kprog := KSeq k15 k12.
Definition k17 : kprog := KRead "y" (interleaved 2 0 (Num 0)) k16.
(* barrier/read *)
Lemma d11 : to_barrier H0 1 A2 k17 A3 (AtBarrier 2 k13).
Proof. exact (b_read (eq_refl : eval_n (interleaved 2 0 (Num 0)) = Some 0) (last_write 0 7 eq_refl)
  d10). Qed.
Definition P1 : phase := [(0, A1); (1, A3)].
Definition H1 : history := [P1; P0].
(* thread/skip *)
Lemma d12 : thread H1 0 A2 b1 A2.
Proof. exact skip. Qed.
Definition A4 : access_pair := ([], [(0, 1)]).
(* thread/write *)
Lemma d13 : thread H1 0 A2 b2 A4.
Proof. exact (write (eq_refl : eval_n (interleaved 2 0 (Num 0)) = Some 0)
  (eq_refl : eval_n (Num 1) = Some 1)). Qed.
Definition b7 : prog := Seq b1 b2.
(* thread/seq *)
Lemma d14 : thread H1 0 A2 b7 A4.
Proof. exact (seq d12 d13). Qed.
(* barrier/block *)
Lemma d15 : to_barrier H1 0 A2 k5 A4 Finished.
Proof. exact (b_blocks eq_refl d14). Qed.
(* thread/skip *)
Lemma d16 : thread H1 1 A2 b1 A2.
Proof. exact skip. Qed.
Definition A5 : access_pair := ([], [(2, 1)]).
(* thread/write *)
Lemma d17 : thread H1 1 A2 b5 A5.
Proof. exact (write (eq_refl : eval_n (interleaved 2 0 (Num 1)) = Some 2)
  (eq_refl : eval_n (Num 1) = Some 1)). Qed.
Definition b8 : prog := Seq b1 b5.
(* thread/seq *)
Lemma d18 : thread H1 1 A2 b8 A5.
Proof. exact (seq d16 d17). Qed.
(* barrier/block *)
Lemma d19 : to_barrier H1 1 A2 k13 A5 Finished.
Proof. exact (b_blocks eq_refl d18). Qed.
Definition P2 : phase := [].
Definition H2 : history := [P2; P1; P0].
Definition P3 : phase := [(0, A4); (1, A5)].
Definition H3 : history := [P3; P1; P0].
(* block/ends *)
Lemma d20 : block_run H2 [(0, k5); (1, k13)] (Ends H3).
Proof. exact (block_ends (to_barrier_cons d15 (to_barrier_cons d19 to_barrier_nil))
  (finished eq_refl)). Qed.
Definition H4 : history := [P2; P0].
(* block/syncs *)
Lemma d21 : block_run H4 [(0, k9); (1, k17)] (Ends H3).
Proof. exact (block_syncs 2 [(0, k5); (1, k13)] (to_barrier_cons d5
  (to_barrier_cons d11 to_barrier_nil)) (not_empty eq_refl) eq_refl d20). Qed.
Definition b9 : prog := Write (interleaved 2 1 (Var "tid")) (Var "y").
Definition k18 : kprog := KBlock b9.
Definition b10 : prog := Write (interleaved 2 0 (Var "tid")) (Num 1).
Definition k19 : kprog := KBlock b10.
Definition k20 : kprog := KSeq k1 k19.
Definition k21 : kprog := KSeq k18 k20.
Definition k22 : kprog := KRead "y" (interleaved 2 0 (Num 0)) k21.
(* block/start *)
Lemma d22 : block_run H4 (start [0; 1] k22) (Ends H3).
Proof. exact d21. Qed.

Theorem certificate : block_run [[]; (host_contents [(0, 7)])]
  (start [0; 1] (KRead "y" (interleaved 2 0 (Num 0))
  (KSeq (KBlock (Write (interleaved 2 1 (Var "tid")) (Var "y")))
  (KSeq (KSync 2) (KBlock (Write (interleaved 2 0 (Var "tid")) (Num 1)))))))
  (Ends [[(0, ([], [(0, 1)])); (1, ([], [(2, 1)]))]; [(0, ([0], [(1, 7)])); (1, ([0], [(3, 7)]))];
  (host_contents [(0, 7)])]).
Proof. exact d22. Qed.
Print Assumptions certificate.
