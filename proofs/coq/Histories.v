(** * Access histories and [lastwrite]

    LCL22 Fig. 5.  A history is a list of phases, newest first; a phase maps a
    thread to its reads [R] and its writes [W] of that phase.  All are finite
    lists, reads and writes kept sorted; a thread absent from a phase has no
    accesses in it.  So one history may be several terms ([same_history]). *)

From BabyCUDA Require Export Syntax.
Local Open Scope N_scope.

(** ** Keys: what finite maps and sets are sorted by, threads and cells *)

Class key (K : Type) := {
  same_key : K -> K -> bool;
  same_key_iff : forall a b, same_key a b = true <-> a = b;
  before : K -> K -> bool
}.

Lemma same_key_spec {K} `{key K} (a b : K) : reflect (a = b) (same_key a b).
Proof. apply iff_reflect. symmetry. apply same_key_iff. Qed.

#[global, refine] Instance thread_key : key N := {
  same_key := N.eqb;
  before := N.ltb
}.
Proof. exact N.eqb_eq. Defined.

Definition cell_eqb (c d : cell) : bool := String.eqb (fst c) (fst d) && (snd c =? snd d).

Lemma cell_eqb_spec c d : reflect (c = d) (cell_eqb c d).
Proof.
  destruct c as [a j], d as [b k]. unfold cell_eqb. cbn.
  destruct (String.eqb_spec a b), (N.eqb_spec j k); constructor; congruence.
Qed.

(** By array, then by index. *)
#[global, refine] Instance cell_key : key cell := {
  same_key := cell_eqb;
  before c d :=
    match String.compare (fst c) (fst d) with
    | Datatypes.Lt => true
    | Datatypes.Eq => snd c <? snd d
    | Datatypes.Gt => false
    end
}.
Proof. intros c d. destruct (cell_eqb_spec c d); intuition discriminate. Defined.

(** ** Reads: a finite set of cells *)

Definition reads := list cell.

(** [R ∪ {j}] *)
Fixpoint add_read (j : cell) (R : reads) : reads :=
  match R with
  | [] => [j]
  | j' :: R' =>
      if same_key j j' then R else if before j j' then j :: R else j' :: add_read j R'
  end.

Lemma in_add_read j j' R : In j' (add_read j R) <-> j' = j \/ In j' R.
Proof.
  induction R as [| a R IH]; cbn -[same_key before].
  - intuition congruence.
  - destruct (same_key_spec j a) as [-> |]; [| destruct (before j a)]; cbn; rewrite ?IH;
      intuition congruence.
Qed.

(** ** Writes: a finite map from cells to values *)

Definition writes := list (cell * N).

(** [W(j)] *)
Fixpoint lookup {K A} `{key K} (j : K) (W : list (K * A)) : option A :=
  match W with
  | [] => None
  | (j', k) :: W' => if same_key j j' then Some k else lookup j W'
  end.

(** [W[j ↦ k]] *)
Fixpoint update (j : cell) (k : N) (W : writes) : writes :=
  match W with
  | [] => [(j, k)]
  | (j', k') :: W' =>
      if same_key j j' then (j, k) :: W'
      else if before j j' then (j, k) :: W else (j', k') :: update j k W'
  end.

Lemma lookup_update j k W j' :
  lookup j' (update j k W) = if cell_eqb j' j then Some k else lookup j' W.
Proof.
  induction W as [| [a v] W IH]; cbn -[before cell_eqb]; [reflexivity |].
  destruct (cell_eqb_spec j a); [| destruct (before j a)]; cbn -[cell_eqb];
    rewrite ?IH; destruct (cell_eqb_spec j' a), (cell_eqb_spec j' j); congruence.
Qed.

Section Lookup.
Context {K A : Type} {key_of_K : key K}.

Lemma lookup_in j (k : A) (W : list (K * A)) : lookup j W = Some k -> In (j, k) W.
Proof.
  induction W as [| [a v] W IH]; cbn; [discriminate |].
  destruct (same_key_spec j a) as [-> |]; [injection 1 as -> |]; auto.
Qed.

Lemma lookup_none j (W : list (K * A)) : lookup j W = None <-> ~ In j (map fst W).
Proof.
  induction W as [| [a v] W IH]; cbn.
  - tauto.
  - destruct (same_key_spec j a) as [-> |].
    + intuition discriminate.
    + rewrite IH. intuition congruence.
Qed.

End Lookup.

(** [j ∈ dom(W)] *)
Definition in_dom (j : cell) (W : writes) : Prop := exists k, lookup j W = Some k.

Lemma in_dom_update j k W j' : in_dom j' (update j k W) <-> j' = j \/ in_dom j' W.
Proof.
  unfold in_dom. rewrite lookup_update. destruct (cell_eqb_spec j' j) as [-> |].
  - split; eauto.
  - intuition.
Qed.

(** ** Access pairs [A = (R, W)], phases [P], histories [H] *)

Definition access_pair : Type := reads * writes.
Definition no_access : access_pair := ([], []).

Definition phase := list (N * access_pair).
Definition history := list phase.

(** [P(i)] *)
Definition at_thread (P : phase) (i : N) : access_pair :=
  match lookup i P with Some A => A | None => no_access end.

(** [{i : A}] *)
Definition singleton (i : N) (A : access_pair) : phase := [(i, A)].

(** The phase that the host leaves behind: [{0 : (∅, W0)}], the oldest one. *)
Definition host_contents (W0 : writes) : phase := singleton 0 ([], W0).

Lemma at_singleton_same i A : at_thread (singleton i A) i = A.
Proof. unfold at_thread, singleton; cbn. now rewrite N.eqb_refl. Qed.

Lemma at_singleton_other i A i' : i' <> i -> at_thread (singleton i A) i' = no_access.
Proof.
  intro Hne. unfold at_thread, singleton; cbn. now apply N.eqb_neq in Hne as ->.
Qed.

Lemma at_thread_domain P i : at_thread P i <> no_access -> In i (map fst P).
Proof.
  unfold at_thread. destruct (lookup i P) eqn:E; [| tauto].
  intros _. apply lookup_in in E. now apply (in_map fst) in E.
Qed.

(** ** Accesses: [o[j]] by one thread, and [α ∈̂ P]

    [accesses A o j]: the pair [A] has an access of mode [o] at cell [j]. *)
Definition accesses (A : access_pair) (o : mode) (j : cell) : Prop :=
  match o with
  | rd => In j (fst A)
  | wr => in_dom j (snd A)
  end.

(** [i : o[j] ∈̂ P] *)
Definition in_phase (P : phase) (i : N) (o : mode) (j : cell) : Prop :=
  accesses (at_thread P i) o j.

Lemma no_access_empty o j : ~ accesses no_access o j.
Proof. destruct o; cbn; [tauto | intros [k Hk]; discriminate]. Qed.

Lemma accesses_read R W j o j' :
  accesses (add_read j R, W) o j' <-> accesses (R, W) o j' \/ (o = rd /\ j' = j).
Proof.
  destruct o; cbn; rewrite ?in_add_read; intuition congruence.
Qed.

Lemma accesses_write R W j k o j' :
  accesses (R, update j k W) o j' <-> accesses (R, W) o j' \/ (o = wr /\ j' = j).
Proof.
  destruct o; cbn; rewrite ?in_dom_update; intuition congruence.
Qed.

(** ** [lastwrite]: a relation

    The newest phase that has a writer of [j] decides.  When several threads
    wrote [j] in it, several values are possible; when no phase has a writer,
    none is ([⊥]: rule lastwrite-undef is the absence of a derivation). *)
Inductive lastwrite (j : cell) : history -> N -> Prop :=
| lastwrite_curr : forall P H i k,
    lookup j (snd (at_thread P i)) = Some k ->
    lastwrite j (P :: H) k
| lastwrite_prev : forall P H k,
    (forall i, lookup j (snd (at_thread P i)) = None) ->
    lastwrite j H k ->
    lastwrite j (P :: H) k.

(** [lastwrite(j, H) = ⊥] *)
Definition undefined (j : cell) (H : history) : Prop := forall k, ~ lastwrite j H k.

(** ** [lastwrite] as a function to its three outcomes *)

(** All values that some thread left at [j] in phase [P]. *)
Definition values_written (j : cell) (P : phase) : list N :=
  flat_map (fun i => match lookup j (snd (at_thread P i)) with
                     | Some k => [k] | None => [] end) (map fst P).

(** All values of the newest phase that has any: [[]] is [⊥]. *)
Fixpoint lastwrites (j : cell) (H : history) : list N :=
  match H with
  | [] => []
  | P :: H' => match values_written j P with [] => lastwrites j H' | ks => ks end
  end.

Lemma in_values_written j P k :
  In k (values_written j P) <-> exists i, lookup j (snd (at_thread P i)) = Some k.
Proof.
  unfold values_written. rewrite in_flat_map. split.
  - intros (i & _ & Hk). exists i.
    destruct (lookup j _); cbn in Hk; [now destruct Hk as [-> | []] | tauto].
  - intros (i & E). exists i. split.
    + apply at_thread_domain. intro N. rewrite N in E. discriminate.
    + rewrite E. now left.
Qed.

Lemma values_written_nil j P :
  values_written j P = [] <-> forall i, lookup j (snd (at_thread P i)) = None.
Proof.
  split.
  - intros E i. destruct (lookup j _) as [k |] eqn:L; [| reflexivity].
    assert (I : In k (values_written j P)) by (apply in_values_written; eauto).
    rewrite E in I. destruct I.
  - intro HN. destruct (values_written j P) as [| k ks] eqn:E; [reflexivity |].
    assert (I : In k (values_written j P)) by (rewrite E; now left).
    apply in_values_written in I as [i Hi]. rewrite HN in Hi. discriminate.
Qed.

(** [lastwrites] is sound and complete for [lastwrite]. *)
Theorem lastwrites_correct j H k : In k (lastwrites j H) <-> lastwrite j H k.
Proof.
  induction H as [| P H IH]; cbn.
  - split; [tauto | inversion 1].
  - destruct (values_written j P) as [| k0 ks] eqn:E.
    + rewrite IH. pose proof (proj1 (values_written_nil j P) E) as HN. split.
      * intro L. now apply lastwrite_prev.
      * inversion 1; subst; [now rewrite HN in * | assumption].
    + rewrite <- E, in_values_written. split.
      * intros [i Hi]. now apply lastwrite_curr with i.
      * inversion 1 as [| P' H' k' HN L]; subst; [eauto |].
        apply values_written_nil in HN. rewrite HN in E. discriminate.
Qed.

Corollary undefined_iff j H : undefined j H <-> lastwrites j H = [].
Proof.
  unfold undefined. setoid_rewrite <- lastwrites_correct. split.
  - intro HN. destruct (lastwrites j H) as [| k ks]; [reflexivity |].
    destruct (HN k). now left.
  - intros -> k [].
Qed.

(** Reading [j] either has a value or is undefined. *)
Lemma lastwrite_or_undefined j H : (exists k, lastwrite j H k) \/ undefined j H.
Proof.
  destruct (lastwrites j H) as [| k ks] eqn:E.
  - right. now apply undefined_iff.
  - left. exists k. apply lastwrites_correct. rewrite E. now left.
Qed.

(** The thread's own write of the phase wins; otherwise the older phases decide. *)
Lemma lastwrite_own j i R W H k :
  lastwrite j (singleton i (R, W) :: H) k <->
  lookup j W = Some k \/ (lookup j W = None /\ lastwrite j H k).
Proof.
  split.
  - inversion 1 as [P H' i' k' E | P H' k' HN L]; subst.
    + destruct (N.eq_dec i' i) as [-> | Hne].
      * rewrite at_singleton_same in E. now left.
      * rewrite at_singleton_other in E by assumption. discriminate.
    + right. split; [| assumption]. specialize (HN i). now rewrite at_singleton_same in HN.
  - intros [E | [E L]].
    + apply lastwrite_curr with i. now rewrite at_singleton_same.
    + apply lastwrite_prev; [| assumption]. intro i'.
      destruct (N.eq_dec i' i) as [-> | Hne].
      * now rewrite at_singleton_same.
      * now rewrite at_singleton_other.
Qed.

(** ** Functions from threads to access pairs, as phases *)

Lemma lookup_map {A} (f : N -> A) T i :
  lookup i (map (fun i => (i, f i)) T) = if in_dec N.eq_dec i T then Some (f i) else None.
Proof.
  induction T as [| a T IH]; cbn -[in_dec]; [reflexivity |].
  destruct (N.eqb_spec i a) as [-> | Hne].
  - destruct (in_dec N.eq_dec a (a :: T)) as [| C]; [reflexivity |]. destruct C. now left.
  - rewrite IH. destruct (in_dec N.eq_dec i T), (in_dec N.eq_dec i (a :: T));
      try reflexivity; cbn in *; intuition congruence.
Qed.
