//! The system's C++ compiler, and a reader of tokens that shares nothing with the front end's.

use babycuda_testkit::tools::has_cxx;
use std::io::Write;
use std::process::{Command, Stdio};

pub struct Compiler;

/// What the compiler printed.
pub struct Printed {
    pub text: String,
    /// The lines with errors, from 1.
    pub errors: Vec<usize>,
}

impl Compiler {
    pub fn find() -> Option<Compiler> {
        has_cxx().then_some(Compiler)
    }

    pub fn preprocess(&self, source: &str) -> Printed {
        let mut child = Command::new("g++")
            .args(["-E", "-P", "-x", "c++", "-std=gnu++17", "-undef", "-nostdinc", "-w"])
            .args(["-D__CUDACC__=1", "-D__CUDA_ARCH__=800"])
            .args(["-D__align__(n)=__attribute__((aligned(n)))", "-"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .env("LC_ALL", "C")
            .spawn()
            .expect("g++ starts");
        let mut input = child.stdin.take().expect("a pipe");
        let source = source.to_owned();
        let writer = std::thread::spawn(move || input.write_all(source.as_bytes()));
        let output = child.wait_with_output().expect("g++ ends");
        writer.join().expect("no panic").expect("written");
        let messages = String::from_utf8_lossy(&output.stderr).into_owned();
        let errors = messages
            .lines()
            .filter(|line| line.contains("error:"))
            .filter_map(|line| line.strip_prefix("<stdin>:")?.split(':').next()?.parse().ok())
            .collect();
        Printed { text: String::from_utf8_lossy(&output.stdout).into_owned(), errors }
    }
}

/// C++'s operators, those of three characters first.
const OPERATORS: &str = "%:%: ... <<= >>= ->* ## <: :> <% %> %: :: .* -> ++ -- << >> <= >= == != && \
                         || += -= *= /= %= &= |= ^=";

/// The tokens of preprocessed text, digraphs as what they stand for.
pub fn tokens(text: &str) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    let word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let mut out = Vec::new();
    let mut at = 0;
    while at < chars.len() {
        let start = at;
        let c = chars[at];
        let rest: String = chars[at..].iter().take(4).collect();
        if c.is_whitespace() {
            at += 1;
            continue;
        } else if rest.starts_with("//") {
            while at < chars.len() && chars[at] != '\n' {
                at += 1;
            }
            continue;
        } else if rest.starts_with("/*") {
            at += 4;
            while at < chars.len() && !(chars[at - 2] == '*' && chars[at - 1] == '/') {
                at += 1;
            }
            continue;
        } else if c == '"' || c == '\'' {
            at += 1;
            while at < chars.len() && chars[at] != c {
                at += 1 + usize::from(chars[at] == '\\');
            }
            at = chars.len().min(at + 1);
        } else if c.is_ascii_digit()
            || (c == '.' && chars.get(at + 1).is_some_and(char::is_ascii_digit))
        {
            at += 1;
            while at < chars.len() {
                let sign = "+-".contains(chars[at]) && "eEpP".contains(chars[at - 1]);
                let separator =
                    chars[at] == '\'' && chars.get(at + 1).is_some_and(char::is_ascii_alphanumeric);
                if !(sign || separator || word(chars[at]) || chars[at] == '.') {
                    break;
                }
                at += 1;
            }
        } else if word(c) {
            while at < chars.len() && word(chars[at]) {
                at += 1;
            }
        } else {
            let not_bracket = rest.starts_with("<::") && !rest.ends_with([':', '>']);
            let not_bracket = not_bracket || rest == "<::";
            let longest = OPERATORS.split_whitespace().find(|o| rest.starts_with(o));
            at += if not_bracket { 1 } else { longest.map_or(1, str::len) };
        }
        let token: String = chars[start..at].iter().collect();
        out.push(match token.as_str() {
            "<:" => "[".to_owned(),
            ":>" => "]".to_owned(),
            "<%" => "{".to_owned(),
            "%>" => "}".to_owned(),
            "%:" => "#".to_owned(),
            "%:%:" => "##".to_owned(),
            _ => token,
        });
    }
    out
}
