(** * T12. Scoped barriers, on the traces of threads

    A barrier has a scope (a tile, a warp, the block, the grid), and a scope parts
    the threads into groups; the groups of a wider scope hold those of a narrower
    one.  A group goes on when all its threads wait at one barrier of its scope.

    Two accesses are ordered iff they are of one thread, or a barrier whose group
    holds both threads stands between them.  Where no thread is left behind, this
    is the transitive order over all barriers.  And for two threads whose
    narrowest common scope is [r], it is the order of the phases between the
    barriers of [r] and wider scopes: so races are those among pairs of relation
    [r] in one phase of the projection to [r], for every [r]. *)

From BabyCUDA Require Export Races.
Local Open Scope N_scope.

(** ** Traces *)

Inductive event :=
| Access (o : mode) (j : cell)
| Barrier (l : site) (s : nat).

Definition is_barrier (r : nat) (e : event) : bool :=
  match e with Access _ _ => false | Barrier _ s => Nat.leb r s end.

(** The barriers of scope [r] and wider. *)
Definition from (r : nat) : list event -> list event := filter (is_barrier r).

Definition exactly (s : nat) (e : event) : bool :=
  match e with Access _ _ => false | Barrier _ s' => Nat.eqb s s' end.

(** How many barriers of scope [s] a trace has. *)
Definition passed (s : nat) (tr : list event) : nat := length (filter (exactly s) tr).

Section Scopes.
Variable group : nat -> N -> N.
Context (nested : forall s s' i j, (s <= s')%nat -> group s i = group s j -> group s' i = group s' j).

(** The threads that run, and the trace of each. *)
Variable T : list N.
Definition traces := N -> list event.

(** ** Running by groups, to the end of every thread *)

Inductive runs : traces -> Prop :=
| runs_end : forall tr,
    (forall i, In i T -> from 0 (tr i) = []) ->
    runs tr
| runs_sync : forall tr tr' l s i0,
    In i0 T ->
    (forall i, In i T -> group s i = group s i0 ->
       exists before, from 0 before = [] /\ tr i = before ++ Barrier l s :: tr' i) ->
    (forall i, In i T -> group s i <> group s i0 -> tr' i = tr i) ->
    runs tr' ->
    runs tr.

(** Threads of one group pass the same barriers of its scope and of wider ones. *)
Definition synchronized (tr : traces) : Prop :=
  forall r i j, In i T -> In j T -> group r i = group r j -> from r (tr i) = from r (tr j).

Lemma from_nothing r tr : from 0 tr = [] -> from r tr = [].
Proof.
  unfold from. induction tr as [| [o j | l s] tr IH]; cbn; [reflexivity | exact IH | discriminate].
Qed.

Lemma from_app r tr1 tr2 : from r (tr1 ++ tr2) = from r tr1 ++ from r tr2.
Proof. apply filter_app. Qed.

Theorem runs_synchronized tr : runs tr -> synchronized tr.
Proof.
  induction 1 as [tr HE | tr tr' l s i0 _ Hin Hout _ IH]; intros r i j Hi Hj E.
  - now rewrite !(from_nothing r _ (HE _ Hi)), !(from_nothing r _ (HE _ Hj)).
  - specialize (IH r i j Hi Hj E).
    assert (Hpass : forall k, In k T -> group s k = group s i0 ->
      from r (tr k) = (if is_barrier r (Barrier l s) then [Barrier l s] else []) ++ from r (tr' k)).
    { intros k Hk Ek. destruct (Hin k Hk Ek) as (before & HB & ->).
      rewrite from_app, (from_nothing r _ HB). unfold from. cbn. now destruct (Nat.leb r s). }
    destruct (N.eq_dec (group s i) (group s i0)) as [Ei | Ei],
      (N.eq_dec (group s j) (group s i0)) as [Ej | Ej].
    + now rewrite (Hpass i Hi Ei), (Hpass j Hj Ej), IH.
    + rewrite (Hpass i Hi Ei), <- (Hout j Hj Ej), IH. cbn.
      destruct (Nat.leb_spec r s) as [Hle |]; [| reflexivity].
      destruct Ej. rewrite <- Ei. symmetry. eapply nested; eassumption.
    + rewrite (Hpass j Hj Ej), <- (Hout i Hi Ei), IH. cbn.
      destruct (Nat.leb_spec r s) as [Hle |]; [| reflexivity].
      destruct Ei. rewrite <- Ej. eapply nested; eassumption.
    + now rewrite <- (Hout i Hi Ei), <- (Hout j Hj Ej).
Qed.

(** *** And conversely: the group of a narrowest next barrier can go on *)

Fixpoint after_barrier (t : list event) : list event :=
  match t with
  | [] => []
  | Access _ _ :: t => after_barrier t
  | Barrier _ _ :: t => t
  end.

Lemma after_barrier_spec t l s rest :
  from 0 t = Barrier l s :: rest ->
  (exists before, from 0 before = [] /\ t = before ++ Barrier l s :: after_barrier t) /\
  from 0 (after_barrier t) = rest.
Proof.
  unfold from. induction t as [| [o j | l' s'] t IH]; cbn; intro E; [discriminate | |].
  - destruct (IH E) as [(before & HB & Ht) HR]. split; [| exact HR].
    exists (Access o j :: before). split; [exact HB |]. cbn. now rewrite <- Ht.
  - injection E as -> -> E. split; [| exact E]. exists []. auto.
Qed.

Lemma from_twice r t : from r (from 0 t) = from r t.
Proof.
  unfold from. induction t as [| [o j | l s] t IH]; cbn; [reflexivity | exact IH |].
  destruct (Nat.leb r s); now rewrite IH.
Qed.

Lemma narrowest_next (tr : traces) (l : list N) :
  (forall i, In i l -> from 0 (tr i) = []) \/
  exists i0 b s rest, In i0 l /\ from 0 (tr i0) = Barrier b s :: rest /\
    forall i b' s' rest', In i l -> from 0 (tr i) = Barrier b' s' :: rest' -> (s <= s')%nat.
Proof.
  induction l as [| i l IH]; [left; intros ? [] |].
  destruct (from 0 (tr i)) as [| [o c | b s] rest] eqn:Ei.
  - destruct IH as [IH | (i0 & b & s & rest & H0 & E & Hmin)].
    + left. intros j [<- | Hj]; auto.
    + right. exists i0, b, s, rest. split; [now right |]. split; [exact E |].
      intros j b' s' rest' [<- | Hj] Ej; [congruence | eauto].
  - assert (F : In (Access o c) (from 0 (tr i))) by (rewrite Ei; now left).
    apply filter_In in F as [_ F]. discriminate.
  - right. destruct IH as [IH | (i0 & b0 & s0 & rest0 & H0 & E & Hmin)].
    + exists i, b, s, rest. split; [now left |]. split; [exact Ei |].
      intros j b' s' rest' [<- | Hj] Ej; [rewrite Ei in Ej; injection Ej as <- <- <-; lia |].
      rewrite (IH j Hj) in Ej. discriminate.
    + destruct (Nat.le_gt_cases s s0) as [Hle | Hgt].
      * exists i, b, s, rest. split; [now left |]. split; [exact Ei |].
        intros j b' s' rest' [<- | Hj] Ej; [rewrite Ei in Ej; injection Ej as <- <- <-; lia |].
        specialize (Hmin j b' s' rest' Hj Ej). lia.
      * exists i0, b0, s0, rest0. split; [now right |]. split; [exact E |].
        intros j b' s' rest' [<- | Hj] Ej; [rewrite Ei in Ej; injection Ej as <- <- <-; lia | eauto].
Qed.

Fixpoint barriers_left (tr : traces) (l : list N) : nat :=
  match l with [] => 0 | i :: l => length (from 0 (tr i)) + barriers_left tr l end.

Lemma barriers_left_le tr tr' l :
  (forall i, In i l -> (length (from 0 (tr' i)) <= length (from 0 (tr i)))%nat) ->
  (barriers_left tr' l <= barriers_left tr l)%nat.
Proof.
  induction l as [| i l IH]; cbn; intro Hle; [lia |].
  specialize (IH (fun x Hx => Hle x (or_intror Hx))). specialize (Hle i (or_introl eq_refl)). lia.
Qed.

Lemma barriers_left_decrease tr tr' l i0 :
  (forall i, In i l -> (length (from 0 (tr' i)) <= length (from 0 (tr i)))%nat) ->
  In i0 l -> (length (from 0 (tr' i0)) < length (from 0 (tr i0)))%nat ->
  (barriers_left tr' l < barriers_left tr l)%nat.
Proof.
  induction l as [| i l IH]; cbn; intros Hle Hin Hlt; [destruct Hin |].
  pose proof (barriers_left_le tr tr' l (fun x Hx => Hle x (or_intror Hx))) as HW.
  pose proof (Hle i (or_introl eq_refl)) as Hi. destruct Hin as [-> | Hin]; [lia |].
  specialize (IH (fun x Hx => Hle x (or_intror Hx)) Hin Hlt). lia.
Qed.

Theorem synchronized_runs tr : synchronized tr -> runs tr.
Proof.
  remember (barriers_left tr T) as n eqn:En. assert (Hn : (barriers_left tr T <= n)%nat) by lia. clear En.
  revert tr Hn. induction n as [| n IH]; intros tr Hn HS;
    (destruct (narrowest_next tr T) as [HE | (i0 & b & s & rest & H0 & E0 & Hmin)]; [now apply runs_end |]).
  { exfalso. assert (L : (barriers_left (fun _ => []) T < barriers_left tr T)%nat); [| lia].
    apply barriers_left_decrease with i0; [intros; cbn; lia | exact H0 | rewrite E0; cbn; lia]. }
  assert (Hnext : forall i, In i T -> group s i = group s i0 ->
            exists rest', from 0 (tr i) = Barrier b s :: rest').
  { intros i Hi Ei. pose proof (HS s i i0 Hi H0 Ei) as F.
    rewrite <- (from_twice s (tr i)), <- (from_twice s (tr i0)), E0 in F. unfold from at 3 in F. cbn in F.
    rewrite Nat.leb_refl in F.
    destruct (from 0 (tr i)) as [| [o c | b' s'] rest'] eqn:Ei0; [discriminate | |].
    - assert (G : In (Access o c) (from 0 (tr i))) by (rewrite Ei0; now left).
      apply filter_In in G as [_ G]. discriminate.
    - pose proof (Hmin i b' s' rest' Hi Ei0) as Hle. unfold from in F at 1. cbn in F.
      apply Nat.leb_le in Hle. rewrite Hle in F. injection F as -> -> _. eauto. }
  pose (tr' := fun i => if group s i =? group s i0 then after_barrier (tr i) else tr i).
  assert (Hstay : forall i, group s i <> group s i0 -> tr' i = tr i).
  { intros i Ei. unfold tr'. apply N.eqb_neq in Ei. now rewrite Ei. }
  assert (Hgo : forall i, group s i = group s i0 -> tr' i = after_barrier (tr i)).
  { intros i Ei. unfold tr'. rewrite Ei, N.eqb_refl. reflexivity. }
  apply runs_sync with tr' b s i0; [exact H0 | | |].
  - intros i Hi Ei. destruct (Hnext i Hi Ei) as [rest' F].
    destruct (after_barrier_spec _ _ _ _ F) as [(before & HB & Ht) _].
    exists before. split; [exact HB |]. now rewrite (Hgo i Ei).
  - auto.
  - apply IH.
    + enough (barriers_left tr' T < barriers_left tr T)%nat by lia.
      apply barriers_left_decrease with i0; [| exact H0 |].
      * intros i Hi. destruct (N.eq_dec (group s i) (group s i0)) as [Ei | Ei]; [| now rewrite (Hstay i Ei)].
        destruct (Hnext i Hi Ei) as [rest' F].
        destruct (after_barrier_spec _ _ _ _ F) as [_ HR]. rewrite (Hgo i Ei), HR, F. cbn. lia.
      * destruct (after_barrier_spec _ _ _ _ E0) as [_ HR]. rewrite (Hgo i0 eq_refl), HR, E0. cbn. lia.
    + intros r i j Hi Hj E.
      assert (Hfrom : forall k, In k T -> group s k = group s i0 ->
                from r (tr k) = (if Nat.leb r s then [Barrier b s] else []) ++ from r (tr' k)).
      { intros k Hk Ek. destruct (Hnext k Hk Ek) as [rest' F].
        destruct (after_barrier_spec _ _ _ _ F) as [_ HR].
        rewrite <- (from_twice r (tr k)), F, (Hgo k Ek), <- (from_twice r (after_barrier (tr k))), HR.
        unfold from at 1. cbn. now destruct (Nat.leb r s). }
      pose proof (HS r i j Hi Hj E) as F.
      destruct (N.eq_dec (group s i) (group s i0)) as [Ei | Ei],
        (N.eq_dec (group s j) (group s i0)) as [Ej | Ej].
      * rewrite (Hfrom i Hi Ei), (Hfrom j Hj Ej) in F. now apply app_inv_head in F.
      * rewrite (Hfrom i Hi Ei), <- (Hstay j Ej) in F. destruct (Nat.leb_spec r s) as [Hle |]; [| exact F].
        destruct Ej. rewrite <- Ei. symmetry. eapply nested; eassumption.
      * rewrite (Hfrom j Hj Ej), <- (Hstay i Ei) in F. destruct (Nat.leb_spec r s) as [Hle |]; [| exact F].
        destruct Ei. rewrite <- Ej. eapply nested; eassumption.
      * now rewrite (Hstay i Ei), (Hstay j Ej).
Qed.

Theorem runs_iff_synchronized tr : runs tr <-> synchronized tr.
Proof. split; [apply runs_synchronized | apply synchronized_runs]. Qed.

(** ** The order *)

Variable tr : traces.
Context (tr_synchronized : synchronized tr).

(** What thread [i] did before its position [p]. *)
Definition past (i : N) (p : nat) : list event := firstn p (tr i).

Definition ordered (x y : N * nat) : Prop :=
  let '(i, p) := x in let '(j, q) := y in
  (i = j /\ (p < q)%nat) \/
  exists s, group s i = group s j /\ (passed s (past i p) < passed s (past j q))%nat.

(** The phase of a position, when only barriers of scope [r] and wider count. *)
Definition phase_of (r : nat) (i : N) (p : nat) : nat := length (from r (past i p)).

(** *** Prefixes *)

Lemma past_grows i p q : (p <= q)%nat -> exists more, past i q = past i p ++ more.
Proof.
  intro Hle. unfold past. exists (firstn (q - p) (skipn p (tr i))).
  rewrite <- (firstn_skipn p (tr i)) at 1. rewrite firstn_app, firstn_firstn, firstn_length.
  replace (Nat.min q p) with p by lia. f_equal.
  destruct (Nat.le_gt_cases p (length (tr i))).
  - now replace (q - Nat.min p (length (tr i)))%nat with (q - p)%nat by lia.
  - rewrite skipn_all2 by lia. now rewrite !firstn_nil.
Qed.

Lemma passed_app s tr1 tr2 : passed s (tr1 ++ tr2) = (passed s tr1 + passed s tr2)%nat.
Proof. unfold passed. rewrite filter_app. apply app_length. Qed.

(** Barriers of scope [s] are among those from [r] on. *)
Lemma passed_from r s l : (r <= s)%nat -> passed s (from r l) = passed s l.
Proof.
  intro Hle. unfold passed, from. induction l as [| [o j | l' s'] l IH]; cbn; [reflexivity | exact IH |].
  destruct (Nat.eqb_spec s s') as [<- | Hne].
  - apply Nat.leb_le in Hle as E. rewrite E. cbn. rewrite Nat.eqb_refl. cbn. now rewrite IH.
  - destruct (Nat.leb r s'); cbn; [| exact IH]. apply Nat.eqb_neq in Hne as ->. exact IH.
Qed.

(** Two threads of one group of [r]: the barriers of one from [r] on, at some
    position, are a prefix of those of the other, or conversely. *)
Lemma pasts_compare r i j p q :
  In i T -> In j T -> group r i = group r j ->
  exists more, from r (past j q) = from r (past i p) ++ more \/
               from r (past i p) = from r (past j q) ++ more.
Proof.
  intros Hi Hj E.
  assert (S : from r (past i p) ++ from r (skipn p (tr i)) =
              from r (past j q) ++ from r (skipn q (tr j))).
  { unfold past. rewrite <- !from_app, !firstn_skipn. apply tr_synchronized; assumption. }
  revert S. generalize (from r (skipn p (tr i))), (from r (skipn q (tr j))).
  generalize (from r (past i p)), (from r (past j q)).
  clear. induction l as [| e l IH]; intros [| e' l'] l1 l2 S; cbn in *.
  - exists []. now left.
  - exists (e' :: l'). now left.
  - exists (e :: l). now right.
  - injection S as <- S. destruct (IH _ _ _ S) as [more [-> | ->]]; exists more; auto.
Qed.

(** *** The one sentence is transitive *)

Lemma passed_at_most s r i j p q :
  In i T -> In j T -> group r i = group r j -> (r <= s)%nat ->
  (passed r (past i p) < passed r (past j q))%nat ->
  (passed s (past i p) <= passed s (past j q))%nat.
Proof.
  intros Hi Hj E Hle Hlt.
  rewrite <- (passed_from r r (past i p)), <- (passed_from r r (past j q)) in Hlt by lia.
  rewrite <- (passed_from r s (past i p)), <- (passed_from r s (past j q)) by exact Hle.
  destruct (pasts_compare r i j p q Hi Hj E) as [more [H | H]]; rewrite H in *;
    rewrite !passed_app in *; lia.
Qed.

Theorem ordered_transitive x y z :
  In (fst x) T -> In (fst y) T -> In (fst z) T -> ordered x y -> ordered y z -> ordered x z.
Proof.
  destruct x as [i p], y as [j q], z as [k v]. cbn. intros Hi Hj Hk [[-> Hpq] | (s1 & E1 & L1)] O2.
  - destruct O2 as [[-> Hqv] | (s2 & E2 & L2)]; [left; split; [reflexivity | lia] | right].
    exists s2. split; [exact E2 |]. destruct (past_grows j p q) as [more H]; [lia |].
    rewrite H, passed_app in L2. lia.
  - right. destruct O2 as [[-> Hqv] | (s2 & E2 & L2)].
    + exists s1. split; [exact E1 |]. destruct (past_grows k q v) as [more H]; [lia |].
      rewrite H, passed_app. lia.
    + destruct (Nat.le_gt_cases s1 s2) as [Hle | Hgt].
      * exists s2. split; [rewrite (nested s1 s2 i j); auto |].
        pose proof (passed_at_most s2 s1 i j p q Hi Hj E1 Hle L1). lia.
      * exists s1. split; [rewrite E1; eapply nested; [| exact E2]; lia |].
        pose proof (passed_at_most s1 s2 j k q v Hj Hk E2 ltac:(lia) L2). lia.
Qed.

(** ** Races by projection *)

(** [r] is the narrowest scope whose group holds both threads. *)
Definition relation (r : nat) (i j : N) : Prop :=
  group r i = group r j /\ forall s, group s i = group s j -> (r <= s)%nat.

Lemma longer_passes (l : list event) more :
  (forall e, In e more -> exists l s, e = Barrier l s) -> more <> [] ->
  exists l' s, In (Barrier l' s) more /\ (passed s l < passed s (l ++ more))%nat.
Proof.
  intros HB Hne. destruct more as [| e more]; [contradiction |].
  destruct (HB e) as (l' & s & ->); [now left |]. exists l', s. split; [now left |].
  rewrite passed_app. unfold passed. cbn. rewrite Nat.eqb_refl. cbn. lia.
Qed.

Theorem ordered_iff_earlier_phase r i j p q :
  In i T -> In j T -> i <> j -> relation r i j ->
  ordered (i, p) (j, q) <-> (phase_of r i p < phase_of r j q)%nat.
Proof.
  intros Hi Hj Hne [E Hmin]. unfold phase_of. split.
  - intros [[C _] | (s & Es & L)]; [contradiction |]. specialize (Hmin s Es).
    rewrite <- (passed_from r s (past i p)), <- (passed_from r s (past j q)) in L by exact Hmin.
    destruct (pasts_compare r i j p q Hi Hj E) as [more [H | H]]; rewrite H in *;
      rewrite passed_app in L; rewrite ?app_length; [| lia].
    destruct more; [unfold passed in L; cbn in L; lia | cbn; lia].
  - intro L. right. destruct (pasts_compare r i j p q Hi Hj E) as [more [H | H]]; rewrite H in L;
      rewrite app_length in L; [| lia].
    assert (HB : forall e, In e more -> exists l s, e = Barrier l s /\ (r <= s)%nat).
    { intros e He. assert (I : In e (from r (past j q))) by (rewrite H; apply in_app_iff; now right).
      apply filter_In in I as [_ I]. destruct e as [o c | l s]; [discriminate |].
      exists l, s. split; [reflexivity | now apply Nat.leb_le]. }
    destruct (longer_passes (from r (past i p)) more) as (l & s & Hs & L').
    + intros e He. destruct (HB e He) as (l & s & -> & _). eauto.
    + intros ->. cbn in L. lia.
    + destruct (HB _ Hs) as (? & ? & [= <- <-] & Hle). exists s.
      split; [eapply nested; eassumption |].
      rewrite <- H, !(passed_from r s) in L' by exact Hle. exact L'.
Qed.

(** Accesses [o c] of thread [i] at [p], in a trace. *)
Definition accesses_at (i : N) (p : nat) (o : mode) (c : cell) : Prop :=
  In i T /\ nth_error (tr i) p = Some (Access o c).

(** A race: conflicting accesses that are not ordered. *)
Definition scoped_race : Prop :=
  exists i p o j q o' c, accesses_at i p o c /\ accesses_at j q o' c /\
    conflict (i, o, c) (j, o', c) /\ ~ ordered (i, p) (j, q) /\ ~ ordered (j, q) (i, p).

(** The same among pairs of relation [r], in one phase of the projection to [r]. *)
Definition projected_race (r : nat) : Prop :=
  exists i p o j q o' c, accesses_at i p o c /\ accesses_at j q o' c /\
    conflict (i, o, c) (j, o', c) /\ relation r i j /\ phase_of r i p = phase_of r j q.

(** T12, on traces, where every two threads have a narrowest common scope. *)
Theorem scoped_race_iff_projected :
  (forall i j, In i T -> In j T -> exists r, relation r i j) ->
  scoped_race <-> exists r, projected_race r.
Proof.
  intro HR. split.
  - intros (i & p & o & j & q & o' & c & Ai & Aj & C & N1 & N2).
    destruct (HR i j (proj1 Ai) (proj1 Aj)) as [r Hr]. exists r, i, p, o, j, q, o', c.
    repeat split; try assumption; try apply Ai; try apply Aj; try apply C; try apply Hr.
    assert (Hji : relation r j i) by (destruct Hr; split; [auto | intros s Es; auto]).
    rewrite (ordered_iff_earlier_phase r i j) in N1 by (try apply Ai; try apply Aj; try apply C; exact Hr).
    rewrite (ordered_iff_earlier_phase r j i) in N2
      by (try apply Ai; try apply Aj; try exact Hji; intros ->; now apply C).
    lia.
  - intros (r & i & p & o & j & q & o' & c & Ai & Aj & C & Hr & EP).
    exists i, p, o, j, q, o', c. repeat (split; [assumption |]).
    assert (Hji : relation r j i) by (destruct Hr; split; [auto | intros s Es; auto]).
    rewrite (ordered_iff_earlier_phase r i j) by (try apply Ai; try apply Aj; try apply C; exact Hr).
    rewrite (ordered_iff_earlier_phase r j i)
      by (try apply Ai; try apply Aj; try exact Hji; intros ->; now apply C).
    lia.
Qed.

End Scopes.
