(** * Synchronized protocols, their phases and their types

    LCL22 Fig. 2:  [p ::= u | sync | p ; p | forS x in n..m {p}].  Its semantics
    is a list of phases [Λ], newest first, as a history is. *)

From BabyCUDA Require Export Protocols Typing Synchronized.
Local Open Scope N_scope.

Section Relative.
Context {ins : inputs}.

Inductive sprotocol :=
| PUnsync (u : protocol)
| PSync (l : site)
| PSeq (p1 p2 : sprotocol)
| PFor (x : var) (n m : nexp) (p : sprotocol).

Fixpoint subst_p (x : var) (k : N) (p : sprotocol) : sprotocol :=
  match p with
  | PUnsync u => PUnsync (subst_u x k u)
  | PSync l => PSync l
  | PSeq p1 p2 => PSeq (subst_p x k p1) (subst_p x k p2)
  | PFor y n m p =>
      PFor y (subst_n x k n) (subst_n x k m)
        (if var_eq_dec x y then p else subst_p x k p)
  end.

(** ** Semantics: [Λs, p ↓ Λs'] *)

Section Run.
Variable T : list N.

Inductive sync_phases : list access_values -> sprotocol -> list access_values -> Prop :=
| p_unsync : forall L Ls u L',
    unsync_all u T L' ->
    sync_phases (L :: Ls) (PUnsync u) ((L ++ L') :: Ls)
| p_sync : forall L Ls l,
    sync_phases (L :: Ls) (PSync l) ([] :: L :: Ls)
| p_seq : forall L1 p1 p2 L2 L3,
    sync_phases L1 p1 L2 ->
    sync_phases L2 p2 L3 ->
    sync_phases L1 (PSeq p1 p2) L3
| p_for_1 : forall Ls x n m p k l,
    eval_n n = Some k ->
    eval_n m = Some l ->
    l <= k ->
    sync_phases Ls (PFor x n m p) Ls
| p_for_2 : forall L1 x n m p k l L2 L3,
    eval_n n = Some k ->
    eval_n m = Some l ->
    k < l ->
    sync_phases L1 (subst_p x k p) L2 ->
    sync_phases L2 (PFor x (Num (k + 1)) (Num l) p) L3 ->
    sync_phases L1 (PFor x n m p) L3.

End Run.

(** ** Types: [V ⊢ s ▶ p], where no variable of [V] depends on the thread *)

Inductive typed_s (V : list var) : sprog -> sprotocol -> Prop :=
| t_block : forall b u,
    sync_free b = true ->
    typed (tid :: V) b u ->
    typed_s V (Block b) (PUnsync u)
| t_ssync : forall l,
    typed_s V (SSync l) (PSync l)
| t_sseq : forall s1 s2 p1 p2,
    typed_s V s1 p1 ->
    typed_s V s2 p2 ->
    typed_s V (SSeq s1 s2) (PSeq p1 p2)
| t_sfor : forall x n m s p,
    typed_n V n ->
    typed_n V m ->
    ~ In x (tid :: V) ->
    typed_s (x :: V) s p ->
    typed_s V (SFor x n m s) (PFor x n m p).

(** If [V' ⊆ V ⊆ V' ∪ {x}], [x ≠ tid] and [V ⊢ s ▶ p] then
    [V' ⊢ s[x:=k] ▶ p[x:=k]], provided [x ∈ V]. *)
Lemma typed_s_subst V s p :
  typed_s V s p ->
  forall x k V', x <> tid -> In x V -> incl V (x :: V') -> incl V' V ->
  typed_s V' (subst_s x k s) (subst_p x k p).
Proof.
  induction 1 as [V b u HS D | V l | V s1 s2 p1 p2 D1 IH1 D2 IH2 | V y n m s p Hn Hm Hy D IH];
    intros x k V' Hx HxV Sub Sup; cbn; unfold typed_n in *.
  - constructor; [now rewrite sync_free_subst |]. apply typed_subst_gen with (tid :: V); auto.
    + intros z [<- | Hz]; [right; now left |].
      destruct (Sub z Hz); [now left | right; now right].
    + intros z [<- | Hz]; [now left | right; auto].
  - constructor.
  - constructor; auto.
  - destruct (var_eq_dec x y) as [-> | Hne]; [destruct Hy; now right |].
    apply t_sfor; [red; eauto using subst_n_incl | red; eauto using subst_n_incl | |].
    + intros [E | HI]; apply Hy; [now left | right; auto].
    + apply IH; auto.
      * now right.
      * intros z [<- | Hz]; [right; now left |].
        destruct (Sub z Hz); [now left | right; now right].
      * intros z [<- | Hz]; [now left | right; auto].
Qed.

Lemma typed_s_body x k s p :
  x <> tid -> typed_s [x] s p -> typed_s [] (subst_s x k s) (subst_p x k p).
Proof.
  intros Hx D. apply typed_s_subst with [x]; auto using in_eq, incl_refl, incl_nil_l.
Qed.

Lemma typed_s_remaining V x n m s p k l :
  typed_s V (SFor x n m s) (PFor x n m p) ->
  typed_s V (SFor x (Num k) (Num l) s) (PFor x (Num k) (Num l) p).
Proof. inversion 1; subst. constructor; auto; apply incl_nil_l. Qed.

(** ** Determinism of the phases *)

Theorem sync_phases_deterministic T L p L1 L2 :
  sync_phases T L p L1 -> sync_phases T L p L2 -> L1 = L2.
Proof.
  intro D. revert L2.
  induction D as [L Ls u L' HU | L Ls l | L1 p1 p2 L2 L3 D1 IH1 D2 IH2 |
                 | L1 x n m p k l L2 L3 Hn Hm Hlt D1 IH1 D2 IH2];
    intros X DX; inversion DX; subst; same_values; try lia; auto.
  - do 2 f_equal. eauto using unsync_all_deterministic.
  - match goal with E : sync_phases _ _ p1 ?M, F : sync_phases _ ?M _ _ |- _ =>
      apply IH1 in E; subst M end. auto.
  - match goal with E : sync_phases _ _ (subst_p _ _ _) ?M, F : sync_phases _ ?M _ _ |- _ =>
      apply IH1 in E; subst M end. auto.
Qed.

(** ** Totality: the type of a program has phases *)

Theorem typed_sync_phases_total T s p :
  typed_s [] s p -> forall L Ls, exists L' Ls', sync_phases T (L :: Ls) p (L' :: Ls').
Proof.
  remember (depth_s s) as d eqn:Hd. assert (Hle : (depth_s s <= d)%nat) by lia. clear Hd.
  revert s p Hle.
  induction d as [| d IH]; intros s p Hle D; [destruct s; cbn in Hle; lia |].
  inversion D as [b u HS Db | l | s1 s2 p1 p2 D1 D2 | x n m s' p' Hn Hm Hx D']; subst;
    cbn in Hle; intros L Ls.
  - destruct (closed_unsync_all_total u T) as [L' HL];
      [now rewrite (typed_sync_free _ _ _ Db) | eapply typed_fv; exact Db |].
    eauto using p_unsync.
  - eauto using p_sync.
  - destruct (IH s1 p1 ltac:(lia) D1 L Ls) as (L1 & Ls1 & E1).
    destruct (IH s2 p2 ltac:(lia) D2 L1 Ls1) as (L2 & Ls2 & E2). eauto using p_seq.
  - destruct (closed_n_evaluates n Hn) as [k Hk], (closed_n_evaluates m Hm) as [l Hl].
    assert (Loop : forall e k L Ls, e = N.to_nat (l - k) ->
      exists L' Ls', sync_phases T (L :: Ls) (PFor x (Num k) (Num l) p') (L' :: Ls')).
    { clear k Hk L Ls. intro e. induction e as [| e IHe]; intros k L Ls He.
      - exists L, Ls. eapply p_for_1; try reflexivity. lia.
      - destruct (IH (subst_s x k s') (subst_p x k p')) with (L := L) (Ls := Ls)
          as (L1 & Ls1 & E1); [rewrite depth_subst_s; lia | |].
        + apply typed_s_body; [intros -> | exact D']. apply Hx. now left.
        + destruct (IHe (k + 1) L1 Ls1) as (L2 & Ls2 & E2); [lia |].
          exists L2, Ls2. eapply p_for_2; try reflexivity; eauto. lia. }
    destruct (Loop _ k L Ls eq_refl) as (L' & Ls' & E). exists L', Ls'.
    inversion E; subst; numbers; eauto using p_for_1, p_for_2.
Qed.

End Relative.
