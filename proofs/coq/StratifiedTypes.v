(** * The types of stratified programs are types with barriers anywhere *)

From BabyCUDA Require Export SyncProtocols.

Section Relative.
Context {ins : inputs}.

Fixpoint embed_p (p : sprotocol) : protocol :=
  match p with
  | PUnsync u => u
  | PSync l => USync l
  | PSeq p1 p2 => USeq (embed_p p1) (embed_p p2)
  | PFor x n m p => UFor x n m (embed_p p)
  end.

(** The type of a stratified program is its type with barriers anywhere.  The
    converse fails: [forS x in 0..tid {sync}] has the one and not the other
    ([thread_dependent_bounds]). *)
Theorem typed_s_typed V s p : typed_s V s p -> typed (tid :: V) (embed s) (embed_p p).
Proof.
  unfold typed_n.
  induction 1 as [V b u HS D | V l | V s1 s2 p1 p2 D1 IH1 D2 IH2 | V x n m s p Hn Hm Hx D IH];
    cbn; try constructor; auto; try (apply incl_tl; assumption).
  apply typed_same_set with (tid :: x :: V); [exact IH | |]; intros z; cbn; tauto.
Qed.

(** A typed program is stratified. *)
Lemma typed_s_stratified V s p : typed_s V s p -> stratified s.
Proof.
  induction 1 as [V b u HS D | V l | V s1 s2 p1 p2 D1 IH1 D2 IH2 | V x n m s p Hn Hm Hx D IH];
    cbn; auto. split; [intros ->; apply Hx; now left | exact IH].
Qed.

(** A loop whose bound depends on the thread: typed with barriers anywhere, and
    not as a stratified program. *)
Example thread_dependent_bounds :
  typed [tid] (For "x"%string (Num 0%N) (Var tid) (Sync 0%N)) (UFor "x"%string (Num 0%N) (Var tid) (USync 0%N)) /\
  forall p, ~ typed_s [] (SFor "x"%string (Num 0%N) (Var tid) (SSync 0%N)) p.
Proof.
  split.
  - constructor; [apply incl_nil_l | apply incl_refl | | constructor]. intros [E | []]. discriminate E.
  - intros p D. inversion D as [| | | ? ? ? ? ? Hn Hm Hx D']; subst. exact (Hm tid (or_introl eq_refl)).
Qed.

End Relative.
