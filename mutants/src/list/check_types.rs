//! Mutants of the checker of types.

mutants! {
    "typing/src/check.rs", "derivations" {
        "an expression may use any variable":
            "match vars.iter().find(|x| «!context.contains(x)»)" => "false && !context.contains(x)";
        "a variable may be bound again": "if «context.contains(var)» {" => "false";
        "any array is a read-only input":
            "if is_read && «allowed.is_some_and(|allowed| !allowed.contains(a))» {"
            => "allowed.is_none() && false";
        "an input may be written":
            "if !is_read && «inputs.contains(a)» {" => "inputs.is_empty() && false";
        "any protocol is assigned": "if «claimed == assigned» {" => "true";
        "premises too many are accepted": "if «found == expected» {" => "found >= expected";
        "an index may be typed in another environment":
            "Judgment::Num { context, expression } if «context == v && expression == n» =>"
            => "{ let _ = context; expression == n }";
        "a guard may be typed in another environment":
            "if «context == v && condition == c» =>" => "{ let _ = context; condition == c }";
        "a statement may be typed in another environment":
            "if «context == v && **program == *b» =>" => "{ let _ = context; **program == *b }";
        "a loop with barriers is typed by the rule of loops without":
            "form(«(node.rule == Rule::ForS) == (*sort == ForSort::S)»)?;" => "true";
        "the body of a loop is typed without its counter":
            "let body = «typed(node, 2, 4, &context.with(var.clone()), body)?»;"
            => "typed(node, 2, 4, context, body)?";
        "the premise of an index may be about another expression":
            "Judgment::Num { context, expression } if «context == v && expression == n» =>"
            => "{ let _ = expression; context == v }";
        "the premise of a guard may be about another condition":
            "if «context == v && condition == c» =>" => "{ let _ = condition; context == v }";
        "the premise of a part may be about another statement":
            "if «context == v && **program == *b» =>" => "{ let _ = program; context == v }";
        "any rule concludes that an expression is well-typed":
            "form(«node.rule == Rule::N»)?;" => "true";
        "any rule concludes that a condition is well-typed":
            "form(«node.rule == Rule::B»)?;" => "true";
        "an expression may have premises":
            "form(node.rule == Rule::N)?;\n            «count(node, 0)?;»" => "";
        "a condition may have premises":
            "form(node.rule == Rule::B)?;\n            «count(node, 0)?;»" => "";
        "skip may have premises":
            "(Rule::Skip, Stmt::Skip) => {\n            «count(node, 0)?;»" => "";
        "a barrier may have premises":
            "(Rule::Sync, Stmt::Sync { site, scope }) => {\n            «count(node, 0)?;»" => "";
        "the index of a write needs no type":
            "count(node, 1)?;\n            «num(node, 0, 1, context, index)?;»" => "";
        "the index of a read needs no type":
            "    count(node, 2)?;\n    «num(node, 0, 1, context, index)?;»" => "";
        "a guard needs no type": "«bool(node, 0, 1, context, condition)?;»" => "";
        "the lower bound of a loop needs no type": "«num(node, 0, 1, context, lower)?;»" => "";
        "the upper bound of a loop needs no type": "«num(node, 1, 2, context, upper)?;»" => "";
        "a counter may be bound already": "«absent(var, context, 3)?;»" => "";
        "what is read may be bound already": "«absent(var, context, 2)?;»" => "";
        "variables of a program may be free":
            "«program.check_scope().map_err(|error| root(format!(\"a well-scoped program: {error}\")))?;»"
            => "";
        "a type may be that of another environment":
            "if «*context == expected» && **typed" => "{ let _ = context; true }";
        "a type may be that of another program":
            "&& «**typed == program.body» =>" => "{ let _ = typed; true }";
    }
}
