(** * Read-only inputs: an example, and what T11 needs

    A push over neighbour lists, with contents on which it races and contents on
    which it does not.  Then: without each of its two hypotheses on the history,
    T2 is false; and t-read-input types what was typed before only if binders are
    apart. *)

From BabyCUDA Require Export ReadOnlyInputs.
Local Open Scope N_scope.
Local Open Scope string_scope.

(** ** Neighbour lists

    [let lo = row[tid] in let hi = row[tid + 1] in
     forU e in lo..hi { let v = col[e] in dist[v] := tid }] *)
Definition push : prog :=
  Read "lo" "row" (Var tid)
    (Read "hi" "row" (Arith Natural Add (Var tid) (Num 1))
       (For "e" (Var "lo") (Var "hi") (Read "v" "col" (Var "e") (Write "dist" (Var "v") (Var tid))))).

Definition push_type : protocol :=
  USeq (UAccess rd "row" (Var tid)) (UInput "lo" "row" (Var tid)
    (USeq (UAccess rd "row" (Arith Natural Add (Var tid) (Num 1)))
       (UInput "hi" "row" (Arith Natural Add (Var tid) (Num 1))
          (UFor "e" (Var "lo") (Var "hi")
             (USeq (UAccess rd "col" (Var "e")) (UInput "v" "col" (Var "e") (UAccess wr "dist" (Var "v")))))))).

Definition neighbour_lists (a : array) : bool := String.eqb a "row" || String.eqb a "col".

(** [row = 0, 1, 2] and [col = x, y]: thread 0 has the neighbour [x], thread 1 has [y]. *)
Definition neighbours (x y : N) : writes :=
  [(("col", 0), x); (("col", 1), y); (("row", 0), 0); (("row", 1), 1); (("row", 2), 2)].

Example push_untyped : @infer no_inputs [tid] push = None.
Proof. reflexivity. Qed.

Example push_typed : @infer (stored neighbour_lists []) [tid] push = Some push_type.
Proof. reflexivity. Qed.

Example push_races_on_a_shared_neighbour :
  option_map conflicts (@evaluate_u_all (stored neighbour_lists (neighbours 5 5)) [0; 1] push_type)
  = Some [((0, wr, ("dist", 5)), (1, wr, ("dist", 5))); ((1, wr, ("dist", 5)), (0, wr, ("dist", 5)))].
Proof. reflexivity. Qed.

Example push_is_drf_on_a_permutation :
  option_map conflicts (@evaluate_u_all (stored neighbour_lists (neighbours 1 0)) [0; 1] push_type)
  = Some [].
Proof. reflexivity. Qed.

(** ** What T2 needs of the history *)

Definition gather : prog := Read "x" "A" (Num 0) (Write "B" (Var "x") (Num 0)).
Definition gather_type : protocol :=
  USeq (UAccess rd "A" (Num 0)) (UInput "x" "A" (Num 0) (UAccess wr "B" (Var "x"))).

Definition only_A (k : N) : inputs := stored (fun a => String.eqb a "A") [(("A", 0), k)].

Lemma gather_typed k : @typed (only_A k) [] gather gather_type.
Proof. now apply infer_correct. Qed.

Lemma gather_accesses k :
  @unsync (only_A k) gather_type [(rd, ("A", 0)); (wr, ("B", k))].
Proof. now apply evaluate_u_correct. Qed.

(** [gather], with [k] in its protocol, writes another cell in the run of thread 0. *)
Definition differs (k : N) (P : phase) (H : history) : Prop :=
  exists R W j, thread H 0 (at_thread P 0) gather (R, W) /\ in_dom ("B", j) W /\ j <> k.

(** Older phases must leave in [A] what the protocol finds there. *)
Example contents_must_be_seen : differs 1 [] [host_contents [(("A", 0), 0)]].
Proof.
  exists [("A", 0)], [(("B", 0), 0)], 0. split; [| split; [now exists 0 | discriminate]].
  now apply evaluate_sound.
Qed.

(** The thread itself must not have written it in this phase. *)
Example own_writes_count : differs 1 [(0, ([], [(("A", 0), 0)]))] [host_contents [(("A", 0), 1)]].
Proof.
  exists [("A", 0)], [(("A", 0), 0); (("B", 0), 0)], 0. split; [| split; [now exists 0 | discriminate]].
  now apply evaluate_sound.
Qed.

(** Nor another thread, though [lastwrite] then is single-valued: no thread sees it. *)
Example writes_of_others_are_not_seen :
  lastwrites ("A", 0) [[(1, ([], [(("A", 0), 1)]))]; host_contents [(("A", 0), 0)]] = [1] /\
  differs 1 [(1, ([], [(("A", 0), 1)]))] [host_contents [(("A", 0), 0)]].
Proof.
  split; [reflexivity |].
  exists [("A", 0)], [(("B", 0), 0)], 0. split; [| split; [now exists 0 | discriminate]].
  now apply evaluate_sound.
Qed.

(** ** What was typed stays typed, if binders are apart *)

(** No variable is bound where it is bound already, or in [V]. *)
Fixpoint apart (V : list var) (b : prog) : Prop :=
  match b with
  | Write _ _ _ | Skip | Sync _ => True
  | Read x _ _ b | For x _ _ b => ~ In x V /\ apart (x :: V) b
  | Seq b1 b2 | If _ b1 b2 => apart V b1 /\ apart V b2
  end.

Fixpoint written (b : prog) : list array :=
  match b with
  | Write a _ _ => [a]
  | Skip | Sync _ => []
  | Read _ _ _ b | For _ _ _ b => written b
  | Seq b1 b2 | If _ b1 b2 => written b1 ++ written b2
  end.

Lemma apart_incl b : forall V V', incl V V' -> apart V' b -> apart V b.
Proof.
  induction b; cbn; intros V V' HV; intuition eauto;
    match goal with IH : forall V V', _ -> _ -> apart V ?b, A : apart (?x :: V') ?b |- apart (?x :: V) ?b =>
      apply (IH _ (x :: V')); [apply incl_cons; auto using in_eq, incl_tl | exact A] end.
Qed.

Theorem typed_with_inputs RO W0 V b u :
  @typed no_inputs V b u -> forall V', incl V V' -> apart V' b ->
  (forall a, In a (written b) -> RO a = false) -> exists u', @typed (stored RO W0) V' b u'.
Proof.
  unfold typed_n, typed_c.
  induction 1 as [V a n m _ Hn | V y a n b u _ Hn Hy D IH | V y a n b u C | V b1 b2 u1 u2 D1 IH1 D2 IH2
                 | V c b1 b2 u1 u2 Hc D1 IH1 D2 IH2 | V x n m b u Hn Hm Hx D IH | V | V l];
    cbn; intros V' HV HA HW; try discriminate; try (setoid_rewrite in_app_iff in HW).
  - eexists. apply t_write; [auto | red; eauto using incl_tran].
  - destruct HA as [HA1 HA2]. destruct (RO a) eqn:Ha.
    + destruct (IH (y :: V')) as [u' D']; auto using incl_tl.
      eexists. apply t_read_input; [exact Ha | red; eauto using incl_tran | exact HA1 | exact D'].
    + destruct (IH V') as [u' D']; auto.
      { eapply apart_incl; [| exact HA2]. apply incl_tl, incl_refl. }
      eexists. apply t_read; [exact Ha | red; eauto using incl_tran | exact HA1 | exact D'].
  - destruct HA as [HA1 HA2]. destruct (IH1 V') as [u1' D1'], (IH2 V') as [u2' D2']; auto.
    eexists. apply t_seq; [exact D1' | exact D2'].
  - destruct HA as [HA1 HA2]. destruct (IH1 V') as [u1' D1'], (IH2 V') as [u2' D2']; auto.
    eexists. apply t_if; [red; eauto using incl_tran | exact D1' | exact D2'].
  - destruct HA as [HA1 HA2]. destruct (IH (x :: V')) as [u' D']; auto.
    { intros z [<- | Hz]; cbn; auto. }
    eexists. apply t_for; [red; eauto using incl_tran | red; eauto using incl_tran | exact HA1 | exact D'].
  - eexists. apply t_skip.
  - eexists. apply t_sync.
Qed.

(** Otherwise it may not: [let x = A[0] in let x = A[0] in skip]. *)
Example binders_must_be_apart :
  let b := Read "x" "A" (Num 0) (Read "x" "A" (Num 0) Skip) in
  (exists u, @typed no_inputs [] b u) /\ forall k u, ~ @typed (only_A k) [] b u.
Proof.
  split.
  - eexists. apply infer_correct. reflexivity.
  - intros k u D%infer_correct. discriminate.
Qed.
