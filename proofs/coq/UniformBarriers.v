(** * T12. Guards that are uniform in groups are enough

    A barrier of scope [s] may stand under guards and bounds that have one value in
    each of its groups.  Then a block of the protocol runs by groups to its end. *)

From BabyCUDA Require Export ScopedProtocols.
Local Open Scope N_scope.

Section Uniform.
Context {ins : inputs}.
Variable scope : site -> nat.

(** ** The events of a thread, by the syntax of its protocol *)

Inductive events : protocol -> list event -> Prop :=
| e_skip :
    events USkip []
| e_access : forall o a n j,
    eval_n n = Some j ->
    events (UAccess o a n) [Access o (a, j)]
| e_sync : forall l,
    events (USync l) [Barrier l (scope l)]
| e_seq : forall u1 u2 t1 t2,
    events u1 t1 ->
    events u2 t2 ->
    events (USeq u1 u2) (t1 ++ t2)
| e_if : forall c u1 u2 b t,
    eval_c c = Some b ->
    events (if b then u1 else u2) t ->
    events (UIf c u1 u2) t
| e_for_1 : forall x n m u k l,
    eval_n n = Some k ->
    eval_n m = Some l ->
    l <= k ->
    events (UFor x n m u) []
| e_for_2 : forall x n m u k l t1 t2,
    eval_n n = Some k ->
    eval_n m = Some l ->
    k < l ->
    events (subst_u x k u) t1 ->
    events (UFor x (Num (k + 1)) (Num l) u) t2 ->
    events (UFor x n m u) (t1 ++ t2)
| e_input : forall x a n u j t,
    eval_n n = Some j ->
    events (subst_u x (host (a, j)) u) t ->
    events (UInput x a n u) t.

Lemma accesses_of_app L1 L2 : accesses_of (L1 ++ L2) = accesses_of L1 ++ accesses_of L2.
Proof. apply map_app. Qed.

Lemma to_barrier_events u L s :
  q_to_barrier u L s ->
  match s with
  | Finished => events u (accesses_of L)
  | AtBarrier l u' => forall t, events u' t -> events u (accesses_of L ++ Barrier l (scope l) :: t)
  end.
Proof.
  induction 1 as [| o a n j Hn | l | q1 q2 L1 L2 s D1 IH1 D2 IH2 | q1 q2 L l q1' D IH | c q1 q2 L s Hc D IH
    | c q1 q2 L s Hc D IH | x n m q v w Hn Hm Hle | x n m q v w L s Hn Hm Hlt D IH | x a n q j L s Hn D IH].
  - constructor.
  - now constructor.
  - intros t E. inversion E; subst. apply e_sync.
  - destruct s as [| l q]; rewrite accesses_of_app; [now constructor |].
    intros t E. rewrite <- app_assoc. constructor; auto.
  - intros t E. inversion E; subst. rewrite app_comm_cons, app_assoc. constructor; auto.
  - destruct s; [| intros t E]; eapply e_if; try eassumption; cbn; auto.
  - destruct s; [| intros t E]; eapply e_if; try eassumption; cbn; auto.
  - eapply e_for_1; eassumption.
  - destruct s; [| intros t E; specialize (IH t E)]; inversion IH; subst; eapply e_for_2; eassumption.
  - destruct s; [| intros t E]; eapply e_input; eauto.
Qed.

Lemma trace_events u t : q_trace scope u t -> events u t.
Proof.
  induction 1 as [u L D | u L l u' t D _ IH]; [exact (to_barrier_events _ _ _ D) |].
  exact (to_barrier_events _ _ _ D _ IH).
Qed.

(** ** Two threads that meet the same barriers of scope [r] and wider *)

(** No barrier of scope [r] or wider. *)
Fixpoint narrow (r : nat) (u : protocol) : bool :=
  match u with
  | USkip | UAccess _ _ _ => true
  | USync l => Nat.ltb (scope l) r
  | USeq u1 u2 | UIf _ u1 u2 => narrow r u1 && narrow r u2
  | UFor _ _ _ u | UInput _ _ _ u => narrow r u
  end.

Lemma narrow_subst r x k u : narrow r (subst_u x k u) = narrow r u.
Proof. induction u; cbn; try destruct (var_eq_dec _ _); congruence. Qed.

Lemma narrow_events r u t : events u t -> narrow r u = true -> from r t = [].
Proof.
  induction 1; cbn; rewrite ?andb_true_iff, ?narrow_subst in *; intro HN; auto.
  - apply Nat.ltb_lt in HN. unfold from. cbn. destruct (Nat.leb_spec r (scope l)); [lia | reflexivity].
  - rewrite from_app, IHevents1, IHevents2; tauto.
  - apply IHevents. destruct b; tauto.
  - rewrite from_app, IHevents1, IHevents2; auto.
Qed.

(** The code of two threads, which differ in values only: what decides about
    barriers of scope [r] or wider has one value. *)
Inductive alike (r : nat) : protocol -> protocol -> Prop :=
| alike_narrow : forall u v,
    narrow r u = true -> narrow r v = true ->
    alike r u v
| alike_sync : forall l,
    alike r (USync l) (USync l)
| alike_seq : forall u1 u2 v1 v2,
    alike r u1 v1 -> alike r u2 v2 ->
    alike r (USeq u1 u2) (USeq v1 v2)
| alike_if : forall c d u1 u2 v1 v2,
    eval_c c = eval_c d ->
    alike r u1 v1 -> alike r u2 v2 ->
    alike r (UIf c u1 u2) (UIf d v1 v2)
| alike_for : forall x n m n' m' u v,
    eval_n n = eval_n n' -> eval_n m = eval_n m' ->
    (forall k, alike r (subst_u x k u) (subst_u x k v)) ->
    alike r (UFor x n m u) (UFor x n' m' v)
| alike_input : forall x a n n' u v,
    (forall j j', eval_n n = Some j -> eval_n n' = Some j' ->
       alike r (subst_u x (host (a, j)) u) (subst_u x (host (a, j')) v)) ->
    alike r (UInput x a n u) (UInput x a n' v).

Theorem alike_meet_the_same_barriers r u v :
  alike r u v -> forall t1 t2, events u t1 -> events v t2 -> from r t1 = from r t2.
Proof.
  induction 1 as [u v Hu Hv | l | u1 u2 v1 v2 _ IH1 _ IH2 | c d u1 u2 v1 v2 Hc _ IH1 _ IH2
                 | x n m n' m' u v Hn Hm _ IH | x a n n' u v _ IH]; intros t1 t2 E1 E2.
  - now rewrite (narrow_events r u t1), (narrow_events r v t2).
  - inversion E1; inversion E2; subst. reflexivity.
  - inversion E1; inversion E2; subst. rewrite !from_app. f_equal; auto.
  - inversion E1; inversion E2; subst. rewrite Hc in *. same_values.
    match goal with E : events (if ?b then _ else _) t1 |- _ => destruct b end; auto.
  - assert (Loop : forall d k l t1 t2, d = N.to_nat (l - k) ->
      events (UFor x (Num k) (Num l) u) t1 -> events (UFor x (Num k) (Num l) v) t2 ->
      from r t1 = from r t2).
    { clear E1 E2 t1 t2. intro d. induction d as [| d IHd]; intros k l t1 t2 Hd E1 E2;
        inversion E1; inversion E2; subst; numbers; try lia; [reflexivity |].
      rewrite !from_app. f_equal; [eauto |]. eapply IHd; [| eassumption | eassumption]. lia. }
    inversion E1; inversion E2; subst; rewrite Hn, Hm in *; same_values; try lia; [reflexivity |].
    rewrite !from_app. f_equal; [eauto |]. eapply Loop; eauto.
  - inversion E1; inversion E2; subst. eauto.
Qed.

(** ** Blocks *)

Theorem uniform_blocks_run group T q :
  (forall s s' i j, (s <= s')%nat -> group s i = group s j -> group s' i = group s' j) ->
  incl (fv_u q) [tid] ->
  (forall r i j, In i T -> In j T -> group r i = group r j ->
     alike r (subst_u tid i q) (subst_u tid j q)) ->
  exists tr, group_runs scope group T (fun i => subst_u tid i q) tr.
Proof.
  intros HN HC HU.
  assert (E : exists tr : traces, forall i, In i T -> q_trace scope (subst_u tid i q) (tr i)).
  { assert (HQ : forall i, exists t, q_trace scope (subst_u tid i q) t)
      by (intro i; apply closed_q_trace; now apply subst_u_closes).
    clear HU. induction T as [| i T' [tr Htr]]; [exists (fun _ => []); intros i [] |].
    destruct (HQ i) as [t Ht]. exists (fun j => if j =? i then t else tr j). intros j Hj.
    destruct (N.eqb_spec j i) as [-> |]; [exact Ht |]. destruct Hj; [congruence | auto]. }
  destruct E as [tr Htr]. exists tr. apply group_runs_iff; [exact HN | exact Htr |].
  intros r i j Hi Hj E. eapply alike_meet_the_same_barriers; [exact (HU r i j Hi Hj E) | |];
    apply trace_events; auto.
Qed.

End Uniform.

(** [if tid / 2 == 0 { sync.warp } else { skip }], with warps of two threads: the
    barrier stands under a guard that depends on the thread, not in a warp. *)
Section Example.
#[local] Existing Instance no_inputs.

Definition one_warp_syncs : protocol :=
  UIf (Compare Natural Eq (Arith Natural Div (Var tid) (Num 2)) (Num 0)) (USync 0) USkip.

(** Scope 0 is a warp, wider ones are the block. *)
Definition warps_of_two (s : nat) (i : N) : N := match s with O => i / 2 | _ => 0 end.

Example one_warp_may_sync T :
  exists tr, group_runs (fun _ => 0%nat) warps_of_two T (fun i => subst_u tid i one_warp_syncs) tr.
Proof.
  apply uniform_blocks_run.
  - intros [| s] [| s'] i j Hle E; try reflexivity; [exact E | lia].
  - intros y [<- | []]. now left.
  - intros [| r] i j _ _ E; [| now apply alike_narrow].
    apply alike_if; [| apply alike_sync | now apply alike_narrow].
    change (Some (apply_comparison Natural Eq (i / 2) 0) = Some (apply_comparison Natural Eq (j / 2) 0)).
    change (i / 2 = j / 2) in E. now rewrite E.
Qed.

End Example.
