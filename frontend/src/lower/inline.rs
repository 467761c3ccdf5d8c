//! Calls of functions of the file: their bodies are translated in place.

use super::{At, Lower, Lowered, refuse};
use crate::ctype::CType;
use crate::value::{Binding, Place, Value};
use babycuda_kernel::{FunctionId, Initial, Node, Storage};

/// Calls may not nest deeper than this.
pub(crate) const MAX_CALLS: usize = 40;

/// What a parameter is at first.
enum Argument {
    Value(Value),
    Place(Place),
}

impl<'t> Lower<'t> {
    /// The value of a call of a function.
    pub(super) fn inline(
        &mut self,
        id: FunctionId,
        arguments: &'t [Initial],
        at: At,
    ) -> Lowered<Value> {
        let kernel = self.kernel;
        let function = &kernel[id];
        if self.env.frames.iter().any(|f| f.function == id) {
            return refuse(at, format!("recursion in `{}`", function.name));
        }
        if self.env.frames.len() > MAX_CALLS {
            return refuse(at, format_args!("calls more than {MAX_CALLS} deep"));
        }
        if function.parameters.len() != arguments.len() {
            let name = &function.name;
            return refuse(at, format!("call of `{name}` with this number of arguments"));
        }
        let nodes: Vec<Node<'t>> = arguments.iter().map(Node::from).collect();
        self.in_any_order(&nodes, at)?;
        let mut passed = Vec::new();
        for argument in arguments {
            passed.push(match argument {
                Initial::Value(value) => Argument::Value(self.eval(value)?),
                Initial::Place(place) => Argument::Place(self.place(place)?),
            });
        }
        self.env.enter(id, at);
        let outcome = self.callee(id, passed, at);
        let result = self.env.leave();
        outcome?;
        match result {
            Some(result) if self.place_type(&result) != CType::Void => self.load(&result, at),
            _ => Ok(Value::Void),
        }
    }

    /// Binds parameters and translates the body.
    fn callee(&mut self, id: FunctionId, passed: Vec<Argument>, at: At) -> Lowered<()> {
        let kernel = self.kernel;
        let function = &kernel[id];
        for (v, argument) in function.parameters.iter().zip(passed) {
            let variable = &kernel[*v];
            let binding = match argument {
                Argument::Place(place) => Binding::Reference(place),
                Argument::Value(value) if variable.storage == Storage::Template => {
                    Binding::Constant(value)
                }
                Argument::Value(_) if variable.name.is_empty() => continue,
                Argument::Value(value) => {
                    let ctype = self.ctype(&variable.ty)?;
                    self.local(*v, ctype, value, at)
                }
            };
            self.env.bind(*v, binding);
        }
        let ctype = self.ctype(&function.result)?;
        match self.parts(&ctype) {
            Some(parts) => {
                let object = self.env.object("result", ctype, &parts);
                self.env.returns(self.whole_object(object));
            }
            None => {
                let result = self.env.variable("result", ctype, Value::Undefined);
                self.env.returns(Place::Var(result));
            }
        }
        self.statement(&function.body)
    }
}
