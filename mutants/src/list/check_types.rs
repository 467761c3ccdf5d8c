//! Mutants of the checker of types.

use crate::mutant::Mutant;

/// The mutants.
pub(super) const ALL: &[Mutant] = &[
    typing(
        "an expression may use any variable",
        "match vars.iter().find(|x| «!context.contains(x)»)",
        "false && !context.contains(x)",
    ),
    typing("a variable may be bound again", "if «context.contains(var)» {", "false"),
    typing("any protocol is assigned", "if «claimed == assigned» {", "true"),
    typing("premises too many are accepted", "if «found == expected» {", "found >= expected"),
    typing(
        "an index may be typed in another environment",
        "Judgment::Num { context, expression } if «context == v && expression == n» =>",
        "{ let _ = context; expression == n }",
    ),
    typing(
        "a guard may be typed in another environment",
        "if «context == v && condition == c» =>",
        "{ let _ = context; condition == c }",
    ),
    typing(
        "a statement may be typed in another environment",
        "if «context == v && **program == *b» =>",
        "{ let _ = context; **program == *b }",
    ),
    typing(
        "a loop with barriers is typed by the rule of loops without",
        "form(«(node.rule == Rule::ForS) == (*sort == ForSort::S)»)?;",
        "true",
    ),
    typing(
        "the body of a loop is typed without its counter",
        "let body = «typed(node, 2, 4, &context.with(var.clone()), body)?»;",
        "typed(node, 2, 4, context, body)?",
    ),
    typing(
        "the premise of an index may be about another expression",
        "Judgment::Num { context, expression } if «context == v && expression == n» =>",
        "{ let _ = expression; context == v }",
    ),
    typing(
        "the premise of a guard may be about another condition",
        "if «context == v && condition == c» =>",
        "{ let _ = condition; context == v }",
    ),
    typing(
        "the premise of a part may be about another statement",
        "if «context == v && **program == *b» =>",
        "{ let _ = program; context == v }",
    ),
    typing(
        "any rule concludes that an expression is well-typed",
        "form(«node.rule == Rule::N»)?;",
        "true",
    ),
    typing(
        "any rule concludes that a condition is well-typed",
        "form(«node.rule == Rule::B»)?;",
        "true",
    ),
    typing(
        "an expression may have premises",
        "form(node.rule == Rule::N)?;\n            «count(node, 0)?;»",
        "",
    ),
    typing(
        "a condition may have premises",
        "form(node.rule == Rule::B)?;\n            «count(node, 0)?;»",
        "",
    ),
    typing(
        "skip may have premises",
        "(Rule::Skip, Stmt::Skip) => {\n            «count(node, 0)?;»",
        "",
    ),
    typing(
        "a barrier may have premises",
        "(Rule::Sync, Stmt::Sync { site }) => {\n            «count(node, 0)?;»",
        "",
    ),
    typing(
        "the index of a write needs no type",
        "count(node, 1)?;\n            «num(node, 0, 1, context, index)?;»",
        "",
    ),
    typing(
        "the index of a read needs no type",
        "    count(node, 2)?;\n    «num(node, 0, 1, context, index)?;»",
        "",
    ),
    typing("a guard needs no type", "«bool(node, 0, 1, context, condition)?;»", ""),
    typing("the lower bound of a loop needs no type", "«num(node, 0, 1, context, lower)?;»", ""),
    typing("the upper bound of a loop needs no type", "«num(node, 1, 2, context, upper)?;»", ""),
    typing("a counter may be bound already", "«absent(var, context, 3)?;»", ""),
    typing("what is read may be bound already", "«absent(var, context, 2)?;»", ""),
    typing(
        "variables of a program may be free",
        "«program.check_scope().map_err(|error| root(format!(\"a well-scoped program: {error}\")))?;»",
        "",
    ),
    typing(
        "a type may be that of another environment",
        "if «*context == expected» && **typed",
        "{ let _ = context; true }",
    ),
    typing(
        "a type may be that of another program",
        "&& «**typed == program.body» =>",
        "{ let _ = typed; true }",
    ),
];

const fn typing(name: &'static str, place: &'static str, to: &'static str) -> Mutant {
    Mutant::of("typing/src/check.rs", "derivations", name, place, to)
}
