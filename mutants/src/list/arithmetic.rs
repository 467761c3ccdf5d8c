//! Mutants of machine arithmetic, evaluation, substitution and launches.

mutants! {
    "core/src/machine.rs", "machine arithmetic" {
        "a signed pattern is read as unsigned":
            "if «self.signed && bits >> (self.width.bits() - 1) == 1» {" => "false";
        "a negative pattern is read one too large":
            "«i128::from(bits) - (1i128 << self.width.bits())»"
            => "i128::from(bits) - (1i128 << self.width.bits()) + 1";
        "every conversion extends with zeros":
            "to.write(«self.read(bits)»)" => "i128::from(bits & self.width.mask())";
        "a difference exchanges its operands": "t.write(«x - y»)" => "y - x";
        "a quotient is rounded down":
            "«if y == 0 { 0 } else { x / y }»" => "if y == 0 { 0 } else { x.div_euclid(y) }";
        "a remainder is never negative":
            "«if y == 0 { x } else { x % y }»" => "if y == 0 { x } else { x.rem_euclid(y) }";
        "a remainder by zero is zero":
            "«if y == 0 { x } else { x % y }»" => "if y == 0 { 0 } else { x % y }";
        "the least of signed integers is that of patterns":
            "t.write(«x.min(y)»)" => "if l < r { x } else { y }";
        "a shift to the left leaves bits above the width":
            "MachineOp::Shl => «(l << r) & t.width.mask()»" => "l << r";
        "a shift to the right fills with zeros":
            "t.write(«x >> r.min(127)»)" => "i128::from(l) >> r.min(127)";
        "or is exclusive": "MachineOp::Or => «l | r»" => "l ^ r";
    }
    "core/src/expr/ops.rs", "operators of expressions" {
        "truncated subtraction exchanges its operands":
            "ArithOp::Sub => «left.monus(right)»" => "right.monus(left)";
        "the least of two is the second":
            "ArithOp::Min => «left.min(right).clone()»" => "right.clone()";
        "at most is less": "Relation::Le => «ordering.is_le()»" => "ordering.is_lt()";
    }
    "core/src/expr/eval.rs", "n ↓ k and c ↓ true" {
        "a negation is what it negates": "Bool::Not(c) => «!c.eval(env)?»" => "c.eval(env)?";
    }
    "core/src/natural.rs", "naturals" {
        "a sum wraps": "(Small(k), Small(l)) => «(u128::from(*k) + u128::from(*l))».into()," => "u128::from(k.wrapping_add(*l))";
        "a product wraps": "(Small(k), Small(l)) => «(u128::from(*k) * u128::from(*l))».into()," => "u128::from(k.wrapping_mul(*l))";
        "every number is large": "Natural(«value.to_u64().map_or_else(|| Large(Arc::new(value)), Small)»)"
            => "Large(Arc::new(value))";
        "division by zero is undefined of large numbers only":
            "            (_, Small(0)) => «Self::zero()»," => "self.clone()";
    }
    "core/src/interval/ranges.rs", "assumptions" {
        "less is not more": "Relation::Lt => Interval { lower: None, upper: upper.map(|n| «n - 1u32») }," => "n";
        "what one of two conditions says holds":
            "Bool::Lit(_) | Bool::Connective(BoolOp::Or, ..) | Bool::Not(_) => «{}»"
            => "if let Bool::Connective(_, l, r) = c { self.assume(l); self.assume(r) }";
        "a pattern with the sign is as large as it looks":
            "let plain = t.map(|t| Interval::new(0, t.width.mask() >> «u32::from(t.signed)»));" => "{ let _ = t.signed; 0u32 }";
        "what is assumed on the right is assumed on the left":
            "self.compared(x, «op.relation.mirrored()», op.machine, &left);" => "op.relation";
    }
    "core/src/launch.rs", "launches" {
        "a row is as long as a column": "y: «(linear / w % h) as u32»" => "(linear % h) as u32";
        "all layers of a block are one":
            "«u64::from(position.x)\n            + u64::from(self.x)\n                * (u64::from(position.y) + u64::from(self.y) * u64::from(position.z))»"
            => "u64::from(position.x) + u64::from(self.x) * u64::from(position.y)";
    }
    "core/src/syntax/subst.rs", "substitution" {
        "substitution goes on below a binder of its variable": "«inner.remove(var);»" => "";
        "variables are captured":
            "let captures = «map.iter().any(|(x, n)| x != var && mentions(n))»;"
            => "{ let _ = mentions; false }";
        "a renamed binder has no occurrences":
            "«inner.insert(var.clone(), Num::Var(fresh.clone()));»" => "";
        "a renamed binder captures what is free in its body":
            "let mut taken = «body_vars()»;" => "{ let _ = body_vars; BTreeSet::new() }";
        "expressions are left as they are":
            "«node.exprs.into_iter().flatten().for_each(|e| changed |= e.replace(map));»" => "";
        "a binder binds nothing": "grow(|| «subst(&**child, &inner)»)" => "subst(&**child, map)";
    }
    "core/src/history/lastwrite.rs", "THEORY §4, atomics" {
        "an update of some of the values makes all of them known":
            "«exhaustive && computed»" => "computed";
    }
}
