//! What statements before a launch do: the variables that they declare, and those that they assign for the first time.

use super::evaluate::int;
use super::under::literal;
use super::walk::{Value, Walk, is_dim3};
use crate::unit::{Unit, children, field, part, without_parentheses};
use babycuda_core::IntType;
use babycuda_kernel::{At, Type, Var};
use tree_sitter::Node;

impl<'t> Walk<'_, 't> {
    /// Runs a statement before the launch.
    pub(super) fn step(&mut self, statement: Node<'t>) {
        let effects = self.effects(statement);
        match statement.kind() {
            "declaration" => {
                effects.changed.iter().for_each(|v| drop(self.values.remove(v)));
                for declarator in field(statement, "declarator") {
                    self.declaration(statement, declarator);
                }
                self.havoc(&effects);
            }
            "expression_statement" => {
                let assigned = children(statement).first().and_then(|e| self.assigned(*e));
                self.havoc(&effects);
                if let Some((v, value)) = assigned {
                    self.values.insert(v, value);
                }
            }
            // What it does before it leaves is done on another way.
            "if_statement" if leaves(self.unit, statement) => {
                if let Some(condition) = part(statement, "condition") {
                    self.guarded(condition, false);
                }
            }
            _ => self.havoc(&effects),
        }
    }

    fn declaration(&mut self, declaration: Node<'t>, declarator: Node<'t>) {
        let base = self.host.base(declaration);
        let has = |q: &str| crate::unit::has_qualifier(declaration, self.unit.text, q);
        // What lasts from call to call has the value that the first call gave to it.
        let lasts = has("static") || has("thread_local");
        let fixed = lasts && !has("const") || has("volatile");
        if base.as_ref().is_some_and(is_dim3) && !fixed {
            let declared = self.extents_declared(declaration, declarator);
            if let Some(v) = declared.filter(|_| lasts)
                && let Some(Value::Dim3(extents, _)) = self.values.get(&v)
                && !extents.iter().all(|e| e.as_ref().and_then(literal).is_some())
            {
                self.forget(v);
            }
            return;
        }
        let value = part(declarator, "value");
        // Its initializer is one of the scope outside.
        let found = value.filter(|_| !fixed).and_then(|value| {
            let braces = matches!(value.kind(), "argument_list" | "initializer_list");
            match (braces, &children(value)[..]) {
                (true, [only]) => self.value(*only),
                (true, _) => None,
                (false, _) => self.value(value),
            }
        });
        let found = found.filter(|found| !lasts || literal(found).is_some());
        let Some(declared) = self.host.declared(declaration, declarator) else { return };
        let ty = match (declared.ty, &found) {
            (Some(ty), _) => ty,
            (None, Some(found)) if self.text_is_auto(declaration) => found.ty.clone(),
            (None, _) => Type::Opaque("object".into()),
        };
        let v = self.host.declare(declared.name, ty.clone());
        match (ty, found) {
            (ty @ Type::Int(_), Some(found)) if !declared.reference => {
                let found = found.converted(&ty, At(0));
                self.values.insert(v, Value::Int(found));
            }
            (Type::Int(_), None) if value.is_none() && !fixed && !declared.reference => {
                self.values.remove(&v);
                self.unset.insert(v);
            }
            _ => self.forget(v),
        }
        if fixed || declared.reference {
            self.escaped.insert(v);
        }
    }

    fn text_is_auto(&self, declaration: Node<'t>) -> bool {
        part(declaration, "type").is_some_and(|t| self.text(t) == "auto")
    }

    /// `dim3 grid(x, y), block = dim3(16), other;`
    fn extents_declared(&mut self, declaration: Node<'t>, declarator: Node<'t>) -> Option<Var> {
        let one = || Some(int(IntType::U32, 1));
        // What is left out of another type, as `uint3`, is no 1.
        let whole = part(declarator, "value").is_some_and(|v| v.kind() == "call_expression");
        if part(declaration, "type").is_some_and(|t| self.text(t) != "dim3") && !whole {
            return self.unknown(declaration, declarator);
        }
        let (name, extents, given) = match declarator.kind() {
            "identifier" => (Some(declarator), [one(), one(), one()], [false; 3]),
            // The grammar takes `grid(x, y)` for a function of parameters of the types `x` and `y`.
            "function_declarator" => {
                let list = part(declarator, "parameters").map(children).unwrap_or_default();
                let mut extents = [one(), one(), one()];
                for (lane, parameter) in extents.iter_mut().zip(&list) {
                    let named = part(*parameter, "type")
                        .filter(|_| part(*parameter, "declarator").is_none())
                        .and_then(|t| self.host.variable(self.text(t)));
                    *lane = named.and_then(|v| self.holds(v)).map(super::evaluate::extent);
                }
                if list.len() == 1 {
                    let of = part(list[0], "type").and_then(|t| self.host.variable(self.text(t)));
                    let of = of.filter(|v| self.is_one(*v));
                    match of.and_then(|v| self.values.get(&v)) {
                        Some(Value::Dim3(all, _)) => extents = all.clone(),
                        _ => self.guessed |= extents[0].is_none(),
                    }
                }
                (part(declarator, "declarator"), extents, [true; 3])
            }
            "init_declarator" => {
                let extents = match part(declarator, "value") {
                    Some(value) if value.kind() == "argument_list" => {
                        self.constructed(&children(value))
                    }
                    Some(value) => self.extents(value),
                    None => [None, None, None],
                };
                (part(declarator, "declarator"), extents, [true; 3])
            }
            _ => return self.unknown(declaration, declarator),
        };
        if let Some(name) = name.filter(|n| n.kind() == "identifier") {
            let lane = Box::new(Type::Int(IntType::U32));
            let v = self.host.declare(name, Type::Vector(lane, 3));
            self.values.insert(v, Value::Dim3(extents, given));
            return Some(v);
        }
        self.unknown(declaration, declarator)
    }

    /// A variable that is assigned for the first time, with its value.
    fn assigned(&mut self, node: Node<'t>) -> Option<(Var, Value)> {
        let node = without_parentheses(node);
        let plain = part(node, "operator").is_some_and(|o| self.text(o) == "=");
        if node.kind() != "assignment_expression" || !plain {
            return None;
        }
        let (left, right) = (part(node, "left")?, part(node, "right")?);
        if !self.effects(right).nothing() {
            return None;
        }
        let (of, lane) = match left.kind() {
            "identifier" => (left, None),
            "field_expression" => {
                let lane = part(left, "field").map(|f| self.text(f));
                let lane = ["x", "y", "z"].iter().position(|d| Some(*d) == lane)?;
                (part(left, "argument").filter(|a| a.kind() == "identifier")?, Some(lane))
            }
            _ => return None,
        };
        let v = self.host.variable(self.text(of)).filter(|v| !self.escaped.contains(v))?;
        match (lane, self.values.get(&v).cloned()) {
            (None, None) if self.unset.contains(&v) => {
                let ty = self.host.kernel()[v].ty.clone();
                let value = self.value(right)?.converted(&ty, At(0));
                self.unset.remove(&v);
                Some((v, Value::Int(value)))
            }
            (None, Some(Value::Dim3(_, given))) if given == [false; 3] => {
                Some((v, Value::Dim3(self.extents(right), [true; 3])))
            }
            (Some(lane), Some(Value::Dim3(mut extents, mut given))) if !given[lane] => {
                extents[lane] = self.value(right).map(super::evaluate::extent);
                given[lane] = true;
                Some((v, Value::Dim3(extents, given)))
            }
            _ => None,
        }
    }
}

/// Does a conditional leave the function where its condition holds, and do nothing otherwise?
fn leaves(unit: &Unit<'_>, statement: Node<'_>) -> bool {
    let Some(mut last) = part(statement, "consequence") else { return false };
    if part(statement, "alternative").is_some() {
        return false;
    }
    if last.kind() == "compound_statement" {
        match children(last).last() {
            Some(inner) => last = *inner,
            None => return false,
        }
    }
    match last.kind() {
        "return_statement" => true,
        "expression_statement" => children(last).first().is_some_and(|call| {
            let exits = part(*call, "function").map(|f| unit.text_of(f));
            call.kind() == "call_expression" && matches!(exits, Some("exit" | "abort"))
        }),
        _ => false,
    }
}
