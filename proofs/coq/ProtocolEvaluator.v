(** * Decidability: evaluators for protocols

    [None] is an unbound variable, a barrier where there can be none (or, never from
    the top, too little depth). *)

From BabyCUDA Require Export SyncProtocols BarrierProtocols.
Local Open Scope N_scope.

Section Relative.
Context {ins : inputs}.

Definition obind {X Y} (o : option X) (f : X -> option Y) : option Y :=
  match o with Some x => f x | None => None end.

Lemma obind_some {X Y} (o : option X) (f : X -> option Y) y :
  obind o f = Some y -> exists x, o = Some x /\ f x = Some y.
Proof. destruct o; cbn; [eauto | discriminate]. Qed.

(** ** One thread, to its next barrier *)

Definition q_stopping := option (thread_accesses * qstop).

(** [r], then [next] if [r] finished, else what is left of [r] followed by [left]. *)
Definition q_and_then (r : q_stopping) (left : protocol) (next : unit -> q_stopping) : q_stopping :=
  obind r (fun e =>
    match snd e with
    | Finished => obind (next tt) (fun f => Some (fst e ++ fst f, snd f))
    | AtBarrier l q => Some (fst e, AtBarrier l (USeq q left))
    end).

(** [count] iterations from [v] on; [left v] is the loop from [v] on. *)
Fixpoint iterate_q (body : N -> q_stopping) (left : N -> protocol) (count : nat) (v : N) : q_stopping :=
  match count with
  | O => Some ([], Finished)
  | S count => q_and_then (body v) (left (v + 1)) (fun _ => iterate_q body left count (v + 1))
  end.

Fixpoint run_q (d : nat) (u : protocol) : q_stopping :=
  match d with
  | O => None
  | S d =>
      match u with
      | USkip => Some ([], Finished)
      | UAccess o a n => obind (eval_n n) (fun j => Some ([(o, (a, j))], Finished))
      | USync l => Some ([], AtBarrier l USkip)
      | USeq u1 u2 => q_and_then (run_q d u1) u2 (fun _ => run_q d u2)
      | UIf c u1 u2 => obind (eval_c c) (fun t => run_q d (if t then u1 else u2))
      | UFor x n m u =>
          obind (eval_n n) (fun v => obind (eval_n m) (fun w =>
          iterate_q (fun v => run_q d (subst_u x v u)) (fun v => UFor x (Num v) (Num w) u)
            (N.to_nat (w - v)) v))
      | UInput x a n u => obind (eval_n n) (fun j => run_q d (subst_u x (host (a, j)) u))
      end
  end.

Definition evaluate_q (u : protocol) : q_stopping := run_q (depth_u u) u.

Lemma q_and_then_sound r u1 u2 next L s :
  (forall L s, r = Some (L, s) -> q_to_barrier u1 L s) ->
  (forall L s, next tt = Some (L, s) -> q_to_barrier u2 L s) ->
  q_and_then r u2 next = Some (L, s) -> q_to_barrier (USeq u1 u2) L s.
Proof.
  intros H1 H2 E. apply obind_some in E as ([L1 [| l q]] & -> & E); cbn in E.
  - apply obind_some in E as ([L2 s2] & E2 & [= <- <-]). eauto using q_seq_1.
  - injection E as <- <-. eauto using q_seq_2.
Qed.

Lemma iterate_q_sound x u w body :
  (forall v L s, body v = Some (L, s) -> q_to_barrier (subst_u x v u) L s) ->
  forall count v L s,
    count = N.to_nat (w - v) ->
    iterate_q body (fun v => UFor x (Num v) (Num w) u) count v = Some (L, s) ->
    q_to_barrier (UFor x (Num v) (Num w) u) L s.
Proof.
  intro Hbody. induction count as [| count IH]; cbn; intros v L s Hc E.
  - injection E as <- <-. eapply q_for_1; try reflexivity. lia.
  - eapply q_for_2; try reflexivity; [lia |].
    eapply q_and_then_sound; [eauto | | exact E]. intros L' s' E'. apply IH; [lia | exact E'].
Qed.

Lemma run_q_sound d u L s : run_q d u = Some (L, s) -> q_to_barrier u L s.
Proof.
  revert u L s. induction d as [| d IH]; intros u L s E; [discriminate |].
  destruct u as [| o a n | u1 u2 | c u1 u2 | x n m u | l | x a n u]; cbn in E.
  - injection E as <- <-. apply q_skip.
  - apply obind_some in E as (j & Hj & [= <- <-]). now apply q_access.
  - eapply q_and_then_sound; [| | exact E]; cbn; auto.
  - apply obind_some in E as ([|] & Ht & E); eauto using q_if_t, q_if_f.
  - apply obind_some in E as (v & Hv & E). apply obind_some in E as (w & Hw & E).
    assert (D : q_to_barrier (UFor x (Num v) (Num w) u) L s).
    { eapply iterate_q_sound; [| reflexivity | exact E]. cbn. auto. }
    inversion D; subst; numbers; eauto using q_for_1, q_for_2.
  - injection E as <- <-. apply q_sync.
  - apply obind_some in E as (j & Hj & E). eauto using q_input.
Qed.

(** A loop of a protocol that runs has been run: with enough depth. *)
Lemma iterate_q_total x u w body :
  (forall v L s, q_to_barrier (subst_u x v u) L s -> body v = Some (L, s)) ->
  forall count v L s,
    count = N.to_nat (w - v) ->
    q_to_barrier (UFor x (Num v) (Num w) u) L s ->
    iterate_q body (fun v => UFor x (Num v) (Num w) u) count v = Some (L, s).
Proof.
  intro Hbody. induction count as [| count IH]; intros v L s Hc D; inversion D; subst; numbers; try lia;
    [reflexivity |].
  match goal with E : q_to_barrier (USeq _ _) _ _ |- _ => inversion E; subst end;
    match goal with E : q_to_barrier (subst_u _ _ _) _ _ |- _ => rewrite (Hbody _ _ _ E) end; cbn;
    [| reflexivity].
  erewrite IH; [reflexivity | lia | assumption].
Qed.

Lemma run_q_complete d : forall u L s, (depth_u u <= d)%nat -> q_to_barrier u L s -> run_q d u = Some (L, s).
Proof.
  induction d as [| d IH]; intros u L s Hd D; [destruct u; cbn in Hd; lia |].
  destruct D as [| o a n j Hn | l | q1 q2 L1 L2 s D1 D2 | q1 q2 L l q1' D | c q1 q2 L s Hc D
    | c q1 q2 L s Hc D | x n m q v w Hn Hm Hle | x n m q v w L s Hn Hm Hlt D | x a n q j L s Hn D];
    cbn in Hd |- *; unfold q_and_then.
  - reflexivity.
  - now rewrite Hn.
  - reflexivity.
  - now rewrite (IH q1 L1 Finished), (IH q2 L2 s) by (assumption || lia).
  - now rewrite (IH q1 L (AtBarrier l q1')) by (assumption || lia).
  - rewrite Hc. apply IH; [lia | exact D].
  - rewrite Hc. apply IH; [lia | exact D].
  - rewrite Hn, Hm. cbn. now replace (w - v) with 0 by lia.
  - rewrite Hn, Hm. cbn. apply iterate_q_total; [| reflexivity | eapply q_for_2; try reflexivity; assumption].
    intros v' L' s' D'. apply IH; [rewrite depth_subst_u; lia | exact D'].
  - rewrite Hn. apply IH; [rewrite depth_subst_u; lia | exact D].
Qed.

(** Sound and complete for a run to the next barrier. *)
Theorem evaluate_q_correct u L s : evaluate_q u = Some (L, s) <-> q_to_barrier u L s.
Proof. split; [apply run_q_sound | now apply run_q_complete]. Qed.

(** ** One thread, without barriers *)

Definition evaluate_u (u : protocol) : option thread_accesses :=
  obind (evaluate_q u) (fun e => match snd e with Finished => Some (fst e) | AtBarrier _ _ => None end).

(** Sound and complete for [u ↓ Λ_i]. *)
Theorem evaluate_u_correct u L : evaluate_u u = Some L <-> unsync u L.
Proof.
  rewrite unsync_iff, <- evaluate_q_correct. unfold evaluate_u.
  destruct (evaluate_q u) as [[L' [| l q]] |]; cbn; split; congruence.
Qed.

(** ** All threads *)

Fixpoint evaluate_u_all (T : list N) (u : protocol) : option access_values :=
  match T with
  | [] => Some []
  | i :: T =>
      obind (evaluate_u (subst_u tid i u)) (fun L =>
      obind (evaluate_u_all T u) (fun Ls => Some (with_thread i L ++ Ls)))
  end.

(** Sound and complete for [u ↓ Λ]. *)
Theorem evaluate_u_all_correct T u L : evaluate_u_all T u = Some L <-> unsync_all u T L.
Proof.
  split.
  - revert L. induction T as [| i T IH]; cbn; intros L E.
    + injection E as <-. constructor.
    + apply obind_some in E as (L1 & E1%evaluate_u_correct & E).
      apply obind_some in E as (L2 & E2 & [= <-]). constructor; auto.
  - induction 1 as [| i T L Ls D%evaluate_u_correct _ IH]; cbn; [reflexivity |].
    now rewrite D, IH.
Qed.

(** ** A block, with barriers anywhere *)

Fixpoint run_q_pool (qs : qremaining) : option (access_values * qstops) :=
  match qs with
  | [] => Some ([], [])
  | (i, q) :: qs =>
      obind (evaluate_q q) (fun e =>
      obind (run_q_pool qs) (fun r => Some (with_thread i (fst e) ++ fst r, (i, snd e) :: snd r)))
  end.

Lemma run_q_pool_correct qs L ss : run_q_pool qs = Some (L, ss) <-> all_q_to_barrier qs L ss.
Proof.
  split.
  - revert L ss. induction qs as [| [i q] qs IH]; cbn; intros L ss E.
    + injection E as <- <-. constructor.
    + apply obind_some in E as ([L1 s] & E1%evaluate_q_correct & E).
      apply obind_some in E as ([L2 ss2] & E2 & [= <- <-]). constructor; auto.
  - induction 1 as [| i q qs L s Ls ss D%evaluate_q_correct _ IH]; cbn; [reflexivity |].
    now rewrite D, IH.
Qed.

(** At most [fuel] barrier intervals. *)
Fixpoint evaluate_q_block (fuel : nat) (Ls : list access_values) (qs : qremaining) : option q_outcome :=
  match fuel, Ls with
  | S fuel, L :: Ls =>
      obind (run_q_pool qs) (fun r =>
        match judge (snd r) with
        | AllFinished => Some (Ends ((L ++ fst r) :: Ls))
        | AllAt _ qs => evaluate_q_block fuel ([] :: (L ++ fst r) :: Ls) qs
        | Differ i1 s1 i2 s2 => Some (Diverges ((L ++ fst r) :: Ls) i1 s1 i2 s2)
        end)
  | _, _ => None
  end.

Theorem evaluate_q_block_sound fuel Ls qs out :
  evaluate_q_block fuel Ls qs = Some out -> q_block_run Ls qs out.
Proof.
  revert Ls qs. induction fuel as [| fuel IH]; cbn; intros [| L Ls] qs E; try discriminate.
  apply obind_some in E as ([L' ss] & D%run_q_pool_correct & E). cbn in E.
  pose proof (judge_correct ss) as J. destruct (judge ss) as [| l qs' | i1 s1 i2 s2].
  - injection E as <-. now apply q_block_ends with ss.
  - destruct J as [Hne Ha]. eapply q_block_syncs; eauto. intros ->. inversion D; subst. contradiction.
  - injection E as <-. destruct J as (I1 & I2 & Hne). eapply q_block_diverges; eassumption.
Qed.

(** Complete, but for which two threads witness a divergence. *)
Theorem evaluate_q_block_complete Ls qs out :
  q_block_run Ls qs out ->
  exists fuel out', evaluate_q_block fuel Ls qs = Some out' /\ q_summary out' = q_summary out.
Proof.
  intro D. enough (E : exists fuel out', evaluate_q_block fuel Ls qs = Some out').
  { destruct E as (fuel & out' & E). exists fuel, out'. split; [exact E |].
    eapply q_block_deterministic; [eapply evaluate_q_block_sound; exact E | exact D]. }
  induction D as [L Ls qs L1 ss D Hf | L Ls qs L1 ss l qs' out D Hne Ha HB (fuel & out' & E)
                 | L Ls qs L1 ss i1 s1 i2 s2 D I1 I2 Hne]; apply run_q_pool_correct in D as R;
    pose proof (judge_correct ss) as J.
  - exists 1%nat. cbn. rewrite R. cbn. destruct (judge ss); eauto.
    destruct J as [Hss Ha]. destruct (finished_not_at Hss Hf Ha).
  - exists (S fuel). cbn. rewrite R. cbn. pose proof (all_q_not_empty _ _ _ D Hne) as Hss.
    destruct (judge ss); eauto. destruct J as [_ Ha2]. rewrite (all_at_unique Ha2 Ha). eauto.
  - exists 1%nat. cbn. rewrite R. cbn. destruct (judge ss); eauto.
    destruct J as [_ Ha]. destruct Hne. exact (all_at_same_place Ha I1 I2).
Qed.

(** ** Synchronized protocols *)

Fixpoint depth_p (p : sprotocol) : nat :=
  match p with
  | PUnsync _ | PSync _ => 1
  | PSeq p1 p2 => S (Nat.max (depth_p p1) (depth_p p2))
  | PFor _ _ _ p => S (depth_p p)
  end.

Lemma depth_subst_p x k p : depth_p (subst_p x k p) = depth_p p.
Proof. induction p; cbn; try destruct (var_eq_dec _ _); congruence. Qed.

Fixpoint iterate_phases {X} (body : N -> X -> option X) (count : nat) (k : N) (x : X) : option X :=
  match count with
  | O => Some x
  | S count => obind (body k x) (iterate_phases body count (k + 1))
  end.

Fixpoint run_p (d : nat) (T : list N) (Ls : list access_values) (p : sprotocol)
  : option (list access_values) :=
  match d with
  | O => None
  | S d =>
      match p with
      | PUnsync u =>
          match Ls with
          | [] => None
          | L :: Ls => obind (evaluate_u_all T u) (fun L' => Some ((L ++ L') :: Ls))
          end
      | PSync _ => match Ls with [] => None | L :: Ls => Some ([] :: L :: Ls) end
      | PSeq p1 p2 => obind (run_p d T Ls p1) (fun Ls => run_p d T Ls p2)
      | PFor x n m p =>
          obind (eval_n n) (fun k => obind (eval_n m) (fun l =>
          iterate_phases (fun k Ls => run_p d T Ls (subst_p x k p)) (N.to_nat (l - k)) k Ls))
      end
  end.

Definition evaluate_p (T : list N) (Ls : list access_values) (p : sprotocol)
  : option (list access_values) := run_p (depth_p p) T Ls p.

Lemma iterate_phases_sound T x p l body :
  (forall k Ls Ls', body k Ls = Some Ls' -> sync_phases T Ls (subst_p x k p) Ls') ->
  forall count k Ls Ls',
    count = N.to_nat (l - k) ->
    iterate_phases body count k Ls = Some Ls' ->
    sync_phases T Ls (PFor x (Num k) (Num l) p) Ls'.
Proof.
  intro Hbody. induction count as [| count IH]; cbn; intros k Ls Ls' Hc E.
  - injection E as <-. eapply p_for_1; try reflexivity. lia.
  - apply obind_some in E as (L2 & E1 & E2).
    eapply p_for_2; try reflexivity; [lia | eapply Hbody; exact E1 |]. apply IH; [lia | exact E2].
Qed.

Lemma run_p_sound d T Ls p Ls' : run_p d T Ls p = Some Ls' -> sync_phases T Ls p Ls'.
Proof.
  revert Ls p Ls'. induction d as [| d IH]; intros Ls p Ls' E; [discriminate |].
  destruct p as [u | l | p1 p2 | x n m p]; cbn in E.
  - destruct Ls as [| L Ls]; [discriminate |].
    apply obind_some in E as (L' & E%evaluate_u_all_correct & [= <-]). now constructor.
  - destruct Ls as [| L Ls]; [discriminate |]. injection E as <-. constructor.
  - apply obind_some in E as (L2 & E1 & E2). eauto using p_seq.
  - apply obind_some in E as (k & Hk & E). apply obind_some in E as (l & Hl & E).
    assert (D : sync_phases T Ls (PFor x (Num k) (Num l) p) Ls').
    { eapply iterate_phases_sound; [| reflexivity | exact E]. cbn. auto. }
    inversion D; subst; numbers; eauto using p_for_1, p_for_2.
Qed.

Lemma run_p_complete T Ls p Ls' :
  sync_phases T Ls p Ls' -> forall d, (depth_p p <= d)%nat -> run_p d T Ls p = Some Ls'.
Proof.
  induction 1 as [L Ls u L' HU | L Ls l | L1 p1 p2 L2 L3 D1 IH1 D2 IH2 | Ls x n m p k l Hn Hm Hle
                 | L1 x n m p k l L2 L3 Hn Hm Hlt D1 IH1 D2 IH2];
    intros [| d] Hd; cbn in Hd; try lia; cbn.
  - apply evaluate_u_all_correct in HU. now rewrite HU.
  - reflexivity.
  - rewrite IH1 by lia. cbn. apply IH2. lia.
  - rewrite Hn, Hm. cbn. replace (l - k) with 0 by lia. reflexivity.
  - rewrite Hn, Hm. cbn.
    replace (N.to_nat (l - k)) with (S (N.to_nat (l - (k + 1)))) by lia.
    cbn. rewrite IH1 by (rewrite depth_subst_p; lia). exact (IH2 (S d) Hd).
Qed.

(** Sound and complete for the phases of a synchronized protocol. *)
Theorem evaluate_p_correct T Ls p Ls' : evaluate_p T Ls p = Some Ls' <-> sync_phases T Ls p Ls'.
Proof. split; [apply run_p_sound | intro D; now apply run_p_complete]. Qed.

End Relative.
