(** * Decidability: type inference

    [infer V b] is the type of [b] under [V], if it has one.  Sound and
    complete for [V ⊢ b ▶ u]. *)

From BabyCUDA Require Export SyncProtocols.

Section Relative.
Context {ins : inputs}.

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
  | Write a n m => if negb (read_only a) && subset (fv_n n) V then Some (UAccess wr a n) else None
  | Read y a n b =>
      if subset (fv_n n) V && negb (mem y V)
      then
        option_map (USeq (UAccess rd a n))
          (if read_only a then option_map (UInput y a n) (infer (y :: V) b) else infer V b)
      else None
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
  | Sync l => Some (USync l)
  end.

(** Turns the booleans of a check into the premises of a rule. *)
Ltac premises :=
  repeat match goal with
  | H : _ && _ = true |- _ => apply andb_true_iff in H as [? ?]
  | H : subset _ _ = true |- _ => apply subset_correct in H
  | H : negb (read_only _) = true |- _ => apply negb_true_iff in H
  | H : negb _ = true |- _ => apply negb_true_iff, mem_false in H
  end.

Lemma infer_sound V b u : infer V b = Some u -> typed V b u.
Proof.
  revert V u. induction b as [a n m | x a n b IH | b1 IH1 b2 IH2 | c b1 IH1 b2 IH2 | x n m b IH | | l];
    cbn; intros V u E.
  - destruct (_ && _) eqn:C; [| discriminate]. injection E as <-. premises. now constructor.
  - destruct (_ && _) eqn:C; [| discriminate]. premises. destruct (read_only a) eqn:Ha.
    + destruct (infer (x :: V) b) eqn:Eb; cbn in E; [| discriminate].
      injection E as <-. apply t_read_input; auto.
    + destruct (infer V b) eqn:Eb; cbn in E; [| discriminate]. injection E as <-. apply t_read; auto.
  - destruct (infer V b1) eqn:E1, (infer V b2) eqn:E2; try discriminate.
    injection E as <-. constructor; auto.
  - destruct (subset _ _) eqn:C; [| discriminate]. premises.
    destruct (infer V b1) eqn:E1, (infer V b2) eqn:E2; try discriminate.
    injection E as <-. constructor; auto.
  - destruct (_ && _) eqn:C; [| discriminate]. premises.
    destruct (infer (x :: V) b) eqn:Eb; cbn in E; [| discriminate].
    injection E as <-. constructor; auto.
  - injection E as <-. constructor.
  - injection E as <-. constructor.
Qed.

Lemma infer_complete V b u : typed V b u -> infer V b = Some u.
Proof.
  unfold typed_n, typed_c.
  induction 1 as [V a n m Ha Hn | V y a n b u Ha Hn Hy D IH | V y a n b u Ha Hn Hy D IH | V b1 b2 u1 u2 D1 IH1 D2 IH2
                 | V c b1 b2 u1 u2 Hc D1 IH1 D2 IH2 | V x n m b u Hn Hm Hx D IH | V | V l]; cbn;
    repeat match goal with
    | H : typed_n _ _ |- _ => apply subset_correct in H; rewrite H; clear H
    | H : typed_c _ _ |- _ => apply subset_correct in H; rewrite H; clear H
    | H : ~ In _ _ |- _ => apply mem_false in H; rewrite H; clear H
    end; rewrite ?Ha; cbn; rewrite ?IH, ?IH1, ?IH2; reflexivity.
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
  | Block b => if sync_free b then option_map PUnsync (infer (tid :: V) b) else None
  | SSync l => Some (PSync l)
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
  revert V p. induction s as [b | l | s1 IH1 s2 IH2 | x n m s IH]; cbn -[mem]; intros V p E.
  - destruct (sync_free b) eqn:HS; [| discriminate].
    destruct (infer _ b) eqn:Eb; cbn in E; [| discriminate]. injection E as <-.
    constructor; [exact HS | now apply infer_sound].
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
  induction 1 as [V b u HS D | V l | V s1 s2 p1 p2 D1 IH1 D2 IH2 | V x n m s p Hn Hm Hx D IH];
    cbn -[mem].
  - now rewrite HS, (infer_complete _ _ _ D).
  - reflexivity.
  - now rewrite IH1, IH2.
  - apply subset_correct in Hn, Hm. apply mem_false in Hx. now rewrite Hn, Hm, Hx, IH.
Qed.

(** Sound and complete for [V ⊢ s ▶ p]. *)
Theorem infer_s_correct V s p : infer_s V s = Some p <-> typed_s V s p.
Proof. split; [apply infer_s_sound | apply infer_s_complete]. Qed.

End Relative.
