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

(** Of programs. *)
Notation stop := (stop_of prog).
Notation stops := (stops_of prog).
Notation remaining := (remaining_of prog).

(** Of protocols. *)
Notation qstop := (stop_of protocol).
Notation qstops := (stops_of protocol).
Notation qremaining := (remaining_of protocol).
