(* S-expressions, read as the terms of the mechanization.

   One function a nonterminal of the grammar in README.md.  Whatever does not
   follow the grammar raises [Sexp.Malformed]. *)

open Sexp
open Expressions

let expected node what = malformed node.at (what ^ " is expected here")

(* ** Numbers and names *)

let digit value rest : Decimal.uint =
  match value with
  | '0' -> D0 rest
  | '1' -> D1 rest
  | '2' -> D2 rest
  | '3' -> D3 rest
  | '4' -> D4 rest
  | '5' -> D5 rest
  | '6' -> D6 rest
  | '7' -> D7 rest
  | '8' -> D8 rest
  | _ -> D9 rest

let is_number text =
  text <> ""
  && String.for_all (function '0' .. '9' -> true | _ -> false) text
  && (text.[0] <> '0' || text = "0")

let decimal text =
  let rec from at rest = if at < 0 then rest else from (at - 1) (digit text.[at] rest) in
  BinNat.N.of_uint (from (String.length text - 1) Decimal.Nil)

let number node =
  match node.form with
  | Atom text when is_number text -> decimal text
  | _ -> expected node "a number"

let name node = match node.form with String text -> text | _ -> expected node "a name"

let list what item node =
  match node.form with List items -> List.map item items | _ -> expected node what

let names = list "a list of names" name
let threads = list "a list of threads" number

(* ** Expressions *)

let sort_of_text = function
  | "nat" -> Some Natural
  | "u8" -> Some (Unsigned W8)
  | "u16" -> Some (Unsigned W16)
  | "u32" -> Some (Unsigned W32)
  | "u64" -> Some (Unsigned W64)
  | "i8" -> Some (Signed W8)
  | "i16" -> Some (Signed W16)
  | "i32" -> Some (Signed W32)
  | "i64" -> Some (Signed W64)
  | _ -> None

let sort node =
  match node.form with
  | Atom text -> (
    match sort_of_text text with
    | Some sort -> sort
    | None -> expected node "a sort of numbers")
  | _ -> expected node "a sort of numbers"

let arithmetic = function
  | "add" -> Some Add
  | "sub" -> Some Sub
  | "mul" -> Some Mul
  | "div" -> Some Div
  | "rem" -> Some Rem
  | "min" -> Some Min
  | "max" -> Some Max
  | "and" -> Some BitAnd
  | "or" -> Some BitOr
  | "xor" -> Some BitXor
  | "shl" -> Some Shl
  | "shr" -> Some Shr
  | _ -> None

let relation = function
  | "eq" -> Some Eq
  | "ne" -> Some Ne
  | "lt" -> Some Lt
  | "le" -> Some Le
  | "gt" -> Some Gt
  | "ge" -> Some Ge
  | _ -> None

(* [OPERATOR.SORT]: the operator, looked up, and its sort. *)
let sorted lookup text =
  match String.index_opt text '.' with
  | None -> None
  | Some dot -> (
    let sort = String.sub text (dot + 1) (String.length text - dot - 1) in
    match lookup (String.sub text 0 dot), sort_of_text sort with
    | Some operator, Some sort -> Some (sort, operator)
    | _ -> None)

let rec n node =
  match node.form with
  | String x -> Var x
  | Atom _ -> Num (number node)
  | List [ { form = Atom "cast"; _ }; s; t; operand ] -> Cast (sort s, sort t, n operand)
  | List [ { form = Atom "select"; _ }; condition; yes; no ] -> Select (c condition, n yes, n no)
  | List [ { form = Atom operator; at }; left; right ] -> (
    match sorted arithmetic operator with
    | Some (sort, operator) -> Arith (sort, operator, n left, n right)
    | None -> malformed at "this is no arithmetic operator")
  | List _ -> expected node "an arithmetic expression"

and c node =
  match node.form with
  | Atom "true" -> Bool true
  | Atom "false" -> Bool false
  | List [ { form = Atom "not"; _ }; operand ] -> Not (c operand)
  | List [ { form = Atom "and"; _ }; left; right ] -> Connect (And, c left, c right)
  | List [ { form = Atom "or"; _ }; left; right ] -> Connect (Or, c left, c right)
  | List [ { form = Atom operator; at }; left; right ] -> (
    match sorted relation operator with
    | Some (sort, relation) -> Compare (sort, relation, n left, n right)
    | None -> malformed at "this is no relation and no connective")
  | _ -> expected node "a condition"

(* ** Arrays and cells

   Where no array is named, it is the one without a name. *)

let unnamed = ""

let cell node =
  match node.form with
  | List [ array; index ] -> name array, number index
  | _ -> unnamed, number node

(* An array, and an index into it. *)
let place node =
  match node.form with
  | List [ { form = Atom "at"; _ }; array; index ] -> name array, n index
  | _ -> unnamed, n node

let write node payload =
  let array, index = place node in
  Syntax.Write (array, index, n payload)

let read x node body =
  let array, index = place node in
  Syntax.Read (name x, array, index, body)

(* ** Programs *)

let rec b node : Syntax.prog =
  match node.form with
  | Atom "skip" -> Skip
  | List [ { form = Atom "write"; _ }; index; payload ] -> write index payload
  | List [ { form = Atom "let"; _ }; x; index; body ] -> read x index (b body)
  | List [ { form = Atom "seq"; _ }; first; second ] -> Seq (b first, b second)
  | List [ { form = Atom "if"; _ }; condition; yes; no ] -> If (c condition, b yes, b no)
  | List [ { form = Atom "for"; _ }; x; lower; upper; body ] ->
    For (name x, n lower, n upper, b body)
  | _ -> expected node "a program without barriers"

(* Barriers of stratified programs and protocols are written without their sites. *)
let no_site = BinNums.N0

let rec s node : Synchronized.sprog =
  match node.form with
  | Atom "sync" -> SSync no_site
  | List [ { form = Atom "block"; _ }; body ] -> Block (b body)
  | List [ { form = Atom "seq"; _ }; first; second ] -> SSeq (s first, s second)
  | List [ { form = Atom "for"; _ }; x; lower; upper; body ] ->
    SFor (name x, n lower, n upper, s body)
  | _ -> expected node "a synchronized program"

let rec k node : Syntax.prog =
  match node.form with
  | List [ { form = Atom "block"; _ }; body ] -> b body
  | List [ { form = Atom "sync"; _ }; site ] -> Sync (number site)
  | List [ { form = Atom "let"; _ }; x; index; body ] -> read x index (k body)
  | List [ { form = Atom "seq"; _ }; first; second ] -> Seq (k first, k second)
  | List [ { form = Atom "if"; _ }; condition; yes; no ] -> If (c condition, k yes, k no)
  | List [ { form = Atom "for"; _ }; x; lower; upper; body ] ->
    For (name x, n lower, n upper, k body)
  | _ -> expected node "a program with barriers"

(* What each thread has left to run, or a block of threads that start alike. *)
let pool start program node =
  match node.form with
  | List [ { form = Atom "start"; _ }; block; code ] -> start (threads block) (program code)
  | _ ->
    let thread node =
      match node.form with
      | List [ thread; code ] -> number thread, program code
      | _ -> expected node "a thread with its program"
    in
    list "what the threads have left to run" thread node

let remaining = pool Barriers.start k

(* ** Protocols *)

let mode node : Syntax.mode =
  match node.form with
  | Atom "rd" -> Coq_rd
  | Atom "wr" -> Coq_wr
  | _ -> expected node "rd or wr"

let rec u node : Syntax.protocol =
  match node.form with
  | Atom "skip" -> USkip
  | List [ { form = Atom ("rd" | "wr"); _ } as o; index ] ->
    let array, index = place index in
    UAccess (mode o, array, index)
  | List [ { form = Atom "input"; _ }; x; index; body ] ->
    let array, index = place index in
    UInput (name x, array, index, u body)
  | List [ { form = Atom "seq"; _ }; first; second ] -> USeq (u first, u second)
  | List [ { form = Atom "if"; _ }; condition; yes; no ] -> UIf (c condition, u yes, u no)
  | List [ { form = Atom "for"; _ }; x; lower; upper; body ] ->
    UFor (name x, n lower, n upper, u body)
  | _ -> expected node "an unsynchronized protocol"

let rec q node : Syntax.protocol =
  match node.form with
  | List [ { form = Atom "block"; _ }; body ] -> u body
  | List [ { form = Atom "sync"; _ }; site ] -> USync (number site)
  | List [ { form = Atom "seq"; _ }; first; second ] -> USeq (q first, q second)
  | List [ { form = Atom "if"; _ }; condition; yes; no ] -> UIf (c condition, q yes, q no)
  | List [ { form = Atom "for"; _ }; x; lower; upper; body ] ->
    UFor (name x, n lower, n upper, q body)
  | List [ { form = Atom "input"; _ }; x; index; body ] ->
    let array, index = place index in
    UInput (name x, array, index, q body)
  | _ -> expected node "a protocol with barriers"

let q_remaining = pool BarrierProtocols.q_start q

let rec p node : SyncProtocols.sprotocol =
  match node.form with
  | Atom "sync" -> PSync no_site
  | List [ { form = Atom "block"; _ }; body ] -> PUnsync (u body)
  | List [ { form = Atom "seq"; _ }; first; second ] -> PSeq (p first, p second)
  | List [ { form = Atom "for"; _ }; x; lower; upper; body ] ->
    PFor (name x, n lower, n upper, p body)
  | _ -> expected node "a synchronized protocol"

(* ** Accesses and histories *)

let thread_key = Histories.thread_key
let cell_key = Histories.cell_key

(* The mechanization keeps sets and maps as lists in ascending order. *)
let ascending what (order : _ Histories.key) key item node =
  let check before node =
    let element = item node in
    (match before with
     | previous :: _ when not (order.before (key previous) (key element)) ->
       malformed node.at (what ^ " must be in ascending order")
     | _ -> ());
    element :: before
  in
  match node.form with
  | List items -> List.rev (List.fold_left check [] items)
  | _ -> expected node ("a list of " ^ what)

let reads = ascending "reads" cell_key (fun j -> j) cell

let writes =
  let write node =
    match node.form with
    | List [ c; value ] -> cell c, number value
    | _ -> expected node "a write, cell and value"
  in
  ascending "writes" cell_key fst write

let access_pair node =
  match node.form with
  | List [ r; w ] -> reads r, writes w
  | _ -> expected node "reads and writes"

let phase =
  let thread node =
    match node.form with
    | List [ thread; accesses ] -> number thread, access_pair accesses
    | _ -> expected node "a thread with its accesses"
  in
  ascending "threads" thread_key fst thread

let history = list "a history" phase

let access_values =
  let access node =
    match node.form with
    | List [ thread; o; c ] -> (number thread, mode o), cell c
    | _ -> expected node "an access, thread and mode and cell"
  in
  list "a list of accesses" access

(* ** Inputs: the read-only arrays, and what the host stored *)

let inputs arrays contents =
  let arrays = list "a list of arrays" name arrays in
  Inputs.stored (fun array -> List.mem array arrays) (writes contents)
