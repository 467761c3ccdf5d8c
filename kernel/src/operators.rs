//! How C spells operators on numbers.

use babycuda_core::MachineOp;
use babycuda_core::expr::Relation;

const ARITHMETIC: [(&str, MachineOp); 10] = [
    ("+", MachineOp::Add),
    ("-", MachineOp::Sub),
    ("*", MachineOp::Mul),
    ("/", MachineOp::Div),
    ("%", MachineOp::Rem),
    ("&", MachineOp::And),
    ("|", MachineOp::Or),
    ("^", MachineOp::Xor),
    ("<<", MachineOp::Shl),
    (">>", MachineOp::Shr),
];

/// The operator of [`ExprKind::Arithmetic`](crate::ExprKind::Arithmetic) that C spells so.
pub fn arithmetic(symbol: &str) -> Option<MachineOp> {
    ARITHMETIC.iter().find(|(known, _)| *known == symbol).map(|(_, op)| *op)
}

/// The relation that C spells so.
pub fn relation(symbol: &str) -> Option<Relation> {
    Relation::ALL.into_iter().find(|relation| relation.symbol() == symbol)
}

/// C's spelling; the name of a function, where C has no operator.
pub(crate) fn spelling(op: MachineOp) -> &'static str {
    let known = ARITHMETIC.iter().find(|(_, known)| *known == op);
    known.map_or_else(|| op.mnemonic(), |(symbol, _)| symbol)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_c_has_no_operator_for_has_a_name() {
        let named: Vec<_> =
            MachineOp::ALL.into_iter().filter(|op| arithmetic(spelling(*op)).is_none()).collect();
        assert_eq!(named, [MachineOp::Min, MachineOp::Max]);
        assert_eq!((relation("<="), relation("=")), (Some(Relation::Le), None));
    }
}
