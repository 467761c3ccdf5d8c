(* S-expressions: atoms, strings in double quotes, and lists in parentheses.

   Strict: one expression a text, separated by spaces, nothing after it.  Every
   node remembers where it starts, for the errors of whoever reads it. *)

type t = { at : int; form : form }

and form =
  | Atom of string
  | String of string
  | List of t list

(* Where (in bytes, from 0), and what is wrong. *)
exception Malformed of int * string

let malformed at message = raise (Malformed (at, message))

(* Deeper nesting is refused: programs are trees, so everything that reads them
   recurs. *)
let deepest = 10_000

let is_atom_character = function
  | 'a' .. 'z' | '0' .. '9' | '.' | '_' | '-' -> true
  | _ -> false

let parse text =
  let length = String.length text in
  let rec skip at = if at < length && text.[at] = ' ' then skip (at + 1) else at in
  let rec node depth at =
    if at >= length then malformed at "an expression is missing"
    else
      match text.[at] with
      | '(' ->
        if depth = deepest then malformed at "nested too deeply"
        else
          let items, after = items (depth + 1) at [] (skip (at + 1)) in
          { at; form = List items }, after
      | '"' ->
        let contents, after = quoted at (Buffer.create 16) (at + 1) in
        { at; form = String contents }, after
      | c when is_atom_character c ->
        let after = atom at in
        { at; form = Atom (String.sub text at (after - at)) }, after
      | c -> malformed at (Printf.sprintf "%C cannot stand here" c)
  (* The items of a list that opened at [opened], in reverse order in [before]. *)
  and items depth opened before at =
    if at >= length then malformed opened "this parenthesis is not closed"
    else if text.[at] = ')' then List.rev before, at + 1
    else
      let item, after = node depth at in
      items depth opened (item :: before) (skip after)
  (* The rest of a string that opened at [opened]. *)
  and quoted opened contents at =
    if at >= length then malformed opened "this string is not closed"
    else
      match text.[at] with
      | '"' -> Buffer.contents contents, at + 1
      | '\\' when at + 1 < length ->
        let character =
          match text.[at + 1] with
          | ('"' | '\\') as c -> c
          | 'n' -> '\n'
          | c -> malformed at (Printf.sprintf "\\%c is no escape" c)
        in
        Buffer.add_char contents character;
        quoted opened contents (at + 2)
      | c ->
        Buffer.add_char contents c;
        quoted opened contents (at + 1)
  and atom at = if at < length && is_atom_character text.[at] then atom (at + 1) else at in
  let expression, after = node 0 (skip 0) in
  let after = skip after in
  if after < length then malformed after "only one expression can stand in a line";
  expression

(* Writes a string with its quotes and escapes. *)
let add_quoted buffer contents =
  Buffer.add_char buffer '"';
  String.iter
    (function
      | ('"' | '\\') as c ->
        Buffer.add_char buffer '\\';
        Buffer.add_char buffer c
      | '\n' -> Buffer.add_string buffer "\\n"
      | c -> Buffer.add_char buffer c)
    contents;
  Buffer.add_char buffer '"'
