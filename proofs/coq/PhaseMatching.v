(** * What parametrised phases denote, for T7

    [denotes u Λ]: the threads that run [u] have the access values [Λ].
    [matches hs Λs]: the instances of the parametrised phases [hs] are the phases
    [Λs], up to order and repetition. *)

From BabyCUDA Require Export PhaseSplitting Races.
Local Open Scope N_scope.

Section Relative.
Context {ins : inputs}.

(** The same access values. *)
Definition same_values_set (L1 L2 : access_values) : Prop := forall a, In a L1 <-> In a L2.

(** [u] has the access values [Λ]. *)
Definition denotes (T : list N) (u : protocol) (L : access_values) : Prop :=
  exists L', unsync_all u T L' /\ same_values_set L' L.

Section Matching.
Variable T : list N.

(** ** What the pieces denote *)

Lemma unsync_all_skip : unsync_all USkip T [].
Proof.
  induction T as [| i T' IH]; [constructor |].
  exact (all_cons USkip i T' [] [] u_skip IH).
Qed.

Lemma denotes_skip : denotes T USkip [].
Proof. exists []. split; [apply unsync_all_skip | intro; reflexivity]. Qed.

Lemma unsync_all_seq u1 u2 T' L1 L2 :
  unsync_all u1 T' L1 -> unsync_all u2 T' L2 ->
  exists L, unsync_all (USeq u1 u2) T' L /\ same_values_set L (L1 ++ L2).
Proof.
  intro D1. revert L2.
  induction D1 as [| i T' A1 L1 E1 D1 IH]; inversion 1 as [| ? ? A2 L2' E2 D2]; subst.
  - exists []. split; [constructor | intro; reflexivity].
  - destruct (IH _ D2) as (L & DL & HL). exists (with_thread i (A1 ++ A2) ++ L). split.
    + constructor; [now apply u_seq | exact DL].
    + intro a. specialize (HL a). unfold with_thread. rewrite map_app, !in_app_iff in *. tauto.
Qed.

Lemma denotes_seq u1 u2 L1 L2 :
  denotes T u1 L1 -> denotes T u2 L2 -> denotes T (USeq u1 u2) (L1 ++ L2).
Proof.
  intros (L1' & D1 & S1) (L2' & D2 & S2).
  destruct (unsync_all_seq _ _ _ _ _ D1 D2) as (L & D & S).
  exists L. split; [exact D |]. intro a. rewrite (S a), !in_app_iff, (S1 a), (S2 a). reflexivity.
Qed.

Lemma unsync_all_ext u1 u2 T' L :
  (forall i L, unsync (subst_u tid i u1) L -> unsync (subst_u tid i u2) L) ->
  unsync_all u1 T' L -> unsync_all u2 T' L.
Proof. intro HE. induction 1; constructor; auto. Qed.

(** A guard that evaluates chooses, for all threads alike. *)
Lemma denotes_if c t u1 u2 L :
  eval_c c = Some t -> denotes T (UIf c u1 u2) L <-> denotes T (if t then u1 else u2) L.
Proof.
  intro Hc.
  assert (Hs : forall i, subst_c tid i c = c)
    by (intro i; apply subst_c_fresh; eapply eval_c_closed; exact Hc).
  split; intros (L' & D & S); exists L'; (split; [| exact S]); revert D; apply unsync_all_ext;
    intros i L0 D; cbn in *; rewrite Hs in *.
  - inversion D; subst; same_values; assumption.
  - destruct t; [now apply u_if_t | now apply u_if_f].
Qed.

Lemma denotes_when_true c u L : eval_c c = Some true -> denotes T (UWhen c u) L <-> denotes T u L.
Proof. intro Hc. exact (denotes_if c true u USkip L Hc). Qed.

Lemma denotes_when_false c u L : eval_c c = Some false -> denotes T (UWhen c u) L <-> L = [].
Proof.
  intro Hc. unfold UWhen. rewrite (denotes_if c false u USkip L Hc). split.
  - intros (L' & D & S). rewrite (unsync_all_deterministic _ _ _ _ D unsync_all_skip) in S.
    destruct L as [| a L]; [reflexivity |]. destruct (proj2 (S a)). now left.
  - intros ->. apply denotes_skip.
Qed.

(** The loop of one iteration is a substitution. *)
Lemma unsync_let x n v u L :
  eval_n n = Some v -> unsync (ULet x n u) L <-> unsync (subst_u x v u) L.
Proof.
  intro Hn. assert (Hm : eval_n (succ n) = Some (v + 1)) by (cbn; now rewrite Hn).
  split.
  - intro D. inversion D; subst; same_values; try lia.
    match goal with R : unsync (UFor _ _ _ _) L2 |- _ => inversion R; subst; numbers; try lia end.
    now rewrite app_nil_r.
  - intro D. rewrite <- (app_nil_r L).
    apply (u_for_2 x n (succ n) u v (v + 1) L []); [exact Hn | exact Hm | lia | exact D |].
    eapply u_for_1; reflexivity.
Qed.

Lemma denotes_let x n v u L :
  x <> tid -> eval_n n = Some v -> denotes T (ULet x n u) L <-> denotes T (subst_u x v u) L.
Proof.
  intros Hx Hn.
  assert (Hs : forall i, subst_u tid i (ULet x n u) = ULet x n (subst_u tid i u)).
  { intro i. cbn. rewrite (subst_n_fresh tid i n) by (eapply eval_n_closed; exact Hn).
    destruct (var_eq_dec tid x); [congruence | reflexivity]. }
  split; intros (L' & D & S); exists L'; (split; [| exact S]); revert D; apply unsync_all_ext;
    intros i L0 D.
  - rewrite Hs in D. apply (unsync_let x n v) in D; [| exact Hn].
    now rewrite (subst_u_commute tid i x v) by congruence.
  - rewrite Hs. apply (unsync_let x n v); [exact Hn |].
    now rewrite (subst_u_commute x v tid i) by congruence.
Qed.

(** Loops, by their iterations. *)
Lemma denotes_for_1 x n m k l u :
  x <> tid -> eval_n n = Some k -> eval_n m = Some l -> l <= k -> denotes T (UFor x n m u) [].
Proof.
  intros Hx Hn Hm Hle. exists []. split; [| intro; reflexivity].
  apply (unsync_all_ext USkip); [| apply unsync_all_skip]. intros i L D. inversion D; subst.
  cbn. rewrite !(subst_n_fresh tid i) by (eapply eval_n_closed; eassumption).
  eapply u_for_1; eassumption.
Qed.

Lemma denotes_for_2 x n m k l u L1 L2 :
  x <> tid -> eval_n n = Some k -> eval_n m = Some l -> k < l ->
  denotes T (subst_u x k u) L1 -> denotes T (UFor x (Num (k + 1)) (Num l) u) L2 ->
  denotes T (UFor x n m u) (L1 ++ L2).
Proof.
  intros Hx Hn Hm Hlt D1 D2. destruct (denotes_seq _ _ _ _ D1 D2) as (L & D & S).
  exists L. split; [| exact S]. revert D. apply unsync_all_ext. intros i L0 D. cbn in D |- *.
  rewrite !(subst_n_fresh tid i) by (eapply eval_n_closed; eassumption).
  destruct (var_eq_dec tid x) as [E | _]; [congruence |]. inversion D; subst.
  eapply u_for_2; try eassumption. rewrite subst_u_commute by congruence. assumption.
Qed.

Lemma denotes_unique u L1 L2 : denotes T u L1 -> denotes T u L2 -> same_values_set L1 L2.
Proof.
  intros (L1' & D1 & S1) (L2' & D2 & S2) a.
  rewrite <- (S1 a), <- (S2 a), (unsync_all_deterministic _ _ _ _ D1 D2). reflexivity.
Qed.

(** ** Instances of parametrised phases, and the phases they match *)

Definition is_instance (hs : list pphase) (L : access_values) : Prop :=
  exists h L', In h hs /\ instance T h L' /\ same_values_set L' L.

(** The instances of [hs] are the phases [Ls], up to order and repetition. *)
Definition matches (hs : list pphase) (Ls : list access_values) : Prop :=
  (forall L, In L Ls -> is_instance hs L) /\
  (forall h L', In h hs -> instance T h L' -> exists L, In L Ls /\ same_values_set L' L).

Lemma matches_nil : matches [] [].
Proof. split; [intros L [] | intros h L' []]. Qed.

Lemma is_instance_app hs1 hs2 L :
  is_instance (hs1 ++ hs2) L <-> is_instance hs1 L \/ is_instance hs2 L.
Proof.
  unfold is_instance. split.
  - intros (h & L' & [Hh | Hh]%in_app_iff & HI); [left | right]; eauto.
  - intros [(h & L' & Hh & HI) | (h & L' & Hh & HI)]; exists h, L'; rewrite in_app_iff; auto.
Qed.

Lemma matches_app hs1 hs2 Ls1 Ls2 Ls :
  matches hs1 Ls1 -> matches hs2 Ls2 -> (forall L, In L Ls <-> In L Ls1 \/ In L Ls2) ->
  matches (hs1 ++ hs2) Ls.
Proof.
  intros [A1 B1] [A2 B2] HL. split.
  - intros L [Hin | Hin]%HL; apply is_instance_app; auto.
  - intros h L' [Hh | Hh]%in_app_iff HI.
    + destruct (B1 h L' Hh HI) as (L & Hin & S). exists L. rewrite HL. auto.
    + destruct (B2 h L' Hh HI) as (L & Hin & S). exists L. rewrite HL. auto.
Qed.

Lemma matches_phase u L : denotes T u L -> matches [Phase u] [L].
Proof.
  intros (L0 & D & S). split.
  - intros ? [<- | []]. exists (Phase u), L0. split; [now left |]. split; [now constructor | exact S].
  - intros h L' [<- | []] HI. inversion HI; subst. exists L. split; [now left |].
    now rewrite (unsync_all_deterministic _ _ _ _ H0 D).
Qed.

Lemma matches_when c t h Ls :
  eval_c c = Some t -> (if t then matches [h] Ls else Ls = []) -> matches [When c h] Ls.
Proof.
  intros Hc HM. destruct t.
  - destruct HM as [A B]. split.
    + intros L HL. destruct (A L HL) as (h' & L' & [<- | []] & HI & S).
      exists (When c h), L'. split; [now left |]. split; [now constructor | exact S].
    + intros h' L' [<- | []] HI. inversion HI; subst. apply (B h); auto using in_eq.
  - subst Ls. split; [intros L [] |].
    intros h' L' [<- | []] HI. inversion HI; subst. congruence.
Qed.

(** A guard before all of them. *)
Lemma matches_map_when_true c hs Ls :
  eval_c c = Some true -> matches (map (When c) hs) Ls <-> matches hs Ls.
Proof.
  intro Hc. split; intros [A B]; split.
  - intros L HL. destruct (A L HL) as (h & L' & Hh & HI & S).
    apply in_map_iff in Hh as (h0 & <- & Hh0). inversion HI; subst. exists h0, L'. auto.
  - intros h L' Hh HI. apply (B (When c h)); [now apply in_map | now constructor].
  - intros L HL. destruct (A L HL) as (h & L' & Hh & HI & S).
    exists (When c h), L'. split; [now apply in_map |]. split; [now constructor | exact S].
  - intros h L' Hh HI. apply in_map_iff in Hh as (h0 & <- & Hh0). inversion HI; subst. eauto.
Qed.

Lemma matches_map_when_false c hs : eval_c c = Some false -> matches (map (When c) hs) [].
Proof.
  intro Hc. split; [intros L [] |]. intros h L' Hh HI.
  apply in_map_iff in Hh as (h0 & <- & Hh0). inversion HI; subst. congruence.
Qed.

End Matching.

End Relative.

(** The threads are those of the context. *)
Arguments denotes_skip {ins T}.
Arguments denotes_seq {ins T}.
Arguments denotes_if {ins T}.
Arguments denotes_when_true {ins T}.
Arguments denotes_when_false {ins T}.
Arguments denotes_let {ins T}.
Arguments denotes_for_1 {ins T}.
Arguments denotes_for_2 {ins T}.
Arguments denotes_unique {ins T}.
Arguments matches_nil {ins T}.
Arguments is_instance_app {ins T}.
Arguments matches_app {ins T}.
Arguments matches_phase {ins T}.
Arguments matches_when {ins T}.
Arguments matches_map_when_true {ins T}.
Arguments matches_map_when_false {ins T}.
