(* Checked by: coqc -Q proofs/coq BabyCUDA FILE *)
From BabyCUDA Require Import Certificate.
Local Open Scope N_scope.
Local Open Scope string_scope.

Definition V0 : list var := ["blockDim.x"; "blockDim.y"; "blockDim.z"; "blockIdx.x"; "blockIdx.y";
  "blockIdx.z"; "gridDim.x"; "gridDim.y"; "gridDim.z"; "threadIdx.x"; "threadIdx.y"; "threadIdx.z";
  "tid"].
Definition b0 : prog := Write "A" (Var "x") (Var "y").
Definition b1 : prog := Read "y" "A" (Num 0) b0.
Definition b2 : prog := Read "x" "p" (Var "tid") b1.
Definition u0 : protocol := UAccess rd "p" (Var "tid").
Definition u1 : protocol := UAccess rd "A" (Num 0).
Definition u2 : protocol := UAccess wr "A" (Var "x").
Definition u3 : protocol := USeq u1 u2.
Definition u4 : protocol := UInput "x" "p" (Var "tid") u3.
Definition u5 : protocol := USeq u0 u4.
Definition V1 : list var := "x" :: V0.
(* type/t-write *)
Lemma d0 : @typed (reading ["p"]) V1 b0 u2.
Proof. exact (t_write_in eq_refl (t_n V1 (Var "x") eq_refl)). Qed.
(* type/t-read *)
Lemma d1 : @typed (reading ["p"]) V1 b1 u3.
Proof. exact (t_read_in eq_refl (t_n V1 (Num 0) eq_refl) (fresh eq_refl) d0). Qed.
(* type/t-read-input *)
Lemma d2 : @typed (reading ["p"]) V0 b2 u5.
Proof. exact (t_read_input_in eq_refl (t_n V0 (Var "tid") eq_refl) (fresh eq_refl) d1). Qed.

Theorem certificate : @typed (reading ["p"]) ["blockDim.x"; "blockDim.y"; "blockDim.z";
  "blockIdx.x"; "blockIdx.y"; "blockIdx.z"; "gridDim.x"; "gridDim.y"; "gridDim.z"; "threadIdx.x";
  "threadIdx.y"; "threadIdx.z"; "tid"] (Read "x" "p" (Var "tid")
  (Read "y" "A" (Num 0) (Write "A" (Var "x") (Var "y"))))
  (USeq (UAccess rd "p" (Var "tid")) (UInput "x" "p" (Var "tid")
  (USeq (UAccess rd "A" (Num 0)) (UAccess wr "A" (Var "x"))))).
Proof. exact d2. Qed.
Print Assumptions certificate.
