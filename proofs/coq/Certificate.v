(** * Certificates: derivations as terms

    [babycuda derive --format coq] prints a derivation as a file that imports
    this one.  A node of the derivation is a lemma: its judgment, and as its
    proof the constructor of its rule applied to its premises.  Premises that
    are judgments are lemmas again; the others are computed, in the forms below.
    No evaluator is run: what is not in the derivation is not found. *)

From BabyCUDA Require Export Typing Barriers Thread.
Local Open Scope N_scope.

(** ** Rules, applied to their premises

    What the conclusion and the premises determine is not written.  The
    conclusion is compared before the premises ([&]), since it says which
    program is meant; that of [write] only after them, since what it writes is
    computed from them. *)

Arguments read {H i R W x a n b j k B} & _ _ _.
Arguments write {H i R W a n m j k} _ _.
Arguments seq {H i A b1 b2 B C} & _ _.
Arguments if_t {H i A c b1 b2 B} & _ _.
Arguments if_f {H i A c b1 b2 B} & _ _.
Arguments for_1 {H i A x n m b k l} & _ _ _.
Arguments for_2 {H i A x n m b k l B C} & _ _ _ _ _.
Arguments skip {H i A} &.

Arguments b_block {H i A b B} & _.
Arguments b_sync {H i A l} &.
Arguments b_read {H i R W x a n k j v B s} & _ _ _.
Arguments b_seq_1 {H i A k1 k2 B C s} & _ _.
Arguments b_seq_2 {H i A k1 k2 B l k1'} & _.
Arguments b_if_t {H i A c k1 k2 B s} & _ _.
Arguments b_if_f {H i A c k1 k2 B s} & _ _.
Arguments b_for_1 {H i A x n m k v w} & _ _ _.
Arguments b_for_2 {H i A x n m k v w B s} & _ _ _ _.

Arguments par {T P H b Q} & _.
Arguments to_barrier_nil {H P} &.
Arguments to_barrier_cons {H P i k ks B s Q ss} & _ _.
Arguments block_ends {P H ks Q ss} & _ _.
Arguments block_syncs {P H ks Q ss} l ks' {out} & _ _ _ _.
Arguments block_diverges {P H ks Q ss i1 s1 i2 s2} & _ _ _ _.

(** Types without read-only inputs. *)
#[global] Existing Instance no_inputs.

Definition t_write {V a n m} (Hn : typed_n V n) : typed V (Write a n m) (UAccess wr a n) :=
  Typing.t_write V a n m eq_refl Hn.
Definition t_read {V y a n b u} (Hn : typed_n V n) (Hy : ~ In y V) (D : typed V b u) :
  typed V (Read y a n b) (USeq (UAccess rd a n) u) :=
  Typing.t_read V y a n b u eq_refl Hn Hy D.

Arguments t_write {V a n m} & _.
Arguments t_read {V y a n b u} & _ _ _.
Arguments t_seq {ins V b1 b2 u1 u2} & _ _.
Arguments t_if {ins V c b1 b2 u1 u2} & _ _ _.
Arguments t_for {ins V x n m b u} & _ _ _ _.
Arguments t_skip {ins V} &.
Arguments t_sync {ins V l} &.

(** Types that are relative to these arrays. What the host stored in them is no part of a type
    ([typed_once]). *)
Definition contains (V : list var) (x : var) : bool := if in_dec var_eq_dec x V then true else false.

Definition reading (RO : list array) : inputs := {| read_only := contains RO; host _ := 0 |}.

Definition t_write_in {RO V a n m} (Ha : contains RO a = false) (Hn : typed_n V n) :
  @typed (reading RO) V (Write a n m) (UAccess wr a n) :=
  @Typing.t_write (reading RO) V a n m Ha Hn.
Definition t_read_in {RO V y a n b u} (Ha : contains RO a = false) (Hn : typed_n V n)
  (Hy : ~ In y V) (D : @typed (reading RO) V b u) :
  @typed (reading RO) V (Read y a n b) (USeq (UAccess rd a n) u) :=
  @Typing.t_read (reading RO) V y a n b u Ha Hn Hy D.
Definition t_read_input_in {RO V y a n b u} (Ha : contains RO a = true) (Hn : typed_n V n)
  (Hy : ~ In y V) (D : @typed (reading RO) (y :: V) b u) :
  @typed (reading RO) V (Read y a n b) (USeq (UAccess rd a n) (UInput y a n u)) :=
  @Typing.t_read_input (reading RO) V y a n b u Ha Hn Hy D.

Arguments t_write_in {RO V a n m} & _ _.
Arguments t_read_in {RO V y a n b u} & _ _ _ _.
Arguments t_read_input_in {RO V y a n b u} & _ _ _ _.

(** ** Premises that are computed

    Each is an equation of two terms that compute to the same: its proof is [eq_refl]. *)

(** [(k < l) ↓ true] and [(k ≥ l) ↓ true], as loops compare their bounds. *)
Lemma less k l : eval_c (Compare Natural Lt (Num k) (Num l)) = Some true -> k < l.
Proof.
  cbn. unfold apply_comparison, compare_integers. intros [= E]. apply Z.ltb_lt in E. lia.
Qed.

Lemma at_least k l : eval_c (Compare Natural Ge (Num k) (Num l)) = Some true -> l <= k.
Proof.
  cbn. unfold apply_comparison, compare_integers. intros [= E]. apply Z.leb_le in E. lia.
Qed.

(** [lastwrite(j, H) = k]: [k] is one of the values of the newest phase that has any. *)
Lemma last_write j k H : existsb (N.eqb k) (lastwrites j H) = true -> lastwrite j H k.
Proof.
  intros (k' & HI & <-%N.eqb_eq)%existsb_exists. now apply lastwrites_correct.
Qed.

(** [V ⊢ n] and [V ⊢ c], rules t-n and t-b. *)
Lemma contains_true V x : contains V x = true -> In x V.
Proof. unfold contains. now destruct in_dec. Qed.

Lemma t_n V n : forallb (contains V) (fv_n n) = true -> typed_n V n.
Proof. intros E x Hx. now apply contains_true, (proj1 (forallb_forall _ _) E). Qed.

Lemma t_b V c : forallb (contains V) (fv_c c) = true -> typed_c V c.
Proof. intros E x Hx. now apply contains_true, (proj1 (forallb_forall _ _) E). Qed.

(** [x ∉ V] *)
Lemma fresh x V : contains V x = false -> ~ In x V.
Proof. unfold contains. now destruct in_dec. Qed.

(** All threads are at their end. *)
Definition is_finished (s : stop) : bool := match s with Finished => true | _ => false end.

Lemma finished ss : forallb (fun e => is_finished (snd e)) ss = true -> all_finished ss.
Proof.
  intros E i s HI. apply (proj1 (forallb_forall _ _) E) in HI. now destruct s.
Qed.

(** There is a thread. *)
Definition is_empty (ks : remaining) : bool := match ks with [] => true | _ => false end.

Lemma not_empty ks : is_empty ks = false -> ks <> [].
Proof. now destruct ks. Qed.

(** The thread at position [p] stopped so. *)
Lemma stopped_at p (ss : stops) e : nth_error ss p = Some e -> In e ss.
Proof. apply nth_error_In. Qed.

(** Two places are not the same. *)
Definition same_place_b (s1 s2 : stop) : bool :=
  match s1, s2 with
  | Finished, Finished => true
  | AtBarrier l1 _, AtBarrier l2 _ => l1 =? l2
  | _, _ => false
  end.

Lemma different_places s1 s2 : same_place_b s1 s2 = false -> ~ same_place s1 s2.
Proof.
  destruct s1 as [| l1 k1], s2 as [| l2 k2]; cbn; intro E; try discriminate; try tauto.
  now apply N.eqb_neq.
Qed.

Arguments less {k l} _.
Arguments at_least {k l} _.
Arguments last_write j k {H} & _.
Arguments fresh {x V} & _.
Arguments finished {ss} & _.
Arguments not_empty {ks} & _.
Arguments stopped_at p {ss e} & _.
Arguments different_places {s1 s2} & _.

(** ** One thread of rule par *)

Lemma runs T H P b i A (Q : phase) :
  thread H i (at_thread P i) (subst tid i b) A ->
  Forall2 (run_thread H P b) T Q ->
  Forall2 (run_thread H P b) (i :: T) ((i, A) :: Q).
Proof. intros D HF. constructor; [now split | exact HF]. Qed.

Lemma no_thread H P b : Forall2 (run_thread H P b) [] [].
Proof. constructor. Qed.

Arguments runs {T H P b i A Q} & _ _.
Arguments no_thread {H P b} &.

(** ** What CUDA gives a thread beside [tid] *)

(** The threads, each with the values of its variables. *)
Definition launch := list (N * list (var * N)).

(** Every thread runs [k] with its own values: [start] for more variables than [tid]. *)
Definition start_launch (threads : launch) (k : prog) : remaining :=
  map (fun t => (fst t, fold_left (fun k e => subst (fst e) (snd e) k) (snd t) k)) threads.

Lemma start_launch_tid T k : start_launch (map (fun i => (i, [(tid, i)])) T) k = start T k.
Proof. unfold start_launch, start. now rewrite map_map. Qed.
