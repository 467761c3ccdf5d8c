//! JSON schemas of the types whose JSON form is written by hand.

use crate::expr::{CompareOp, NumOp};
use crate::machine::IntType;
use crate::natural::{Integer, Natural};
use crate::syntax::{AtomicOp, BarrierScope};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use std::borrow::Cow;

impl JsonSchema for Natural {
    fn schema_name() -> Cow<'static, str> {
        "Natural".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A natural number: as a number below 2^53, or as a decimal string.",
            "anyOf": [
                { "type": "integer", "minimum": 0 },
                { "type": "string", "pattern": "^(0|[1-9][0-9]*)$" },
            ],
        })
    }
}

impl JsonSchema for Integer {
    fn schema_name() -> Cow<'static, str> {
        "Integer".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "An integer: as a number between -2^53 and 2^53, or as a decimal string.",
            "anyOf": [
                { "type": "integer" },
                { "type": "string", "pattern": "^(0|-?[1-9][0-9]*)$" },
            ],
        })
    }
}

const TYPES: &str = "(u|i)(8|16|32|64)";

macro_rules! patterns {
    ($($item:ty = $description:literal, $pattern:expr;)*) => {$(
        impl JsonSchema for $item {
            fn schema_name() -> Cow<'static, str> {
                stringify!($item).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({
                    "description": $description,
                    "type": "string",
                    "pattern": $pattern,
                })
            }
        }
    )*};
}

patterns! {
    IntType = "A machine integer type.", format!("^{TYPES}$");
    NumOp = "A binary operator, on naturals or on machine integers.", format!(
        "^([-+*/%]|min|max|(add|sub|mul|div|rem|min|max|and|or|xor|shl|shr)\\.{TYPES})$"
    );
    CompareOp = "A comparison, of naturals or of machine integers.", format!(
        "^(==|!=|<|<=|>|>=|(eq|ne|lt|le|gt|ge)\\.{TYPES})$"
    );
    BarrierScope = "Which threads a barrier holds together.", "^(tile[1-9][0-9]*|warp|block|grid)$";
    AtomicOp = "The operator of an atomic update.", format!(
        "^(exch|inc|dec|cas|opaque|(add|sub|min|max)(\\.{TYPES})?|(and|or|xor)\\.{TYPES})$"
    );
}
