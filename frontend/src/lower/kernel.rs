//! A kernel from its definition to a program.

use super::arrays::{Array, Arrays};
use super::budget::Budget;
use super::declare::extents;
use super::emit::Output;
use super::env::Env;
use super::fields::Fields;
use super::launches::Launches;
use super::layout::Layouts;
use super::loops::settled;
use super::overflow::{data, deciding, read_from};
use super::prune::{Idle, once, prune};
use super::{At, Lower, Lowered, Mode, Otherwise, Refused, refuse};
use crate::arith::{compare, compare_natural, lit, natural};
use crate::ctype::CType;
use crate::options::Options;
use crate::range::Known;
use crate::value::{Binding, Value};
use babycuda_core::expr::{ArithOp, Relation};
use babycuda_core::name::reserved::{BLOCK_DIM, is_reserved};
use babycuda_core::syntax::{ArrayDecl, Contents, Extent, Param, Shape};
use babycuda_core::{Bool, Declarations, Name, Num, Program, Stmt};
use babycuda_kernel::{Expr, ExprKind, Function, FunctionId, Kernel, PlaceKind, Type, Var};
use std::collections::BTreeSet;

/// How the refusal begins of a launch of other blocks than the kernel says that it has.
pub(crate) const OTHER_BLOCK: &str = "launch of the kernel in blocks of ";

/// An assumption that a kernel could not make sense of: it names something the kernel lacks, or
/// is no condition over what may be assumed of.
pub(crate) struct Skipped {
    /// Its number among the assumptions.
    pub(crate) number: usize,
    /// Why.
    pub(crate) reason: String,
}

/// Translates a kernel of the file `source`.
///
/// Where a construct is refused, what threads do before they meet one is still known: the same kernel, with
/// `__trap()` for each statement that holds such a construct, and for what follows the first iteration of a loop that is
/// refused itself. In the phase in which a thread gets there, some
/// interleaving makes all accesses of that kernel, before anything that is not known is done. So its races
/// are races, and that it has none says nothing.
///
/// Where it is a barrier of which it is not known whom it holds, the kernel without it is known, too. It has all of the
/// kernel's runs, so where it has no race, the kernel has none; its own races say nothing.
///
/// Also returns the assumptions that the kernel could not use.
pub(crate) fn kernel(
    kernel: &Kernel,
    source: &str,
    options: &Options,
) -> (Result<Program, Refused>, Vec<Skipped>) {
    let (result, skipped) = translated(kernel, source, options, Otherwise::Refused);
    let partial = |refused: Refused| {
        // The parser may have taken what comes before for something else.
        let misread = refused.construct.starts_with("syntax error");
        let read = |otherwise| translated(kernel, source, options, otherwise).0.ok().map(Box::new);
        let known = if misread { None } else { read(Otherwise::Halts) };
        let freer = if refused.unclear { read(Otherwise::Passes) } else { None };
        Refused { known, freer, ..refused }
    };
    (result.map_err(partial), skipped)
}

fn translated(
    kernel: &Kernel,
    source: &str,
    options: &Options,
    otherwise: Otherwise,
) -> (Result<Program, Refused>, Vec<Skipped>) {
    let (mut written, mut of_rows) = (BTreeSet::new(), [false; 2]);
    let mut layouts = Layouts::default();
    loop {
        let mut lower = Lower {
            kernel,
            source,
            options,
            env: Env::new(),
            arrays: Arrays {
                written: written.clone(),
                layouts: layouts.clone(),
                ..Arrays::default()
            },
            out: Output::default(),
            ranges: Known::default(),
            launches: Launches::of_rows(of_rows),
            budget: Budget::default(),
            uniform: Fields::default(),
            given: BTreeSet::new(),
            copies: None,
            events: None,
            copying: false,
            together: Default::default(),
            flight: Default::default(),
            copied: BTreeSet::new(),
            arrival: None,
            choices: Vec::new(),
            fragments: Vec::new(),
            mode: Mode::default(),
            counters: Vec::new(),
            settled: settled(kernel),
            otherwise,
            alike: BTreeSet::new(),
        };
        let mut skipped = Vec::new();
        let program = match kernel.entry() {
            Some(function) => lower.program(function, &mut skipped),
            None => refuse(At(0), "a kernel without a function"),
        };
        let found = program.as_ref().map_or(BTreeSet::new(), |p| p.body.written());
        let more_rows = lower.more_rows();
        if let Some(other) = lower.arrays.relaid() {
            layouts = other;
            continue;
        }
        if found.is_disjoint(&lower.arrays.inputs) && more_rows.is_none() {
            return (program, skipped);
        }
        // No array is taken to be an input twice, nor a block to be a row: this ends.
        written.extend(found);
        of_rows = more_rows.unwrap_or(of_rows);
    }
}

impl<'t> Lower<'t> {
    fn program(&mut self, function: &'t Function, skipped: &mut Vec<Skipped>) -> Lowered<Program> {
        let kernel = self.kernel;
        if let (Some(said), Some(wanted)) = (kernel.block, self.options.settings.block)
            && said != wanted.components()
        {
            let shown = |[x, y, z]: [u32; 3]| format!("{x} x {y} x {z}");
            let (said, wanted) = (shown(said), shown(wanted.components()));
            let construct = format!("{OTHER_BLOCK}{wanted} threads: it says that it has {said}");
            return refuse(function.at, construct);
        }
        for name in &kernel.assumed_numbers {
            let note =
                format!("`{name}`, which nobody declares, is assumed to be a type of numbers");
            self.note(note, None);
        }
        for v in &kernel.assumed_constants {
            let name = &kernel[*v].name;
            self.note(format!("`{name}`, which nobody declares, is assumed to be a constant of type `int` (`-D {name}=…` defines it)"), None);
        }
        self.limit_extents();
        self.globals();
        self.env.enter(FunctionId(0), function.at);
        for v in &kernel.template {
            let ctype = self.ctype(&kernel[*v].ty)?;
            let value = self.parameter_value(&kernel[*v].name, &ctype)?;
            self.env.bind(*v, Binding::Constant(value));
        }
        let first_array = self.arrays.all.len();
        for v in &function.parameters {
            self.kernel_parameter(*v)?;
        }
        self.fields()?;
        let parameter_arrays = first_array..self.arrays.all.len();
        if parameter_arrays.len() > 1 {
            self.note("different pointer parameters are assumed not to overlap", None);
        }
        let (mut conditions, mut stated, mut of_contents) = (Vec::new(), Vec::new(), Vec::new());
        for (number, assumption) in kernel.assumptions.iter().enumerate() {
            let text = assumption.text.as_str();
            match self.assumption(assumption) {
                Ok(assumption) if assumption.over.is_empty() => {
                    conditions.push(assumption.condition);
                    stated.push(text.to_owned());
                }
                Ok(assumption) => of_contents.push((number, text, assumption)),
                Err(Refused { construct, .. }) => {
                    skipped.push(Skipped { number, reason: construct })
                }
            }
        }
        for (condition, text) in self.array_extents() {
            conditions.push(condition);
            stated.push(text);
        }
        conditions.extend(self.launch_bounds());
        // Twice, so that what one assumption says of a bound reaches another.
        for condition in conditions.iter().chain(&conditions) {
            self.refine(condition);
        }
        self.limit_indices();
        self.out.restart();
        self.follow_copies();
        self.follow_events();
        self.statement(&function.body)?;
        if self.arrival.is_some() {
            return refuse(function.at, "an arrival at a barrier without a wait");
        }
        let mut program = self.finish(function, parameter_arrays, conditions, stated)?;
        let inputs = program.inputs();
        for (number, text, assumption) in of_contents {
            let stray = assumption.arrays().into_iter().find(|array| !inputs.contains(*array));
            let reason = stray.map(|array| format!("`{array}` is no read-only input"));
            match reason {
                None => {
                    let place = program.contents_assumed.len();
                    program.sources.stated_of_contents.insert(place, text.to_owned());
                    program.contents_assumed.push(assumption);
                }
                Some(reason) => skipped.push(Skipped { number, reason }),
            }
        }
        Ok(program)
    }

    fn finish(
        &mut self,
        function: &Function,
        parameter_arrays: std::ops::Range<usize>,
        conditions: Vec<Bool>,
        stated: Vec<String>,
    ) -> Lowered<Program> {
        let unknown: BTreeSet<Name> = self.arrays.unknowns().cloned().collect();
        let body = self.out.close();
        self.barrier_is_made(&body)?;
        let body = self.in_flight(body)?;
        if let Some(construct) = self.loaded_and_read(&body) {
            return refuse(function.at, construct);
        }
        let overflow = self.arrays.overflow.clone();
        let payload = match &overflow {
            Some(array) => data(&body).difference(&deciding(&body, array)).cloned().collect(),
            None => BTreeSet::new(),
        };
        let unsaid = payload.intersection(&read_from(&body, &unknown)).cloned().collect();
        let mut idle =
            Idle { unknown, overflow, payload, turns: std::mem::take(&mut self.out.turns) };
        let pruned = once(&prune(&body, &idle));
        idle.payload = unsaid;
        let stopping = once(&prune(&body, &idle));
        let declared = |body: &Stmt| -> Vec<ArrayDecl> {
            let (accessed, written) = (body.arrays(), body.written());
            let arrays = self.arrays.all.iter().enumerate().filter(|(i, array)| {
                let name = &array.decl.name;
                let parameter = parameter_arrays.contains(i) && !self.given.contains(name);
                parameter || accessed.contains(name)
            });
            let declared = |array: &Array| match self.arrays.volatile.contains(&array.decl.name) {
                true if !written.contains(&array.decl.name) => {
                    ArrayDecl { contents: Contents::Opaque, ..array.decl.clone() }
                }
                _ => array.decl.clone(),
            };
            arrays.map(|(_, array)| declared(array)).collect()
        };
        let (body, mut sources) =
            self.out.sites.finish([&body, &stopping, &pruned], declared, |at| self.span(at));
        let arrays = declared(&body);
        let free = body.free_vars();
        let declared = |x: &Name| is_reserved(x) || self.out.params.iter().any(|p| p.name == *x);
        if let Some(stray) = free.iter().find(|x| !declared(x)) {
            return refuse(
                function.at,
                format!("a value (`{stray}`) that is used outside of its block"),
            );
        }
        let accessed = body.arrays();
        for name in self.arrays.initialized.intersection(&accessed).cloned().collect::<Vec<_>>() {
            self.note(format!("the host may set `{name}`: its initializer is not assumed"), None);
        }
        for name in self.arrays.pointed.intersection(&accessed).cloned().collect::<Vec<_>>() {
            let note =
                "points to, as the host sets it, is assumed not to overlap with other arrays";
            self.note(format!("what `{name}` {note}"), None);
        }
        let geometry = self.geometry();
        let mut assumptions = conditions;
        assumptions.extend(self.grid_assumptions());
        let said = self.said_assumptions();
        let first_said = assumptions.len();
        assumptions.extend(said.iter().map(|(condition, _)| condition.clone()));
        // The extents that the geometry fixes need no name in an assumption, but may have one.
        for (d, extent) in geometry.block.iter().enumerate() {
            if let Extent::Known(value) = extent {
                let map = [(Name::new(BLOCK_DIM[d]), lit((*value).into()))].into();
                for condition in &mut assumptions {
                    *condition = condition.subst(&map);
                }
            }
        }
        sources.translated = true;
        let open = self.arrays.open.iter().filter(|array| accessed.contains(*array));
        sources.open = open.cloned().collect();
        sources.shapes = std::mem::take(&mut self.arrays.shapes);
        let in_words = assumptions[first_said..].iter().cloned().zip(said.into_iter().map(|s| s.1));
        sources.stated = assumptions.iter().cloned().zip(stated).chain(in_words).collect();
        assumptions.retain(|c| c.value() != Ok(true));
        // A call that is never reached asks for no lane.
        let mut idle: BTreeSet<Name> = self.lane_parameters().into_iter().collect();
        if self.kernel.assumptions.is_empty() {
            idle.append(&mut self.given);
        }
        let needed = |p: &Param| p.value.is_some() || free.contains(&p.name);
        self.out.params.retain(|p| !idle.contains(&p.name) || needed(p));
        let declarations = Declarations {
            name: Name::new(&function.name),
            params: std::mem::take(&mut self.out.params),
            arrays,
            assumptions,
            sources,
            notes: std::mem::take(&mut self.out.notes),
            ..Declarations::of_geometry(geometry)
        };
        Ok(declarations.around(body))
    }

    /// One parameter of the kernel: an array for a pointer, a parameter for an integer.
    fn kernel_parameter(&mut self, v: Var) -> Lowered<()> {
        let kernel = self.kernel;
        let variable = &kernel[v];
        let (name, at) = (&variable.name, variable.at);
        if self.given_object(v)? {
            return Ok(());
        }
        let (ctype, value) = match self.ctype(&variable.ty)? {
            CType::Pointer(pointee) => {
                let value = self.host_pointer(&pointee, |s| {
                    let array = s.host_array(v, &pointee, at)?;
                    s.shape(array, &pointee, Shape::Array(extents(&pointee)));
                    Ok(array)
                })?;
                (CType::Pointer(pointee), value)
            }
            ctype => {
                let value = self.parameter_value(name, &ctype)?;
                (ctype, value)
            }
        };
        let local = self.env.variable(name, ctype, value);
        self.env.bind(v, Binding::Var(local));
        Ok(())
    }

    /// No array has the extent 0 or less: what holds of parameters of the template that are extents.
    fn array_extents(&self) -> Vec<(Bool, String)> {
        let (kernel, mut extents) = (self.kernel, BTreeSet::new());
        for variable in &kernel.variables {
            let mut ty = &variable.ty;
            while let Type::Array(element, extent) = ty {
                let mut extent = extent.as_deref();
                while let Some(Expr { kind: ExprKind::Convert(inner), .. }) = extent {
                    extent = Some(inner);
                }
                if let Some(Expr { kind: ExprKind::Load(place), .. }) = extent
                    && let PlaceKind::Variable(v) = place.kind
                {
                    extents.insert(v);
                }
                ty = element;
            }
        }
        let of_template = kernel.template.iter().filter(|v| extents.contains(v));
        let conditions = of_template.filter_map(|v| match self.env.lookup(*v) {
            Some(Binding::Constant(Value::Int(t, n @ Num::Var(_)))) => {
                let holds = compare(Relation::Ge, *t, n.clone(), lit(1), &self.ranges);
                Some((holds, format!("{} >= 1", kernel[*v].name)))
            }
            _ => None,
        });
        conditions.collect()
    }

    /// `__launch_bounds__(n)`: a launch with more threads in a block fails.
    fn launch_bounds(&mut self) -> Option<Bool> {
        let limit = self.kernel.most_threads.as_ref()?;
        let value = self.within(Mode { pure: true, ..self.mode }, |s| s.eval(limit));
        let limit = match &value {
            Ok(Value::Int(_, limit @ Num::Lit(_))) => limit.clone(),
            _ => return None,
        };
        let extents = BLOCK_DIM.map(Num::var);
        let threads = extents.into_iter().fold(lit(1), |n, e| natural(ArithOp::Mul, n, e));
        let bound = compare_natural(Relation::Le, threads, limit);
        Some(bound)
    }
}
