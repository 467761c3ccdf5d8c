//! Mutants of how loops with barriers are cut.

mutants! {
    "protocols/src/split/loops.rs", "loops in step" {
        "what is behind a point begins at the point":
            "let (a, b) = («cut(n)», cut(&after));" => "cut(&after)";
        "what is behind a cut begins one later":
            "vec![(lower.clone(), cut.clone(), first == truth), («cut», upper.clone(), first != truth)]"
            => "Num::arith(ArithOp::Add, cut, Num::lit(1u32))";
        "what is before a cut ends one earlier":
            "vec![(lower.clone(), «cut.clone()», first == truth), (cut"
            => "simplify::num(&Num::arith(ArithOp::Sub, cut.clone(), Num::lit(1u32)))";
        "what is before a cut ends one later":
            "vec![(lower.clone(), «cut.clone()», first == truth), (cut"
            => "Num::arith(ArithOp::Add, cut.clone(), Num::lit(1u32))";
        "at most is cut as less": "Relation::Le => two(«&after», true)," => "n";
        "more is cut as at least": "Relation::Gt => two(«&after», false)," => "n";
        "a cut may be behind the end":
            "let within = «Num::arith(ArithOp::Min, n.clone(), upper.clone())»;" => "n.clone()";
        "a cut may be before the start":
            "simplify::num(&«Num::arith(ArithOp::Max, within, lower.clone())»)" => "within";
        "a loop that threads start at different places is not shifted":
            "body = «body.subst(&Renaming::from([(var.clone(), shifted)]))»;"
            => "{ let _ = shifted; body }";
        "a loop that is shifted ends where it did":
            "header.upper = «simplify::num(&Num::arith(ArithOp::Sub, header.upper, header.lower))»;"
            => "header.upper.clone()";
    }
}
