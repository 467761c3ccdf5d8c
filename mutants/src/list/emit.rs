//! Mutants of texts that programs are printed as.

use crate::mutant::Mutant;

/// The mutants.
pub(super) const ALL: &[Mutant] = &[
    expr(
        "a cast is not printed",
        "None => «self.language.convert(&value, Domain::Machine(*to))»,",
        "Value { domain: Domain::Machine(*to), ..value }",
    ),
    expr(
        "a conversion to a wider type extends the sign",
        "true => «self.language.convert(value, patterns(value.domain))»,\n            false => value.clone(),\n        };\n        self.language.convert(&value, domain)",
        "value.clone()",
    ),
    expr(
        "signed integers are compared as patterns",
        "Some(t) => {\n                let domain = «Domain::Machine(t)»;",
        "Domain::Machine(IntType { signed: false, ..t })",
    ),
    value(
        "a right operand needs no parentheses",
        "let r = «operand(&right.text, right.level, operator, false)»;",
        "right.text.clone()",
    ),
    value(
        "a left operand needs no parentheses",
        "let l = «operand(&left.text, left.level, operator, true)»;",
        "left.text.clone()",
    ),
    value(
        "a negation binds what follows it only",
        "let inner = «operand(&self.text, self.level, \"!\", false)»;",
        "self.text.clone()",
    ),
    body(
        "a barrier is not printed",
        "«self.placed(self.exprs.language.barrier(), *site);»",
        "let _ = site;",
    ),
    body(
        "an else side has the condition of its then side",
        "language.guard(&«printed.negated()».text)",
        "printed.clone()",
    ),
    body("a variable stands for itself behind its scope", "«binders.pop();»", ""),
    body(
        "every loop starts from 0",
        "let lower = «self.exprs.passed(&lower, Domain::Natural)»;",
        "{ let _ = lower; \"0\".to_owned() }",
    ),
    update(
        "an update is a plain read",
        "self.placed(&language.constant(&name, array.element, &«call»), site);",
        "{ let _ = call; language.read(&array, &cell) }",
    ),
    update(
        "a compare-and-swap always swaps",
        "return «exprs.choose(&equal, m, old)»;",
        "{ let _ = equal; m.clone() }",
    ),
    header(
        "threads read shared arrays while they are filled",
        "self.block(&head, |this| filled.iter().try_for_each(|(a, c)| this.fill(a, c)))?;\n        «self.line(language.barrier());»",
        "",
    ),
    atomics("an update for a block is one for the device", "Scope::Block => «\"_block\"»,", "\"\""),
    atomics(
        "an update for the device is one for a block",
        "Scope::Device => «\"\"»,",
        "\"_block\"",
    ),
    atomics(
        "signed integers are ordered as patterns",
        "«element»,\n    }\n}\n\n/// CUDA's spelling",
        "patterns(element)",
    ),
    helpers(
        "a signed remainder by zero is zero",
        "MachineOp::Rem if t.signed => {\n            «format!(\"b == 0 ? a : b == -1 ? ({value})0 : ({value})(a % b)\")»",
        "format!(\"b == 0 ? ({value})0 : b == -1 ? ({value})0 : ({value})(a % b)\")",
    ),
    helpers(
        "a shift to the right fills with zeros",
        "let sign = «format!(\"({value})(a < 0 ? -1 : 0)\")»;",
        "\"0\".to_owned()",
    ),
    helpers(
        "truncated subtraction wraps around",
        "None => «\"a > b ? a - b : 0\"».to_owned(),",
        "\"a - b\"",
    ),
    kernel(
        "an array of the host is not volatile",
        "arguments.push(«format!(\"{global}{constant}volatile {element} *{}\", array.text)»);",
        "format!(\"{global}{constant}{element} *{}\", array.text)",
    ),
    kernel(
        "a shared array is not volatile",
        "Some(«format!(\"__shared__ volatile {element} {}[{}];\", array.text, length.max(1))»)",
        "format!(\"__shared__ {element} {}[{}];\", array.text, length.max(1))",
    ),
];

const fn expr(name: &'static str, place: &'static str, to: &'static str) -> Mutant {
    Mutant::of("gpu/src/emit/expr.rs", "printed programs", name, place, to)
}

const fn value(name: &'static str, place: &'static str, to: &'static str) -> Mutant {
    Mutant::of("gpu/src/emit/value.rs", "printed programs", name, place, to)
}

const fn body(name: &'static str, place: &'static str, to: &'static str) -> Mutant {
    Mutant::of("gpu/src/emit/body.rs", "printed programs", name, place, to)
}

const fn update(name: &'static str, place: &'static str, to: &'static str) -> Mutant {
    Mutant::of("gpu/src/emit/update.rs", "printed programs", name, place, to)
}

const fn header(name: &'static str, place: &'static str, to: &'static str) -> Mutant {
    Mutant::of("gpu/src/emit/header.rs", "printed programs", name, place, to)
}

const fn atomics(name: &'static str, place: &'static str, to: &'static str) -> Mutant {
    Mutant::of("gpu/src/emit/c/atomics.rs", "printed programs", name, place, to)
}

const fn helpers(name: &'static str, place: &'static str, to: &'static str) -> Mutant {
    Mutant::of("gpu/src/emit/c/helpers.rs", "printed programs", name, place, to)
}

const fn kernel(name: &'static str, place: &'static str, to: &'static str) -> Mutant {
    Mutant::of("gpu/src/emit/c/kernel.rs", "printed programs", name, place, to)
}
