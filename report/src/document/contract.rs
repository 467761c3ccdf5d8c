//! Contracts as JSON.

use super::{ContractKind, Word};
use babycuda::Checked;
use serde::{Deserialize, Serialize};

/// What launches and parameters satisfy, or must satisfy.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Contract {
    /// `source`: the launches that the file makes of the kernel, and what it requires; `inferred`: what nobody states.
    pub kind: ContractKind,
    /// What the kernel itself requires of launches, and the verdict assumes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub required: Vec<Required>,
    /// The launches in the file, those under which the kernel races first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub launches: Vec<ContractLaunch>,
    /// Under all of these, in C, the kernel is race-free: checked, but stated by nobody. Where a launch of the file is
    /// racy, they are about that launch.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<String>,
    /// What holds without it, where the verdict rests on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub without: Option<Without>,
}

/// A condition that a kernel requires of its launches.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Required {
    /// Where it stands.
    pub line: u32,
    /// Likewise.
    pub column: u32,
    /// In C.
    pub condition: String,
}

/// A launch that the file of a kernel makes of it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ContractLaunch {
    /// Where it stands.
    pub line: u32,
    /// Likewise.
    pub column: u32,
    /// What it says of extents and parameters, in C.
    pub conditions: Vec<String>,
    /// Are extents and integer parameters constants? Otherwise the launch allows more than one.
    pub exact: bool,
    /// The verdict under it.
    pub verdict: Word,
}

/// What holds without a contract.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Without {
    /// The verdict.
    pub verdict: Word,
    /// The same with its first witness, or why it is unknown.
    pub summary: String,
}

impl Contract {
    pub(super) fn of(checked: &Checked, contract: &babycuda::contract::Contract) -> Contract {
        let launches = contract.launches.iter().map(|launched| ContractLaunch {
            line: launched.span.line,
            column: launched.span.column,
            conditions: launched.conditions.clone(),
            exact: launched.exact,
            verdict: Word::from(&launched.outcome),
        });
        let without = contract.without.as_ref().map(|verdict| Without {
            verdict: Word::from(&verdict.outcome),
            summary: babycuda::contract::shortly(checked, verdict),
        });
        let of_source = !contract.launches.is_empty() || !contract.required.is_empty();
        let kind = if of_source { ContractKind::Source } else { ContractKind::Inferred };
        let required = contract.required.iter().map(|required| Required {
            line: required.span.line,
            column: required.span.column,
            condition: required.text.clone(),
        });
        Contract {
            required: required.collect(),
            kind,
            launches: launches.collect(),
            conditions: contract.inferred.clone(),
            without,
        }
    }
}
