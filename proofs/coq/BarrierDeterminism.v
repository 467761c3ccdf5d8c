(** * T0 for barriers anywhere

    A block that
    can end in a DRF history has no other outcome: no other history, and no
    barrier divergence. *)

From BabyCUDA Require Export Determinism.
Local Open Scope N_scope.

Lemma all_to_barrier_deterministic H P ks Q1 ss1 Q2 ss2 :
  single_writers H -> all_to_barrier H P ks Q1 ss1 -> all_to_barrier H P ks Q2 ss2 ->
  Q1 = Q2 /\ ss1 = ss2.
Proof.
  intros HS D. revert Q2 ss2. induction D as [| i k ks B s Q ss D Ds IH]; intros Q2 ss2 D';
    inversion D' as [| ? ? ? B' s' Q' ss' E Es]; subst; [auto |].
  destruct (to_barrier_deterministic _ _ _ _ _ _ _ _ HS D E) as [<- <-].
  destruct (IH _ _ Es) as [<- <-]. auto.
Qed.

Lemma all_to_barrier_not_empty H P ks Q ss : all_to_barrier H P ks Q ss -> ks <> [] -> ss <> [].
Proof. now destruct 1. Qed.

(** A block that can end in a DRF history has no other outcome. *)
Theorem drf_block_deterministic H ks H' out :
  block_run H ks (Ends H') -> drf H' -> block_run H ks out -> out = Ends H'.
Proof.
  remember (Ends H') as o eqn:Eo. intros D HD. revert out.
  induction D as [P H ks Q ss D Hf | P H ks Q ss l ks' o D Hks Ha HB IH | ]; [| | discriminate].
  - injection Eo as <-. apply drf_cons in HD as [_ HD]. apply drf_single_writers in HD.
    intros out D'. inversion D'; subst;
      match goal with E : all_to_barrier H P ks ?Q2 ?ss2 |- _ =>
        destruct (all_to_barrier_deterministic _ _ _ _ _ _ _ HD D E) as [<- <-] end.
    + reflexivity.
    + exfalso. eauto using finished_not_at, all_to_barrier_not_empty.
    + exfalso. eauto using finished_same_place.
  - assert (HS : single_writers H).
    { destruct (block_run_suffix _ _ _ HB H' Eo) as [new ->]. apply drf_single_writers.
      intros P0 HP0. apply HD, in_app_iff. right. now right. }
    intros out D'. inversion D'; subst;
      match goal with E : all_to_barrier H P ks ?Q2 ?ss2 |- _ =>
        destruct (all_to_barrier_deterministic _ _ _ _ _ _ _ HS D E) as [<- <-] end.
    + exfalso. eauto using finished_not_at, all_to_barrier_not_empty.
    + match goal with E : all_at _ ss ?k2 |- _ => rewrite (all_at_unique E Ha) in * end. auto.
    + exfalso. eauto using all_at_same_place.
Qed.
