(** * T9. One record of the last accessor tells exactly the racy traces of a cell

    Levels run from 0 to [grid]: a thread, then the scopes, then all threads.  Two
    accesses are ordered iff they are of one thread, or a barrier whose group holds
    both threads stands between them.  The machine knows of each level which modes
    are recent, and whether they are of several groups of the next narrower level;
    of an access it reads the mode, how far away the last accessor is, and the widest
    barrier since the last access that both of them passed.

    It forgets: of the groups of the new accessor that do not hold the last one, it
    keeps nothing but the new access.  What it forgets there it knows of a wider
    level, with several groups ([Covered]).  And where there are several groups and
    no race, all modes conflict with the same ones ([alike]), so that it does not
    matter of which group a mode is.  Traces are listed from the latest event. *)

From Coq Require Export List Arith Bool Lia.
Export ListNotations.

(** ** Accesses *)

Inductive mode := Rd | Wr | BlockAtomic | DeviceAtomic.

Definition all_modes := [Rd; Wr; BlockAtomic; DeviceAtomic].

Definition eq_mode (o o' : mode) : bool :=
  match o, o' with
  | Rd, Rd | Wr, Wr | BlockAtomic, BlockAtomic | DeviceAtomic, DeviceAtomic => true
  | _, _ => false
  end.

Definition covers (o : mode) (same_block : bool) : bool :=
  match o with BlockAtomic => same_block | _ => true end.

(** Do two accesses of different threads conflict? *)
Definition conflicts (o o' : mode) (same_block : bool) : bool :=
  match o, o' with
  | Rd, Rd => false
  | (BlockAtomic | DeviceAtomic), (BlockAtomic | DeviceAtomic) =>
      negb (covers o same_block && covers o' same_block)
  | _, _ => true
  end.

Lemma conflicts_sym o o' c : conflicts o o' c = conflicts o' o c.
Proof. now destruct o, o', c. Qed.

(** Two modes that do not conflict conflict with the same modes. *)
Lemma alike o o' p c : conflicts o o' c = false -> conflicts p o c = true -> conflicts p o' c = true.
Proof. now destruct o, o', p, c. Qed.

Lemma conflicts_far o o' c c' :
  (c' = true -> c = true) -> conflicts o o' c = true -> conflicts o o' c' = true.
Proof. destruct o, o', c, c'; cbn; intros H E; try reflexivity; try discriminate; now discriminate H. Qed.

Section Chain.
Context {thread : Type}.
Variables (grid block : nat) (group : nat -> thread -> nat).
Context (nested : forall i j s t, i <= j -> group i s = group i t -> group j s = group j t)
  (alone : forall s t, group 0 s = group 0 t -> s = t)
  (whole : forall s t, group grid s = group grid t).

(** The level of the narrowest group that holds both threads. *)
Fixpoint relation_below (i : nat) (s t : thread) : nat :=
  match i with
  | 0 => 0
  | S i => if group i s =? group i t then relation_below i s t else S i
  end.

Definition relation (s t : thread) : nat := relation_below grid s t.

Inductive event :=
| Access (t : thread) (o : mode)
| Barrier (level : nat) (of : thread).  (** of the group of that level that holds the thread *)

(** ** Races *)

Definition conflicting (s : thread) (o : mode) (t : thread) (o' : mode) : Prop :=
  s <> t /\ conflicts o o' (relation s t <=? block) = true.

Definition ordered (s t : thread) (between : list event) : Prop :=
  exists l g, In (Barrier l g) between /\ group l g = group l s /\ group l g = group l t.

Definition racy (trace : list event) : Prop :=
  exists later t o between s o' earlier,
    trace = later ++ Access t o :: between ++ Access s o' :: earlier /\
    conflicting t o s o' /\ ~ ordered t s between.

(** ** The machine *)

Record recent := { modes : mode -> bool; several : bool }.

Definition nothing : recent := {| modes := fun _ => false; several := false |}.

Definition some (k : recent) : bool := existsb (modes k) all_modes.

Definition levels : list nat := seq 1 grid.

(** Level by level, from 1. *)
Definition known := list recent.

Definition at_level (k : known) (i : nat) : recent := nth (i - 1) k nothing.

(** What was known, behind a barrier of a level. *)
Definition behind (sync : nat) (k : known) (i : nat) : recent :=
  if i <=? sync then nothing else at_level k i.

(** Does an access of mode [o] race, for what is known of level [i]? *)
Definition races (o : mode) (r i : nat) (k : recent) : bool :=
  (several k || (i =? r)) && existsb (fun o' => modes k o' && conflicts o o' (i <=? block)) all_modes.

Definition add (o : mode) (r i : nat) (k : recent) : recent :=
  if i <? r then {| modes := eq_mode o; several := false |}
  else {| modes := fun o' => eq_mode o o' || modes k o';
          several := several k || ((i =? r) && some k) |}.

(** What is known after an access; [None] is the race. *)
Definition access (k : known) (o : mode) (sync r : nat) : option known :=
  let k := behind sync k in
  if existsb (fun i => races o r i (k i)) levels then None
  else Some (map (fun i => add o r i (k i)) levels).

(** Its labels: the last accessor ([t] if there is none), and the widest barrier since
    then, of those that are of level [r] or wider and hold [t]. *)
Fixpoint last_accessor (t : thread) (past : list event) : thread :=
  match past with
  | [] => t
  | Access s _ :: _ => s
  | Barrier _ _ :: past => last_accessor t past
  end.

Definition holds (r l : nat) (g t : thread) : bool := (r <=? l) && (group l g =? group l t).

Fixpoint widest (r : nat) (t : thread) (past : list event) : nat :=
  match past with
  | Barrier l g :: past => max (if holds r l g t then l else 0) (widest r t past)
  | _ => 0
  end.

Fixpoint run (past : list event) : option known :=
  match past with
  | [] => Some (map (fun _ => nothing) levels)
  | Barrier _ _ :: past => run past
  | Access t o :: past =>
      match run past with
      | None => None
      | Some k => let r := relation (last_accessor t past) t in access k o (widest r t past) r
      end
  end.

(** ** Levels *)

Lemma relation_below_le k s t : group k s = group k t ->
  forall i, i <= k -> relation_below k s t <= i <-> group i s = group i t.
Proof.
  induction k as [| k IH]; intros E i Hi; cbn.
  - replace i with 0 by lia. now split.
  - destruct (Nat.eqb_spec (group k s) (group k t)) as [Ek | Nk].
    + destruct (Nat.eq_dec i (S k)) as [-> | Hne]; [| apply IH; [exact Ek | lia]].
      split; intros _; [exact E |]. pose proof (proj2 (IH Ek k (le_n k)) Ek). lia.
    + split; intro H; [now replace i with (S k) by lia |].
      destruct (Nat.eq_dec i (S k)) as [-> | Hne]; [lia |].
      destruct Nk. apply (nested i k); [lia | exact H].
Qed.

Lemma relation_le s t i : i <= grid -> relation s t <= i <-> group i s = group i t.
Proof. apply relation_below_le, whole. Qed.

Lemma relation_grid s t : relation s t <= grid.
Proof. apply relation_le, whole. lia. Qed.

Lemma relation_same s t : group (relation s t) s = group (relation s t) t.
Proof. apply relation_le; [apply relation_grid | lia]. Qed.

Lemma relation_sym s t : relation s t = relation t s.
Proof.
  apply Nat.le_antisymm; (apply relation_le; [apply relation_grid |]); symmetry; apply relation_same.
Qed.

(** Nothing narrower than the relation holds both. *)
Lemma relation_not s t i : i < relation s t -> group i s <> group i t.
Proof.
  intros Hi E. pose proof (relation_grid s t). apply relation_le in E; lia.
Qed.

Lemma relation_is s t i : 1 <= i <= grid ->
  group i s = group i t -> group (i - 1) s <> group (i - 1) t -> relation s t = i.
Proof.
  intros Hi E N. apply relation_le in E; [| lia].
  destruct (Nat.le_gt_cases (relation s t) (i - 1)) as [H |]; [| lia].
  destruct N. apply relation_le in H; [exact H | lia].
Qed.

Lemma relation_apart s t i : 1 <= i -> relation s t = i -> group (i - 1) s <> group (i - 1) t.
Proof. intros Hi E. apply relation_not. lia. Qed.

Lemma relation_pos s t : s <> t -> 1 <= relation s t.
Proof.
  intro N. destruct (relation s t) eqn:E; [| lia].
  destruct N. apply alone. rewrite <- E. apply relation_same.
Qed.

(** ** Recent accesses *)

Definition parts (i l : nat) (g t : thread) : Prop := i <= l /\ group l g = group l t.

Lemma parts_dec i l g t : {parts i l g t} + {~ parts i l g t}.
Proof.
  unfold parts. destruct (le_dec i l), (Nat.eq_dec (group l g) (group l t)); [left | right..]; tauto.
Qed.

Lemma holds_parts r l g t : holds r l g t = true <-> parts r l g t.
Proof. unfold holds, parts. now rewrite andb_true_iff, Nat.leb_le, Nat.eqb_eq. Qed.

(** [u] accessed in mode [o], in [t]'s group of level [i], since that group's last barrier
    of level [i] or wider. *)
Fixpoint recently (i : nat) (t u : thread) (o : mode) (past : list event) : Prop :=
  match past with
  | [] => False
  | Access s o' :: past => (s = u /\ o' = o /\ group i u = group i t) \/ recently i t u o past
  | Barrier l g :: past => ~ parts i l g t /\ recently i t u o past
  end.

(** Such a barrier came after the last access. *)
Fixpoint parted (i : nat) (t : thread) (past : list event) : Prop :=
  match past with
  | Barrier l g :: past => parts i l g t \/ parted i t past
  | _ => False
  end.

Lemma recently_group i t u o past : recently i t u o past -> group i u = group i t.
Proof. induction past as [| [s o' | l g] past IH]; cbn; tauto. Qed.

Lemma recently_not_parted i t u o past : recently i t u o past -> ~ parted i t past.
Proof. induction past as [| [s o' | l g] past IH]; cbn; tauto. Qed.

Lemma parts_move i j l g s t : i <= j -> group j s = group j t -> parts j l g s -> parts i l g t.
Proof.
  unfold parts. intros Hij E [Hl G]. split; [lia |].
  rewrite G. exact (nested j l s t Hl E).
Qed.

(** What is recent in a group is recent in the wider group that holds it. *)
Lemma recently_wider i j s t u o past : i <= j -> group j s = group j t ->
  recently i t u o past -> recently j s u o past.
Proof.
  intros Hij E. induction past as [| [s' o' | l g] past IH]; cbn.
  - tauto.
  - intros [(-> & -> & G) | H]; [left | right; now apply IH].
    repeat split. rewrite E. exact (nested i j u t Hij G).
  - intros [N H]. split; [| now apply IH]. intro P. apply N. exact (parts_move i j l g s t Hij E P).
Qed.

Lemma parted_move i s t past : group i s = group i t -> parted i s past -> parted i t past.
Proof.
  intro E. induction past as [| [s' o' | l g] past IH]; cbn; try tauto.
  intros [P | H]; [left | right; tauto]. exact (parts_move i i l g s t (le_n i) E P).
Qed.

Lemma widest_max r t i past : r <= i -> parted i t past -> i <= widest r t past.
Proof.
  intro Hr. induction past as [| [s o | l g] past IH]; cbn; try tauto.
  intros [P | H]; [| specialize (IH H); lia].
  replace (holds r l g t) with true; [destruct P; lia |].
  symmetry. apply holds_parts. destruct P. split; [lia | assumption].
Qed.

Lemma widest_parted r t i past : 1 <= i -> i <= widest r t past -> parted i t past.
Proof.
  intro Hi. induction past as [| [s o | l g] past IH]; cbn; try lia.
  intro H. destruct (holds r l g t) eqn:E; [| right; apply IH; lia].
  apply holds_parts in E. destruct (Nat.le_gt_cases i l) as [Hl | Hl].
  - left. destruct E. now split.
  - right. apply IH. lia.
Qed.

(** ** Races, from the latest access on *)

Definition races_with (t : thread) (o : mode) (past : list event) : Prop :=
  exists u o', conflicting t o u o' /\ recently (relation t u) t u o' past.

Fixpoint racy_so_far (past : list event) : Prop :=
  match past with
  | [] => False
  | Barrier _ _ :: past => racy_so_far past
  | Access t o :: past => races_with t o past \/ racy_so_far past
  end.

Lemma parts_ordered s t l g : parts (relation t s) l g t <-> group l g = group l t /\ group l g = group l s.
Proof.
  unfold parts. split.
  - intros [Hl G]. split; [exact G |]. rewrite G. exact (nested _ _ _ _ Hl (relation_same t s)).
  - intros [G G']. split; [| exact G].
    destruct (Nat.le_gt_cases (relation t s) l) as [H | H]; [exact H |].
    destruct (relation_not t s l H). congruence.
Qed.

Lemma recently_split t s o past : recently (relation t s) t s o past <->
  exists between earlier, past = between ++ Access s o :: earlier /\ ~ ordered t s between.
Proof.
  unfold ordered. induction past as [| e past IH]; cbn.
  - split; [tauto |]. intros ([| e between] & earlier & E & _); discriminate.
  - destruct e as [s' o' | l g].
    + rewrite IH. split.
      * intros [(-> & -> & _) | (between & earlier & -> & N)].
        -- exists [], past. split; [reflexivity |]. intros (l & g & [] & _).
        -- exists (Access s' o' :: between), earlier. split; [reflexivity |].
           intros (l & g & [H | H] & G); [discriminate |]. apply N. now exists l, g.
      * intros ([| e between] & earlier & E & N); injection E; intros; subst; try discriminate.
        -- left. repeat split. symmetry. apply relation_same.
        -- right. exists between, earlier. split; [reflexivity |].
           intros (l & g & H & G). apply N. exists l, g. now split; [right |].
    + rewrite parts_ordered, IH. split.
      * intros [N (between & earlier & -> & N')].
        exists (Barrier l g :: between), earlier. split; [reflexivity |].
        intros (l' & g' & [H | H] & G).
        -- injection H as -> ->. tauto.
        -- apply N'. now exists l', g'.
      * intros ([| e between] & earlier & E & N); injection E; intros; subst; try discriminate. split.
        -- intro G. apply N. exists l, g. split; [now left | exact G].
        -- exists between, earlier. split; [reflexivity |].
           intros (l' & g' & H & G). apply N. exists l', g'. now split; [right |].
Qed.

Lemma racy_so_far_iff past : racy_so_far past <-> racy past.
Proof.
  induction past as [| e past IH].
  - split; [intros [] |]. intros ([| e later] & t & o & between & s & o' & earlier & E & _); discriminate.
  - assert (C : racy (e :: past) <->
      (exists t o, e = Access t o /\ races_with t o past) \/ racy past).
    { unfold races_with. split.
      - intros ([| e' later] & t & o & between & s & o' & earlier & E & H & N);
          injection E; intros; subst; try discriminate.
        + left. exists t, o. split; [reflexivity |]. exists s, o'. split; [exact H |].
          apply recently_split. now exists between, earlier.
        + right. now exists later, t, o, between, s, o', earlier.
      - intros [(t & o & -> & u & o' & H & R) | (later & t & o & between & s & o' & earlier & -> & H)].
        + apply recently_split in R. destruct R as (between & earlier & -> & N).
          now exists [], t, o, between, u, o', earlier.
        + now exists (e :: later), t, o, between, s, o', earlier. }
    rewrite C, <- IH. destruct e as [t o | l g]; cbn; split.
    + intros [H | H]; [left; now exists t, o | now right].
    + intros [(t' & o' & E & H) | H]; [injection E as <- <-; now left | now right].
    + now right.
    + intros [(t' & o' & E & _) | H]; [discriminate | exact H].
Qed.

(** ** What the machine knows *)

Lemma at_level_map f i : 1 <= i <= grid -> at_level (map f levels) i = f i.
Proof.
  intro Hi. unfold at_level, levels.
  rewrite nth_indep with (d' := f 0) by (rewrite map_length, seq_length; lia).
  rewrite map_nth, seq_nth by lia. f_equal. lia.
Qed.

Lemma in_levels i : In i levels <-> 1 <= i <= grid.
Proof. unfold levels. rewrite in_seq. lia. Qed.

Lemma some_iff k : some k = true <-> exists o, modes k o = true.
Proof.
  unfold some. rewrite existsb_exists. split; [intros (o & _ & H) | intros (o & H)]; exists o; [exact H |].
  split; [destruct o; cbn; tauto | exact H].
Qed.

Lemma eq_mode_iff o o' : eq_mode o o' = true <-> o = o'.
Proof. destruct o, o'; cbn; split; congruence. Qed.

Lemma races_iff o r i k : races o r i k = true <->
  (several k = true \/ i = r) /\ exists o', modes k o' = true /\ conflicts o o' (i <=? block) = true.
Proof.
  unfold races. rewrite andb_true_iff, orb_true_iff, Nat.eqb_eq, existsb_exists.
  split; intros [H (o' & H')]; split; try exact H; exists o'.
  - now apply andb_true_iff.
  - split; [destruct o'; cbn; tauto | now apply andb_true_iff].
Qed.

Lemma conflicts_wider o o' i j : i <= j ->
  conflicts o o' (i <=? block) = true -> conflicts o o' (j <=? block) = true.
Proof. intro Hij. apply conflicts_far. rewrite !Nat.leb_le. lia. Qed.

(** Each recent access is known of its level, or of a wider one with several groups. *)
Definition Covered (s : thread) (past : list event) (k : known) : Prop :=
  forall i u o, 1 <= i <= grid -> recently i s u o past ->
  exists j, i <= j <= grid /\ modes (at_level k j) o = true /\
    (several (at_level k j) = true \/ j = i /\ group (i - 1) u = group (i - 1) s).

(** What is known of a level is recent there, and in the wider groups of the last accessor, as
    far as no barrier came after its access. *)
Definition Founded (s : thread) (past : list event) (k : known) : Prop :=
  forall i j, 1 <= i <= j -> j <= grid -> parted j s past \/
  (forall o, modes (at_level k i) o = true ->
     (exists u, group i u = group i s /\ recently j s u o past) /\
     exists o', recently j s s o' past) /\
  (several (at_level k i) = true ->
     exists u o u' o', recently j s u o past /\ recently j s u' o' past /\
       group (i - 1) u <> group (i - 1) u').

(** Two accesses of different parts of a group that are recent in it do not conflict. *)
Lemma no_conflict_so_far i v u o u' o' past : 1 <= i <= grid -> ~ racy_so_far past ->
  recently i v u o past -> recently i v u' o' past -> group (i - 1) u <> group (i - 1) u' ->
  conflicts o o' (i <=? block) = false.
Proof.
  intro Hi. induction past as [| [s p | l g] past IH]; cbn; [tauto | | tauto].
  assert (W : forall w q w' q', group i w = group i v -> recently i v w' q' past ->
    group (i - 1) w <> group (i - 1) w' -> conflicts q q' (i <=? block) = true -> races_with w q past).
  { intros w q w' q' G R A H. exists w', q'.
    assert (E : relation w w' = i).
    { apply relation_is; [exact Hi | | exact A]. rewrite G. symmetry. exact (recently_group _ _ _ _ _ R). }
    unfold conflicting. rewrite E. split; [split; [congruence | exact H] |].
    exact (recently_wider i i w v w' q' past (le_n i) G R). }
  intros N [(E1 & E2 & G) | R] [(E1' & E2' & G') | R'] A; subst.
  - now destruct A.
  - apply not_true_is_false. intro H. apply N. left. now apply (W u o u' o').
  - apply not_true_is_false. intro H. rewrite conflicts_sym in H. apply N. left.
    apply (W u' o' u o); congruence || assumption.
  - tauto.
Qed.

Section Step.
Variables (past : list event) (k : known) (t : thread) (o : mode).
Let s := last_accessor t past.
Let r := relation s t.
Let sync := widest r t past.

(** Of the levels that hold both accessors, what is recent is not behind a barrier. *)
Lemma recently_not_behind i j u o' : i <= j -> 1 <= j -> recently i t u o' past ->
  behind sync k j = at_level k j.
Proof.
  intros Hij Hj R. unfold behind. destruct (Nat.leb_spec j sync) as [H |]; [| reflexivity].
  destruct (recently_not_parted j t u o' past).
  - exact (recently_wider i j t t u o' past Hij eq_refl R).
  - exact (widest_parted r t j past Hj H).
Qed.

(** What is recent in [t]'s group is known, with several groups if the last accessor is not of it. *)
Lemma covered_of_new i u o' : Covered s past k -> 1 <= i <= grid -> recently i t u o' past ->
  exists j, i <= j <= grid /\ r <= j /\ modes (behind sync k j) o' = true /\
    (several (behind sync k j) = true \/ j = i /\ group (i - 1) u = group (i - 1) s).
Proof.
  intros C Hi R. pose proof (relation_grid s t) as Hr. fold r in Hr.
  assert (Rm : recently (max i r) s u o' past).
  { apply (recently_wider i _ s t); [lia | | exact R].
    apply (nested r); [lia | apply relation_same]. }
  destruct (C (max i r) u o') as (j & Hj & M & H); [lia | exact Rm |].
  exists j. rewrite (recently_not_behind i j u o') by (assumption || lia).
  split; [lia |]. split; [lia |]. split; [exact M |].
  destruct H as [H | [-> G]]; [now left |]. right.
  destruct (Nat.le_gt_cases r i) as [Hri | Hri]; [replace (max i r) with i in * by lia; now split |].
  replace (max i r) with r in * by lia. exfalso.
  apply (relation_apart s t r); [lia | reflexivity |]. rewrite <- G.
  apply (nested i); [lia |]. exact (recently_group i t u o' past R).
Qed.

(** A race is seen. *)
Lemma race_is_seen : Covered s past k -> races_with t o past ->
  access k o sync r = None.
Proof.
  intros C (u & o' & [N H] & R). pose proof (relation_pos t u N) as Hp. pose proof (relation_grid t u) as Hg.
  destruct (covered_of_new (relation t u) u o' C) as (j & Hj & Hr & M & S); [lia | exact R |].
  unfold access. replace (existsb _ levels) with true; [reflexivity |]. symmetry.
  apply existsb_exists. exists j. split; [apply in_levels; lia |]. apply races_iff. split.
  - destruct S as [S | [-> G]]; [now left |]. right. apply Nat.le_antisymm; [| exact Hr].
    destruct (Nat.le_gt_cases (relation t u) r) as [| Hlt]; [assumption |].
    destruct (relation_not t u (relation t u - 1)); [lia |].
    rewrite G. symmetry. apply relation_le; fold r; lia.
  - exists o'. split; [exact M |]. apply (conflicts_wider _ _ (relation t u)); [lia | exact H].
Qed.

Lemma race_with_recent i u o' : 1 <= i <= grid -> recently i t u o' past ->
  group (i - 1) u <> group (i - 1) t -> conflicts o o' (i <=? block) = true -> races_with t o past.
Proof.
  intros Hi R A H. exists u, o'.
  assert (E : relation t u = i).
  { apply relation_is; [exact Hi | | congruence]. symmetry. exact (recently_group _ _ _ _ _ R). }
  unfold conflicting. rewrite E. split; [split; [congruence | exact H] | exact R].
Qed.

Lemma founded_of_new i j : Founded s past k -> 1 <= i <= j -> j <= grid -> r <= j -> sync < i ->
  (forall o, modes (at_level k i) o = true ->
     (exists u, group i u = group i s /\ recently j t u o past) /\
     exists o', recently j t s o' past) /\
  (several (at_level k i) = true ->
     exists u o u' o', recently j t u o past /\ recently j t u' o' past /\
       group (i - 1) u <> group (i - 1) u').
Proof.
  intros F Hi Hj Hr Hs.
  assert (G : group j s = group j t) by (apply (nested r); [exact Hr | apply relation_same]).
  assert (W : forall u o, recently j s u o past -> recently j t u o past).
  { intros u o'. apply recently_wider; [lia | now symmetry]. }
  destruct (F i j Hi Hj) as [P | [M S]].
  - apply (parted_move j s t past G), (widest_max r t j past Hr) in P. fold sync in P. lia.
  - split.
    + intros o' H. destruct (M o' H) as [(u & Gu & Ru) (o1 & R1)].
      split; [exists u; split | exists o1]; auto.
    + intro H. destruct (S H) as (u & o1 & u' & o2 & R1 & R2 & A). exists u, o1, u', o2. auto.
Qed.

(** What is seen is a race. *)
Lemma seen_is_a_race : Founded s past k -> ~ racy_so_far past ->
  access k o sync r = None -> races_with t o past.
Proof.
  intros F N. unfold access. destruct (existsb _ levels) eqn:E; [intros _ | discriminate].
  apply existsb_exists in E. destruct E as (i & Hi & E). apply in_levels in Hi.
  apply races_iff in E. destruct E as [A (o' & M & H)].
  unfold behind in *. destruct (Nat.leb_spec i sync) as [| Hs]; [discriminate |].
  pose proof (relation_grid s t) as Hg. fold r in Hg.
  destruct (Nat.lt_ge_cases i r) as [Hr | Hr].
  - destruct (founded_of_new i r F) as [FM _]; try lia.
    destruct (FM o' M) as [(u & G & R) _]. apply (race_with_recent r u o'); [lia | exact R | |].
    + intro G'. apply (relation_apart s t r); [lia | reflexivity |]. rewrite <- G'.
      apply (nested i); [lia | now symmetry].
    + apply (conflicts_wider _ _ i); [lia | exact H].
  - destruct (founded_of_new i i F) as [FM FS]; try lia.
    destruct (FM o' M) as [(u & _ & R) (p & Rs)].
    assert (X : exists u1 o1, recently i t u1 o1 past /\ group (i - 1) u1 <> group (i - 1) t).
    { destruct A as [A | ->].
      - destruct (FS A) as (u1 & o1 & u2 & o2 & R1 & R2 & D).
        destruct (Nat.eq_dec (group (i - 1) u1) (group (i - 1) t)); [exists u2, o2 | exists u1, o1];
          split; congruence || assumption.
      - exists s, p. split; [exact Rs |]. apply relation_apart; [lia | reflexivity]. }
    destruct X as (u1 & o1 & R1 & D).
    destruct (Nat.eq_dec (group (i - 1) u) (group (i - 1) t)) as [Eu | Du].
    + apply (race_with_recent i u1 o1 Hi R1 D). apply (alike o' o1); [| exact H].
      apply (no_conflict_so_far i t u o' u1 o1 past Hi N R R1). congruence.
    + exact (race_with_recent i u o' Hi R Du H).
Qed.

Lemma after_access k' i : access k o sync r = Some k' -> 1 <= i <= grid ->
  at_level k' i = add o r i (behind sync k i).
Proof.
  unfold access. destruct (existsb _ levels); [discriminate |]. intros E Hi. injection E as <-.
  now rewrite at_level_map.
Qed.

Lemma covered_after k' : Covered s past k -> access k o sync r = Some k' ->
  Covered t (Access t o :: past) k'.
Proof.
  intros C E i u o1 Hi [(<- & <- & _) | R].
  - exists i. split; [lia |]. rewrite (after_access k' i E Hi). split; [| now right].
    unfold add. now destruct (i <? r), o.
  - destruct (covered_of_new i u o1 C Hi R) as (j & Hj & Hr & M & S).
    exists j. split; [exact Hj |]. rewrite (after_access k' j E) by lia.
    unfold add. destruct (Nat.ltb_spec j r) as [|_]; [lia |]. cbn. rewrite M, orb_true_r.
    split; [reflexivity |]. destruct S as [-> | [-> G]]; [now left |].
    destruct (Nat.eq_dec i r) as [Er | Nr].
    + left. apply orb_true_iff. right. apply andb_true_iff. split; [now apply Nat.eqb_eq |].
      apply some_iff. now exists o1.
    + right. split; [reflexivity |]. rewrite G. apply (nested r); [lia | apply relation_same].
Qed.

Lemma founded_after k' : Founded s past k -> access k o sync r = Some k' ->
  Founded t (Access t o :: past) k'.
Proof.
  intros F E i j Hi Hj. right. rewrite (after_access k' i E) by lia.
  assert (T : recently j t t o (Access t o :: past)) by (now left).
  unfold add, behind. destruct (Nat.ltb_spec i r) as [_ | Hr].
  - cbn [modes several]. split; [| discriminate]. intros o1 H. apply eq_mode_iff in H as <-.
    split; [now exists t | now exists o].
  - cbn [modes several].
    destruct (Nat.leb_spec i sync) as [_ | Hs].
    + split.
      * intros o1 H. rewrite orb_false_r in H. apply eq_mode_iff in H as <-.
        split; [now exists t | now exists o].
      * cbn. now rewrite andb_false_r.
    + destruct (founded_of_new i j F) as [FM FS]; try lia. split.
      * intros o1 H. split; [| now exists o]. apply orb_true_iff in H as [H | H].
        -- apply eq_mode_iff in H as <-. now exists t.
        -- destruct (FM o1 H) as [(u & G & R) _]. exists u. split; [| now right].
           rewrite G. apply (nested r); [exact Hr | apply relation_same].
      * intro H. apply orb_true_iff in H as [H | H].
        -- destruct (FS H) as (u & o1 & u' & o2 & R1 & R2 & A).
           exists u, o1, u', o2. split; [now right |]. split; [now right | exact A].
        -- apply andb_true_iff in H as [Er H]. apply Nat.eqb_eq in Er. apply some_iff in H as [o1 H].
           destruct (FM o1 H) as [_ (o2 & R)].
           exists s, o2, t, o. split; [now right |]. split; [exact T |].
           apply relation_apart; [lia | symmetry; exact Er].
Qed.

End Step.

(** ** The theorem *)

Lemma run_invariant past :
  match run past with
  | None => racy_so_far past
  | Some k => ~ racy_so_far past /\
      forall t, Covered (last_accessor t past) past k /\ Founded (last_accessor t past) past k
  end.
Proof.
  induction past as [| [t o | l g] past IH]; cbn.
  - split; [tauto |]. intro t. split; [intros i u o _ [] |].
    intros i j Hi Hj. right. rewrite at_level_map by lia. split; [intros o H |]; discriminate.
  - destruct (run past) as [k |]; [| now right]. destruct IH as [N I]. destruct (I t) as [C F].
    destruct (access k o _ _) as [k' |] eqn:E.
    + split; [intros [R | R]; [| tauto] | intros _; split].
      * rewrite (race_is_seen past k t o C R) in E. discriminate.
      * exact (covered_after past k t o k' C E).
      * exact (founded_after past k t o k' F E).
    + left. exact (seen_is_a_race past k t o F N E).
  - destruct (run past) as [k |]; [| exact IH]. destruct IH as [N I]. split; [exact N |].
    intro t. destruct (I t) as [C F]. split.
    + intros i u o Hi [_ R]. exact (C i u o Hi R).
    + intros i j Hi Hj. cbn. destruct (parts_dec j l g (last_accessor t past)) as [P | P]; [now left; left |].
      destruct (F i j Hi Hj) as [Q | [M S]]; [now left; right |]. right. split.
      * intros o H. destruct (M o H) as [(u & G & R) (o' & R')].
        split; [now exists u | now exists o'].
      * intro H. destruct (S H) as (u & o & u' & o' & R & R' & A). now exists u, o, u', o'.
Qed.

(** The machine is in the race at the end of a trace iff two conflicting accesses of it are
    unordered. *)
Theorem shadow_machine_is_exact past : run past = None <-> racy past.
Proof.
  rewrite <- racy_so_far_iff. pose proof (run_invariant past) as I.
  destruct (run past) as [k |]; [| now split].
  split; [discriminate | now intro R; destruct I].
Qed.

End Chain.

(** ** Two traces that the published machine gets wrong *)

(** Blocks of two warps of two threads. *)
Definition two_of_two (i t : nat) : nat := match i with 0 => t | 1 => t / 2 | 2 => t / 4 | _ => 0 end.

(** The write of thread 0 is behind a barrier for its warp, and the atomic of thread 1 for nobody. *)
Example missed : run 3 2 two_of_two
  [Access 1 Rd; Access 1 DeviceAtomic; Access 0 DeviceAtomic; Barrier 1 0; Access 0 Wr] = None.
Proof. reflexivity. Qed.

(** A barrier of the block orders the read before both atomics. *)
Example invented : run 3 2 two_of_two
  [Access 1 DeviceAtomic; Access 0 DeviceAtomic; Barrier 2 0; Access 0 Rd] <> None.
Proof. discriminate. Qed.
