//! CUDA from a text with `BC_…` macros; C++ has them in `kernel.h` and `wide.h`.

/// The text as CUDA.
pub fn cuda(text: &str) -> String {
    expanded(text, replaced)
}

/// The text with what stands for each macro, of its name and its arguments, in which there is none any more.
pub fn expanded(text: &str, replaced: fn(&str, &[&str]) -> String) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("BC_") {
        out += &rest[..at];
        rest = &rest[at..];
        // The texts are this crate's own: every `BC_NAME` has its parentheses.
        let open = rest.find('(').expect("BC_NAME(…)");
        let close = closing(&rest[open..]).expect("BC_NAME(…)") + open;
        let args = split(&rest[open + 1..close]);
        let args: Vec<String> = args.iter().map(|a| expanded(a.trim(), replaced)).collect();
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        out += &replaced(&rest[..open], &args);
        rest = &rest[close + 1..];
        // Behind a type a name follows.
        if out.ends_with([' ', '*', '&']) {
            rest = rest.trim_start_matches(' ');
        }
    }
    out + rest
}

fn replaced(name: &str, args: &[&str]) -> String {
    match (name, args) {
        ("BC_CHANGE", [place, op, by @ ..]) => format!("{place} {op}= {}", by.join(", ")),
        ("BC_SET", [place, value @ ..]) => format!("{place} = {}", value.join(", ")),
        ("BC_LOAD" | "BC_USE" | "BC_VAL" | "BC_ARG", _) => args.join(", "),
        ("BC_NEG", _) => {
            let operand = args.join(", ");
            // `- -x` is not `--x`.
            let space = if operand.starts_with('-') { " " } else { "" };
            format!("-{space}{operand}")
        }
        ("BC_LIT", [value]) => (*value).to_owned(),
        ("BC_VAR", [t]) => format!("{t} "),
        ("BC_PTR", [t]) => format!("{t} *"),
        ("BC_CPTR", [t]) => format!("const {t} *"),
        ("BC_REF", [t]) => format!("{t} &"),
        ("BC_COPIED", _) => String::new(),
        ("BC_ASM", [code, to, from @ ..]) => {
            let from = from.join(", ");
            format!("asm volatile(\"{code}.b32 %0, %1;\" : \"=r\"({to}) : \"r\"({from}))")
        }
        ("BC_ASM_LD", [to, from @ ..]) => {
            let from = from.join(", ");
            format!("asm volatile(\"ld.u32 %0, [%1];\" : \"=r\"({to}) : \"l\"({from}))")
        }
        ("BC_ASM_ST2", [one, two, to @ ..]) => {
            let to = to.join(", ");
            format!(
                "asm volatile(\"st.v2.b32 [%0+8], {{{{%1, %2}}}};\" :: \"l\"({to}), \"r\"({one}), \"r\"({two}))"
            )
        }
        ("BC_ASM_RED", [ty, by, to @ ..]) => {
            let to = to.join(", ");
            let constraint = if *ty == "f32" { "f" } else { "r" };
            format!("asm(\"red.add.{ty} [%0], %1;\" :: \"l\"({to}), \"{constraint}\"({by}))")
        }
        ("BC_ASM_MOV", [name, to]) => format!("asm(\"mov.u32 %0, %%{name}.x;\" : \"=r\"({to}))"),
        ("BC_ASM_BARRIER", _) => "asm volatile(\"bar.sync 0;\" ::: \"memory\")".to_owned(),
        ("BC_SMEM", [t, name, dims]) => format!("__shared__ {t} {name}{dims}"),
        ("BC_XSMEM", [t, name]) => format!("extern __shared__ {t} {name}[]"),
        ("BC_SHARED", [t, name, n]) => format!("__shared__ {t} {name}[{n}]"),
        ("BC_SHARED2", [t, name, n, m]) => format!("__shared__ {t} {name}[{n}][{m}]"),
        ("BC_SHARED0", [t, name]) => format!("__shared__ {t} {name}"),
        ("BC_EXTERN", [t, name]) => format!("extern __shared__ {t} {name}[]"),
        ("BC_DEVICE", [t, name, n]) => format!("__device__ {t} {name}[{n}]"),
        ("BC_TABLE", [kind, t, name, n, values @ ..]) => {
            format!("{kind} {t} {name}[{n}] = {{{}}}", values.join(", "))
        }
        _ => panic!("{name}({args:?})"),
    }
}

/// The place of the parenthesis that closes the first one.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

/// The arguments between commas.
fn split(text: &str) -> Vec<String> {
    let mut depth = 0;
    let mut args = vec![String::new()];
    for c in text.chars() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth == 0 => {
                args.push(String::new());
                continue;
            }
            _ => {}
        }
        // There is always one.
        args.last_mut().expect("an argument").push(c);
    }
    args
}
