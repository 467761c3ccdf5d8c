(** * T12. Scoped barriers in protocols

    [scope] is what the barriers of each site are.  A block of a protocol that runs
    by groups to its end has the races of its projections; with block barriers
    only, its phases are the old ones. *)

From BabyCUDA Require Export ProtocolProgress ScopedBarriers.
Local Open Scope N_scope.

Section Protocols.
Context {ins : inputs}.
Variable scope : site -> nat.

(** ** The trace of a thread *)

Definition accesses_of (L : thread_accesses) : list event :=
  map (fun a => Access (fst a) (snd a)) L.

Inductive q_trace : protocol -> list event -> Prop :=
| trace_end : forall q L,
    q_to_barrier q L Finished ->
    q_trace q (accesses_of L)
| trace_sync : forall q L l q' tr,
    q_to_barrier q L (AtBarrier l q') ->
    q_trace q' tr ->
    q_trace q (accesses_of L ++ Barrier l (scope l) :: tr).

(** Every closed protocol has one. *)
Theorem closed_q_trace q : incl (fv_u q) [] -> exists tr, q_trace q tr.
Proof.
  induction q as [q IH] using (well_founded_induction q_left_of_well_founded). intro HC.
  destruct (closed_q_total q HC) as (L & [| l q'] & D).
  - eexists. constructor. exact D.
  - destruct (IH q') as [tr HT]; [do 2 eexists; exact D | eapply q_to_barrier_closed; eauto |].
    eexists. eapply trace_sync; eassumption.
Qed.

(** ** With block barriers only, the phases are the intervals of the traces *)

(** The accesses of a trace after [k] barriers, before the next. *)
Fixpoint interval (k : nat) (tr : list event) : thread_accesses :=
  match tr with
  | [] => []
  | Access o j :: tr => match k with O => (o, j) :: interval k tr | _ => interval k tr end
  | Barrier _ _ :: tr => match k with O => [] | S k => interval k tr end
  end.

Lemma interval_end k L : interval k (accesses_of L) = match k with O => L | _ => [] end.
Proof. induction L as [| [o j] L IH]; destruct k; cbn; auto; f_equal; exact IH. Qed.

Lemma interval_sync k L l s tr :
  interval k (accesses_of L ++ Barrier l s :: tr) = match k with O => L | S k => interval k tr end.
Proof. induction L as [| [o j] L IH]; destruct k; cbn; auto; f_equal; exact IH. Qed.

(** The intervals of all threads of a block, one after the other, are its phases. *)
Fixpoint interval_of_all (k : nat) (trs : list (N * list event)) : access_values :=
  match trs with
  | [] => []
  | (i, tr) :: trs => with_thread i (interval k tr) ++ interval_of_all k trs
  end.

Lemma in_interval k tr o c :
  In (o, c) (interval k tr) <->
  exists p, nth_error tr p = Some (Access o c) /\ length (from 0 (firstn p tr)) = k.
Proof.
  revert k. induction tr as [| [o' c' | l s] tr IH]; intro k; cbn.
  - split; [tauto |]. intros ([| p] & E & _); discriminate.
  - assert (S : (exists p, nth_error (Access o' c' :: tr) p = Some (Access o c) /\
                  length (from 0 (firstn p (Access o' c' :: tr))) = k) <->
                (k = O /\ (o', c') = (o, c)) \/ In (o, c) (interval k tr)).
    { rewrite IH. split.
      - intros ([| p] & E & Hk); cbn in *; [left | right; eauto]. split; congruence.
      - intros [[-> [= -> ->]] | (p & E & Hk)]; [now exists 0%nat | now exists (S p)]. }
    rewrite S. destruct k; cbn; intuition congruence.
  - destruct k as [| k].
    + split; [intros [] |]. intros ([| p] & E & Hk); discriminate.
    + rewrite IH. split.
      * intros (p & E & Hk). exists (S p). cbn. auto.
      * intros ([| p] & E & Hk); [discriminate |]. exists p. cbn in *. auto.
Qed.

(** Position by position: the phase of an access is the number of barriers before it. *)
Theorem in_interval_of_all k trs i o c :
  In (i, o, c) (interval_of_all k trs) <->
  exists tr p, In (i, tr) trs /\ nth_error tr p = Some (Access o c) /\
    length (from 0 (firstn p tr)) = k.
Proof.
  induction trs as [| [i' tr'] trs IH]; cbn.
  - split; [tauto |]. intros (tr & p & [] & _).
  - rewrite in_app_iff, in_with_thread, IH, in_interval. split.
    + intros [[-> (p & E & Hk)] | (tr & p & Hin & E)]; eauto 6.
    + intros (tr & p & [[= <- <-] | Hin] & E & Hk); eauto 6.
Qed.

Definition q_traces : qremaining -> list (N * list event) -> Prop :=
  Forall2 (fun e t => fst e = fst t /\ q_trace (snd e) (snd t)).

Lemma end_traces qs L ss :
  all_q_to_barrier qs L ss -> all_finished ss ->
  exists trs, q_traces qs trs /\ forall k, interval_of_all k trs = match k with O => L | _ => [] end.
Proof.
  induction 1 as [| i q qs L s Ls ss D Ds IH]; intro Hf.
  - exists []. split; [constructor |]. now intros [|].
  - destruct IH as (trs & HT & HI); [intros i' s' Hin; apply (Hf i'); now right |].
    rewrite (Hf i s (or_introl eq_refl)) in D. exists ((i, accesses_of L) :: trs).
    split; [constructor; [split; [reflexivity | now constructor] | exact HT] |].
    intro k. cbn. rewrite interval_end, HI. now destruct k.
Qed.

Lemma sync_traces l qs L ss qs' trs' :
  all_q_to_barrier qs L ss -> all_at l ss qs' -> q_traces qs' trs' ->
  exists trs, q_traces qs trs /\
    forall k, interval_of_all k trs = match k with O => L | S k => interval_of_all k trs' end.
Proof.
  unfold all_at. intro D. revert qs' trs'.
  induction D as [| i q qs L s Ls ss D Ds IH]; intros [| [i' q'] qs'] trs' E HT; try discriminate;
    inversion HT as [| ? [j tr'] ? trs1 [Ej Tq] HT']; subst.
  - exists []. split; [constructor |]. now intros [|].
  - cbn in *. subst j. injection E as <- -> E. destruct (IH qs' trs1 E HT') as (trs & HT2 & HI).
    exists ((i, accesses_of L ++ Barrier l (scope l) :: tr') :: trs). split.
    + constructor; [split; [reflexivity | eapply trace_sync; eassumption] | exact HT2].
    + intro k. cbn. rewrite interval_sync, HI. now destruct k.
Qed.

Theorem phases_are_intervals Ls qs Ls' :
  q_block_run Ls qs (Ends Ls') ->
  forall head older, Ls = head :: older ->
  exists trs n, q_traces qs trs /\
    Ls' = rev (map (fun k => interval_of_all (S k) trs) (seq 0 n)) ++
          (head ++ interval_of_all 0 trs) :: older.
Proof.
  remember (Ends Ls') as out eqn:Eo. intro D. revert Eo.
  induction D as [L Ls qs L1 ss D Hf | L Ls qs L1 ss l qs' out D Hne Ha HB IH | ];
    intros Eo head older E; try discriminate; injection E as -> ->.
  - injection Eo as <-. destruct (end_traces _ _ _ D Hf) as (trs & HT & HI).
    exists trs, 0%nat. split; [exact HT |]. cbn. now rewrite (HI 0%nat).
  - destruct (IH Eo [] _ eq_refl) as (trs' & n & HT' & ->).
    destruct (sync_traces l _ _ _ _ _ D Ha HT') as (trs & HT & HI).
    exists trs, (S n). split; [exact HT |]. cbn. rewrite (HI 0%nat), (HI 1%nat).
    rewrite <- seq_shift, map_map, <- app_assoc. cbn. f_equal. f_equal.
    apply map_ext. intro k. now rewrite HI.
Qed.

(** ** A block of a protocol, by groups

    A thread runs to its next barrier, of any scope; a group goes on when all its
    threads wait at one barrier of its scope, and the others stay where they are. *)

Section Groups.
Variables (group : nat -> N -> N) (T : list N).

Inductive group_runs : (N -> protocol) -> traces -> Prop :=
| group_end : forall f tr,
    (forall i, In i T -> exists L, q_to_barrier (f i) L Finished /\ tr i = accesses_of L) ->
    group_runs f tr
| group_sync : forall f f' tr tr' l i0,
    In i0 T ->
    (forall i, In i T -> group (scope l) i = group (scope l) i0 ->
       exists L, q_to_barrier (f i) L (AtBarrier l (f' i)) /\
         tr i = accesses_of L ++ Barrier l (scope l) :: tr' i) ->
    (forall i, In i T -> group (scope l) i <> group (scope l) i0 -> f' i = f i /\ tr' i = tr i) ->
    group_runs f' tr' ->
    group_runs f tr.

Lemma from_accesses L : from 0 (accesses_of L) = [].
Proof. unfold from. induction L; cbn; auto. Qed.

(** The traces are those of the threads, whatever the order in which groups go on. *)
Theorem group_runs_traces f tr :
  group_runs f tr -> runs group T tr /\ forall i, In i T -> q_trace (f i) (tr i).
Proof.
  induction 1 as [f tr HE | f f' tr tr' l i0 H0 Hin Hout _ [IHr IHt]].
  - split.
    + apply runs_end. intros i Hi. destruct (HE i Hi) as (L & _ & ->). apply from_accesses.
    + intros i Hi. destruct (HE i Hi) as (L & D & ->). now constructor.
  - split.
    + apply runs_sync with tr' l (scope l) i0; [exact H0 | | | exact IHr].
      * intros i Hi Ei. destruct (Hin i Hi Ei) as (L & _ & E).
        exists (accesses_of L). split; [apply from_accesses | exact E].
      * intros i Hi Ei. now destruct (Hout i Hi Ei).
    + intros i Hi. destruct (N.eq_dec (group (scope l) i) (group (scope l) i0)) as [Ei | Ei].
      * destruct (Hin i Hi Ei) as (L & D & ->). eapply trace_sync; eauto.
      * destruct (Hout i Hi Ei) as [<- <-]. auto.
Qed.

Lemma choice_on (P : N -> protocol -> Prop) l :
  (forall i, In i l -> exists q, P i q) -> exists f, forall i, In i l -> P i (f i).
Proof.
  induction l as [| i l IH]; intro HP; [exists (fun _ => USkip); intros i [] |].
  destruct (HP i (or_introl eq_refl)) as [q Hq].
  destruct IH as [f Hf]; [intros j Hj; apply HP; now right |].
  exists (fun j => if j =? i then q else f j). intros j Hj.
  destruct (N.eqb_spec j i) as [-> |]; [exact Hq |]. destruct Hj; [congruence | auto].
Qed.

Lemma accesses_then_barrier L l s t before l' s' t' :
  from 0 before = [] ->
  accesses_of L ++ Barrier l s :: t = before ++ Barrier l' s' :: t' ->
  before = accesses_of L /\ Barrier l s = Barrier l' s' /\ t = t'.
Proof.
  revert before. induction L as [| [o c] L IH]; intros [| e before] HB E; cbn in *;
    injection E as E1 E2; subst; try discriminate; auto.
  destruct (IH before HB E2) as (-> & -> & ->). auto.
Qed.

Lemma runs_group_runs tr :
  runs group T tr -> forall f, (forall i, In i T -> q_trace (f i) (tr i)) -> group_runs f tr.
Proof.
  induction 1 as [tr HE | tr tr' l s i0 H0 Hin Hout _ IH]; intros f HT.
  - apply group_end. intros i Hi. specialize (HE i Hi). destruct (HT i Hi); [eauto |].
    rewrite from_app in HE. cbn in HE. now apply app_eq_nil in HE as [_ HE].
  - assert (HS : forall i, In i T -> group s i = group s i0 ->
              s = scope l /\ exists q', q_trace q' (tr' i) /\
                exists L, q_to_barrier (f i) L (AtBarrier l q') /\
                  tr i = accesses_of L ++ Barrier l (scope l) :: tr' i).
    { intros i Hi Ei. destruct (Hin i Hi Ei) as (before & HB & Et). specialize (HT i Hi).
      remember (tr i) as t eqn:Etr. destruct HT as [q L D | q L l0 q' t0 D D'].
      - exfalso. assert (F : from 0 (accesses_of L) = []) by apply from_accesses.
        rewrite Et, from_app in F. now apply app_eq_nil in F as [_ F].
      - destruct (accesses_then_barrier _ _ _ _ _ _ _ _ HB Et) as (-> & [= -> <-] & ->). eauto 7. }
    destruct (HS i0 H0 eq_refl) as [-> _].
    destruct (choice_on (fun i q' => q_trace q' (tr' i) /\
      if group (scope l) i =? group (scope l) i0
      then exists L, q_to_barrier (f i) L (AtBarrier l q') /\ tr i = accesses_of L ++ Barrier l (scope l) :: tr' i
      else q' = f i) T) as [f' Hf'].
    { intros i Hi. destruct (N.eqb_spec (group (scope l) i) (group (scope l) i0)) as [Ei | Ei].
      - destruct (HS i Hi Ei) as (_ & q' & HQ & HL). eauto.
      - exists (f i). split; [| reflexivity]. rewrite (Hout i Hi Ei). auto. }
    apply group_sync with f' tr' l i0; [exact H0 | | | apply IH; intros i Hi; apply (Hf' i Hi)].
    + intros i Hi Ei. destruct (Hf' i Hi) as [_ HL]. apply N.eqb_eq in Ei. now rewrite Ei in HL.
    + intros i Hi Ei. destruct (Hf' i Hi) as [_ HL]. split; [| auto].
      apply N.eqb_neq in Ei. now rewrite Ei in HL.
Qed.

(** A block runs by groups to its end iff the threads of each group meet the same
    barriers of its scope and of wider ones. *)
Theorem group_runs_iff f tr :
  (forall s s' i j, (s <= s')%nat -> group s i = group s j -> group s' i = group s' j) ->
  (forall i, In i T -> q_trace (f i) (tr i)) ->
  group_runs f tr <-> synchronized group T tr.
Proof.
  intros HN HT. rewrite <- (runs_iff_synchronized group HN). split.
  - intro R. now apply (group_runs_traces f tr R).
  - intro R. now apply runs_group_runs.
Qed.

Theorem q_trace_deterministic q tr1 tr2 : q_trace q tr1 -> q_trace q tr2 -> tr1 = tr2.
Proof.
  intro D. revert tr2.
  induction D as [q L D | q L l q' tr D _ IH]; inversion 1 as [? L2 D2 | ? L2 l2 q2 tr2' D2 D2']; subst;
    destruct (q_to_barrier_deterministic _ _ _ _ _ D D2) as [<- E]; try discriminate; [reflexivity |].
  injection E as <- <-. now rewrite (IH _ D2').
Qed.

(** T12, of a protocol that runs to its end. *)
Theorem scoped_protocol_races q tr :
  (forall s s' i j, (s <= s')%nat -> group s i = group s j -> group s' i = group s' j) ->
  (forall i j, In i T -> In j T -> exists r, relation group r i j) ->
  group_runs (fun i => subst_u tid i q) tr ->
  scoped_race group T tr <-> exists r, projected_race group T tr r.
Proof.
  intros HN HR R. apply scoped_race_iff_projected; [exact HN | | exact HR].
  apply runs_synchronized; [exact HN |]. now apply (group_runs_traces _ _ R).
Qed.

End Groups.

End Protocols.
