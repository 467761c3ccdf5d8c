//! `babycuda lsp` and an editor that follows a script.

mod support;

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

const URI: &str = "file:///somewhere/k%C3%A4rn.cu";

/// Threads read what their neighbours write. The comment has characters of one, two and four bytes.
const RACY: &str = "__global__ void k(int *a) {\n\
    \x20 __shared__ int s[256];\n\
    \x20 s[threadIdx.x] = a[threadIdx.x];\n\
    \x20 /* ü𝄞 */ a[threadIdx.x] = s[255 - threadIdx.x];\n\
    }\n";

/// The other end.
struct Editor {
    server: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    asked: u32,
}

impl Editor {
    fn start(options: &[&str], capabilities: Value) -> (Editor, Value) {
        let mut server = Command::new(env!("CARGO_BIN_EXE_babycuda"))
            .arg("lsp")
            .args(options)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let to = server.stdin.take().unwrap();
        let from = BufReader::new(server.stdout.take().unwrap());
        let mut editor = Editor { server, to, from, asked: 0 };
        let answer = editor.ask("initialize", json!({ "capabilities": capabilities }));
        editor.tell("initialized", json!({}));
        (editor, answer["result"].clone())
    }

    fn say(&mut self, message: &Value) {
        let text = message.to_string();
        write!(self.to, "Content-Length: {}\r\n\r\n{text}", text.len()).unwrap();
        self.to.flush().unwrap();
    }

    fn tell(&mut self, method: &str, params: Value) {
        self.say(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    fn hear(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut line = String::new();
            assert_ne!(self.from.read_line(&mut line).unwrap(), 0, "the server is gone");
            match line.trim_end().strip_prefix("Content-Length: ") {
                Some(number) => length = number.parse().unwrap(),
                None if line.trim_end().is_empty() => break,
                None => {}
            }
        }
        let mut text = vec![0; length];
        self.from.read_exact(&mut text).unwrap();
        serde_json::from_slice(&text).unwrap()
    }

    /// The answer to a request; what comes in between is not looked at.
    fn ask(&mut self, method: &str, params: Value) -> Value {
        self.asked += 1;
        let id = self.asked;
        self.say(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        loop {
            let message = self.hear();
            if message["id"] == id {
                return message;
            }
        }
    }

    fn open(&mut self, uri: &str, text: &str) -> Value {
        let document = json!({ "uri": uri, "languageId": "cuda-cpp", "version": 1, "text": text });
        self.tell("textDocument/didOpen", json!({ "textDocument": document }));
        self.diagnostics(uri, 1)
    }

    fn change(&mut self, uri: &str, version: i32, text: &str) {
        let document = json!({ "uri": uri, "version": version });
        let changes = json!([{ "text": text }]);
        self.tell(
            "textDocument/didChange",
            json!({ "textDocument": document, "contentChanges": changes }),
        );
    }

    /// What is found in this version.
    fn diagnostics(&mut self, uri: &str, version: i32) -> Value {
        loop {
            let message = self.hear();
            let params = &message["params"];
            let about =
                message["method"] == "textDocument/publishDiagnostics" && params["uri"] == uri;
            // Of a file that was closed.
            if about && !params["version"].is_null() {
                assert!(params["version"].as_i64().unwrap() <= version.into(), "{params}");
                if params["version"] == version {
                    return params["diagnostics"].clone();
                }
            }
        }
    }

    fn hover(&mut self, uri: &str, line: u32, character: u32) -> Value {
        let at = json!({ "line": line, "character": character });
        let asked = json!({ "textDocument": { "uri": uri }, "position": at });
        self.ask("textDocument/hover", asked)["result"].clone()
    }

    fn actions(&mut self, uri: &str, range: &Value) -> Value {
        let asked = json!({
            "textDocument": { "uri": uri }, "range": range, "context": { "diagnostics": [] },
        });
        self.ask("textDocument/codeAction", asked)["result"].clone()
    }

    fn end(mut self) {
        assert_eq!(self.ask("shutdown", Value::Null)["result"], Value::Null);
        self.tell("exit", Value::Null);
        assert_eq!(self.server.wait().unwrap().code(), Some(0));
    }
}

/// Characters of these places, in units of UTF-16.
fn applied(text: &str, edits: &Value) -> String {
    let mut lines: Vec<Vec<u16>> =
        text.split('\n').map(|line| line.encode_utf16().collect()).collect();
    for edit in edits.as_array().unwrap().iter().rev() {
        let place = |end: &str, of: &str| {
            usize::try_from(edit["range"][end][of].as_u64().unwrap()).unwrap()
        };
        let (first, last) = (place("start", "line"), place("end", "line"));
        let mut new = lines[first][..place("start", "character")].to_vec();
        new.extend(edit["newText"].as_str().unwrap().encode_utf16());
        new.extend(&lines[last][place("end", "character")..]);
        let new: Vec<Vec<u16>> =
            new.split(|&unit| unit == u16::from(b'\n')).map(<[u16]>::to_vec).collect();
        lines.splice(first..=last, new);
    }
    let lines: Vec<String> = lines.iter().map(|line| String::from_utf16(line).unwrap()).collect();
    lines.join("\n")
}

#[test]
fn a_race_is_shown_and_its_suggestion_repairs_it() {
    let (mut editor, server) = Editor::start(&["--", "--block", "256"], json!({}));
    assert_eq!(server["capabilities"]["positionEncoding"], "utf-16");
    assert_eq!(server["serverInfo"]["name"], "babycuda");
    let found = editor.open(URI, RACY);
    let [race] = &found.as_array().unwrap()[..] else { panic!("{found}") };
    assert_eq!((&race["code"], &race["severity"]), (&json!("BC002"), &json!(1)), "{race}");
    let other = &race["relatedInformation"][0]["location"];
    assert_eq!(other["uri"], URI);
    let mut places = [&race["range"], &other["range"]].map(|range| {
        let at = |end: &str| (range[end]["line"].as_u64(), range[end]["character"].as_u64());
        (at("start"), at("end"))
    });
    places.sort();
    // `s[threadIdx.x]`, and `s[255 - threadIdx.x]` behind 9 characters that are 10 units of UTF-16.
    let start = RACY.lines().nth(3).unwrap().find("s[255").unwrap();
    let units = RACY.lines().nth(3).unwrap()[..start].encode_utf16().count() as u64;
    assert_eq!(places[0].0, (Some(2), Some(2)));
    assert_eq!(places[1].0, (Some(3), Some(units)));
    let actions = editor.actions(URI, &race["range"]);
    let [action] = &actions.as_array().unwrap()[..] else { panic!("{actions}") };
    assert_eq!(action["kind"], "quickfix");
    let repaired = applied(RACY, &action["edit"]["changes"][URI]);
    assert!(repaired.contains("__syncthreads()"), "{repaired}");
    editor.change(URI, 2, &repaired);
    assert_eq!(editor.diagnostics(URI, 2), json!([]));
    assert_eq!(editor.actions(URI, &race["range"]), json!([]));
    editor.end();
}

#[test]
fn columns_are_bytes_where_the_editor_has_them() {
    let offered = json!({ "general": { "positionEncodings": ["utf-8", "utf-16"] } });
    let (mut editor, server) = Editor::start(&[], offered);
    assert_eq!(server["capabilities"]["positionEncoding"], "utf-8");
    let found = editor.open(URI, RACY);
    let bytes = RACY.lines().nth(3).unwrap().find("s[255").unwrap();
    assert!(found.to_string().contains(&format!("\"character\":{bytes},\"line\":3")), "{found}");
    editor.end();
}

#[test]
fn hovers_say_what_accesses_rest_on_and_what_kernels_do() {
    let text = "__global__ void gather(int *a, const int *row, int *b) {\n\
                \x20 a[row[threadIdx.x]] = 1;\n\
                \x20 if (b[0]) b[threadIdx.x] = 2;\n\
                }\n\
                __global__ void own(int *a) { a[threadIdx.x] = 1; }\n";
    let (mut editor, _) = Editor::start(&[], json!({}));
    editor.open(URI, text);
    let said = |hover: Value| hover["contents"]["value"].as_str().unwrap_or_default().to_owned();
    let access = said(editor.hover(URI, 1, 2));
    assert!(access.contains("wr a: relative to the host, through row at 2:5"), "{access}");
    let access = said(editor.hover(URI, 2, 14));
    assert!(access.contains("wr b: rests on data, through b at 3:"), "{access}");
    let kernel = said(editor.hover(URI, 4, 17));
    assert!(kernel.contains("`own`: ") && kernel.contains("wr a[threadIdx.x]"), "{kernel}");
    let kernel = said(editor.hover(URI, 0, 18));
    assert!(kernel.contains("has no memory access protocol; this one covers"), "{kernel}");
    // Nothing stands there, or there is no such place.
    for (line, character) in [(3, 0), (3, 99), (77, 0), (u32::MAX, u32::MAX)] {
        assert_eq!(editor.hover(URI, line, character), Value::Null);
    }
    editor.end();
}

#[test]
fn what_cannot_be_checked_is_shown_at_its_place() {
    let (mut editor, _) = Editor::start(&[], json!({}));
    let program = "file:///p.bcuda";
    let found = editor.open(program, "threads 2;\nA[tid] := ;\n");
    assert_eq!(found[0]["range"]["start"], json!({ "line": 1, "character": 10 }), "{found}");
    assert_eq!(found[0]["severity"], 1);
    editor.change(program, 2, "threads 2;\nA[tid] := 1\n");
    assert_eq!(editor.diagnostics(program, 2), json!([]));
    let found = editor.open("file:///notes.txt", "nothing");
    assert!(found[0]["message"].as_str().unwrap().contains("unknown kind of file"), "{found}");
    // What is not decided has the place of what was refused.
    let refused = "__global__ void k(int *a) {\n  asm(\"bar.red.popc.u32 %0;\");\n}\n";
    let found = editor.open("file:///r.cu", refused);
    assert_eq!(
        (&found[0]["severity"], &found[0]["range"]["start"]["line"]),
        (&json!(3), &json!(1))
    );
    // A text without a file.
    let found = editor.open("untitled:Untitled-1", RACY);
    assert_eq!(found[0]["code"], "BC002");
    editor.end();
}

#[test]
fn only_the_newest_text_counts() {
    let (mut editor, _) = Editor::start(&["--", "--block", "256"], json!({}));
    editor.open(URI, RACY);
    for version in 2..40 {
        editor.change(URI, version, RACY);
    }
    editor.change(URI, 40, "__global__ void k(int *a) { a[threadIdx.x] = 1; }\n");
    assert_eq!(editor.diagnostics(URI, 40), json!([]));
    // Another text of the same version: what is found in the first one is not said of it.
    let uri = "file:///again.cu";
    let racy = |n: usize| {
        let stores = (0..n).map(|k| format!("a[{k}] = threadIdx.x;\n")).collect::<String>();
        format!("__global__ void k(int *a) {{\n{stores}}}\n")
    };
    let document = |text: &str| {
        json!({ "textDocument": {
            "uri": uri, "languageId": "cuda-cpp", "version": 1, "text": text,
        }})
    };
    editor.tell("textDocument/didOpen", document(&racy(40)));
    editor.tell("textDocument/didClose", json!({ "textDocument": { "uri": uri } }));
    editor.tell(
        "textDocument/didOpen",
        document("__global__ void k(int *a) { a[threadIdx.x] = 1; }\n"),
    );
    assert_eq!(editor.diagnostics(uri, 1), json!([]));
    editor.tell("textDocument/didClose", json!({ "textDocument": { "uri": URI } }));
    assert_eq!(
        editor.actions(
            URI,
            &json!({
                "start": { "line": 0, "character": 0 }, "end": { "line": 9, "character": 0 },
            })
        ),
        json!([])
    );
    editor.end();
}

#[test]
fn wrong_messages_are_refused() {
    let (mut editor, _) = Editor::start(&[], json!({}));
    let answer = editor.ask("textDocument/definition", json!({}));
    assert_eq!(answer["error"]["code"], -32601, "{answer}");
    let answer = editor.ask("textDocument/hover", json!({ "textDocument": 5 }));
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
    editor.tell("textDocument/didOpen", json!([1, 2]));
    editor.tell("textDocument/didChange", json!({ "textDocument": {} }));
    editor.change("file:///never-opened.cu", 1, "__global__ void k() {}");
    assert_eq!(editor.diagnostics("file:///never-opened.cu", 1), json!([]));
    editor.end();
    // An editor that goes without a word.
    let (mut editor, _) = Editor::start(&[], json!({}));
    editor.tell("exit", Value::Null);
    assert_eq!(editor.server.wait().unwrap().code(), Some(1));
    // No editor, and no options of `check`.
    support::babycuda(&["lsp"], "hello").ends(2);
    support::babycuda(&["lsp", "--", "--blok", "3"], "").ends(2).warns("--blok");
}
