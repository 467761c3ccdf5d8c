(** * Decidability: an evaluator for blocks

    [evaluate_block] runs a block for at most [fuel] barrier
    intervals; it is sound, and complete for some [fuel]. *)

From BabyCUDA Require Export EvaluatorOutcomes.
Local Open Scope N_scope.

Fixpoint run_pool (H : history) (P : phase) (ks : remaining) : outcome (phase * stops) :=
  match ks with
  | [] => Result ([], [])
  | (i, k) :: ks =>
      bind (evaluate_k H i (at_thread P i) k) (fun e =>
      bind (run_pool H P ks) (fun r => Result ((i, fst e) :: fst r, (i, snd e) :: snd r)))
  end.

Lemma run_pool_sound H P ks Q ss :
  run_pool H P ks = Result (Q, ss) -> all_to_barrier H P ks Q ss.
Proof.
  revert Q ss. induction ks as [| [i k] ks IH]; cbn; intros Q ss E.
  - injection E as <- <-. constructor.
  - apply bind_result in E as ([B s] & E1%evaluate_k_sound & E).
    apply bind_result in E as ([Q' ss'] & E2 & [= <- <-]). cbn. constructor; auto.
Qed.

Lemma run_pool_complete H P ks Q ss :
  all_to_barrier H P ks Q ss -> result_or_ambiguous (run_pool H P ks) (Q, ss).
Proof.
  induction 1 as [| i k ks B s Q ss D Ds IH]; cbn; [now left |].
  eapply bind_complete; [exact (evaluate_k_complete _ _ _ _ _ _ D) |]. cbn.
  eapply bind_complete; [exact IH |]. now left.
Qed.

(** At most [fuel] barrier intervals; [OutOfDepth] when they do not suffice. *)
Fixpoint evaluate_block (fuel : nat) (H : history) (ks : remaining) : outcome block_outcome :=
  match fuel, H with
  | S fuel, P :: H =>
      bind (run_pool H P ks) (fun r =>
        match judge (snd r) with
        | AllFinished => Result (Ends (fst r :: H))
        | AllAt _ ks => evaluate_block fuel ([] :: fst r :: H) ks
        | Differ i1 s1 i2 s2 => Result (Diverges (fst r :: H) i1 s1 i2 s2)
        end)
  | _, _ => OutOfDepth
  end.

Theorem evaluate_block_sound fuel H ks out :
  evaluate_block fuel H ks = Result out -> block_run H ks out.
Proof.
  revert H ks. induction fuel as [| fuel IH]; cbn; intros H ks E; [discriminate |].
  destruct H as [| P H]; [discriminate |].
  apply bind_result in E as ([Q ss] & E1%run_pool_sound & E). cbn in E.
  pose proof (judge_correct ss) as J. destruct (judge ss) as [| l ks' | i1 s1 i2 s2].
  - injection E as <-. eapply block_ends; eassumption.
  - destruct J as [Hne Ha]. eapply block_syncs; eauto. intros ->. inversion E1; subst. contradiction.
  - injection E as <-. destruct J as (H1 & H2 & Hne). eapply block_diverges; eassumption.
Qed.

(** Complete for blocks that end: with enough fuel, and unless a read is ambiguous. *)
Theorem evaluate_block_complete H ks H' :
  block_run H ks (Ends H') ->
  exists fuel, result_or_ambiguous (evaluate_block fuel H ks) (Ends H').
Proof.
  remember (Ends H') as out eqn:Eo. intro D.
  induction D as [P H ks Q ss D Hf | P H ks Q ss l ks' out D Hks Hl HB IH | ]; [| | discriminate].
  - injection Eo as <-. exists 1%nat. cbn.
    eapply bind_complete; [exact (run_pool_complete _ _ _ _ _ D) |]. cbn.
    pose proof (judge_correct ss) as J. destruct (judge ss) as [| l ks' | i1 s1 i2 s2].
    + now left.
    + destruct J as [Hne Ha]. destruct (finished_not_at Hne Hf Ha).
    + destruct J as (I1 & I2 & Hne). destruct Hne. exact (finished_same_place Hf I1 I2).
  - destruct (IH Eo) as [fuel HF]. exists (S fuel). cbn.
    eapply bind_complete; [exact (run_pool_complete _ _ _ _ _ D) |]. cbn.
    assert (Hss : ss <> []) by (intros ->; inversion D; subst; contradiction).
    pose proof (judge_correct ss) as J. destruct (judge ss) as [| l2 ks2 | i1 s1 i2 s2].
    + destruct (finished_not_at Hss J Hl).
    + destruct J as [_ Ha]. now rewrite (all_at_unique Ha Hl).
    + destruct J as (I1 & I2 & Hne). destruct Hne. exact (all_at_same_place Hl I1 I2).
Qed.
