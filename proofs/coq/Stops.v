(** * Where threads stop, and how a block ends

    For programs and for protocols alike: [K] is what a thread has left to run. *)

From BabyCUDA Require Export Syntax.

Section Stops.
Variable K : Type.

(** A thread stopped at its end, or at barrier [l] with [k] left to run. *)
Inductive stop_of :=
| Finished
| AtBarrier (l : site) (k : K).

(** What every thread has left to run, and where every thread stopped. *)
Definition remaining_of := list (N * K).
Definition stops_of := list (N * stop_of).

Definition all_finished (ss : stops_of) : Prop := forall i s, In (i, s) ss -> s = Finished.

(** All threads stopped at barrier [l]; [ks] is what is left of each. *)
Definition all_at (l : site) (ss : stops_of) (ks : remaining_of) : Prop :=
  ss = map (fun e => (fst e, AtBarrier l (snd e))) ks.

(** Two threads stopped at the same place. *)
Definition same_place (s1 s2 : stop_of) : Prop :=
  match s1, s2 with
  | Finished, Finished => True
  | AtBarrier l1 _, AtBarrier l2 _ => l1 = l2
  | _, _ => False
  end.

(** A block ends, or two threads diverge (the witness); [S] are its phases. *)
Inductive ending (S : Type) :=
| Ends (H : S)
| Diverges (H : S) (i1 : N) (s1 : stop_of) (i2 : N) (s2 : stop_of).

Definition reached {S} (out : ending S) : S :=
  match out with Ends _ H | Diverges _ H _ _ _ _ => H end.

Definition diverges {S} (out : ending S) : bool :=
  match out with Ends _ _ => false | Diverges _ _ _ _ _ _ => true end.

(** *** The stops of all threads are one of three things, never two *)

Lemma finished_not_at ss l ks : ss <> [] -> all_finished ss -> all_at l ss ks -> False.
Proof.
  intros Hss Hf ->. destruct ks as [| [i k] ks]; [contradiction |].
  specialize (Hf i (AtBarrier l k) (or_introl eq_refl)). discriminate.
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

Lemma all_at_unique l1 l2 ss ks1 ks2 : all_at l1 ss ks1 -> all_at l2 ss ks2 -> ks1 = ks2.
Proof.
  unfold all_at. intros ->. revert ks2.
  induction ks1 as [| [i1 k1] ks1 IH]; intros [| [i2 k2] ks2] E; try discriminate; [reflexivity |].
  injection E as <- _ <- E. f_equal. auto.
Qed.

(** ** As a function *)

(** What the stops of all threads amount to. *)
Inductive verdict :=
| AllFinished
| AllAt (l : site) (ks : remaining_of)
| Differ (i1 : N) (s1 : stop_of) (i2 : N) (s2 : stop_of).

(** The first thread that did not stop where thread [i1] did. *)
Fixpoint compare_stops (i1 : N) (s1 : stop_of) (ss : stops_of) : verdict :=
  match ss with
  | [] => match s1 with Finished => AllFinished | AtBarrier l _ => AllAt l [] end
  | (i2, s2) :: ss =>
      match s1, s2 with
      | Finished, Finished => compare_stops i1 s1 ss
      | AtBarrier l1 _, AtBarrier l2 k2 =>
          if (l1 =? l2)%N then
            match compare_stops i1 s1 ss with
            | AllAt l ks => AllAt l ((i2, k2) :: ks)
            | v => v
            end
          else Differ i1 s1 i2 s2
      | _, _ => Differ i1 s1 i2 s2
      end
  end.

Definition judge (ss : stops_of) : verdict :=
  match ss with [] => AllFinished | (i, s) :: _ => compare_stops i s ss end.

Lemma compare_stops_correct i1 s1 ss :
  match compare_stops i1 s1 ss with
  | AllFinished => s1 = Finished /\ all_finished ss
  | AllAt l ks => (exists k, s1 = AtBarrier l k) /\ all_at l ss ks
  | Differ i1' s1' i2 s2 => i1' = i1 /\ s1' = s1 /\ In (i2, s2) ss /\ ~ same_place s1 s2
  end.
Proof.
  induction ss as [| [i2 s2] ss IH]; cbn.
  - destruct s1 as [| l k]; cbn; [split; [reflexivity | intros i s []] | split; [eauto | reflexivity]].
  - destruct s1 as [| l1 k1], s2 as [| l2 k2]; cbn.
    + destruct (compare_stops i1 Finished ss).
      * destruct IH as [_ Hf]. split; [reflexivity |]. intros i s [[= <- <-] | HI]; [reflexivity |].
        exact (Hf i s HI).
      * destruct IH as [[k Hk] _]. discriminate.
      * destruct IH as (-> & -> & HI & Hne). auto.
    + repeat split; auto.
    + repeat split; auto.
    + destruct (N.eqb_spec l1 l2) as [<- | Hne].
      * destruct (compare_stops i1 (AtBarrier l1 k1) ss).
        -- destruct IH as [IH _]. discriminate.
        -- destruct IH as [[k [= <- <-]] Ha]. split; [eauto |]. unfold all_at in *. cbn. now f_equal.
        -- destruct IH as (-> & -> & HI & Hne). auto.
      * repeat split; auto.
Qed.

Lemma judge_correct ss :
  match judge ss with
  | AllFinished => all_finished ss
  | AllAt l ks => ss <> [] /\ all_at l ss ks
  | Differ i1 s1 i2 s2 => In (i1, s1) ss /\ In (i2, s2) ss /\ ~ same_place s1 s2
  end.
Proof.
  destruct ss as [| [i s] ss]; [intros i s [] |].
  pose proof (compare_stops_correct i s ((i, s) :: ss)) as C. unfold judge.
  destruct (compare_stops i s ((i, s) :: ss)).
  - apply C.
  - split; [discriminate | apply C].
  - destruct C as (-> & -> & HI & Hne). repeat split; auto. now left.
Qed.

End Stops.

Arguments Finished {K}.
Arguments AtBarrier {K}.
Arguments all_finished {K}.
Arguments all_at {K}.
Arguments same_place {K}.
Arguments Ends {K S}.
Arguments Diverges {K S}.
Arguments reached {K S}.
Arguments diverges {K S}.
Arguments finished_not_at {K ss l ks}.
Arguments finished_same_place {K ss i1 s1 i2 s2}.
Arguments all_at_same_place {K l ss ks i1 s1 i2 s2}.
Arguments all_at_unique {K l1 l2 ss ks1 ks2}.
Arguments AllFinished {K}.
Arguments AllAt {K}.
Arguments Differ {K}.
Arguments judge {K}.
Arguments judge_correct {K}.

(** Of programs. *)
Notation stop := (stop_of prog).
Notation stops := (stops_of prog).
Notation remaining := (remaining_of prog).

(** Of protocols. *)
Notation qstop := (stop_of protocol).
Notation qstops := (stops_of protocol).
Notation qremaining := (remaining_of protocol).
