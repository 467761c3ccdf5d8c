(** * Interleavings: a small-step semantics with one shared memory

    Threads step one access at a time on one memory and see each other's writes
    at once; a barrier blocks until every thread waits at it.  Programs are those
    with barriers anywhere. *)

From BabyCUDA Require Export Barriers Races.
From Coq Require Export Relations.
Local Open Scope N_scope.

(** ** One thread *)

(** What one step does to the memory. *)
Inductive event :=
| Silent
| Load (j v : N)
| Store (j v : N).

(** [k --e--> k'] *)
Inductive kstep : kprog -> event -> kprog -> Prop :=
| s_write : forall n m j v,
    eval_n n = Some j -> eval_n m = Some v ->
    kstep (KBlock (Write n m)) (Store j v) KSkip
| s_block_read : forall x n b j v,
    eval_n n = Some j ->
    kstep (KBlock (Read x n b)) (Load j v) (KBlock (subst x v b))
| s_block_seq : forall b1 b2,
    kstep (KBlock (Seq b1 b2)) Silent (KSeq (KBlock b1) (KBlock b2))
| s_block_if : forall c b1 b2 t,
    eval_c c = Some t ->
    kstep (KBlock (If c b1 b2)) Silent (KBlock (if t then b1 else b2))
| s_block_for_1 : forall x n m b v w,
    eval_n n = Some v -> eval_n m = Some w -> w <= v ->
    kstep (KBlock (For x n m b)) Silent KSkip
| s_block_for_2 : forall x n m b v w,
    eval_n n = Some v -> eval_n m = Some w -> v < w ->
    kstep (KBlock (For x n m b)) Silent
      (KSeq (KBlock (subst x v b)) (KBlock (For x (Num (v + 1)) (Num w) b)))
| s_read : forall x n k j v,
    eval_n n = Some j ->
    kstep (KRead x n k) (Load j v) (subst_k x v k)
| s_seq : forall k1 e k1' k2,
    kstep k1 e k1' ->
    kstep (KSeq k1 k2) e (KSeq k1' k2)
| s_seq_skip : forall k2,
    kstep (KSeq KSkip k2) Silent k2
| s_if : forall c k1 k2 t,
    eval_c c = Some t ->
    kstep (KIf c k1 k2) Silent (if t then k1 else k2)
| s_for_1 : forall x n m k v w,
    eval_n n = Some v -> eval_n m = Some w -> w <= v ->
    kstep (KFor x n m k) Silent KSkip
| s_for_2 : forall x n m k v w,
    eval_n n = Some v -> eval_n m = Some w -> v < w ->
    kstep (KFor x n m k) Silent
      (KSeq (subst_k x v k) (KFor x (Num (v + 1)) (Num w) k)).

(** [k] waits at barrier [l]; [k'] is left to run after it. *)
Inductive waits : kprog -> site -> kprog -> Prop :=
| w_sync : forall l,
    waits (KSync l) l KSkip
| w_seq : forall k1 k2 l k1',
    waits k1 l k1' ->
    waits (KSeq k1 k2) l (KSeq k1' k2).

(** ** All threads

    A configuration: the memory, the accesses made since the last barrier
    (newest first), and what every thread has left to run. *)
Definition config : Type := writes * access_values * remaining.

(** One step of thread [i] on memory and accesses. *)
Inductive thread_step (i : N) :
  writes * access_values * kprog -> writes * access_values * kprog -> Prop :=
| i_silent : forall M tr k k',
    kstep k Silent k' ->
    thread_step i (M, tr, k) (M, tr, k')
| i_load : forall M tr k j v k',
    kstep k (Load j v) k' ->
    lookup j M = Some v ->
    thread_step i (M, tr, k) (M, (i, rd, j) :: tr, k')
| i_store : forall M tr k j v k',
    kstep k (Store j v) k' ->
    thread_step i (M, tr, k) (update j v M, (i, wr, j) :: tr, k').

Definition waits_at (l : site) (e e' : N * kprog) : Prop :=
  fst e = fst e' /\ waits (snd e) l (snd e').

Inductive config_step : config -> config -> Prop :=
| c_thread : forall M tr ks1 i k ks2 M' tr' k',
    thread_step i (M, tr, k) (M', tr', k') ->
    config_step (M, tr, ks1 ++ (i, k) :: ks2) (M', tr', ks1 ++ (i, k') :: ks2)
| c_barrier : forall M tr ks l ks',
    ks <> [] ->
    Forall2 (waits_at l) ks ks' ->
    config_step (M, tr, ks) (M, [], ks').

(** [c -->* c'] *)
Definition reaches : config -> config -> Prop := clos_refl_trans_1n config config_step.

(** Two conflicting accesses in one barrier interval. *)
Definition conflicting (c : config) : Prop := racy_values (snd (fst c)).

(** Every thread is done. *)
Definition final (c : config) : Prop := Forall (fun e => snd e = KSkip) (snd c).

(** The memory holds the last writes of [H]. *)
Definition memory_of (M : writes) (H : history) : Prop :=
  forall j v, lookup j M = Some v <-> lastwrite j H v.
