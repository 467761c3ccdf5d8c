(** * Read-only inputs in histories, for T11

    What a history must be for a program that reads inputs: its newest phase does
    not write them, and the older ones leave in each of their cells what the host
    stored there, or nothing. *)

From BabyCUDA Require Export Barriers Typing.

Section Relative.
Context {ins : inputs}.

Definition unwritten (A : access_pair) : Prop :=
  forall a j, read_only a = true -> lookup (a, j) (snd A) = None.

(** [lastwrite] on inputs is what the host stored. *)
Definition sees_inputs (H : history) : Prop :=
  forall a j k, read_only a = true -> lastwrite (a, j) H k -> k = host (a, j).

Definition holds_inputs (H : history) : Prop :=
  match H with
  | [] => True
  | P :: H => (forall i, unwritten (at_thread P i)) /\ sees_inputs H
  end.

Lemma no_access_unwritten : unwritten no_access.
Proof. intros a j _. reflexivity. Qed.

(** What a thread reads in an input. *)
Lemma sees_own H i A a j k :
  sees_inputs H -> unwritten A -> read_only a = true ->
  lastwrite (a, j) (singleton i A :: H) k -> k = host (a, j).
Proof.
  intros HS HA Ha L. destruct A as [R W].
  apply lastwrite_own in L as [E | [_ L]]; [| eapply HS; eassumption].
  specialize (HA a j Ha). cbn in HA. congruence.
Qed.

(** A phase that holds its inputs may become an older one. *)
Lemma sees_phase P H : holds_inputs (P :: H) -> sees_inputs (P :: H).
Proof.
  intros [HP HS] a j k Ha L. inversion L as [? ? i ? E | ? ? ? _ L']; subst.
  - rewrite (HP i a j Ha) in E. discriminate.
  - eapply HS; eassumption.
Qed.

Lemma empty_history_holds : holds_inputs [[]].
Proof. split; [intro i; apply no_access_unwritten |]. intros a j k _ L. inversion L. Qed.

Lemma holds_empty H : sees_inputs H -> holds_inputs ([] :: H).
Proof. intro HS. split; [intro i; apply no_access_unwritten | exact HS]. Qed.

Lemma holds_next P H : holds_inputs (P :: H) -> holds_inputs ([] :: P :: H).
Proof. intro HP. now apply holds_empty, sees_phase. Qed.

(** A well-typed program writes no input. *)
Lemma to_barrier_unwritten H i A b B s :
  to_barrier H i A b B s -> forall u, typed [] b u -> unwritten A -> unwritten B.
Proof.
  induction 1 as [R W a n m j v Hn Hm | | | R W x a n k j v B s Hn L D IH | | | | | | A x n m k v w B s Hn Hm Hlt D IH];
    intros u HT HA; inversion HT; subst; eauto.
  - intros c j' Hc. cbn. rewrite lookup_update. specialize (HA c j' Hc).
    destruct (cell_eqb_spec (c, j') (a, j)); [congruence | exact HA].
  - eapply IH; [eauto using typed_data | exact HA].
  - eapply IH; [eauto using typed_body | exact HA].
  - eapply IH; [| exact HA].
    eapply t_seq; [eapply typed_body; eassumption | eapply typed_remaining, HT].
Qed.

Lemma thread_unwritten H i A b B u :
  typed [] b u -> thread H i A b B -> unwritten A -> unwritten B.
Proof. intros HT D%thread_iff. eapply to_barrier_unwritten; eassumption. Qed.

Lemma parallel_holds T P H b Q u :
  typed [tid] b u -> parallel T (P :: H) b (Q :: H) ->
  holds_inputs (P :: H) -> holds_inputs (Q :: H).
Proof.
  intros HT D [HP HS]. split; [| exact HS]. intro i. inversion D as [? ? ? ? F]; subst.
  destruct (in_dec N.eq_dec i T) as [Hi | Hi].
  - eapply thread_unwritten; [eapply typed_subst_tid, HT | eapply run_threads_at; eassumption | apply HP].
  - rewrite (run_threads_outside _ _ _ _ _ _ F Hi). apply no_access_unwritten.
Qed.

End Relative.

(** Without inputs, every history holds them. *)
Lemma no_inputs_hold H : @holds_inputs no_inputs H.
Proof. destruct H as [| P H]; split; intros ? ? ?; discriminate. Qed.

(** What the host stored, as inputs. *)
Definition stored (RO : array -> bool) (W0 : writes) : inputs := {|
  read_only := RO;
  host c := match lookup c W0 with Some k => k | None => 0%N end
|}.
