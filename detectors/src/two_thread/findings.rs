//! What both algorithms find, with a witness that the solver's model is (SKBG18 §5.2, "Reporting violations").

use super::encode::Encoder;
use super::formula::{Kind, Role, SymbolId};
use super::races::Operation;
use super::terms::Built;
use crate::site;
use babycuda_core::evidence::{
    Choice, Confirmation, Counter, Divergence, DivergenceWitness, Side, Witness,
};
use babycuda_core::history::Cell;
use babycuda_core::launch::{Dim3, Launch as Extents, Thread};
use babycuda_core::{AccessMode, Configuration, Name, Natural, Span};
use babycuda_kernel::{At, Kernel, Launch};
use babycuda_smt::{Model, Term, Value};
use num_traits::ToPrimitive;

/// A race that was found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// The two operations: where they stand, and what they do.
    pub pair: [(At, AccessMode); 2],
    /// The threads and the cell.
    pub witness: Witness,
    /// The size of the query (Table 3).
    pub formulae: usize,
    /// Likewise, its conjuncts.
    pub conjuncts: usize,
}

/// A divergent barrier that was found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diverging {
    /// The barrier.
    pub at: At,
    /// The threads: the first gets there, the second does not.
    pub witness: DivergenceWitness,
    /// The size of the query.
    pub formulae: usize,
    /// Likewise, its conjuncts.
    pub conjuncts: usize,
}

/// A question that the solver did not answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Undecided {
    /// The two statements.
    pub at: [At; 2],
    /// Why.
    pub why: String,
}

/// All that one run finds.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Findings {
    /// Pairs that race, in the order of the text.
    pub races: Vec<Finding>,
    /// Barriers that diverge.
    pub divergences: Vec<Diverging>,
    /// What is not known.
    pub undecided: Vec<Undecided>,
    /// How many formulae the kernel has.
    pub formulae: usize,
    /// How many conjuncts (Table 1).
    pub conjuncts: usize,
}

impl Findings {
    /// Nothing was found, and every question was answered.
    pub fn is_clean(&self) -> bool {
        self.races.is_empty() && self.divergences.is_empty() && self.undecided.is_empty()
    }
}

/// The line and column of a node, in the file that the kernel is of.
pub fn locate(kernel: &Kernel, at: At, text: &str) -> Span {
    let bytes = kernel.origins.get(at.0 as usize).map_or(0..0, |origin| origin.bytes.clone());
    Span::locate(text, bytes)
}

/// Reads a model.
struct Reader<'e, 'a, 'm> {
    encoder: &'e mut Encoder<'a>,
    model: &'m Model,
}

impl Reader<'_, '_, '_> {
    fn value(&self, term: &Term) -> i128 {
        match term.eval(self.model) {
            Ok(Value::Int(n)) => n.to_i128().unwrap_or(0),
            Ok(Value::Bool(b)) => i128::from(b),
            Err(_) => 0,
        }
    }

    fn position(&mut self, thread: usize, which: Launch) -> Built<Dim3> {
        let mut all = [0; 3];
        for (d, place) in all.iter_mut().enumerate() {
            let term = self.encoder.launch_of(thread, which, d)?.term;
            *place = u32::try_from(self.value(&term)).unwrap_or(0);
        }
        Ok(Dim3 { x: all[0], y: all[1], z: all[2] })
    }

    fn launch(&mut self) -> Built<Extents> {
        let given = self.encoder.world.launch();
        let grid = self.position(0, Launch::GridDim)?;
        Ok(Extents { grid, block: self.position(0, Launch::BlockDim)?, ..given })
    }

    fn thread(&mut self, thread: usize, launch: Extents) -> Built<Thread> {
        let block = self.position(thread, Launch::BlockIdx)?;
        let index = self.position(thread, Launch::ThreadIdx)?;
        Ok(Thread { block: launch.grid.linear(block), index: launch.block.linear(index) })
    }

    /// The launch, the first thread's block, and the parameters that the formulae mention.
    fn configuration(&mut self, block: u64) -> Built<Configuration> {
        let given = self.encoder.world.configuration.clone();
        let mut found = Configuration { launch: self.launch()?, block, ..given };
        for (i, symbol) in self.encoder.all.symbols.iter().enumerate() {
            let Role::Parameter(name) = &symbol.role else { continue };
            let value = match self.encoder.symbol(0, SymbolId(i))? {
                super::encode::Value::Int(x) => self.value(&x.term),
                super::encode::Value::Bool(x) => self.value(&x),
                super::encode::Value::Data => continue,
            };
            let bits = match symbol.kind {
                Kind::Int(t) => t.write(value),
                _ => value as u64,
            };
            found.parameters.insert(Name::from(name.as_str()), Natural::from(bits));
        }
        Ok(found)
    }

    fn cell(&self, array: super::formula::ArrayId, index: &Term) -> Cell {
        let index = self.value(index) as u64;
        Cell::new(self.encoder.all.arrays[array.0].name.as_str(), index)
    }

    /// What a thread must have read.
    fn data(&self, thread: usize) -> Vec<Choice> {
        let reads = self.encoder.reads[thread].iter().map(|(at, read)| {
            let value = self.value(&read.value);
            let bits = match read.kind {
                Kind::Int(t) => t.write(value),
                _ => value as u64,
            };
            let cell = self.cell(read.array, &read.index);
            let var = cell.array.clone();
            Choice { site: site(*at), var, value: Natural::from(bits), cell: Some(cell) }
        });
        reads.collect()
    }

    fn counters(&mut self, thread: usize, formula: usize) -> Built<Vec<Counter>> {
        let all = self.encoder.all;
        let mut found = Vec::new();
        for number in &all.formulae[formula].loops {
            let count = all.counts[number.0];
            let super::encode::Value::Int(k) = self.encoder.symbol(thread, count)? else {
                continue;
            };
            let value = Natural::from(self.value(&k.term) as u64);
            let var = Name::from(all.symbols[count.0].name.as_str());
            found.push(Counter { site: site(all.formulae[formula].at), var, value });
        }
        Ok(found)
    }
}

/// A race as the model shows it.
pub(super) fn race(
    encoder: &mut Encoder<'_>,
    model: &Model,
    pair: [&Operation; 2],
    index: &Term,
    (formulae, conjuncts): (usize, usize),
) -> Built<Finding> {
    let mut reader = Reader { encoder, model };
    let launch = reader.launch()?;
    let mut sides = Vec::new();
    for (thread, op) in pair.into_iter().enumerate() {
        sides.push(Side {
            thread: reader.thread(thread, launch)?,
            phase: None,
            site: site(op.at),
            mode: op.mode,
            iteration: reader.counters(thread, op.formula)?,
            data: reader.data(thread),
        });
    }
    let configuration = reader.configuration(sides[0].thread.block)?;
    let cell = reader.cell(pair[0].array, index);
    let [first, second] = [sides[0].clone(), sides[1].clone()];
    let confirmation = Confirmation::Alone;
    let witness = Witness { configuration, cell, first, second, confirmation };
    Ok(Finding { pair: pair.map(|op| (op.at, op.mode)), witness, formulae, conjuncts })
}

/// A divergence as the model shows it: the first thread is at the barrier. Its phase is the number of barriers
/// before it in the text.
pub(super) fn divergence(
    encoder: &mut Encoder<'_>,
    model: &Model,
    barrier: usize,
    first: usize,
    (formulae, conjuncts): (usize, usize),
) -> Built<Diverging> {
    let at = encoder.all.formulae[barrier].at;
    let phase = encoder.all.barriers().take_while(|b| *b < barrier).count();
    let mut reader = Reader { encoder, model };
    let launch = reader.launch()?;
    let [one, other] = [reader.thread(first, launch)?, reader.thread(1 - first, launch)?];
    let configuration = reader.configuration(one.block)?;
    let data = [reader.data(first), reader.data(1 - first)];
    let divergence = Divergence::of_block(phase, (one.index, Some(site(at))), (other.index, None));
    let witness = DivergenceWitness { configuration, divergence, data };
    Ok(Diverging { at, witness, formulae, conjuncts })
}
