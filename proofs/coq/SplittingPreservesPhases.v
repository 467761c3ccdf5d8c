(** * T7. Splitting at barriers preserves the phases

    Let [p] be alignable with closed bounds, and [p ↓ Λs] from the empty phase.  Then every phase of
    [Λs] is an instance of [split_phases p], and every instance of [split_phases p] is a phase
    of [Λs], with the same access values.  Hence all of [Λs] are DRF iff all
    instances of [split_phases p] are. *)

From BabyCUDA Require Export PhaseMatching.
Local Open Scope N_scope.

Section Relative.
Context {ins : inputs}.

Section Splitting.
Variable T : list N.
Local Notation matches := (matches T).

(** ** One protocol: what its phases are made of

    [p ↓] takes [L :: Ls] to [(L ++ Lpre) :: Ls] when it meets no barrier, and
    to [Lpost :: mid ++ (L ++ Lpre) :: Ls] when it does. *)
Definition decomposed (p : sprotocol) (L : access_values) (Ls Ls' : list access_values) : Prop :=
  exists t Lpre mid Lpost,
    eval_c (syncs p) = Some t /\
    denotes T (pre p) Lpre /\
    matches (inner p) mid /\
    if t then denotes T (post p) Lpost /\ Ls' = Lpost :: mid ++ (L ++ Lpre) :: Ls
    else mid = [] /\ Ls' = (L ++ Lpre) :: Ls.

Lemma decomposed_unsync u L Ls L' :
  unsync_all u T L' -> decomposed (PUnsync u) L Ls ((L ++ L') :: Ls).
Proof.
  intro D. exists false, L', [], []. repeat split; auto using matches_nil.
  - exists L'. split; [exact D | intro; reflexivity].
  - intros ? [].
  - intros ? ? [].
Qed.

Lemma decomposed_sync l L Ls : decomposed (PSync l) L Ls ([] :: L :: Ls).
Proof.
  exists true, [], [], []. cbn. rewrite app_nil_r. repeat split; auto using denotes_skip.
  - intros ? [].
  - intros ? ? [].
Qed.

Lemma decomposed_seq p q L Ls Ls2 Ls3 :
  decomposed p L Ls Ls2 ->
  (forall L2 Ls2', Ls2 = L2 :: Ls2' -> decomposed q L2 Ls2' Ls3) ->
  decomposed (PSeq p q) L Ls Ls3.
Proof.
  intros (t & Lp & mid & Lpost & Et & Dpre & M & HP) HQ.
  destruct t.
  - (* p meets a barrier: q starts from what follows p's last one *)
    destruct HP as [Dpost ->].
    destruct (HQ _ _ eq_refl) as (t' & Lp' & mid' & Lpost' & Et' & Dpre' & M' & HP').
    assert (Dwhole : denotes T (pre (PSeq p q)) Lp).
    { cbn. rewrite <- (app_nil_r Lp). apply denotes_seq; [exact Dpre |].
      apply denotes_when_false; [cbn; now rewrite Et | reflexivity]. }
    destruct t'.
    + destruct HP' as [Dpost' ->].
      exists true, Lp, (mid' ++ (Lpost ++ Lp') :: mid), Lpost'.
      split; [cbn; now rewrite Et, Et' |]. split; [exact Dwhole |]. split; [| split].
      * cbn. eapply matches_app; [exact M | | ].
        -- eapply matches_app; [exact M' | | ].
           ++ apply matches_when with true; [cbn; now rewrite Et, Et' |].
              apply matches_phase. apply denotes_seq; [exact Dpost | exact Dpre'].
           ++ intro L0. apply in_app_iff.
        -- intro L0. rewrite !in_app_iff. cbn. tauto.
      * cbn. now apply (denotes_if _ true).
      * cbn. now rewrite <- app_assoc.
    + destruct HP' as [-> ->].
      exists true, Lp, mid, (Lpost ++ Lp').
      split; [cbn; now rewrite Et, Et' |]. split; [exact Dwhole |]. split; [| split].
      * cbn. eapply matches_app; [exact M | | ].
        -- eapply matches_app; [exact M' | | ].
           ++ apply matches_when with false; [cbn; now rewrite Et, Et' |]. reflexivity.
           ++ intro L0. apply in_app_iff.
        -- intro L0. rewrite in_app_iff. cbn. tauto.
      * cbn. apply (denotes_if _ false); [exact Et' |]. now apply denotes_seq.
      * reflexivity.
  - (* p meets no barrier: q continues its phase *)
    destruct HP as [-> ->].
    destruct (HQ _ _ eq_refl) as (t' & Lp' & mid' & Lpost' & Et' & Dpre' & M' & HP').
    assert (Dwhole : denotes T (pre (PSeq p q)) (Lp ++ Lp')).
    { cbn. apply denotes_seq; [exact Dpre |].
      apply denotes_when_true; [cbn; now rewrite Et | exact Dpre']. }
    assert (Mwhole : matches (inner (PSeq p q)) mid').
    { cbn. eapply matches_app; [exact M | | ].
      - eapply matches_app; [exact M' | | ].
        + apply matches_when with false; [cbn; now rewrite Et, Et' |]. reflexivity.
        + intro L0. apply in_app_iff.
      - intro L0. rewrite in_app_iff. cbn. tauto. }
    destruct t'.
    + destruct HP' as [Dpost' ->]. exists true, (Lp ++ Lp'), mid', Lpost'.
      split; [cbn; now rewrite Et, Et' |]. split; [exact Dwhole |]. split; [exact Mwhole |].
      split; [cbn; now apply (denotes_if _ true) | now rewrite app_assoc].
    + destruct HP' as [-> ->]. exists false, (Lp ++ Lp'), [], [].
      split; [cbn; now rewrite Et, Et' |]. split; [exact Dwhole |]. split; [exact Mwhole |].
      split; [reflexivity | now rewrite app_assoc].
Qed.

(** ** Loops *)

Lemma eval_less n m k l :
  eval_n n = Some k -> eval_n m = Some l -> eval_c (less n m) = Some (k <? l).
Proof.
  intros Hn Hm. cbn. rewrite Hn, Hm. cbn. f_equal.
  destruct (Z.ltb_spec (Z.of_N k) (Z.of_N l)), (N.ltb_spec k l); try reflexivity; lia.
Qed.

Lemma eval_pred m l : eval_n m = Some l -> eval_n (pred m) = Some (l - 1).
Proof. intro Hm. cbn. now rewrite Hm. Qed.

(** The phase at the seam of two iterations. *)
Definition seam (x : var) (p : sprotocol) : protocol :=
  USeq (post p) (ULet x (succ (Var x)) (pre p)).

Definition loop_phases (x : var) (n m : nexp) (p : sprotocol) : list pphase :=
  map (ForEach x n m) (inner p) ++ [ForEach x n (pred m) (Phase (seam x p))].

Lemma inner_for x n m p : inner (PFor x n m p) = map (When (body_syncs p)) (loop_phases x n m p).
Proof. reflexivity. Qed.

Lemma eval_connect o c1 c2 a b :
  eval_c c1 = Some a -> eval_c c2 = Some b ->
  eval_c (Connect o c1 c2) = Some (apply_connective o a b).
Proof. intros E1 E2. cbn. now rewrite E1, E2. Qed.

Lemma eval_syncs_for x n m p k l t :
  eval_n n = Some k -> eval_n m = Some l -> eval_c (body_syncs p) = Some t ->
  eval_c (syncs (PFor x n m p)) = Some ((k <? l) && t).
Proof.
  intros Hn Hm Ht. exact (eval_connect And _ _ _ _ (eval_less n m k l Hn Hm) Ht).
Qed.

(** No iteration, no phase. *)
Lemma no_instance_for_each x n m h k l L :
  eval_n n = Some k -> eval_n m = Some l -> l <= k -> ~ instance T (ForEach x n m h) L.
Proof. intros Hn Hm Hle HI. inversion HI; subst. same_values. lia. Qed.

Lemma decomposed_for_1 x n m p k l t L Ls :
  x <> tid -> eval_n n = Some k -> eval_n m = Some l -> l <= k ->
  eval_c (body_syncs p) = Some t ->
  decomposed (PFor x n m p) L Ls (L :: Ls).
Proof.
  intros Hx Hn Hm Hle Ht. exists false, [], [], [].
  pose proof (eval_less n m k l Hn Hm) as El.
  split; [| split; [| split; [| split]]].
  - rewrite (eval_syncs_for x n m p k l t Hn Hm Ht). destruct (N.ltb_spec k l); [lia | reflexivity].
  - cbn [pre]. apply (denotes_if _ t); [exact Ht |]. destruct t.
    + apply denotes_when_false; [| reflexivity]. rewrite El.
      destruct (N.ltb_spec k l); [lia | reflexivity].
    + eapply denotes_for_1; eassumption.
  - rewrite inner_for. destruct t; [| now apply matches_map_when_false].
    apply matches_map_when_true; [exact Ht |]. split; [intros L0 [] |].
    intros h L' Hh HI. exfalso. apply in_app_iff in Hh as [Hh | [<- | []]].
    + apply in_map_iff in Hh as (h0 & <- & _). exact (no_instance_for_each _ _ _ _ _ _ _ Hn Hm Hle HI).
    + refine (no_instance_for_each _ _ _ _ _ _ _ Hn (eval_pred m l Hm) _ HI). lia.
  - reflexivity.
  - now rewrite app_nil_r.
Qed.

(** Instances of a loop's phases: those of its first iteration, the seam after
    it, and those of the remaining iterations. *)
Lemma matches_for_2 x n m p k l mid1 mid2 Lpost1 Lpre2 :
  alignable p = true ->
  eval_n n = Some k -> eval_n m = Some l -> k < l ->
  matches (inner (subst_p x k p)) mid1 ->
  matches (loop_phases x (Num (k + 1)) (Num l) p) mid2 ->
  (k + 1 < l -> denotes T (subst_u x k (seam x p)) (Lpost1 ++ Lpre2)) ->
  matches (loop_phases x n m p)
    (mid2 ++ (if k + 1 <? l then [Lpost1 ++ Lpre2] else []) ++ mid1).
Proof.
  intros HA Hn Hm Hlt [A1 B1] [A2 B2] Hseam. rewrite inner_subst in A1, B1 by exact HA.
  unfold loop_phases in *. split.
  - intros L HL. rewrite !in_app_iff in HL. destruct HL as [HL | [HL | HL]].
    + destruct (A2 L HL) as (h & L' & Hh & HI & S).
      apply in_app_iff in Hh as [Hh | [<- | []]].
      * apply in_map_iff in Hh as (h0 & <- & Hh0). inversion HI; subst. numbers.
        exists (ForEach x n m h0), L'. rewrite in_app_iff, in_map_iff.
        split; [left; eauto |]. split; [| exact S]. eapply inst_for_each; eauto. lia.
      * inversion HI as [| | ? ? ? ? k' l' v ? Ek El Hv HI0]; subst.
        injection Ek as <-. rewrite (eval_pred (Num l) l eq_refl) in El. injection El as <-.
        exists (ForEach x n (pred m) (Phase (seam x p))), L'. rewrite in_app_iff.
        split; [right; now left |]. split; [| exact S].
        apply (inst_for_each T x n (pred m) _ k (l - 1) v); auto using eval_pred. lia.
    + destruct (N.ltb_spec (k + 1) l) as [Hlt2 |]; [| destruct HL].
      destruct HL as [<- | []]. destruct (Hseam Hlt2) as (L' & D & S).
      exists (ForEach x n (pred m) (Phase (seam x p))), L'. rewrite in_app_iff.
      split; [right; now left |]. split; [| exact S].
      apply (inst_for_each T x n (pred m) _ k (l - 1) k); auto using eval_pred; [lia |].
      cbn. now constructor.
    + destruct (A1 L HL) as (h & L' & Hh & HI & S).
      apply in_map_iff in Hh as (h0 & <- & Hh0).
      exists (ForEach x n m h0), L'. rewrite in_app_iff, in_map_iff.
      split; [left; eauto |]. split; [| exact S].
      apply (inst_for_each T x n m h0 k l k); auto. lia.
  - intros h L' Hh HI. apply in_app_iff in Hh as [Hh | [<- | []]].
    + apply in_map_iff in Hh as (h0 & <- & Hh0).
      inversion HI as [| | ? ? ? ? k' l' v ? Ek El Hv HI0]; subst. same_values.
      destruct (N.eq_dec v k) as [-> | Hne].
      * destruct (B1 (subst_h x k h0) L') as (L & HL & S); [now apply in_map | exact HI0 |].
        exists L. rewrite !in_app_iff. auto.
      * destruct (B2 (ForEach x (Num (k + 1)) (Num l) h0) L') as (L & HL & S).
        -- rewrite in_app_iff, in_map_iff. left. eauto.
        -- eapply inst_for_each; try reflexivity; [| exact HI0]. lia.
        -- exists L. rewrite !in_app_iff. auto.
    + inversion HI as [| | ? ? ? ? k' l' v ? Ek El Hv HI0]; subst.
      rewrite (eval_pred m l Hm) in El. injection El as <-. same_values.
      destruct (N.eq_dec v k) as [-> | Hne].
      * assert (Hlt2 : k + 1 < l) by lia. destruct (Hseam Hlt2) as (L0 & D & S).
        exists (Lpost1 ++ Lpre2). split.
        -- rewrite !in_app_iff. right. left. destruct (N.ltb_spec (k + 1) l); [now left | lia].
        -- inversion HI0; subst. now rewrite (unsync_all_deterministic _ _ _ _ H0 D).
      * destruct (B2 (ForEach x (Num (k + 1)) (pred (Num l)) (Phase (seam x p))) L')
          as (L & HL & S).
        -- rewrite in_app_iff. right. now left.
        -- apply (inst_for_each T x (Num (k + 1)) (pred (Num l)) _ (k + 1) (l - 1) v);
             try reflexivity; [lia | exact HI0].
        -- exists L. rewrite !in_app_iff. auto.
Qed.

Lemma decomposed_for_2 x n m p k l L Ls Ls2 Ls3 :
  alignable (PFor x n m p) = true ->
  eval_n n = Some k -> eval_n m = Some l -> k < l ->
  decomposed (subst_p x k p) L Ls Ls2 ->
  (forall L2 Ls2', Ls2 = L2 :: Ls2' ->
    decomposed (PFor x (Num (k + 1)) (Num l) p) L2 Ls2' Ls3) ->
  decomposed (PFor x n m p) L Ls Ls3.
Proof.
  intros HA Hn Hm Hlt (t & Lpre1 & mid1 & Lpost1 & Et & Dpre1 & M1 & HP) HQ.
  apply alignable_for in HA as (Hx & Hfresh & HA).
  (* the condition of the body does not depend on the iteration *)
  assert (Ht : eval_c (body_syncs p) = Some t).
  { apply body_syncs_value in Et. rewrite body_syncs_subst in Et by exact HA.
    now rewrite subst_c_fresh in Et by exact Hfresh. }
  rewrite pre_subst in Dpre1 by exact HA.
  pose proof (eval_less n m k l Hn Hm) as El. destruct (N.ltb_spec k l) as [_ |]; [| lia].
  pose proof (eval_less (Num (k + 1)) (Num l) (k + 1) l eq_refl eq_refl) as El2.
  pose proof (eval_syncs_for x n m p k l t Hn Hm Ht) as Es.
  destruct (N.ltb_spec k l) as [_ |]; [| lia]. cbn [andb] in Es.
  pose proof (eval_syncs_for x (Num (k + 1)) (Num l) p (k + 1) l t eq_refl eq_refl Ht) as Es2.
  destruct t.
  - (* every iteration meets a barrier *)
    destruct HP as [Dpost1 ->]. rewrite post_subst in Dpost1 by exact HA.
    destruct (HQ _ _ eq_refl) as (t2 & Lpre2 & mid2 & Lpost2 & Et2 & Dpre2 & M2 & HP2).
    rewrite Es2, andb_true_r in Et2. injection Et2 as <-.
    rewrite inner_for in M2. apply matches_map_when_true in M2; [| exact Ht].
    cbn [pre] in Dpre2. apply denotes_if with (t := true) in Dpre2; [| exact Ht]. cbn iota in Dpre2.
    assert (Dpre : denotes T (pre (PFor x n m p)) Lpre1).
    { cbn [pre]. apply (denotes_if _ true); [exact Ht |].
      apply denotes_when_true; [exact El |]. now apply (denotes_let x n k). }
    exists true, Lpre1.
    pose proof (matches_for_2 x n m p k l mid1 mid2 Lpost1 Lpre2 HA Hn Hm Hlt M1 M2) as MM.
    destruct (N.ltb_spec (k + 1) l) as [Hlt2 | Hge].
    + destruct HP2 as [Dpost2 ->].
      exists (mid2 ++ [Lpost1 ++ Lpre2] ++ mid1), Lpost2.
      split; [exact Es |]. split; [exact Dpre |]. split; [| split].
      * rewrite inner_for. apply matches_map_when_true; [exact Ht |]. apply MM. intros _.
        unfold seam. cbn. apply denotes_seq; [exact Dpost1 |].
        destruct (var_eq_dec x x) as [_ |]; [| contradiction].
        apply (denotes_let x (succ (Num k)) (k + 1)); [exact Hx | reflexivity |].
        apply denotes_when_true in Dpre2; [| exact El2].
        now apply (denotes_let x (Num (k + 1)) (k + 1)) in Dpre2.
      * cbn [post] in Dpost2 |- *. apply denotes_when_true in Dpost2; [| exact El2].
        apply denotes_when_true; [exact El |].
        apply (denotes_let x (pred m) (l - 1)); [exact Hx | now apply eval_pred |].
        apply (denotes_let x (pred (Num l)) (l - 1)) in Dpost2; [exact Dpost2 | exact Hx | reflexivity].
      * cbn. rewrite <- app_assoc. reflexivity.
    + destruct HP2 as [-> ->]. apply denotes_when_false in Dpre2; [| exact El2].
      subst Lpre2. rewrite app_nil_r.
      exists mid1, Lpost1. split; [exact Es |]. split; [exact Dpre |]. split; [| split].
      * rewrite inner_for. apply matches_map_when_true; [exact Ht |]. apply MM. lia.
      * cbn [post]. apply denotes_when_true; [exact El |].
        apply (denotes_let x (pred m) k); [exact Hx | rewrite (eval_pred m l Hm); f_equal; lia |].
        exact Dpost1.
      * reflexivity.
  - (* no iteration meets a barrier *)
    destruct HP as [-> ->].
    destruct (HQ _ _ eq_refl) as (t2 & Lpre2 & mid2 & Lpost2 & Et2 & Dpre2 & M2 & HP2).
    rewrite Es2, andb_false_r in Et2. injection Et2 as <-. destruct HP2 as [-> ->].
    cbn [pre] in Dpre2. apply denotes_if with (t := false) in Dpre2; [| exact Ht]. cbn iota in Dpre2.
    exists false, (Lpre1 ++ Lpre2), [], []. split; [exact Es |]. split; [| split; [| split]].
    + cbn [pre]. apply (denotes_if _ false); [exact Ht |].
      eapply denotes_for_2; eassumption.
    + rewrite inner_for. now apply matches_map_when_false.
    + reflexivity.
    + now rewrite app_assoc.
Qed.

Theorem sync_phases_decomposed p Ls0 Ls' :
  sync_phases T Ls0 p Ls' ->
  alignable p = true -> incl (fv_p p) [] ->
  forall L Ls, Ls0 = L :: Ls -> decomposed p L Ls Ls'.
Proof.
  induction 1 as [L0 Ls0 u L' HU | L0 Ls0 | L1 p q L2 L3 D1 IH1 D2 IH2
                 | Ls0 x n m p k l Hn Hm Hle | L1 x n m p k l L2 L3 Hn Hm Hlt D1 IH1 D2 IH2];
    intros HA HC L Ls E.
  - injection E as <- <-. now apply decomposed_unsync.
  - injection E as <- <-. apply decomposed_sync.
  - cbn in HA, HC. apply andb_true_iff in HA as [HA1 HA2].
    apply incl_app_inv in HC as [HC1 HC2]. eapply decomposed_seq; eauto.
  - subst. destruct (closed_body_syncs x n m p HA HC) as [t Ht].
    apply alignable_for in HA as (Hx & _ & _). eapply decomposed_for_1; eassumption.
  - pose proof HA as HA'. apply alignable_for in HA' as (Hx & Hf & HA').
    cbn in HC. apply incl_app_inv in HC as [_ [_ HC]%incl_app_inv].
    eapply decomposed_for_2; eauto. apply IH1; [now apply alignable_subst | | exact E].
    intros y [Hy Hne]%fv_subst_p. apply HC, in_remove_iff. auto.
Qed.

(** ** T7 *)
Theorem splitting_preserves_phases p Ls :
  alignable p = true -> incl (fv_p p) [] -> sync_phases T [[]] p Ls -> matches (split_phases p) Ls.
Proof.
  intros HA HC D. destruct (sync_phases_decomposed p [[]] Ls D HA HC [] [] eq_refl)
    as (t & Lpre & mid & Lpost & Et & Dpre & M & HP).
  change (split_phases p) with ([Phase (pre p)] ++ (inner p ++ [When (syncs p) (Phase (post p))])).
  destruct t.
  - destruct HP as [Dpost ->]. eapply matches_app; [exact (matches_phase _ _ Dpre) | | ].
    + eapply matches_app; [exact M | | intro; apply in_app_iff].
      apply matches_when with true; [exact Et | exact (matches_phase _ _ Dpost)].
    + intro L. cbn. rewrite !in_app_iff. cbn. tauto.
  - destruct HP as [-> ->]. eapply matches_app; [exact (matches_phase _ _ Dpre) | | ].
    + eapply matches_app; [exact M | | intro; apply in_app_iff].
      now apply matches_when with false.
    + intro L. cbn. tauto.
Qed.

(** T7 for race-freedom: check the parametrised phases, know the protocol. *)
Corollary splitting_preserves_drf p Ls :
  alignable p = true -> incl (fv_p p) [] -> sync_phases T [[]] p Ls ->
  Forall drf_values Ls <-> forall h L, In h (split_phases p) -> instance T h L -> drf_values L.
Proof.
  intros HA HC D. destruct (splitting_preserves_phases p Ls HA HC D) as [A B].
  rewrite Forall_forall. split.
  - intros HD h L' Hh HI HR. destruct (B h L' Hh HI) as (L & HL & S).
    apply (HD L HL). revert HR. apply racy_set_ext. intro a. symmetry. apply S.
  - intros HD L HL HR. destruct (A L HL) as (h & L' & Hh & HI & S).
    apply (HD h L' Hh HI). revert HR. apply racy_set_ext. exact S.
Qed.

End Splitting.

End Relative.
