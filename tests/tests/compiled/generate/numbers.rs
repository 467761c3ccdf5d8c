//! Literals, and operations that not all numbers have.

use super::expressions::Effect;
use super::{Generator, bits};
use crate::syntax::Expr;
use babycuda_frontend::Overflow;

impl Generator<'_> {
    pub fn small_literal(&mut self) -> String {
        self.choices.below(9).to_string()
    }

    pub fn literal(&mut self) -> String {
        let edges = [
            "-1",
            "1u",
            "2u",
            "255",
            "256",
            "-128",
            "65535",
            "0x7fffffff",
            "0xffffffff",
            "0xffffffffu",
            "-2147483647",
            "4294967296ll",
            "1ul",
            "'a'",
            "010",
            "3ull",
            "true",
            "0x80000000",
            "2147483648",
            "4294967295",
            "0b101",
            "1'000",
            "0X1LLU",
            "'\\n'",
            "'\\xff'",
            "9223372036854775807",
            "0x8000000000000000",
        ];
        // Near what a signed type holds.
        let ends = ["2147483647", "-2147483647", "2147483640", "9223372036854775807", "46341"];
        if self.overflow == Overflow::AssumeNone && self.choices.chance(1, 3) {
            return format!("BC_LIT({})", self.word(&ends));
        }
        match self.choices.below(5) {
            0 => format!("BC_LIT({})", self.word(&edges)),
            _ => self.small_literal(),
        }
    }

    pub fn division(&mut self, depth: usize, effect: Effect) -> Expr {
        let op = self.word(&["/", "%"]);
        let left = self.raw(depth, effect);
        let suffix = self.word(&["", "", "u", "ll"]);
        if self.choices.chance(1, 6) {
            // The least value by -1 is no value, and a trap where nothing stops it.
            let most = if self.overflow == Overflow::Wrap { 2 } else { 1 };
            let by = most + self.choices.below(3);
            return Expr::binary(op, left, Expr::atom(format!("BC_LIT(-{by})")));
        }
        let right = if self.choices.chance(1, 4) {
            let masked = Expr::binary("&", self.raw(0, Effect::Silent), Expr::atom("3"));
            Expr::binary("+", masked, Expr::atom(format!("1{suffix}")))
        } else {
            Expr::atom(format!("{}{suffix}", 1 + self.choices.below(9)))
        };
        Expr::binary(op, left, right)
    }

    pub fn shift(&mut self, depth: usize, effect: Effect) -> Expr {
        let op = self.word(&["<<", ">>"]);
        let left = self.raw(depth, effect);
        let right = match self.choices.below(5) {
            4 => {
                // As far as the type goes.
                let (t, last) = *self.choices.pick(&[
                    ("int", 31),
                    ("unsigned", 31),
                    ("long long", 63),
                    ("unsigned long", 63),
                    ("char", 31),
                ]);
                let count = match self.choices.below(3) {
                    0 => {
                        Expr::binary("&", self.raw(0, Effect::Silent), Expr::atom(last.to_string()))
                    }
                    n => Expr::atom((last + 1 - n).to_string()),
                };
                return Expr::binary(op, Expr::cast(t, left), count);
            }
            0 => Expr::binary("&", self.raw(0, Effect::Silent), Expr::atom("7")),
            1 => Expr::atom(self.choices.below(31).to_string()),
            2 => Expr::atom(format!("{}ll", self.choices.below(5))),
            _ => Expr::atom(self.choices.below(5).to_string()),
        };
        Expr::binary(op, left, right)
    }

    /// A value of at most this many bits.
    pub fn value_pattern(&mut self, t: &str) -> u64 {
        let small = self.choices.below(9) as u64;
        if t == "bool" {
            return small & 1;
        }
        let mask = if bits(t) == 64 { u64::MAX } else { (1 << bits(t)) - 1 };
        match self.choices.below(10) {
            0 => mask - small,
            1..4 if self.overflow == Overflow::AssumeNone => (mask >> 1) - small,
            _ => small,
        }
    }
}
