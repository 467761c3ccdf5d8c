//! What OpenCL C asks of launches, and CUDA does not.

use super::{Lower, Lowered, refuse};
use crate::arith::{compare_natural, lit, machine, or};
use crate::ctype::CType;
use crate::value::Value;
use babycuda_core::expr::Relation;
use babycuda_core::name::reserved::{BLOCK_DIM, GRID_DIM};
use babycuda_core::syntax::Extent;
use babycuda_core::{Bool, IntType, MachineOp, Name, Num};
use babycuda_kernel::Launch;

impl Lower<'_> {
    /// What a function of OpenCL C says of the launch; `None`: it is no such function.
    pub(super) fn of_launch(&mut self, name: &str) -> Lowered<Option<Value>> {
        let size = |num| Value::Int(IntType::U64, num);
        Ok(Some(match name {
            "opencl::get_local_linear_id" => size(self.linear()),
            "opencl::get_global_linear_id" => size(self.linear_of_launch()),
            "opencl::get_work_dim" => Value::Int(IntType::U32, self.work_dim()?),
            _ => match self.of_sub_group(name) {
                Some(number) => Value::Int(IntType::U32, number),
                None => return Ok(None),
            },
        }))
    }

    /// What a sub-group says of itself. OpenCL C leaves open which work-items are one: those of a warp are taken.
    fn of_sub_group(&mut self, name: &str) -> Option<Num> {
        let t = IntType::U32;
        let warp = lit(self.warp().into());
        let with = |op, l: Num, r: &Num| machine(op, t, l, r.clone());
        let number = match name {
            "opencl::get_sub_group_id" => with(MachineOp::Div, self.linear(), &warp),
            "opencl::get_sub_group_local_id" => with(MachineOp::Rem, self.linear(), &warp),
            "opencl::get_max_sub_group_size" => warp,
            "opencl::get_num_sub_groups" | "opencl::get_enqueued_num_sub_groups" => {
                let last = lit(u64::from(self.warp()) - 1);
                with(MachineOp::Div, with(MachineOp::Add, self.threads_of_block(), &last), &warp)
            }
            // The last one may have fewer.
            "opencl::get_sub_group_size" => {
                let first = with(MachineOp::Div, self.linear(), &warp);
                let before = with(MachineOp::Mul, first, &warp);
                with(MachineOp::Min, with(MachineOp::Sub, self.threads_of_block(), &before), &warp)
            }
            _ => return None,
        };
        self.sub_groups_are_warps();
        Some(number)
    }

    /// Notes what is taken for a sub-group.
    pub(super) fn sub_groups_are_warps(&mut self) {
        let note =
            format!("sub-groups are assumed to be {} work-items, in linear order", self.warp());
        self.note(note, None);
    }

    /// The thread's place in the launch, in linear order: along the rows of the launch, not block by block. It has no
    /// rows in dimensions that the kernel never mentions.
    fn linear_of_launch(&mut self) -> Num {
        let mut rows = [true, false, false];
        self.places_mentioned().for_each(|(_, d)| rows[d] = true);
        for known in [self.block(), self.grid()].into_iter().flatten() {
            (0..3).filter(|d| known[*d] != 1).for_each(|d| rows[d] = true);
        }
        let t = IntType::U64;
        let mut place = lit(0);
        for d in (0..3).rev().filter(|d| rows[*d]) {
            let [thread, block, threads, blocks] =
                [Launch::ThreadIdx, Launch::BlockIdx, Launch::BlockDim, Launch::GridDim]
                    .map(|launch| self.index_of(launch, d));
            let row = machine(MachineOp::Mul, t, blocks, threads.clone());
            let before = machine(MachineOp::Mul, t, block, threads);
            let own = machine(MachineOp::Add, t, before, thread);
            place = machine(MachineOp::Add, t, machine(MachineOp::Mul, t, place, row), own);
        }
        place
    }

    /// The number of dimensions that the host says of the launch: a parameter.
    fn work_dim(&mut self) -> Lowered<Num> {
        if let Some(known) = &self.launches.work_dim {
            return Ok(known.clone());
        }
        let t = IntType::U32;
        let number = self.own_parameter("work_dim")?;
        if let Num::Var(name) = &number {
            self.ranges.set(name.clone(), t, (1, 3));
        }
        self.launches.work_dim = Some(number.clone());
        Ok(number)
    }

    /// A parameter, an `unsigned int`, for what the text has no name for.
    pub(super) fn own_parameter(&mut self, name: &str) -> Lowered<Num> {
        let given = self.options.settings.params.contains_key(&Name::new(name));
        if given && self.kernel.variables.iter().any(|v| v.name == name) {
            let of_both = format!("a value of `{name}`, which is the name of two parameters");
            return refuse(babycuda_kernel::At(0), of_both);
        }
        match self.parameter_value(name, &CType::Int(IntType::U32))? {
            Value::Int(_, number) => Ok(number),
            _ => refuse(babycuda_kernel::At(0), "a parameter that is no number"),
        }
    }

    /// What is assumed of launches for [`Lower::work_dim`], also in words: 1, 2 or 3, and no further dimension has an
    /// extent but 1.
    pub(super) fn dimension_assumptions(&self) -> Vec<(Bool, String)> {
        let Some(number) = &self.launches.work_dim else { return Vec::new() };
        let words = "get_work_dim() counts all dimensions of the launch";
        let is = |relation, l: &Num, r: u64| compare_natural(relation, l.clone(), lit(r));
        let mut said = vec![is(Relation::Ge, number, 1), is(Relation::Le, number, 3)];
        let geometry = self.geometry();
        let grid = geometry.grid.unwrap_or(self.launches.grid_mentioned.map(|any| match any {
            true => Extent::Symbolic,
            false => Extent::Known(1),
        }));
        for (extents, names) in [(geometry.block, BLOCK_DIM), (grid, GRID_DIM)] {
            for (d, (extent, name)) in extents.into_iter().zip(names).enumerate().skip(1) {
                let extent = match extent {
                    Extent::Known(extent) => lit(extent.into()),
                    Extent::Symbolic => Num::Var(Name::new(name)),
                };
                let counted = is(Relation::Gt, number, d as u64);
                said.push(or(counted, is(Relation::Eq, &extent, 1)));
            }
        }
        said.into_iter().map(|holds| (holds, words.to_owned())).collect()
    }
}
