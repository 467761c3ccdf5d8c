//! From models to witnesses, and witnesses against the protocol.

mod run;

use super::path::{Path, Step};
use super::world::{common, private};
use crate::relation::of_grid;
use babycuda_core::evidence::{Choice, Confirmation, Counter, Side, Witness};
use babycuda_core::history::HostMemory;
use babycuda_core::name::reserved;
use babycuda_core::syntax::{Contents, Extent, Forall};
use babycuda_core::{
    Cell, Configuration, Declarations, Dim3, Launch, Name, Natural, Num, Protocol, Thread,
};
use babycuda_smt::Model;
use std::collections::{BTreeMap, BTreeSet};

/// A model, read as a launch with two threads.
#[derive(Clone)]
pub(super) struct Scene {
    /// The block of each thread, with launch and parameters.
    pub configurations: [Configuration; 2],
    /// The index of each thread in its block.
    pub threads: [u64; 2],
    /// The contents of inputs that are declared.
    fixed: HostMemory,
    /// Contents that are as assumed.
    contents: HostMemory,
    model: Model,
}

fn natural(model: &Model, name: &str) -> Option<Natural> {
    let value = model.get(name)?.as_int()?;
    value.to_biguint().map(Natural::from)
}

impl Scene {
    /// Reads a model of a query about `declarations`. What the query did not mention is small.
    /// `stable`: the arrays that are never written; `contents`: what the host stored in arrays of
    /// which something is assumed.
    pub(super) fn of(
        model: Model,
        declarations: &Declarations,
        stable: &BTreeSet<Name>,
        contents: &HostMemory,
    ) -> Scene {
        let number = |name: &str| natural(&model, name).and_then(|n| n.to_u64());
        let small = |n: u64| u32::try_from(n).unwrap_or(u32::MAX);
        let dims = |values: [u32; 3]| Dim3 { x: values[0], y: values[1], z: values[2] };
        let block = dims(std::array::from_fn(|d| match declarations.geometry.block[d] {
            Extent::Known(k) => k,
            Extent::Symbolic => number(reserved::BLOCK_DIM[d]).map_or(1, small),
        }));
        let position = |names: [&str; 3], thread: usize| {
            dims(std::array::from_fn(|d| {
                let own = number(&private(names[d], thread));
                own.or_else(|| number(names[d])).map_or(0, small)
            }))
        };
        let blocks = [0, 1].map(|t| position(reserved::BLOCK_IDX, t));
        let grid =
            dims(std::array::from_fn(|d| match declarations.geometry.grid.map(|grid| grid[d]) {
                Some(Extent::Known(k)) => k,
                _ => number(reserved::GRID_DIM[d]).map_or(1, small),
            }));
        let mut fixed = HostMemory::default();
        for (array, contents) in HostMemory::fixed(declarations).arrays() {
            if stable.contains(array) && declarations.may_be_input(array) {
                fixed.insert(array.clone(), contents.clone());
            }
        }
        let launch = Launch { grid, block, warp: declarations.geometry.warp };
        let parameters: BTreeMap<Name, Natural> = declarations
            .params
            .iter()
            .map(|p| {
                let value = p.value.clone().or_else(|| natural(&model, &p.name));
                (p.name.clone(), value.unwrap_or_default())
            })
            .collect();
        let configuration = |thread: usize| Configuration {
            launch,
            block: grid.linear(blocks[thread]),
            parameters: parameters.clone(),
            host: HostMemory::default(),
            stops: declarations.stops.clone(),
        };
        Scene {
            configurations: [configuration(0), configuration(1)],
            threads: [0, 1].map(|t| block.linear(position(reserved::THREAD_IDX, t))),
            fixed,
            contents: contents.clone(),
            model,
        }
    }

    /// What the model says of a local variable of a thread, its own or shared.
    fn declared(&self, var: &Name, thread: usize) -> Option<Natural> {
        natural(&self.model, &private(var, thread)).or_else(|| natural(&self.model, &common(var)))
    }

    /// The value of a local variable of a thread; 0 where no value is needed.
    fn local(&self, var: &Name, thread: usize) -> Natural {
        self.declared(var, thread).unwrap_or_default()
    }

    /// Evaluates a way step by step; `Ok` holds its counters, its data and all local values.
    fn follow(&self, steps: &[Step], thread: usize) -> Result<Followed, String> {
        let mut followed = Followed::default();
        for step in steps {
            match step {
                Step::Guard(c) => {
                    let env = |x: &Name| self.value(x, thread, &followed.locals);
                    if !c.eval(&env).map_err(|e| e.to_string())? {
                        return Err(format!("`{c}` is false for thread {}", self.threads[thread]));
                    }
                }
                Step::Counter { site, var, lower, upper, .. } => {
                    let lower = self.num(lower, thread, &followed.locals)?;
                    let upper = self.num(upper, thread, &followed.locals)?;
                    let declared = self.declared(var, thread);
                    let value = declared.unwrap_or_else(|| lower.clone());
                    if value < lower || value >= upper {
                        return Err(format!("{var} = {value} is not in {lower}..{upper}"));
                    }
                    let counter = Counter { site: *site, var: var.clone(), value: value.clone() };
                    followed.counters.push(counter);
                    followed.locals.insert(var.clone(), value);
                }
                Step::Data { site, var, read, domain, .. } => {
                    let mut value = self.local(var, thread);
                    if let Some(t) = domain
                        && Natural::from(t.pattern(&value)) != value
                    {
                        return Err(format!("{var} = {value} is no {t}"));
                    }
                    let cell = match read {
                        None => None,
                        Some((array, index)) => Some(Cell {
                            array: array.clone(),
                            index: self.num(index, thread, &followed.locals)?,
                        }),
                    };
                    if let Some(known) = cell.as_ref().and_then(|cell| self.fixed.get(cell)) {
                        value = known.clone();
                    }
                    let choice =
                        Choice { site: *site, var: var.clone(), value: value.clone(), cell };
                    followed.data.push(choice);
                    followed.locals.insert(var.clone(), value);
                }
            }
        }
        Ok(followed)
    }

    fn value(&self, x: &Name, thread: usize, locals: &BTreeMap<Name, Natural>) -> Option<Natural> {
        let configuration = &self.configurations[thread];
        locals.get(x).cloned().or_else(|| configuration.value_of(x, self.threads[thread]))
    }

    fn num(
        &self,
        n: &Num,
        thread: usize,
        locals: &BTreeMap<Name, Natural>,
    ) -> Result<Natural, String> {
        n.eval(&|x| self.value(x, thread, locals)).map_err(|e| e.to_string())
    }

    fn thread(&self, thread: usize) -> Thread {
        Thread { block: self.configurations[thread].block, index: self.threads[thread] }
    }

    /// What a model says of two paths to one cell, with what each thread has read: no witness yet.
    ///
    /// # Errors
    /// In words, when the threads do not race there.
    pub(super) fn alarm(
        &self,
        declarations: &Declarations,
        paths: [&Path; 2],
    ) -> Result<(Witness, Vec<Vec<Choice>>), String> {
        self.admitted(declarations)?;
        if self.thread(0) == self.thread(1) {
            return Err("the two threads are one".to_owned());
        }
        let mut sides = Vec::new();
        let mut cells = Vec::new();
        let mut chosen = Vec::new();
        for (t, path) in paths.into_iter().enumerate() {
            let followed = self.follow(&path.steps, t)?;
            let index = self.num(&path.index, t, &followed.locals)?;
            cells.push(Cell { array: path.array.clone(), index });
            let relevant = path.relevant_data();
            let matters = |c: &Choice| {
                let known = c.cell.as_ref().is_some_and(|cell| self.fixed.get(cell).is_some());
                let read = |s: &&Step| matches!(s, Step::Data { var, .. } if *var == c.var);
                !known && relevant.iter().any(read)
            };
            chosen.push(followed.data.clone());
            sides.push(Side {
                thread: self.thread(t),
                phase: None,
                site: path.site,
                mode: path.mode,
                iteration: followed.counters,
                data: followed.data.into_iter().filter(matters).collect(),
            });
        }
        let (Some(second), Some(first)) = (sides.pop(), sides.pop()) else {
            return Err("two threads make a race".to_owned());
        };
        if cells[0] != cells[1] {
            return Err(format!("{} and {} are different cells", cells[0], cells[1]));
        }
        let configuration = self.configurations[0].clone();
        let (cell, confirmation) = (cells.swap_remove(0), Confirmation::Path);
        let witness = Witness { configuration, cell, first, second, confirmation };
        if !witness.first.mode.conflicts(witness.second.mode, witness.same_block()) {
            return Err("the accesses do not conflict".to_owned());
        }
        Ok((witness, chosen))
    }

    /// The witness of a race on two paths, checked against `protocol`.
    ///
    /// # Errors
    /// In words, when the model is no witness.
    pub(super) fn race(
        &self,
        protocol: &Protocol,
        declarations: &Declarations,
        paths: [&Path; 2],
        steps: u64,
    ) -> Result<Witness, String> {
        let (mut witness, chosen) = self.alarm(declarations, paths)?;
        let scene = self.hosted(protocol, declarations, &chosen)?;
        scene.admitted(declarations)?;
        witness.configuration = scene.configurations[0].clone();
        if witness.same_block() || of_grid(protocol).is_none() {
            scene.run(protocol, &mut witness, &chosen, steps)?;
        } else if !declarations.stops.is_empty() {
            // No run of all blocks shows that none is stuck before.
            witness.confirmation = Confirmation::Alone;
        }
        Ok(witness)
    }

    /// The scene with the contents of inputs that were chosen; the other cells that are open hold 0.
    ///
    /// # Errors
    /// In words, when two values were chosen for a cell.
    pub(super) fn hosted(
        &self,
        protocol: &Protocol,
        declarations: &Declarations,
        chosen: &[Vec<Choice>],
    ) -> Result<Scene, String> {
        let mut scene = self.clone();
        let assumed = declarations.contents_assumed.iter().flat_map(Forall::arrays);
        let inputs: BTreeSet<&Name> = protocol.inputs().chain(assumed).collect();
        if inputs.is_empty() {
            return Ok(scene);
        }
        let declared = HostMemory::declared(declarations);
        let mut host = HostMemory::default();
        for (array, contents) in declared.arrays().filter(|(a, _)| inputs.contains(a)) {
            let contents = self.contents.array(array).unwrap_or(contents);
            host.insert(array.clone(), contents.clone());
        }
        let mut values: BTreeMap<&Cell, &Natural> = BTreeMap::new();
        for choice in chosen.iter().flatten() {
            let Some(cell) = choice.cell.as_ref().filter(|c| inputs.contains(&c.array)) else {
                continue;
            };
            if values.insert(cell, &choice.value).is_some_and(|value| *value != choice.value) {
                return Err(format!("two values of {cell}"));
            }
            if *declarations.contents(&cell.array) == Contents::Any {
                host.set(cell.clone(), choice.value.clone());
            }
        }
        scene.configurations =
            scene.configurations.map(|c| Configuration { host: host.clone(), ..c });
        Ok(scene)
    }

    /// Is the configuration one of those declared?
    pub(super) fn admitted(&self, declarations: &Declarations) -> Result<(), String> {
        match self.configurations.iter().find(|c| !declarations.admits(c)) {
            None => Ok(()),
            Some(c) => Err(format!("{c:?} is not among the launches declared")),
        }
    }
}

/// What a thread did on its way.
#[derive(Default)]
struct Followed {
    counters: Vec<Counter>,
    data: Vec<Choice>,
    locals: BTreeMap<Name, Natural>,
}
