//! A kernel under a launch of it.

use super::relations::Relations;
use super::{LaunchSite, Says};
use crate::lower;
use crate::options::Options;
use crate::{Kernel, Translation};
use babycuda_core::launch::MAX_GRID_DIM;
use babycuda_core::name::reserved;
use babycuda_core::syntax::{Extent, Geometry};
use babycuda_core::{IntType, Name, Program, Settings};
use babycuda_kernel::{
    Assumption, At, Expr, ExprKind, Kernel as Tree, Launch, PlaceKind, Type, Var,
};

/// Types that are different ones.
const WORDS: [&str; 7] = ["bool", "char", "short", "int", "long", "float", "double"];

/// A kernel as one launch runs it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Launched {
    /// The program, for what the launch says.
    pub program: Program,
    /// What it says, in C. Values of the host that are no parameters of the kernel are called `host.NAME`.
    pub conditions: Vec<String>,
    /// Does it say all: are extents and integer parameters constants?
    pub exact: bool,
    /// Two pointers that the launch passes begin with one variable: these parameters.
    pub overlapping: Option<[String; 2]>,
}

impl LaunchSite {
    /// Is it a launch of this kernel, as far as names and arguments of templates say? Of instances that are not told
    /// apart, it is one of each.
    pub fn is_of(&self, kernel: &Kernel) -> bool {
        let (stem, instance) = match kernel.name.split_once('<') {
            Some((stem, rest)) => (stem, rest.strip_suffix('>')),
            None => (kernel.name.as_str(), None),
        };
        if stem.rsplit("::").next().unwrap_or(stem).trim() != self.kernel {
            return false;
        }
        // Commas may be within one argument.
        let plain = instance.filter(|list| !list.contains(['<', '(', '{', '[', '"']));
        let mut both = plain.into_iter().flat_map(|list| list.split(',')).zip(&self.says.written);
        !both.any(|(given, written)| differ(given, written))
    }

    /// Does it say that a dimension has more than the one place that a verdict of these extents is about? What the
    /// settings fix is what is asked about.
    pub fn exceeds(&self, geometry: &Geometry, settings: &Settings) -> bool {
        let more = |e: &Expr| literal(e) != Some(1) && !self.says.leaves_open(e);
        self.where_one_is_meant(geometry, settings).any(|said| said.is_some_and(more))
    }

    /// May it have more than the one place that a verdict of these extents is about, in a dimension of which it says
    /// nothing that is known? Likewise. Also where it is given what is not read, and may be a `dim3`.
    pub fn may_exceed(&self, geometry: &Geometry, settings: &Settings) -> bool {
        let open = |said: Option<&Expr>| said.is_none_or(|e| self.says.leaves_open(e));
        self.says.guessed || self.where_one_is_meant(geometry, settings).any(open)
    }

    /// What it says of the dimensions in which a verdict of these extents is about one place.
    fn where_one_is_meant(
        &self,
        geometry: &Geometry,
        settings: &Settings,
    ) -> impl Iterator<Item = Option<&Expr>> {
        let grid = geometry.grid.unwrap_or([Extent::Known(1); 3]);
        let block = settings.block.is_none().then_some((&self.says.block, geometry.block));
        let grid = settings.grid.is_none().then_some((&self.says.grid, grid));
        let all = block.into_iter().chain(grid).flat_map(|(said, meant)| said.iter().zip(meant));
        all.filter(|(_, meant)| *meant == Extent::Known(1)).map(|(said, _)| said.as_ref())
    }

    /// The kernel of the file `source` under this launch, as it was read with `options`; `None`: the launch passes
    /// another number of arguments, or the kernel cannot be translated under it.
    pub fn under(&self, kernel: &Kernel, source: &str, options: &Options) -> Option<Launched> {
        let Translation::Program(base) = &kernel.translation else { return None };
        let tree = kernel.tree.as_deref().filter(|tree| tree.narrow_barriers.is_empty())?;
        let entry = tree.entry()?;
        if let Some(arguments) = &self.says.arguments
            && arguments.len() > entry.parameters.len()
        {
            return None;
        }
        let mut options = options.clone();
        let options_block = options.settings.block;
        let relations = Relations::new(tree, &self.says);
        let says = &self.says;
        let mut stated: Vec<(Expr, String)> = Vec::new();
        let mut constants: Vec<String> = Vec::new();
        let mut exact = self.unknown.is_none();
        let mut under = tree.clone();
        // Of a dimension that the kernel does not mention, nothing is meant by a `dim3` that may hold anything.
        let own = base.geometry.block;
        let unsaid = |d: usize| {
            let open = says.block[d].as_ref().is_some_and(|e| says.leaves_open(e));
            open && own[d] == Extent::Known(1) && options_block.is_none()
        };
        let asked = base.body.free_vars();
        let grid: [Option<Expr>; 3] = std::array::from_fn(|d| {
            let asked = || asked.contains(&Name::new(reserved::BLOCK_IDX[d]));
            let meant = base.geometry.grid.map_or_else(asked, |grid| grid[d] != Extent::Known(1));
            match &says.grid[d] {
                // No more than one is meant, as of blocks.
                Some(extent) if !meant && says.leaves_open(extent) => {
                    Some(Expr::int(Type::Int(IntType::U32), 1, At(0)))
                }
                extent => extent.clone(),
            }
        });
        exact &= !says.guessed && !says.grid.iter().flatten().any(|e| says.leaves_open(e));
        let block = says.block.each_ref().map(|extent| extent.as_ref().and_then(literal));
        if let [Some(x), Some(y), Some(z)] = block {
            let said = [x, y, z].map(|e| u32::try_from(e).unwrap_or(0));
            if options.settings.block.is_some_and(|b| b.components() != said)
                || tree.block.is_some_and(|b| b != said)
                || said.contains(&0)
            {
                return None;
            }
            under.block = Some(said);
            let said = said.map(|e| e.to_string());
            let shown = if said[1..] == ["1", "1"] { &said[..1] } else { &said[..] };
            constants.push(format!("blocks of {}", shown.join(" x ")));
        } else {
            exact = false;
            for (d, extent) in says.block.iter().enumerate().filter(|(d, _)| !unsaid(*d)) {
                stated.push(relations.extent(Launch::BlockDim, d, extent.as_ref()));
            }
        }
        for (d, extent) in grid.iter().enumerate() {
            exact &= extent.as_ref().and_then(literal).is_some();
            stated.push(relations.extent(Launch::GridDim, d, extent.as_ref()));
        }
        let arguments = says.arguments.iter().flatten();
        for (v, argument) in entry.parameters.iter().zip(arguments.map(Option::as_ref)) {
            relations.parameter(
                *v,
                argument,
                &mut options,
                &mut stated,
                &mut constants,
                &mut exact,
            );
        }
        exact &= says.arguments.is_some();
        for (name, value) in &says.template {
            if let Some(v) = tree.template.iter().find(|v| tree[**v].name == *name) {
                let value = Some(value);
                relations.parameter(
                    *v,
                    value,
                    &mut options,
                    &mut stated,
                    &mut constants,
                    &mut exact,
                );
            }
        }
        for condition in &says.conditions {
            stated.push((relations.own(condition), relations.said(condition)));
        }
        stated.extend(relations.facts().into_iter().map(|fact| (fact, String::new())));
        relations.declare(&mut under, stated.iter().map(|(condition, _)| condition));
        for (condition, text) in &stated {
            let condition = condition.clone().converted(&Type::Bool, At(0));
            let text = match text.is_empty() {
                true => format!("a launch as at {}", self.span),
                false => text.clone(),
            };
            under.assumptions.push(Assumption { text, over: Vec::new(), condition });
        }
        let (program, skipped) = lower::kernel::kernel(&under, source, &options);
        let mut conditions = constants;
        for (i, (_, text)) in stated.into_iter().enumerate() {
            // What cannot be assumed is not said.
            let number = tree.assumptions.len() + i;
            if !text.is_empty() && !skipped.iter().any(|s| s.number == number) {
                conditions.push(text);
            }
        }
        let mut program = program.ok()?;
        if options.settings.grid.is_none() {
            program.geometry.grid = Some(blocks(&grid)?);
        }
        program.name = base.name.clone();
        program.sources.parser.clone_from(&base.sources.parser);
        for note in &base.notes {
            if !program.notes.contains(note) {
                program.notes.push(note.clone());
            }
        }
        let overlapping = self.overlapping(tree, &program);
        Some(Launched { program, conditions, exact, overlapping })
    }

    /// Does it pass one pointer twice, where the kernel writes through one of the two?
    pub fn repeats(&self, kernel: &Kernel) -> bool {
        let (Translation::Program(program), Some(tree)) = (&kernel.translation, &kernel.tree)
        else {
            return false;
        };
        self.overlap(tree, program, true).is_some()
    }

    /// Two pointers that begin with one variable, one of which the kernel writes to.
    fn overlapping(&self, tree: &Tree, program: &Program) -> Option<[String; 2]> {
        self.overlap(tree, program, false)
    }

    /// The same; `whole`: both are nothing but that variable.
    fn overlap(&self, tree: &Tree, program: &Program, whole: bool) -> Option<[String; 2]> {
        let parameters = &tree.entry()?.parameters;
        let names = if whole { &self.says.names } else { &self.says.origins };
        let pointers: Vec<(&str, &str)> = parameters
            .iter()
            .zip(names.iter().zip(&self.says.plain))
            .filter(|(v, (_, plain))| {
                // What a structure points to is passed with it.
                matches!(tree[**v].ty, Type::Pointer(_) | Type::Record(_)) && (**plain || !whole)
            })
            .filter_map(|(v, (name, _))| Some((tree[*v].name.as_str(), name.as_deref()?)))
            .collect();
        let written = program.body.written();
        let is_of = |array: &str, name: &str| {
            array.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        let writes = |name: &str| written.iter().any(|array| is_of(array.stem(), name));
        for (i, (first, a)) in pointers.iter().enumerate() {
            for (second, b) in &pointers[i + 1..] {
                if a == b && (writes(first) || writes(second)) {
                    return Some([(*first).to_owned(), (*second).to_owned()]);
                }
            }
        }
        None
    }
}

impl Says {
    /// Is it an extent of a `dim3` of the host of which nothing is known?
    fn leaves_open(&self, extent: &Expr) -> bool {
        let ExprKind::Load(place) = &extent.kind else { return false };
        let PlaceKind::Variable(Var(symbol)) = &place.kind else { return false };
        self.symbols.get(*symbol as usize).is_some_and(|(name, _)| name.contains('.'))
    }
}

/// Are two arguments of a template different for certain, however they are written?
fn differ(given: &str, written: &str) -> bool {
    // Small ones, in decimal: others may be written as another one.
    let number = |text: &str| {
        let digits = text.trim().trim_end_matches(['u', 'U', 'l', 'L']);
        let octal = digits.len() > 1 && digits.starts_with('0');
        digits.parse::<u8>().ok().filter(|n| *n < 128 && !octal)
    };
    // Of other types it may be that one is a name of the other.
    let word = |text: &str| WORDS.iter().position(|word| *word == text.trim());
    let apart = |one: Option<usize>, other: Option<usize>| {
        one.zip(other).is_some_and(|(one, other)| one != other)
    };
    apart(number(given).map(usize::from), number(written).map(usize::from))
        || apart(word(given), word(written))
}

/// What a constant is.
pub(super) fn literal(expr: &Expr) -> Option<u64> {
    match expr.kind {
        ExprKind::Int(bits) => Some(bits),
        _ => None,
    }
}

/// The grid of a launch: its blocks race with each other, too. Where nothing is known of an extent, any number of blocks
/// is meant. `None`: no device has such a grid.
fn blocks(said: &[Option<Expr>; 3]) -> Option<[Extent; 3]> {
    let mut grid = [Extent::Symbolic; 3];
    for (d, extent) in said.iter().enumerate() {
        if let Some(k) = extent.as_ref().and_then(literal) {
            let k = u32::try_from(k).ok().filter(|k| (1..=MAX_GRID_DIM[d]).contains(k))?;
            grid[d] = Extent::Known(k);
        }
    }
    Some(grid)
}
