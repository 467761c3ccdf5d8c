//! Functions: each once for each way in which it is called.

use super::{Bound, Lowered, Translator};
use crate::document::{Node, TypeText};
use crate::index::Index;
use babycuda_kernel::{
    Expr, ExprKind, Function, FunctionId, Initial, Place, PlaceKind, Stmt, StmtKind, Storage, Type,
    Var,
};

/// Calls nest at most so deep.
const MAX_CALLS: usize = 200;

/// What makes two calls of a function calls of the same one.
#[derive(Clone, PartialEq)]
pub(super) struct Instance<'a> {
    definition: &'a str,
    /// The class of its object, and is that a place?
    object: Option<(Type, bool)>,
    /// Which of its parameters are bound to places.
    places: Vec<bool>,
}

/// What a function returns.
#[derive(Clone, Debug)]
pub(super) enum Returns {
    /// A value of this type.
    Value(Type),
    /// A reference to an object of this type: a pointer to it.
    Reference(Type),
    /// The object that it constructs.
    Object(Var, Type),
}

impl Returns {
    fn ty(&self) -> Type {
        match self {
            Returns::Value(ty) | Returns::Object(_, ty) => ty.clone(),
            Returns::Reference(ty) => ty.clone().pointer(),
        }
    }
}

impl<'a> Translator<'a> {
    /// The kernel's own function.
    pub(super) fn entry(&mut self, node: &'a Node) -> Lowered<()> {
        self.touch(node)?;
        let instance = Instance { definition: &node.id, object: None, places: Vec::new() };
        self.function_of(node, instance).map(|_| ())
    }

    /// A function with its body, for a call that passes these; `object`: of a method.
    pub(super) fn function(
        &mut self,
        definition: &'a Node,
        object: Option<&Initial>,
        arguments: &[Initial],
        node: &Node,
    ) -> Lowered<FunctionId> {
        let place = |initial: &Initial| matches!(initial, Initial::Place(_));
        let instance = Instance {
            definition: &definition.id,
            object: object.map(|object| match object {
                Initial::Place(of) => (of.ty.clone(), true),
                Initial::Value(of) => (of.ty.clone(), false),
            }),
            places: arguments.iter().map(place).collect(),
        };
        if let Some((_, id)) = self.instances.iter().find(|(known, _)| *known == instance) {
            return Ok(*id);
        }
        let name = &definition.name;
        if self.active.contains(&&*definition.id) {
            return self.refuse(node, format!("recursion in `{name}`"));
        }
        if self.active.len() > MAX_CALLS {
            return self.refuse(node, format!("calls more than {MAX_CALLS} deep"));
        }
        self.touch(definition)?;
        self.function_of(definition, instance)
    }

    fn function_of(&mut self, node: &'a Node, instance: Instance<'a>) -> Lowered<FunctionId> {
        let id = FunctionId(self.kernel.functions.len() as u32);
        let at = self.at(node);
        let name = match self.index.class_of(node).filter(|class| !class.name.is_empty()) {
            Some(class) => self.unique(&format!("{}::{}", class.name, node.name)),
            None => self.unique(&node.name),
        };
        self.kernel.functions.push(Function {
            name,
            parameters: Vec::new(),
            result: Type::Void,
            body: Stmt { kind: StmtKind::Block(Vec::new()), at },
            at,
        });
        let around = (
            std::mem::take(&mut self.variables),
            (self.this.take(), self.outer.take()),
            std::mem::replace(&mut self.returns, Returns::Value(Type::Void)),
            self.function.replace(node),
        );
        self.active.push(&node.id);
        let done = self.nested(node, |s| s.define(id, node, &instance));
        self.active.pop();
        (self.variables, (self.this, self.outer), self.returns, self.function) = around;
        if done.is_err() {
            let unknown = "function that is not translated".to_owned();
            self.kernel.functions[id.0 as usize].body.kind = StmtKind::Unsupported(unknown);
        }
        done?;
        self.instances.push((instance, id));
        Ok(id)
    }

    fn define(&mut self, id: FunctionId, node: &'a Node, instance: &Instance<'a>) -> Lowered<()> {
        let mut parameters = Vec::new();
        let mut first = Vec::new();
        if let Some((ty, place)) = &instance.object {
            let storage = if *place { Storage::Reference } else { Storage::Local };
            let v = self.variable(node, ty.clone(), storage);
            self.kernel.variables[v.0 as usize].name = "self".into();
            self.this = Some(v);
            parameters.push(v);
            self.captures(node);
        }
        for (number, parameter) in node.parameters().enumerate() {
            let written = self.written(&parameter.ty, parameter)?;
            let bound = instance.places.get(number).copied().unwrap_or(false);
            if written.reference && instance.places.is_empty() && instance.object.is_none() {
                return self.refuse(parameter, "reference parameter of a kernel");
            }
            let pointee = parameter.ty.written().split('*').next().unwrap_or_default();
            let local = self.opencl && pointee.split_whitespace().any(|word| word == "__local");
            let storage = match bound {
                true => Storage::Reference,
                // What a kernel is given in its block's memory is its own.
                false if local && self.active.len() == 1 => Storage::Shared,
                false => Storage::Local,
            };
            let v = self.variable(parameter, written.ty.decayed_unless(bound), storage);
            let variable = &mut self.kernel.variables[v.0 as usize];
            (variable.constant, variable.volatile) = (written.constant, written.volatile);
            self.variables.insert(&parameter.id, Bound::Variable(v));
            parameters.push(v);
        }
        if &*node.kind == "CXXConstructorDecl" {
            first = self.construction(node)?;
        } else {
            self.returns = self.result(&node.ty, node)?;
        }
        let Some(body) = node.body() else {
            return self.refuse(node, format!("call of `{}`, which is not defined", node.name));
        };
        let mut body = self.body(body);
        if let Returns::Object(v, ty) = &self.returns {
            let (v, ty, at) = (*v, ty.clone(), body.at);
            let value = Place::variable(v, ty, at).value();
            first.push(body);
            first.push(Stmt { kind: StmtKind::Return(Some(value)), at });
            body = Stmt { kind: StmtKind::Block(first), at };
        }
        let result = self.returns.ty();
        let function = &mut self.kernel.functions[id.0 as usize];
        (function.parameters, function.result, function.body) = (parameters, result, body);
        Ok(())
    }

    /// What a function of this type returns.
    pub(super) fn result(&mut self, ty: &TypeText, node: &Node) -> Lowered<Returns> {
        let text = ty.text();
        let result = match text.split_once(" -> ") {
            Some((_, result)) => result,
            None => {
                let mut depth = 0i32;
                let open = text.char_indices().find(|(_, c)| {
                    depth += match c {
                        '<' => 1,
                        '>' => -1,
                        _ => 0,
                    };
                    *c == '(' && depth == 0
                });
                let open = match open {
                    // A closure's type begins with a parenthesis.
                    Some((0, _)) | None => return self.refuse(node, format!("type `{text}`")),
                    Some((open, _)) => open,
                };
                &text[..open]
            }
        };
        let written = self.type_text(result, node)?;
        Ok(match written.reference {
            true => Returns::Reference(written.ty),
            false => Returns::Value(written.ty),
        })
    }

    /// `return`, with what belongs to it.
    pub(super) fn returned(&mut self, value: Option<&'a Node>) -> Lowered<Option<Expr>> {
        match (self.returns.clone(), value) {
            (Returns::Object(v, ty), None) => {
                let at = self.kernel[v].at;
                Ok(Some(Place::variable(v, ty, at).value()))
            }
            (Returns::Reference(_), Some(value)) => {
                let place = self.place(value)?;
                if let PlaceKind::Variable(v) = place.kind
                    && self.kernel[v].storage == Storage::Local
                {
                    return self.refuse(value, "reference to a variable of the function");
                }
                Ok(Some(self.address(place, value)))
            }
            (Returns::Value(ty), Some(value)) => {
                let at = self.at(value);
                Ok(Some(self.expr(value)?.converted(&ty, at)))
            }
            (_, None) => Ok(None),
            (Returns::Object(..), Some(value)) => self.refuse(value, "value of a constructor"),
        }
    }

    /// Binds what a closure has captured to its fields.
    fn captures(&mut self, method: &'a Node) {
        let Some(class) = self.index.class_of(method) else { return };
        let Some(lambda) = self.index.lambda(class) else { return };
        let this = |value: &Node| value.kind.starts_with("CXXThis");
        self.outer = Index::captures(lambda).position(|value| this(super::bare(value)));
        let values: Vec<&'a Node> = Index::captures(lambda).collect();
        for (number, (id, reference)) in Index::captured(lambda).into_iter().enumerate() {
            match self.named_capture(lambda, values[number]) {
                Some(name) => {
                    let mut ids = Vec::new();
                    self.undeclared(method, name, &mut ids);
                    let bound = |id| (id, Bound::Captured(number, reference));
                    self.variables.extend(ids.into_iter().map(bound));
                }
                None => {
                    self.variables.insert(id, Bound::Captured(number, reference));
                }
            }
        }
    }

    /// The ids of variables of the name that are mentioned in a function, and declared nowhere.
    fn undeclared(&self, node: &'a Node, name: &str, ids: &mut Vec<&'a str>) {
        if let Some(declared) = &node.referenced_decl
            && &*declared.name == name
            && self.index.get(&declared.id).is_none()
        {
            ids.push(&declared.id);
        }
        for child in node.array_filler.iter().chain(&node.inner) {
            babycuda_core::deep::grow(|| self.undeclared(child, name, ids));
        }
    }

    /// The call of a function of the file, as a value, or as the place that it returns a reference to.
    pub(super) fn call_of(
        &mut self,
        definition: &'a Node,
        object: Option<Initial>,
        arguments: Vec<Initial>,
        node: &Node,
    ) -> Lowered<Expr> {
        let function = self.function(definition, object.as_ref(), &arguments, node)?;
        let arguments = object.into_iter().chain(arguments).collect();
        let ty = self.kernel[function].result.clone();
        let kind = ExprKind::Call { function, arguments, assumed: None };
        Ok(self.expression(node, kind, ty))
    }
}

trait Decayed {
    fn decayed_unless(self, keep: bool) -> Type;
}

impl Decayed for Type {
    fn decayed_unless(self, keep: bool) -> Type {
        if keep { self } else { self.decayed() }
    }
}
