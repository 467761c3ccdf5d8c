(* The proved functions as a program: one request a line on standard input, one
   answer a line on standard output.  README.md has the grammar.

   A request is a function of the mechanization with its arguments, in their
   order; the answer is what the extracted function returns.  This file only
   says how the arguments are read and how the result is written. *)

open Sexp
module R = Reader
module P = Printer

(* [inputs] are what protocols and types take for read-only. *)
let rec answer inputs buffer request =
  match request.form with
  (* Inputs.v *)
  | List [ { form = Atom "inputs"; _ }; arrays; contents; request ] ->
    answer (R.inputs arrays contents) buffer request
  (* Histories.v *)
  | List [ { form = Atom "lastwrites"; _ }; j; h ] ->
    Histories.lastwrites (R.cell j) (R.history h) |> P.numbers buffer
  (* Evaluator.v *)
  | List [ { form = Atom "evaluate"; _ }; h; i; a; b ] ->
    Evaluator.evaluate (R.history h) (R.number i) (R.access_pair a) (R.b b)
    |> P.outcome P.access_pair buffer
  (* HistoryEvaluator.v *)
  | List [ { form = Atom "evaluate_parallel"; _ }; t; h; b ] ->
    HistoryEvaluator.evaluate_parallel (R.threads t) (R.history h) (R.b b)
    |> P.outcome P.history buffer
  | List [ { form = Atom "evaluate_s"; _ }; t; h; s ] ->
    HistoryEvaluator.evaluate_s (R.threads t) (R.history h) (R.s s)
    |> P.outcome P.history buffer
  | List [ { form = Atom "evaluate_k"; _ }; h; i; a; k ] ->
    Evaluator.evaluate_k (R.history h) (R.number i) (R.access_pair a) (R.k k)
    |> P.outcome (P.pair P.access_pair (P.stop P.k)) buffer
  (* BarrierEvaluator.v *)
  | List [ { form = Atom "evaluate_block"; _ }; fuel; h; ks ] ->
    let fuel = BinNat.N.to_nat (R.number fuel) in
    BarrierEvaluator.evaluate_block fuel (R.history h) (R.remaining ks)
    |> P.outcome (P.ending P.history P.k) buffer
  (* ProtocolEvaluator.v *)
  | List [ { form = Atom "evaluate_u"; _ }; u ] ->
    ProtocolEvaluator.evaluate_u inputs (R.u u) |> P.option P.thread_accesses buffer
  | List [ { form = Atom "evaluate_u_all"; _ }; t; u ] ->
    ProtocolEvaluator.evaluate_u_all inputs (R.threads t) (R.u u) |> P.option P.access_values buffer
  | List [ { form = Atom "evaluate_p"; _ }; t; l; p ] ->
    let phases = R.list "a list of phases" R.access_values l in
    ProtocolEvaluator.evaluate_p inputs (R.threads t) phases (R.p p)
    |> P.option (P.list P.access_values) buffer
  | List [ { form = Atom "evaluate_q"; _ }; q ] ->
    ProtocolEvaluator.evaluate_q inputs (R.q q)
    |> P.option (P.pair P.thread_accesses (P.stop P.q)) buffer
  | List [ { form = Atom "evaluate_q_block"; _ }; fuel; l; qs ] ->
    let fuel = BinNat.N.to_nat (R.number fuel) in
    let phases = R.list "a list of phases" R.access_values l in
    ProtocolEvaluator.evaluate_q_block inputs fuel phases (R.q_remaining qs)
    |> P.option (P.ending (P.list P.access_values) P.q) buffer
  (* TypeChecker.v *)
  | List [ { form = Atom "infer"; _ }; v; b ] ->
    TypeChecker.infer inputs (R.names v) (R.b b) |> P.option P.u buffer
  | List [ { form = Atom "infer_s"; _ }; v; s ] ->
    TypeChecker.infer_s inputs (R.names v) (R.s s) |> P.option P.p buffer
  | List [ { form = Atom "infer_k"; _ }; v; k ] ->
    TypeChecker.infer inputs (R.names v) (R.k k) |> P.option P.q buffer
  (* RaceChecker.v *)
  | List [ { form = Atom "races"; _ }; p ] ->
    RaceChecker.races (R.phase p) |> P.list P.race buffer
  | List [ { form = Atom "drf_b"; _ }; h ] -> RaceChecker.drf_b (R.history h) |> P.bool buffer
  | List [ { form = Atom "conflicts"; _ }; l ] ->
    RaceChecker.conflicts (R.access_values l)
    |> P.list (P.pair P.access_value P.access_value) buffer
  | _ -> R.expected request "a function with its arguments"

let refuse buffer reason at message =
  Buffer.clear buffer;
  Buffer.add_string buffer (Printf.sprintf "(error %s %d " reason at);
  Sexp.add_quoted buffer message;
  Buffer.add_char buffer ')'

(* One line, without its end, is answered by one line. *)
let respond buffer line =
  Buffer.clear buffer;
  try answer Syntax.no_inputs buffer (Sexp.parse line) with
  | Malformed (at, message) -> refuse buffer "malformed" at message
  | Stack_overflow -> refuse buffer "stack" 0 "more iterations than the stack holds"
  | Out_of_memory -> refuse buffer "memory" 0 "more memory than there is"

let () =
  set_binary_mode_in stdin true;
  set_binary_mode_out stdout true;
  let buffer = Buffer.create 65_536 in
  try
    while true do
      respond buffer (input_line stdin);
      Buffer.add_char buffer '\n';
      Buffer.output_buffer stdout buffer;
      flush stdout
    done
  with
  | End_of_file -> ()
  (* Whoever asked has gone. *)
  | Sys_error _ -> exit 1
