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

(** The stops of all threads are one of three things, never two. *)
Lemma finished_not_at H P ks Q ss l ks' :
  all_to_barrier H P ks Q ss -> ks <> [] -> all_finished ss -> all_at l ss ks' -> False.
Proof.
  unfold all_at. intros D Hks Hf Ha. destruct D as [| i k ks B s Q ss D Ds]; [contradiction |].
  destruct ks' as [| [i' k'] ks']; [discriminate |]. injection Ha as -> -> ->.
  specialize (Hf i' _ (or_introl eq_refl)). discriminate.
Qed.

Lemma finished_same_place ss i1 s1 i2 s2 :
  all_finished ss -> In (i1, s1) ss -> In (i2, s2) ss -> same_place s1 s2.
Proof. intros Hf H1 H2. now rewrite (Hf _ _ H1), (Hf _ _ H2). Qed.

Lemma all_at_same_place l ss ks i1 s1 i2 s2 :
  all_at l ss ks -> In (i1, s1) ss -> In (i2, s2) ss -> same_place s1 s2.
Proof.
  intros -> H1 H2. apply in_map_iff in H1 as (e1 & [= <- <-] & _), H2 as (e2 & [= <- <-] & _).
  reflexivity.
Qed.

Lemma all_at_unique l1 l2 ss ks1 ks2 :
  ss <> [] -> all_at l1 ss ks1 -> all_at l2 ss ks2 -> ks1 = ks2.
Proof.
  unfold all_at. intros _ -> E. revert ks2 E.
  induction ks1 as [| [i1 k1] ks1 IH]; intros [| [i2 k2] ks2] E; try discriminate; [reflexivity |].
  injection E as <- _ <- E. f_equal. auto.
Qed.

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
    + exfalso. eauto using finished_not_at.
    + exfalso. eauto using finished_same_place.
  - assert (HS : single_writers H).
    { destruct (block_run_suffix _ _ _ HB H' Eo) as [new ->]. apply drf_single_writers.
      intros P0 HP0. apply HD, in_app_iff. right. now right. }
    intros out D'. inversion D'; subst;
      match goal with E : all_to_barrier H P ks ?Q2 ?ss2 |- _ =>
        destruct (all_to_barrier_deterministic _ _ _ _ _ _ _ HS D E) as [<- <-] end.
    + exfalso. eauto using finished_not_at.
    + match goal with E : all_at _ ss ?k2 |- _ =>
        assert (ks' = k2) as <- by (eapply all_at_unique; [| exact Ha | exact E];
                                    intros ->; inversion D; subst; contradiction) end.
      auto.
    + exfalso. eauto using all_at_same_place.
Qed.
