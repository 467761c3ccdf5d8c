(** * T3 for protocols with barriers anywhere: they have a [Λ], or diverge

    A block of closed protocols has an outcome: no run is endless, and none is
    stuck. *)

From BabyCUDA Require Export BarrierProtocols Typing.
Local Open Scope N_scope.

Section Relative.
Context {ins : inputs}.

(** What is left of a closed protocol is closed. *)
Lemma q_to_barrier_closed u L s :
  q_to_barrier u L s -> incl (fv_u u) [] -> forall l q, s = AtBarrier l q -> incl (fv_u q) [].
Proof.
  induction 1 as [| o a n j Hn | l | q1 q2 L1 L2 s D1 IH1 D2 IH2 | q1 q2 L l q1' D IH | c q1 q2 L s Hc D IH
    | c q1 q2 L s Hc D IH | x n m q v w Hn Hm Hle | x n m q v w L s Hn Hm Hlt D IH | x a n q j L s Hn D IH];
    cbn [fv_u]; intros HC l0 q0 E; try discriminate.
  - injection E as _ <-. apply incl_nil_l.
  - apply incl_app_inv in HC as [_ HC]. eauto.
  - apply incl_app_inv in HC as [HC1 HC2]. injection E as _ <-. cbn. apply incl_app; eauto.
  - apply incl_app_inv in HC as [_ [HC _]%incl_app_inv]. eauto.
  - apply incl_app_inv in HC as [_ [_ HC]%incl_app_inv]. eauto.
  - apply incl_app_inv in HC as [_ [_ HC]%incl_app_inv]. eapply IH; [| exact E]. cbn.
    apply incl_app; [now apply body_closes_u | exact HC].
  - apply incl_app_inv in HC as [_ HC]. eapply IH; [| exact E]. now apply body_closes_u.
Qed.

(** [q_left_of u' u]: a run of [u] to its next barrier leaves [u']. *)
Definition q_left_of (u' u : protocol) : Prop := exists L l, q_to_barrier u L (AtBarrier l u').

Lemma q_finite_seq u1 u2 : Acc q_left_of u1 -> Acc q_left_of u2 -> Acc q_left_of (USeq u1 u2).
Proof.
  intros A1 A2. induction A1 as [u1 _ IH]. constructor. intros u' (L & l & D).
  inversion D; subst.
  - destruct A2 as [A2]. apply A2. do 2 eexists. eassumption.
  - apply IH. do 2 eexists. eassumption.
Qed.

Lemma q_finite_for x u w :
  (forall v, Acc q_left_of (subst_u x v u)) -> forall v, Acc q_left_of (UFor x (Num v) (Num w) u).
Proof.
  intros Hbody v. remember (N.to_nat (w - v)) as d eqn:Hd. revert v Hd.
  induction d as [| d IH]; intros v Hd; constructor; intros u' (L & l & D);
    inversion D; subst; numbers; [lia |].
  assert (F : Acc q_left_of (USeq (subst_u x v u) (UFor x (Num (v + 1)) (Num w) u))).
  { apply q_finite_seq; [apply Hbody | apply IH; lia]. }
  destruct F as [F]. apply F. do 2 eexists. eassumption.
Qed.

(** Every protocol, closed or not, passes finitely many barriers. *)
Theorem q_left_of_well_founded : well_founded q_left_of.
Proof.
  intro u. remember (depth_u u) as d eqn:Hd. assert (Hle : (depth_u u <= d)%nat) by lia. clear Hd.
  revert u Hle.
  induction d as [| d IH]; intros [| o a n | u1 u2 | c u1 u2 | x n m u | l | x a n u] Hle;
    cbn in Hle; try lia; [| | apply q_finite_seq; apply IH; lia | | | |];
    constructor; intros u' (L & l' & D); inversion D; subst;
    try match goal with
    | E : q_to_barrier ?u0 _ (AtBarrier _ u') |- Acc _ u' =>
        assert (F : Acc q_left_of u0); [| destruct F as [F]; apply F; do 2 eexists; exact E]
    end.
  - apply IH. lia.
  - apply IH. lia.
  - apply q_finite_seq; [apply IH; rewrite depth_subst_u; lia |].
    apply q_finite_for. intro. apply IH. rewrite depth_subst_u. lia.
  - constructor. intros u' (L & l & D'). inversion D'.
  - apply IH. rewrite depth_subst_u. lia.
Qed.

Lemma all_q_total qs :
  (forall i q, In (i, q) qs -> incl (fv_u q) []) -> exists L ss, all_q_to_barrier qs L ss.
Proof.
  induction qs as [| [i q] qs IH]; intro HC; [do 2 eexists; constructor |].
  destruct (closed_q_total q) as (L & s & D); [eapply HC; now left |].
  destruct IH as (Ls & ss & Ds); [intros i' q' Hin; eapply HC; right; exact Hin |].
  do 2 eexists. econstructor; eassumption.
Qed.

Lemma all_q_left qs L ss l qs' :
  all_q_to_barrier qs L ss -> all_at l ss qs' ->
  ((forall i q, In (i, q) qs -> incl (fv_u q) []) -> forall i q, In (i, q) qs' -> incl (fv_u q) []) /\
  forall i q, hd_error qs = Some (i, q) -> exists q', hd_error qs' = Some (i, q') /\ q_left_of q' q.
Proof.
  unfold all_at. intro D. revert qs'.
  induction D as [| i q qs L s Ls ss D Ds IH]; intros [| [i' q'] qs'] E; try discriminate.
  - split; [intros _ i q [] | discriminate].
  - injection E as <- -> E. destruct (IH _ E) as [IHc _]. split.
    + intros HC i2 q2 [[= <- <-] | Hin].
      * eapply q_to_barrier_closed; [exact D | eapply HC; now left | reflexivity].
      * eapply IHc; [| exact Hin]. intros i3 q3 H3. eapply HC. right. exact H3.
    + intros i2 q2 [= <- <-]. exists q'. split; [reflexivity |]. do 2 eexists. exact D.
Qed.

Theorem closed_q_block_total L Ls qs :
  (forall i q, In (i, q) qs -> incl (fv_u q) []) -> exists out, q_block_run (L :: Ls) qs out.
Proof.
  destruct qs as [| [i q] qs].
  { exists (Ends ((L ++ []) :: Ls)). eapply q_block_ends; [constructor |]. intros i s []. }
  revert L Ls qs. induction q as [q IH] using (well_founded_induction q_left_of_well_founded).
  intros L Ls qs HC. destruct (all_q_total _ HC) as (L' & ss & D).
  pose proof (judge_correct ss) as J. destruct (judge ss) as [| l qs' | i1 s1 i2 s2].
  - eexists. eapply q_block_ends; eassumption.
  - destruct J as [_ Ha]. destruct (all_q_left _ _ _ _ _ D Ha) as [HC' HL].
    destruct (HL i q eq_refl) as (q' & E & Hq). destruct qs' as [| e qs']; [discriminate |].
    injection E as ->. destruct (IH q' Hq [] ((L ++ L') :: Ls) qs' (HC' HC)) as [out R].
    exists out. eapply q_block_syncs; eauto. discriminate.
  - destruct J as (I1 & I2 & Hne). eexists.
    eapply q_block_diverges; [exact D | exact I1 | exact I2 | exact Hne].
Qed.

(** The protocol of a program has a [Λ] for each phase, up to its end or a divergence. *)
Corollary typed_block_has_phases T b q L :
  typed [tid] b q -> exists out, q_block_run [L] (q_start T q) out.
Proof.
  intro HT. apply closed_q_block_total. intros i u Hin.
  apply in_map_iff in Hin as (i' & [= <- <-] & _). apply subst_u_closes, (typed_fv _ _ _ HT).
Qed.

End Relative.
