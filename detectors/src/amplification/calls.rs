//! Calls of what the device provides: the “specially crafted transfer functions” of LGAGJL12 §4.1.

use super::taint::Flow;
use super::walk::{Object, Value, Walk};
use babycuda_core::Name;
use babycuda_kernel::device::Device;
use babycuda_kernel::{At, Expr};
use std::collections::BTreeSet;

/// What groups say of themselves: the same for every run.
const OF_GROUPS: &str = "\
    this_thread_block this_grid this_thread tiled_partition thread_rank block_rank grid_rank size num_threads \
    num_blocks group_dim group_index thread_index dim_threads dim_blocks block_index meta_group_rank \
    meta_group_size is_valid";

/// What nobody can tell from the arguments: votes, clocks.
const OPEN: &str = "\
    __any_sync __all_sync __any __all __ballot_sync __match_any_sync __ballot __activemask clock clock64";

fn listed(list: &str, name: &str) -> bool {
    list.split_whitespace().any(|word| word == name)
}

impl<'a> Walk<'a> {
    /// A call of a function of the device.
    pub fn device(&mut self, at: At, name: &Name, operands: &'a [Expr]) -> Value {
        let name = name.as_str();
        let Some(device) = Device::of(name) else {
            self.unknown(at, name);
            self.values(operands);
            return self.nothing_known(at, name);
        };
        if device == Device::Hint {
            return Value::default();
        }
        let values: Vec<Value> = operands.iter().map(|operand| self.value(operand)).collect();
        let joined = values.iter().cloned().fold(Value::default(), Value::join);
        match device {
            Device::Barrier => {
                self.barrier(at, joined.taint.filter(|_| !name.starts_with("__syncthreads_")));
                match name.starts_with("__syncthreads_") {
                    true => self.data(at, name, &joined),
                    false => Value::default(),
                }
            }
            Device::Atomic => {
                let unknown = self.data(at, name, &joined);
                self.through(at, values.first(), &unknown);
                unknown
            }
            Device::Load => {
                let pointer = values.into_iter().next().unwrap_or_default();
                let objects = self.pointees(&pointer);
                self.load(at, &objects, pointer.taint)
            }
            Device::Store => {
                let value = values.get(1).cloned().unwrap_or_default();
                self.through(at, values.first(), &value);
                Value::default()
            }
            Device::Swap => {
                let mut both = Value::default();
                for pointer in &values {
                    let objects = self.pointees(pointer);
                    both = both.join(self.load(at, &objects, pointer.taint));
                }
                for pointer in &values {
                    self.through(at, Some(pointer), &both);
                }
                Value::default()
            }
            Device::Generator => {
                let unknown = self.data(at, name, &joined);
                for (operand, value) in operands.iter().zip(&values) {
                    if super::inputs::is_pointer(&operand.ty) {
                        self.through(at, Some(value), &unknown);
                    }
                }
                unknown
            }
            Device::Outputs => {
                let result = Value { taint: joined.taint, points: BTreeSet::new() };
                for (operand, value) in operands.iter().zip(&values) {
                    if super::inputs::is_pointer(&operand.ty) {
                        self.through(at, Some(value), &result);
                    }
                }
                result
            }
            Device::Exchange(_) | Device::Fetch => self.data(at, name, &joined),
            Device::Integer(_) if listed(OPEN, name) => self.data(at, name, &joined),
            Device::Integer(_) | Device::Exact | Device::Data | Device::Value => joined,
            Device::Ignored => Value::default(),
            Device::Hint => Value::default(),
            Device::Trap | Device::Assert => {
                self.barrier(at, joined.taint);
                Value::default()
            }
            Device::Group => self.group(at, name, joined),
            Device::Matrix | Device::Copies | Device::Bytes => {
                self.unknown(at, name);
                self.nothing_known(at, name)
            }
        }
    }

    fn group(&mut self, at: At, name: &str, joined: Value) -> Value {
        let method = name.rsplit("::").next().unwrap_or(name);
        match method {
            "sync" => {
                self.barrier(at, joined.taint);
                Value::default()
            }
            _ if listed(OF_GROUPS, method) => joined,
            _ => {
                // It may exchange values, copy memory, or be a barrier.
                self.unknown(at, name);
                self.data(at, name, &joined)
            }
        }
    }

    /// Data from the arguments or from nowhere, that points where they may.
    fn data(&mut self, at: At, name: &str, joined: &Value) -> Value {
        let flow = Flow::Unknown(name.to_owned());
        let taint = self.taints.step(self.context, at, flow, joined.taint);
        Value { taint: Some(taint), points: joined.points.clone() }
    }

    /// What a pointer points to is read, and written.
    fn through(&mut self, at: At, pointer: Option<&Value>, value: &Value) {
        let pointer = pointer.cloned().unwrap_or_default();
        let objects: BTreeSet<Object> = self.pointees(&pointer);
        self.store(at, &objects, pointer.taint, value);
    }
}
