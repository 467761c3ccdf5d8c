(* Checked by: coqc -Q proofs/coq BabyCUDA FILE *)
From BabyCUDA Require Import Certificate.
Local Open Scope N_scope.
Local Open Scope string_scope.

Definition V0 : list var := ["blockDim.x"; "blockDim.y"; "blockDim.z"; "blockIdx.x"; "blockIdx.y";
  "blockIdx.z"; "gridDim.x"; "gridDim.y"; "gridDim.z"; "threadIdx.x"; "threadIdx.y"; "threadIdx.z";
  "tid"].
Definition b0 : prog := Write "A" (Num 0) (Var "tid").
Definition b1 : prog := Skip.
Definition b2 : prog := If (Compare Natural Eq (Var "tid") (Num 0)) b0 b1.
Definition u0 : protocol := UAccess wr "A" (Num 0).
Definition u1 : protocol := USkip.
Definition u2 : protocol := UIf (Compare Natural Eq (Var "tid") (Num 0)) u0 u1.
(* type/t-write *)
Lemma d0 : typed V0 b0 u0.
Proof. exact (t_write (t_n V0 (Num 0) eq_refl)). Qed.
(* type/t-skip *)
Lemma d1 : typed V0 b1 u1.
Proof. exact t_skip. Qed.
(* type/t-if *)
Lemma d2 : typed V0 b2 u2.
Proof. exact (t_if (t_b V0 (Compare Natural Eq (Var "tid") (Num 0)) eq_refl) d0 d1). Qed.

Theorem certificate : typed ["blockDim.x"; "blockDim.y"; "blockDim.z"; "blockIdx.x"; "blockIdx.y";
  "blockIdx.z"; "gridDim.x"; "gridDim.y"; "gridDim.z"; "threadIdx.x"; "threadIdx.y"; "threadIdx.z";
  "tid"] (If (Compare Natural Eq (Var "tid") (Num 0)) (Write "A" (Num 0) (Var "tid")) Skip)
  (UIf (Compare Natural Eq (Var "tid") (Num 0)) (UAccess wr "A" (Num 0)) USkip).
Proof. exact d2. Qed.
Print Assumptions certificate.
