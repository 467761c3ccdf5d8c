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
| Load (j : cell) (v : N)
| Store (j : cell) (v : N).

(** [k --e--> k'] *)
Inductive kstep : prog -> event -> prog -> Prop :=
| s_write : forall a n m j v,
    eval_n n = Some j -> eval_n m = Some v ->
    kstep (Write a n m) (Store (a, j) v) Skip
| s_read : forall x a n k j v,
    eval_n n = Some j ->
    kstep (Read x a n k) (Load (a, j) v) (subst x v k)
| s_seq : forall k1 e k1' k2,
    kstep k1 e k1' ->
    kstep (Seq k1 k2) e (Seq k1' k2)
| s_seq_skip : forall k2,
    kstep (Seq Skip k2) Silent k2
| s_if : forall c k1 k2 t,
    eval_c c = Some t ->
    kstep (If c k1 k2) Silent (if t then k1 else k2)
| s_for_1 : forall x n m k v w,
    eval_n n = Some v -> eval_n m = Some w -> w <= v ->
    kstep (For x n m k) Silent Skip
| s_for_2 : forall x n m k v w,
    eval_n n = Some v -> eval_n m = Some w -> v < w ->
    kstep (For x n m k) Silent
      (Seq (subst x v k) (For x (Num (v + 1)) (Num w) k)).

(** [k] waits at barrier [l]; [k'] is left to run after it. *)
Inductive waits : prog -> site -> prog -> Prop :=
| w_sync : forall l,
    waits (Sync l) l Skip
| w_seq : forall k1 k2 l k1',
    waits k1 l k1' ->
    waits (Seq k1 k2) l (Seq k1' k2).

(** ** All threads

    A configuration: the memory, the accesses made since the last barrier
    (newest first), and what every thread has left to run. *)
Definition config : Type := writes * access_values * remaining.

(** One step of thread [i] on memory and accesses. *)
Inductive thread_step (i : N) :
  writes * access_values * prog -> writes * access_values * prog -> Prop :=
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

Definition waits_at (l : site) (e e' : N * prog) : Prop :=
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
Definition final (c : config) : Prop := Forall (fun e => snd e = Skip) (snd c).

(** The memory holds the last writes of [H]. *)
Definition memory_of (M : writes) (H : history) : Prop :=
  forall j v, lookup j M = Some v <-> lastwrite j H v.
