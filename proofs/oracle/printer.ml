(* The terms of the mechanization, written as the S-expressions that
   [Reader] reads. *)

open Expressions

let text = Buffer.add_string

(* [(item item ...)] *)
let list item buffer items =
  Buffer.add_char buffer '(';
  List.iteri
    (fun position element ->
      if position > 0 then Buffer.add_char buffer ' ';
      item buffer element)
    items;
  Buffer.add_char buffer ')'

(* [(head part part ...)] *)
let node head buffer parts =
  Buffer.add_char buffer '(';
  text buffer head;
  List.iter
    (fun part ->
      Buffer.add_char buffer ' ';
      part buffer)
    parts;
  Buffer.add_char buffer ')'

let pair first second buffer (a, b) =
  Buffer.add_char buffer '(';
  first buffer a;
  Buffer.add_char buffer ' ';
  second buffer b;
  Buffer.add_char buffer ')'

(* ** Numbers and names *)

let number buffer value =
  let rec digits (value : Decimal.uint) =
    let digit character rest =
      Buffer.add_char buffer character;
      digits rest
    in
    match value with
    | Nil -> ()
    | D0 rest -> digit '0' rest
    | D1 rest -> digit '1' rest
    | D2 rest -> digit '2' rest
    | D3 rest -> digit '3' rest
    | D4 rest -> digit '4' rest
    | D5 rest -> digit '5' rest
    | D6 rest -> digit '6' rest
    | D7 rest -> digit '7' rest
    | D8 rest -> digit '8' rest
    | D9 rest -> digit '9' rest
  in
  digits (BinNat.N.to_uint value)

let name = Sexp.add_quoted

(* ** Expressions *)

let bits = function W8 -> "8" | W16 -> "16" | W32 -> "32" | W64 -> "64"

let sort = function
  | Natural -> "nat"
  | Unsigned width -> "u" ^ bits width
  | Signed width -> "i" ^ bits width

let arithmetic = function
  | Add -> "add"
  | Sub -> "sub"
  | Mul -> "mul"
  | Div -> "div"
  | Rem -> "rem"
  | Min -> "min"
  | Max -> "max"
  | BitAnd -> "and"
  | BitOr -> "or"
  | BitXor -> "xor"
  | Shl -> "shl"
  | Shr -> "shr"

let relation = function
  | Eq -> "eq"
  | Ne -> "ne"
  | Lt -> "lt"
  | Le -> "le"
  | Gt -> "gt"
  | Ge -> "ge"

let rec n buffer = function
  | Var x -> name buffer x
  | Num value -> number buffer value
  | Arith (s, operator, left, right) ->
    let head = arithmetic operator ^ "." ^ sort s in
    node head buffer [ num left; num right ]
  | Cast (s, t, operand) ->
    node "cast" buffer
      [ (fun buffer -> text buffer (sort s)); (fun buffer -> text buffer (sort t)); num operand ]
  | Select (condition, yes, no) -> node "select" buffer [ cond condition; num yes; num no ]

and c buffer = function
  | Bool true -> text buffer "true"
  | Bool false -> text buffer "false"
  | Compare (s, operator, left, right) ->
    let head = relation operator ^ "." ^ sort s in
    node head buffer [ num left; num right ]
  | Connect (And, left, right) -> node "and" buffer [ cond left; cond right ]
  | Connect (Or, left, right) -> node "or" buffer [ cond left; cond right ]
  | Not operand -> node "not" buffer [ cond operand ]

(* As parts of a node. *)
and num value buffer = n buffer value

and cond value buffer = c buffer value

let var x buffer = name buffer x

(* ** Cells *)

let place array index buffer =
  if array = Reader.unnamed then n buffer index
  else node "at" buffer [ var array; num index ]

let cell buffer (array, index) =
  if array = Reader.unnamed then number buffer index else pair name number buffer (array, index)

(* ** Programs *)

let rec b buffer : Syntax.prog -> unit = function
  | Skip -> text buffer "skip"
  | Write (array, index, payload) -> node "write" buffer [ place array index; num payload ]
  | Read (x, array, index, body) ->
    node "let" buffer [ var x; place array index; prog body ]
  | Seq (first, second) -> node "seq" buffer [ prog first; prog second ]
  | If (condition, yes, no) -> node "if" buffer [ cond condition; prog yes; prog no ]
  | For (x, lower, upper, body) ->
    node "for" buffer [ var x; num lower; num upper; prog body ]
  | Sync site -> node "sync" buffer [ num (Num site) ]

and prog program buffer = b buffer program

(* With barriers anywhere: code without them is a block, as large as can be. *)
let rec k buffer (program : Syntax.prog) =
  match program with
  | program when Syntax.sync_free program -> node "block" buffer [ prog program ]
  | Sync site -> node "sync" buffer [ num (Num site) ]
  | Read (x, array, index, body) ->
    node "let" buffer [ var x; place array index; code body ]
  | Seq (first, second) -> node "seq" buffer [ code first; code second ]
  | If (condition, yes, no) -> node "if" buffer [ cond condition; code yes; code no ]
  | For (x, lower, upper, body) ->
    node "for" buffer [ var x; num lower; num upper; code body ]
  | Write _ | Skip -> b buffer program

and code program buffer = k buffer program

(* ** Protocols *)

let mode buffer : Syntax.mode -> unit = function
  | Coq_rd -> text buffer "rd"
  | Coq_wr -> text buffer "wr"

let rec u buffer : Syntax.protocol -> unit = function
  | USkip -> text buffer "skip"
  | UAccess (Coq_rd, array, index) -> node "rd" buffer [ place array index ]
  | UAccess (Coq_wr, array, index) -> node "wr" buffer [ place array index ]
  | USeq (first, second) -> node "seq" buffer [ unsync first; unsync second ]
  | UIf (condition, yes, no) -> node "if" buffer [ cond condition; unsync yes; unsync no ]
  | UFor (x, lower, upper, body) ->
    node "for" buffer [ var x; num lower; num upper; unsync body ]
  | USync site -> node "sync" buffer [ num (Num site) ]
  | UInput (x, array, index, body) ->
    node "input" buffer [ var x; place array index; unsync body ]

and unsync protocol buffer = u buffer protocol

let rec p buffer : SyncProtocols.sprotocol -> unit = function
  | PSync _ -> text buffer "sync"
  | PUnsync body -> node "block" buffer [ unsync body ]
  | PSeq (first, second) -> node "seq" buffer [ sync first; sync second ]
  | PFor (x, lower, upper, body) ->
    node "for" buffer [ var x; num lower; num upper; sync body ]

and sync protocol buffer = p buffer protocol

(* As [k]. *)
let rec q buffer (protocol : Syntax.protocol) =
  match protocol with
  | protocol when Syntax.sync_free_u protocol -> node "block" buffer [ unsync protocol ]
  | USync site -> node "sync" buffer [ num (Num site) ]
  | USeq (first, second) -> node "seq" buffer [ anywhere first; anywhere second ]
  | UIf (condition, yes, no) -> node "if" buffer [ cond condition; anywhere yes; anywhere no ]
  | UFor (x, lower, upper, body) ->
    node "for" buffer [ var x; num lower; num upper; anywhere body ]
  | UInput (x, array, index, body) ->
    node "input" buffer [ var x; place array index; anywhere body ]
  | USkip | UAccess _ -> u buffer protocol

and anywhere protocol buffer = q buffer protocol

(* ** Accesses and histories *)

let numbers = list number
let access_pair = pair (list cell) (list (pair cell number))
let phase = list (pair number access_pair)
let history = list phase

let thread_accesses = list (pair mode cell)

let access_value buffer ((thread, o), index) =
  list (fun buffer part -> part buffer) buffer
    [ (fun buffer -> number buffer thread);
      (fun buffer -> mode buffer o);
      (fun buffer -> cell buffer index) ]

let access_values = list access_value

let race buffer ((first, second), index) =
  list (fun buffer part -> part buffer) buffer
    [ (fun buffer -> number buffer first);
      (fun buffer -> number buffer second);
      (fun buffer -> cell buffer index) ]

(* ** Outcomes *)

let bool buffer value = text buffer (if value then "true" else "false")

let option item buffer = function
  | Some value -> node "some" buffer [ (fun buffer -> item buffer value) ]
  | None -> text buffer "none"

let outcome item buffer : 'a Evaluator.outcome -> unit = function
  | Result value -> node "result" buffer [ (fun buffer -> item buffer value) ]
  | Undefined index -> node "undefined" buffer [ (fun buffer -> cell buffer index) ]
  | Ambiguous (index, values) ->
    node "ambiguous" buffer
      [ (fun buffer -> cell buffer index); (fun buffer -> numbers buffer values) ]
  | Unbound -> text buffer "unbound"
  | OutOfDepth -> text buffer "out-of-depth"

let stop left buffer : 'a Stops.stop_of -> unit = function
  | Finished -> text buffer "finished"
  | AtBarrier (site, rest) ->
    node "at" buffer [ (fun buffer -> number buffer site); (fun buffer -> left buffer rest) ]

let ending phases left buffer : ('a, 'b) Stops.ending -> unit = function
  | Ends h -> node "ends" buffer [ (fun buffer -> phases buffer h) ]
  | Diverges (h, i1, s1, i2, s2) ->
    node "diverges" buffer
      [ (fun buffer -> phases buffer h);
        (fun buffer -> number buffer i1);
        (fun buffer -> stop left buffer s1);
        (fun buffer -> number buffer i2);
        (fun buffer -> stop left buffer s2) ]
