(** * Decidability: type inference

    [infer V b] is the type of [b] under [V], if it has one.  Sound and
    complete for [V ⊢ b ▶ u]. *)

From BabyCUDA Require Export BarrierProtocols.

Definition mem (x : var) (V : list var) : bool := existsb (String.eqb x) V.

Lemma mem_correct x V : mem x V = true <-> In x V.
Proof.
  unfold mem. rewrite existsb_exists. split.
  - intros (y & Hy & E%String.eqb_eq). now subst.
  - intro Hx. exists x. split; [assumption | apply String.eqb_refl].
Qed.

Definition subset (l V : list var) : bool := forallb (fun x => mem x V) l.

Lemma subset_correct l V : subset l V = true <-> incl l V.
Proof.
  unfold subset, incl. rewrite forallb_forall. split; intros HS x Hx; apply mem_correct; auto.
Qed.

Lemma mem_false x V : mem x V = false <-> ~ In x V.
Proof. rewrite <- mem_correct. destruct (mem x V); intuition congruence. Qed.

Fixpoint infer (V : list var) (b : prog) : option protocol :=
  match b with
  | Write n m => if subset (fv_n n) V then Some (UAccess wr n) else None
  | Read y n b =>
      if subset (fv_n n) V && negb (mem y V)
      then option_map (USeq (UAccess rd n)) (infer V b) else None
  | Seq b1 b2 =>
      match infer V b1, infer V b2 with
      | Some u1, Some u2 => Some (USeq u1 u2)
      | _, _ => None
      end
  | If c b1 b2 =>
      if subset (fv_c c) V then
        match infer V b1, infer V b2 with
        | Some u1, Some u2 => Some (UIf c u1 u2)
        | _, _ => None
        end
      else None
  | For x n m b =>
      if subset (fv_n n) V && subset (fv_n m) V && negb (mem x V)
      then option_map (UFor x n m) (infer (x :: V) b) else None
  | Skip => Some USkip
  end.

(** Turns the booleans of a check into the premises of a rule. *)
Ltac premises :=
  repeat match goal with
  | H : _ && _ = true |- _ => apply andb_true_iff in H as [? ?]
  | H : subset _ _ = true |- _ => apply subset_correct in H
  | H : negb _ = true |- _ => apply negb_true_iff, mem_false in H
  end.

Lemma infer_sound V b u : infer V b = Some u -> typed V b u.
Proof.
  revert V u. induction b as [n m | x n b IH | b1 IH1 b2 IH2 | c b1 IH1 b2 IH2 | x n m b IH |];
    cbn; intros V u E.
  - destruct (subset _ _) eqn:C; [| discriminate]. injection E as <-. premises. now constructor.
  - destruct (_ && _) eqn:C; [| discriminate]. premises.
    destruct (infer V b) eqn:Eb; cbn in E; [| discriminate]. injection E as <-. constructor; auto.
  - destruct (infer V b1) eqn:E1, (infer V b2) eqn:E2; try discriminate.
    injection E as <-. constructor; auto.
  - destruct (subset _ _) eqn:C; [| discriminate]. premises.
    destruct (infer V b1) eqn:E1, (infer V b2) eqn:E2; try discriminate.
    injection E as <-. constructor; auto.
  - destruct (_ && _) eqn:C; [| discriminate]. premises.
    destruct (infer (x :: V) b) eqn:Eb; cbn in E; [| discriminate].
    injection E as <-. constructor; auto.
  - injection E as <-. constructor.
Qed.

Lemma infer_complete V b u : typed V b u -> infer V b = Some u.
Proof.
  unfold typed_n, typed_c.
  induction 1 as [V n m Hn | V y n b u Hn Hy D IH | V b1 b2 u1 u2 D1 IH1 D2 IH2
                 | V c b1 b2 u1 u2 Hc D1 IH1 D2 IH2 | V x n m b u Hn Hm Hx D IH | V]; cbn;
    repeat match goal with
    | H : typed_n _ _ |- _ => apply subset_correct in H; rewrite H; clear H
    | H : typed_c _ _ |- _ => apply subset_correct in H; rewrite H; clear H
    | H : ~ In _ _ |- _ => apply mem_false in H; rewrite H; clear H
    end; cbn; rewrite ?IH, ?IH1, ?IH2; reflexivity.
Qed.

(** Sound and complete for [V ⊢ b ▶ u]. *)
Theorem infer_correct V b u : infer V b = Some u <-> typed V b u.
Proof. split; [apply infer_sound | apply infer_complete]. Qed.

(** Typability is decidable. *)
Corollary typed_dec V b : {u | typed V b u} + {forall u, ~ typed V b u}.
Proof.
  destruct (infer V b) as [u |] eqn:E.
  - left. exists u. now apply infer_sound.
  - right. intros u D. apply infer_complete in D. congruence.
Defined.

(** ** Synchronized programs *)

Fixpoint infer_s (V : list var) (s : sprog) : option sprotocol :=
  match s with
  | Block b => option_map PUnsync (infer (tid :: V) b)
  | Sync => Some PSync
  | SSeq s1 s2 =>
      match infer_s V s1, infer_s V s2 with
      | Some p1, Some p2 => Some (PSeq p1 p2)
      | _, _ => None
      end
  | SFor x n m s =>
      if subset (fv_n n) V && subset (fv_n m) V && negb (mem x (tid :: V))
      then option_map (PFor x n m) (infer_s (x :: V) s) else None
  end.

Lemma infer_s_sound V s p : infer_s V s = Some p -> typed_s V s p.
Proof.
  revert V p. induction s as [b | | s1 IH1 s2 IH2 | x n m s IH]; cbn -[mem]; intros V p E.
  - destruct (infer _ b) eqn:Eb; cbn in E; [| discriminate]. injection E as <-.
    constructor. now apply infer_sound.
  - injection E as <-. constructor.
  - destruct (infer_s V s1) eqn:E1, (infer_s V s2) eqn:E2; try discriminate.
    injection E as <-. constructor; auto.
  - destruct (_ && _) eqn:C; [| discriminate]. premises.
    destruct (infer_s (x :: V) s) eqn:Es; cbn in E; [| discriminate].
    injection E as <-. constructor; auto.
Qed.

Lemma infer_s_complete V s p : typed_s V s p -> infer_s V s = Some p.
Proof.
  unfold typed_n.
  induction 1 as [V b u D | V | V s1 s2 p1 p2 D1 IH1 D2 IH2 | V x n m s p Hn Hm Hx D IH];
    cbn -[mem].
  - now rewrite (infer_complete _ _ _ D).
  - reflexivity.
  - now rewrite IH1, IH2.
  - apply subset_correct in Hn, Hm. apply mem_false in Hx. now rewrite Hn, Hm, Hx, IH.
Qed.

(** Sound and complete for [V ⊢ s ▶ p]. *)
Theorem infer_s_correct V s p : infer_s V s = Some p <-> typed_s V s p.
Proof. split; [apply infer_s_sound | apply infer_s_complete]. Qed.

(** ** Programs with barriers anywhere *)

Fixpoint infer_k (V : list var) (k : kprog) : option kprotocol :=
  match k with
  | KBlock b => option_map QBlock (infer V b)
  | KSync l => Some (QSync l)
  | KRead y n k =>
      if subset (fv_n n) V && negb (mem y V)
      then option_map (QSeq (QBlock (UAccess rd n))) (infer_k V k) else None
  | KSeq k1 k2 =>
      match infer_k V k1, infer_k V k2 with
      | Some q1, Some q2 => Some (QSeq q1 q2)
      | _, _ => None
      end
  | KIf c k1 k2 =>
      if subset (fv_c c) V then
        match infer_k V k1, infer_k V k2 with
        | Some q1, Some q2 => Some (QIf c q1 q2)
        | _, _ => None
        end
      else None
  | KFor x n m k =>
      if subset (fv_n n) V && subset (fv_n m) V && negb (mem x V)
      then option_map (QFor x n m) (infer_k (x :: V) k) else None
  end.

Lemma infer_k_sound V k q : infer_k V k = Some q -> typed_k V k q.
Proof.
  revert V q. induction k as [b | l | x n k IH | k1 IH1 k2 IH2 | c k1 IH1 k2 IH2 | x n m k IH];
    cbn; intros V q E.
  - destruct (infer V b) eqn:Eb; cbn in E; [| discriminate]. injection E as <-.
    constructor. now apply infer_sound.
  - injection E as <-. constructor.
  - destruct (_ && _) eqn:C; [| discriminate]. premises.
    destruct (infer_k V k) eqn:Ek; cbn in E; [| discriminate]. injection E as <-. constructor; auto.
  - destruct (infer_k V k1) eqn:E1, (infer_k V k2) eqn:E2; try discriminate.
    injection E as <-. constructor; auto.
  - destruct (subset _ _) eqn:C; [| discriminate]. premises.
    destruct (infer_k V k1) eqn:E1, (infer_k V k2) eqn:E2; try discriminate.
    injection E as <-. constructor; auto.
  - destruct (_ && _) eqn:C; [| discriminate]. premises.
    destruct (infer_k (x :: V) k) eqn:Ek; cbn in E; [| discriminate].
    injection E as <-. constructor; auto.
Qed.

Lemma infer_k_complete V k q : typed_k V k q -> infer_k V k = Some q.
Proof.
  unfold typed_n, typed_c.
  induction 1 as [V b u D | V l | V y n k q Hn Hy D IH | V k1 k2 q1 q2 D1 IH1 D2 IH2
                 | V c k1 k2 q1 q2 Hc D1 IH1 D2 IH2 | V x n m k q Hn Hm Hx D IH]; cbn;
    repeat match goal with
    | H : typed_n _ _ |- _ => apply subset_correct in H; rewrite H; clear H
    | H : typed_c _ _ |- _ => apply subset_correct in H; rewrite H; clear H
    | H : ~ In _ _ |- _ => apply mem_false in H; rewrite H; clear H
    end; cbn; rewrite ?IH, ?IH1, ?IH2; try reflexivity.
  now rewrite (infer_complete _ _ _ D).
Qed.

(** Sound and complete for [V ⊢ k ▶ q]. *)
Theorem infer_k_correct V k q : infer_k V k = Some q <-> typed_k V k q.
Proof. split; [apply infer_k_sound | apply infer_k_complete]. Qed.
