(** * The proved functions, as OCaml

    Every function below is a [Fixpoint] of [proofs/coq] that is proved sound
    and complete for its relation, or a definition that it takes or gives
    ([start]).  Nothing else is extracted but what these need, and the decimal
    notation of [N] from the standard library, whose two functions are proved
    to be inverse to each other ([DecimalN]).

    Booleans, options, pairs, lists, characters and strings become OCaml's own.
    Numbers stay the inductive types that they are, so they are unbounded. *)

From BabyCUDA Require Import
  HistoryEvaluator BarrierEvaluator ProtocolEvaluator TypeChecker RaceChecker Inputs.
From Coq Require Import Extraction ExtrOcamlBasic ExtrOcamlNativeString.

(** Modules of OCaml's standard library, which an extracted file must not hide. *)
Extraction Blacklist Buffer Char List Nat Seq String Sys Thread.

Separate Extraction
  lastwrites
  evaluate evaluate_parallel evaluate_s
  start evaluate_k evaluate_block
  evaluate_u evaluate_u_all evaluate_p
  q_start evaluate_q evaluate_q_block
  infer infer_s sync_free sync_free_u
  races drf_b conflicts
  no_inputs stored thread_key cell_key
  N.of_uint N.to_uint.
