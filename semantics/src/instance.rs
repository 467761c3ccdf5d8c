//! A program with everything that a run needs.

use crate::attempt::Attempt;
use crate::block::Block;
use crate::blocks::{self, Evaluation};
use crate::options::{Policy, RunOptions};
use crate::outcome::Outcome;
use babycuda_core::expr::Renaming;
use babycuda_core::history::{HostArray, HostMemory};
use babycuda_core::syntax::ArrayDecl;
use babycuda_core::{
    Cell, Configuration, History, Launch, Name, Natural, Num, Program, Stmt, Together,
};
use std::borrow::Cow;
use std::sync::Arc;

/// A program, and where it runs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Instance {
    /// The program.
    pub program: Arc<Program>,
    /// The launch, the block that runs, the parameters, and all that the host stored. A parameter
    /// without a value is unbound.
    pub configuration: Configuration,
}

impl Instance {
    /// Block 0 of the launch, with the parameters that the program fixes and the memory that it
    /// declares.
    pub fn new(program: impl Into<Arc<Program>>, launch: Launch) -> Instance {
        let program = program.into();
        let parameters = program.fixed().collect();
        let configuration = Configuration { parameters, ..Configuration::of_launch(launch) };
        Instance::of(program, configuration)
    }

    /// The program there, with the memory that it declares, whatever the configuration says of that.
    pub fn of(program: impl Into<Arc<Program>>, configuration: Configuration) -> Instance {
        let program = program.into();
        let host = HostMemory::declared(&program);
        Instance { program, configuration: Configuration { host, ..configuration } }
    }

    /// What the host stored.
    pub fn host(&self) -> &HostMemory {
        &self.configuration.host
    }

    /// The block that runs.
    pub fn block(&self) -> Block {
        Block { launch: self.configuration.launch, index: self.configuration.block }
    }

    /// The instance with another value of a parameter.
    #[must_use]
    pub fn with_parameter(mut self, name: impl Into<Name>, value: impl Into<Natural>) -> Instance {
        self.configuration = self.configuration.with(name, value);
        self
    }

    /// The instance with other host memory.
    #[must_use]
    pub fn with_host(mut self, host: HostMemory) -> Instance {
        self.configuration.host = host;
        self
    }

    /// The instance of another block.
    #[must_use]
    pub fn with_block(mut self, index: u64) -> Instance {
        self.configuration.block = index;
        self
    }

    /// The instance with `value` in every cell that the host left undefined: no run of it is stuck
    /// on ⊥ (T3). Where accesses are independent of data (T5), it accesses what the original does.
    #[must_use]
    pub fn defined_everywhere(self, value: &Natural) -> Instance {
        let mut host = self.host().clone();
        let declared = self.program.arrays.iter().map(|array| array.name.clone());
        for name in declared.chain(self.program.body.arrays()) {
            let known = self.host().arrays().find(|(n, _)| **n == name);
            let mut array = known.map(|(_, array)| array.clone()).unwrap_or_default();
            array.fill.get_or_insert_with(|| value.clone());
            host.insert(name, array);
        }
        self.with_host(host)
    }

    /// The instance with the contents that its program leaves open (`any` and `opaque`) chosen by
    /// `policy` ([`Policy::any_number`]). [`Policy::Seed`] draws a number for each cell, up to
    /// 65,536 of them (1,024 where the array declares no length); all other cells hold one and the
    /// same.
    #[must_use]
    pub fn with_contents_chosen(self, policy: Policy) -> Instance {
        let mut host = self.host().clone();
        for array in self.program.open_arrays() {
            host.insert(array.name.clone(), chosen_contents(array, policy));
        }
        self.with_host(host)
    }

    /// The body with the parameters replaced by their values.
    pub fn body(&self) -> Stmt {
        let values =
            self.configuration.parameters.iter().map(|(x, k)| (x.clone(), Num::Lit(k.clone())));
        self.program.body.subst(&values.collect::<Renaming>())
    }

    /// `[∅]` over the host's memory: where the run starts.
    pub fn start(&self) -> History {
        History::start(self.host().clone())
    }

    /// The blocks of the launch, where they run together.
    pub fn blocks(&self) -> Option<Together<'_>> {
        Together::of(&self.program, &self.program.body, self.configuration.launch)
    }

    /// The instance of one block that a grid is whose blocks run together; else the instance.
    pub fn together(&self) -> Cow<'_, Instance> {
        let all = self.blocks().map(|blocks| self.in_one(blocks));
        all.map_or(Cow::Borrowed(self), Cow::Owned)
    }

    /// The instance of the one block that `blocks`, which are its own, are.
    pub fn in_one(&self, blocks: Together<'_>) -> Instance {
        let configuration = blocks.configuration(&self.configuration);
        let instance = Instance::of(blocks.program(&self.program), configuration);
        instance.with_host(blocks.host(self.host()))
    }

    /// Runs the block by the reference semantics; all blocks, where they run [`Together`].
    pub fn evaluate(&self, options: &RunOptions) -> Evaluation {
        let instance = self.together();
        blocks::run(&instance.start(), &instance.body(), instance.block(), options)
    }

    /// How far the run comes, and why no further; `None` where it has a derivation.
    pub fn attempt(&self, options: &RunOptions) -> Option<Attempt> {
        let instance = self.together();
        blocks::attempt(&instance.start(), &instance.body(), instance.block(), options)
    }

    /// What the run of the block comes to, by the reference semantics; or that of all blocks.
    pub fn run(&self, options: &RunOptions) -> Outcome {
        let instance = self.together();
        blocks::outcome(&instance.start(), &instance.body(), instance.block(), options)
    }
}

/// The contents of one array, chosen likewise ([`Instance::with_contents_chosen`]).
pub fn chosen_contents(array: &ArrayDecl, policy: Policy) -> HostArray {
    /// Cells of an array that declares no length, and of the longest, which are drawn one by one.
    const CELLS: (u64, u64) = (1 << 10, 1 << 16);
    let value = |index: Natural| policy.any_number(&Cell::new(array.name.clone(), index));
    let declared = array.length.as_ref().map(|n| n.to_u64().unwrap_or(u64::MAX));
    let length = match policy {
        Policy::Seed(_) => declared.unwrap_or(CELLS.0).min(CELLS.1),
        _ => 0,
    };
    HostArray {
        fill: Some(value(length.into())),
        cells: (0..length).map(|i| (i.into(), value(i.into()))).collect(),
    }
}
