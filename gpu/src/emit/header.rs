//! What stands before a program's statements: the comment, its parameters, and what its shared
//! arrays hold at first.

use super::body::Body;
use super::error::{EmitError, EmitErrorKind};
use super::language::{Array, Launched, Parameter};
use super::monitor::Plan;
use super::value::Value;
use super::{Instrumentation, Target, nonuniform_barriers};
use babycuda_core::Natural;
use babycuda_core::syntax::{Contents, Domain, Extent, Param, Program, Space};

/// Do the contents say what cells hold? (Others mean that any value may be there, or none.)
pub(super) fn is_fixed(contents: &Contents) -> bool {
    matches!(contents, Contents::Values(_) | Contents::Fill(_))
}

/// The lines of the comment at the head of a text.
pub(super) fn comment(
    program: &Program,
    target: Target,
    instrumentation: Instrumentation,
    plan: Option<&Plan>,
) -> Vec<String> {
    let from = program.sources.file.as_deref().map(|file| format!(" from {file}"));
    let from = from.unwrap_or_default();
    let mut lines =
        vec![format!("Kernel `{}`{from}, printed by babycuda in {target}.", program.name)];
    lines.push(launch(program));
    if instrumentation.is_account() {
        lines.push("Instrumented: every thread keeps account of its accesses.".into());
    } else {
        lines.push(
            "Naturals are 64 bits wide here and wrap around; what is stored is reduced to".into(),
        );
        lines.push("the range of the array's elements.".into());
        if target == Target::Wgsl {
            lines.push("Integers narrower than 32 bits are kept in 32.".into());
        }
    }
    lines.extend(plan.map(Plan::comment).unwrap_or_default());
    for array in &program.arrays {
        let what = match &array.contents {
            Contents::Opaque => "stands for data that the program does not compute",
            contents if array.space == Space::Global && is_fixed(contents) => {
                "is filled by the host"
            }
            _ => continue,
        };
        let is = format!("`{array}` {what}.");
        lines.push(is);
    }
    for assumption in &program.assumptions {
        lines.push(format!("Assumed: {assumption}"));
    }
    for assumption in program.said_of_contents() {
        lines.push(format!("Assumed: {assumption}"));
    }
    for site in nonuniform_barriers(&program.body) {
        let place = match program.sources.spans.get(&site) {
            Some(span) => format!("in line {}", span.line),
            None => format!("of statement {site}"),
        };
        lines.push(format!(
            "WARNING: not all threads of a block need reach the barrier {place} together."
        ));
    }
    // A comment ends with its line, so what it quotes must not have another.
    lines.iter().flat_map(|line| line.lines()).map(str::to_owned).collect()
}

fn launch(program: &Program) -> String {
    let extents = |extents: [Extent; 3]| {
        let texts = extents.map(|extent| match extent {
            Extent::Known(n) => n.to_string(),
            Extent::Symbolic => "any".to_owned(),
        });
        texts.join(" x ")
    };
    let block = extents(program.geometry.block);
    match program.geometry.grid {
        None => format!("Launch: blocks of {block} threads."),
        Some(grid) => format!("Launch: {} blocks of {block} threads.", extents(grid)),
    }
}

impl Body<'_> {
    /// Puts the parameters into scope; those whose value the launch gives. Others are constants.
    pub(super) fn parameters(&mut self) -> Result<Vec<Parameter>, EmitError> {
        let mut parameters = Vec::new();
        for param in &self.exprs.program.params {
            let text = self.names.fresh(&param.name);
            let domain = if self.instrumented { Domain::Natural } else { param.domain };
            let value = match (&param.value, self.instrumented) {
                (Some(value), false) => self.fixed(param, &text, value)?,
                _ => {
                    let reference = self.exprs.language.parameter(&text, self.instrumented);
                    let name = param.name.clone();
                    parameters.push(Parameter { name, text, domain });
                    Value::primary(reference, domain)
                }
            };
            self.exprs.scope.insert(param.name.clone(), vec![value]);
        }
        Ok(parameters)
    }

    fn fixed(&mut self, param: &Param, text: &str, value: &Natural) -> Result<Value, EmitError> {
        let literal = self.literal(param.domain, value)?;
        self.line(&self.exprs.language.fixed(text, param.domain, &literal.text));
        Ok(Value::primary(text, param.domain))
    }

    fn literal(&self, domain: Domain, value: &Natural) -> Result<Value, EmitError> {
        let Some(word) = value.to_u64() else {
            return Err(EmitErrorKind::Number { bits: value.bits() }.declared());
        };
        let value = self.exprs.language.literal(Domain::Natural, word);
        Ok(self.exprs.pattern_as(&value, domain))
    }

    /// Prints what fills shared arrays with what the program finds in them: one thread does, before
    /// all pass a barrier.
    pub(super) fn contents(&mut self) -> Result<(), EmitError> {
        let filled: Vec<(Array, Contents)> = self
            .exprs
            .program
            .arrays
            .iter()
            .zip(&self.arrays)
            .filter(|(declared, _)| declared.space == Space::Shared && is_fixed(&declared.contents))
            .map(|(declared, array)| (array.clone(), declared.contents.clone()))
            .collect();
        if filled.is_empty() {
            return Ok(());
        }
        self.exprs.launched.insert(Launched::Tid);
        let language = self.exprs.language;
        let first = language.launched(Launched::Tid);
        let zero = language.literal(first.domain, 0);
        let head = language.guard(&format!("{} == {}", first.text, zero.text));
        self.block(&head, |this| filled.iter().try_for_each(|(a, c)| this.fill(a, c)))?;
        self.line(language.barrier());
        Ok(())
    }

    fn fill(&mut self, array: &Array, contents: &Contents) -> Result<(), EmitError> {
        let language = self.exprs.language;
        match contents {
            Contents::Values(values) => {
                for (index, value) in (0u64..).zip(values) {
                    let value = self.literal(array.element, value)?;
                    let index = language.literal(Domain::Natural, index);
                    let index = self.exprs.index(&index, array.length);
                    self.line(&language.write(array, &index, &value.text));
                }
                Ok(())
            }
            Contents::Fill(value) => {
                let value = self.literal(array.element, value)?;
                let Some(length) = array.length else {
                    return Err(EmitErrorKind::Length(array.name.clone()).declared());
                };
                let counter = self.names.spelled_like("cell");
                let number = |k| language.literal(Domain::Natural, k).text;
                let head = language.counting(&counter, &number(0), &number(length), None);
                let index = Value::primary(counter, Domain::Natural);
                self.block(&head, |this| {
                    let index = this.exprs.index(&index, array.length);
                    this.line(&language.write(array, &index, &value.text));
                    Ok(())
                })
            }
            Contents::Undefined | Contents::Any | Contents::Opaque => Ok(()),
        }
    }
}
