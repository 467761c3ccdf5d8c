(** * The thread judgment [A, b ↓_{H,i} B]

    LCL22 Fig. 5, rules read, write, seq, if-t, if-f, for-1, for-2, skip.
    Thread [i] starts from the accesses [A] it already made in the current
    phase, runs [b] with the older phases [H], and ends with the accesses [B].

    Reading [⊥] has no derivation.  Where [lastwrite] has several values (a
    racy phase in [H]), each of them gives a derivation. *)

From BabyCUDA Require Export Histories.
Local Open Scope N_scope.

Inductive thread (H : history) (i : N) : access_pair -> prog -> access_pair -> Prop :=

(** [n ↓ j    (R ∪ {j}, W), b[x := lastwrite(j, {i:(R,W)} :: H)] ↓ B
     --------------------------------------------------------------
                    (R, W), let x = A[n] in b ↓ B]                      *)
| read : forall R W x a n b j k B,
    eval_n n = Some j ->
    lastwrite (a, j) (singleton i (R, W) :: H) k ->
    thread H i (add_read (a, j) R, W) (subst x k b) B ->
    thread H i (R, W) (Read x a n b) B

(** [n ↓ j    m ↓ k
     ----------------------------------
     (R, W), A[n] := m ↓ (R, W[j ↦ k])]                                 *)
| write : forall R W a n m j k,
    eval_n n = Some j ->
    eval_n m = Some k ->
    thread H i (R, W) (Write a n m) (R, update (a, j) k W)

(** [A, b1 ↓ B    B, b2 ↓ C
     ----------------------
        A, b1; b2 ↓ C]                                                  *)
| seq : forall A b1 b2 B C,
    thread H i A b1 B ->
    thread H i B b2 C ->
    thread H i A (Seq b1 b2) C

(** [c ↓ true    A, b1 ↓ B
     ------------------------------
     A, if c {b1} else {b2} ↓ B]                                        *)
| if_t : forall A c b1 b2 B,
    eval_c c = Some true ->
    thread H i A b1 B ->
    thread H i A (If c b1 b2) B

| if_f : forall A c b1 b2 B,
    eval_c c = Some false ->
    thread H i A b2 B ->
    thread H i A (If c b1 b2) B

(** [(n ≥ m) ↓ true
     --------------------------------
     A, forU x in n..m {b} ↓ A]                                         *)
| for_1 : forall A x n m b k l,
    eval_n n = Some k ->
    eval_n m = Some l ->
    l <= k ->
    thread H i A (For x n m b) A

(** [(n < m) ↓ true    A, b[x := n] ↓ B    B, forU x in n+1..m {b} ↓ C
     ------------------------------------------------------------------
                      A, forU x in n..m {b} ↓ C]                        *)
| for_2 : forall A x n m b k l B C,
    eval_n n = Some k ->
    eval_n m = Some l ->
    k < l ->
    thread H i A (subst x k b) B ->
    thread H i B (For x (Num (k + 1)) (Num l) b) C ->
    thread H i A (For x n m b) C

| skip : forall A,
    thread H i A Skip A.
