//! Assumptions over what the host stored: `forall i in 0..n: row[i] <= row[i + 1]`.

use crate::budget::pause;
use crate::deep::grow;
use crate::expr::{Bool, Num};
use crate::history::Cell;
use crate::name::Name;
use crate::natural::Natural;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// A condition on the contents of read-only inputs, for all values of its variables. Cells beyond
/// the declared length of an array are cells like others; a condition that reads a cell in which
/// nothing is stored does not hold.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Forall {
    /// What the condition speaks of. Each may mention those before it.
    pub over: Vec<Bound>,
    /// What holds.
    pub condition: Bool,
}

/// A variable of a [`Forall`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Bound {
    /// All values of `lower..upper`.
    #[allow(missing_docs)]
    In { var: Name, lower: Num, upper: Num },
    /// What the host stored in `array[index]`.
    #[allow(missing_docs)]
    Read { var: Name, array: Name, index: Num },
}

/// The most variables and reads of one assumption.
pub const MAX_BOUND: usize = 64;

/// The most values of variables for which one assumption is evaluated.
pub const MAX_EVALUATED: u64 = 1 << 18;

/// Why it is not known whether an assumption holds.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NotEvaluated {
    /// It is about too much.
    #[error("it is about more than {MAX_EVALUATED} values of its variables")]
    TooMany,
    /// A variable has no value.
    #[error("{0}")]
    Unbound(#[from] crate::expr::Unbound),
}

impl Bound {
    /// The variable.
    pub fn var(&self) -> &Name {
        match self {
            Bound::In { var, .. } | Bound::Read { var, .. } => var,
        }
    }

    /// The array that is read.
    pub fn array(&self) -> Option<&Name> {
        match self {
            Bound::In { .. } => None,
            Bound::Read { array, .. } => Some(array),
        }
    }

    /// The expressions in it.
    pub fn exprs(&self) -> impl Iterator<Item = &Num> {
        let (first, second) = match self {
            Bound::In { lower, upper, .. } => (lower, Some(upper)),
            Bound::Read { index, .. } => (index, None),
        };
        [first].into_iter().chain(second)
    }
}

impl Forall {
    /// The variable that stands for `array[index]`: the same for the same read.
    pub fn read(over: &mut Vec<Bound>, array: Name, index: Num) -> Num {
        let known = over.iter().find(
            |b| matches!(b, Bound::Read { array: a, index: n, .. } if *a == array && *n == index),
        );
        let var = known.map(|b| b.var().clone()).unwrap_or_else(|| {
            // `@` starts no identifier, and stands in none.
            let var = Name::new(format!("@{}", over.len()));
            over.push(Bound::Read { var: var.clone(), array, index });
            var
        });
        Num::Var(var)
    }

    /// The arrays that it reads.
    pub fn arrays(&self) -> BTreeSet<&Name> {
        self.over.iter().filter_map(Bound::array).collect()
    }

    /// The variables that it mentions and does not bind.
    pub fn free_vars(&self) -> BTreeSet<Name> {
        let mut used = self.condition.free_vars();
        for bound in self.over.iter().rev() {
            used.remove(bound.var());
            bound.exprs().for_each(|n| n.collect_vars(&mut used));
        }
        used
    }

    /// The values of its variables for which it does not hold, at most `most` of them; the first
    /// ones, in the order of the variables. `value` gives the free variables their values, `stored`
    /// the cells.
    ///
    /// # Errors
    /// [`NotEvaluated`]
    pub fn broken(
        &self,
        value: &dyn Fn(&Name) -> Option<Natural>,
        stored: &mut dyn FnMut(&Cell) -> Option<Natural>,
        most: usize,
    ) -> Result<Vec<BTreeMap<Name, Natural>>, NotEvaluated> {
        let (locals, left, found) = (BTreeMap::new(), MAX_EVALUATED, Vec::new());
        let mut search = Search { assumption: self, value, stored, locals, left, most, found };
        search.from(0)?;
        Ok(search.found)
    }
}

struct Search<'a> {
    assumption: &'a Forall,
    value: &'a dyn Fn(&Name) -> Option<Natural>,
    stored: &'a mut dyn FnMut(&Cell) -> Option<Natural>,
    locals: BTreeMap<Name, Natural>,
    left: u64,
    most: usize,
    found: Vec<BTreeMap<Name, Natural>>,
}

impl Search<'_> {
    /// Looks at all values of the variables from number `depth` on.
    fn from(&mut self, depth: usize) -> Result<(), NotEvaluated> {
        let assumption = self.assumption;
        match assumption.over.get(depth) {
            None => {
                let holds = assumption.condition.eval(&|x| self.value_of(x))?;
                if !holds {
                    self.found();
                }
                Ok(())
            }
            Some(Bound::Read { var, array, index }) => {
                let index = index.eval(&|x| self.value_of(x))?;
                match (self.stored)(&Cell { array: array.clone(), index }) {
                    Some(value) => self.with(var, value, depth),
                    None => {
                        self.found();
                        Ok(())
                    }
                }
            }
            Some(Bound::In { var, lower, upper }) => {
                let upper = upper.eval(&|x| self.value_of(x))?;
                let mut next = lower.eval(&|x| self.value_of(x))?;
                while next < upper && self.found.len() < self.most {
                    pause();
                    self.left = self.left.checked_sub(1).ok_or(NotEvaluated::TooMany)?;
                    let after = next.successor();
                    self.with(var, next, depth)?;
                    next = after;
                }
                Ok(())
            }
        }
    }

    fn with(&mut self, var: &Name, value: Natural, depth: usize) -> Result<(), NotEvaluated> {
        self.locals.insert(var.clone(), value);
        let result = grow(|| self.from(depth + 1));
        self.locals.remove(var);
        result
    }

    fn value_of(&self, x: &Name) -> Option<Natural> {
        self.locals.get(x).cloned().or_else(|| (self.value)(x))
    }

    /// Notes the values of the variables.
    fn found(&mut self) {
        let ranges = self.assumption.over.iter().filter(|b| b.array().is_none());
        let known = ranges.filter_map(|b| self.locals.get_key_value(b.var()));
        self.found.push(known.map(|(x, k)| (x.clone(), k.clone())).collect());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Configuration;
    use crate::history::{HostArray, HostMemory};
    use crate::parse::{parse_assumption, parse_map, parse_program};
    use crate::syntax::Program;

    fn program(text: &str) -> Program {
        parse_program(text).unwrap_or_else(|e| panic!("{text}: {e}"))
    }

    #[test]
    fn assumptions_are_printed_as_they_are_written() {
        for text in [
            "forall i in 0..n: row[i] <= row[i + 1]",
            "forall i in 0..n: forall j in i..n: i == j || p[i] != p[j]",
            "forall i in 0..n: forall e in row[i]..row[i + 1]: col[e] < n && col[col[e]] == i",
            "row[0] == 0",
            "le.i32(row[2 * (n - 1)], select(row[0] == 1, 3, n))",
            "forall i in 0..4: i < 5",
            "forall `in` in 0..`a b`[0]: !(`a b`[`in`] == 1)",
            "forall < 3 && n == 1",
        ] {
            let assumption = parse_assumption(text).unwrap_or_else(|e| panic!("{text}: {e}"));
            assert_eq!(assumption.to_string(), text);
            // In the header of a program and of a protocol, and in documents.
            let header = format!("threads 2; global row = any; assume {text};");
            let program = program(&format!("{header} skip"));
            assert_eq!(
                parse_program(&program.to_string()).unwrap().without_sources(),
                program.without_sources()
            );
            let map = parse_map(&format!("{header} skip")).unwrap();
            assert_eq!(map.declarations.contents_assumed, program.contents_assumed);
            let printed = parse_map(&map.to_string()).unwrap();
            assert_eq!(printed.declarations.contents_assumed, program.contents_assumed);
            let json = serde_json::to_string(&program).unwrap();
            assert_eq!(serde_json::from_str::<Program>(&json).unwrap(), program, "{json}");
            assert_eq!(json.contains("contents_assumed"), !assumption.over.is_empty(), "{json}");
        }
        // One read is read once.
        let twice = parse_assumption("a[n] == 1 || a[n] == a[m]").unwrap();
        assert_eq!(twice.over.len(), 2);
    }

    #[test]
    fn what_is_no_assumption_is_refused_where_it_stands() {
        let unreadable = |text: &str| parse_assumption(text).unwrap_err();
        let missing = unreadable("forall i in 0..4 a[i] == 1");
        assert!(missing.to_string().contains("expected `:`, found `a`"), "{missing}");
        assert_eq!((missing.span.line, missing.span.column), (1, 18));
        assert_eq!(unreadable("forall i in 0..4: a[i").span.column, 22);
        assert_eq!(unreadable("forall i in 0: a[i] == 1").span.column, 14);
        let long = vec!["a[1]"; 100].join(" + ") + " == 1";
        assert!(parse_assumption(&long).is_ok(), "one read");
        let reads: Vec<String> = (0..100).map(|k| format!("a[{k}]")).collect();
        let long = reads.join(" + ") + " == 1";
        let kind = parse_assumption(&long).unwrap_err().kind.to_string();
        assert_eq!(kind, "an assumption of more than 64 variables and reads");
        // Reads stand in assumptions only.
        assert!(parse_program("global a = any; threads 2; if a[0] == 1 { skip }").is_err());
        let scope = |text: &str, body: &str| {
            let header = "threads 2; param n; global a = any; global b; shared s = fill 1;";
            let error = program(&format!("{header}\nassume {text}; {body}")).check_scope();
            error.map_err(|e| e.to_string())
        };
        assert_eq!(scope("forall i in 0..n: a[i] < n", "skip"), Ok(()));
        for (text, body, said) in [
            (
                "forall i in 0..n: a[i] < tid",
                "skip",
                "an assumption is about all threads, but `tid` differs between them",
            ),
            (
                "forall i in 0..n: a[i] < blockIdx.x",
                "skip",
                "an assumption is about all threads, but `blockIdx.x` differs between them",
            ),
            ("forall i in 0..m: a[i] < n", "skip", "unbound variable `m`"),
            ("forall i in 0..i: a[i] < n", "skip", "unbound variable `i`"),
            ("forall n in 0..4: a[n] < n", "skip", "`n` is declared twice"),
            ("forall i in 0..4: forall i in 0..4: a[i] < n", "skip", "`i` is declared twice"),
            (
                "forall tid in 0..4: a[tid] < n",
                "skip",
                "`tid` is given its meaning by the launch and cannot be bound",
            ),
            ("c[0] < n", "skip", "undeclared array `c`"),
            ("b[0] < n", "skip", "`b` is no read-only input"),
            ("s[0] < n", "skip", "`s` is no read-only input"),
            ("a[0] < n", "a[5] := 1", "`a` is no read-only input"),
        ] {
            assert_eq!(scope(text, body), Err(format!("2:1: {said}")), "{text}");
        }
    }

    #[test]
    fn contents_are_as_assumed_or_not() {
        let text = "threads 2; param n = 3; global a = any; global b = [7, 8]; \
             assume forall i in 0..n: forall j in i + 1..n: a[i] < a[j]; \
             assume forall i in 0..2: b[i] < 9; skip";
        let program = program(text);
        let holds = |cells: &[u32]| {
            let mut host = HostMemory::default();
            let listed = (0u32..).zip(cells).map(|(i, k)| (i.into(), (*k).into()));
            let array = HostArray { fill: Some(Natural::zero()), cells: listed.collect() };
            host.insert("a".into(), array);
            let at =
                Configuration { host: host.clone(), ..Configuration::threads(2) }.with("n", 3u32);
            let unmet = program.unmet_in(&at, &host).map(|(_, why)| why);
            assert_eq!(program.admits(&at), unmet.is_none());
            unmet
        };
        assert_eq!(holds(&[1, 4, 5]), None);
        assert_eq!(holds(&[0, 1, 2, 0]), None, "the fourth is none of them");
        let said =
            "`forall i in 0..n: forall j in i + 1..n: a[i] < a[j]` does not hold for i = 0, j = 2";
        assert_eq!(holds(&[1, 4, 0]).as_deref(), Some(said));
        // Nothing is known of `a`.
        assert!(program.admits(&Configuration::threads(2).with("n", 3u32)));
        // Nothing is stored there: no condition holds.
        let open = program_with(&program, "forall i in 0..3: b[i] == b[i]");
        let at = Configuration::threads(2).with("n", 3u32);
        let (number, why) = open.unmet_in(&at, &HostMemory::default()).unwrap();
        assert_eq!(
            (number, why.as_str()),
            (2, "`forall i in 0..3: b[i] == b[i]` does not hold for i = 2")
        );
        // More than anyone looks at.
        let large = program_with(&program, "forall i in 0..1000000: b[0] == 7");
        let (_, why) = large.unmet_in(&at, &HostMemory::default()).unwrap();
        assert!(
            why.ends_with(
                "cannot be evaluated: it is about more than 262144 values of its variables"
            ),
            "{why}"
        );
    }

    fn program_with(program: &Program, text: &str) -> Program {
        let mut program = program.clone();
        program.contents_assumed.push(parse_assumption(text).unwrap());
        program
    }

    #[test]
    fn broken_instances_come_in_order() {
        let assumption =
            parse_assumption("forall i in 0..3: forall j in 0..i: a[i] != a[j]").unwrap();
        let mut stored = |cell: &Cell| Some(cell.index.mod_total(&Natural::from(2u32)));
        let found = assumption.broken(&|_| None, &mut stored, 9).unwrap();
        let values: Vec<Vec<Natural>> =
            found.into_iter().map(|values| values.into_values().collect()).collect();
        assert_eq!(values, [[Natural::from(2u32), Natural::zero()]]);
        let all = parse_assumption("forall i in 0..3: a[i] == 2").unwrap();
        assert_eq!(all.broken(&|_| None, &mut stored, 2).unwrap().len(), 2);
    }
}
