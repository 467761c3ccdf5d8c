//! Expressions. Accesses of arrays become statements of the current block, in C's evaluation
//! order; those that C evaluates conditionally, below a guard.

use super::Lower;
use crate::ctype::{CType, Data};
use crate::error::{Lowered, refuse};
use crate::literal;
use crate::unit::{children, part, without_parentheses};
use crate::value::{Binding, Value};
use babycuda_core::{Bool, IntType, Num};
use tree_sitter::Node;

impl<'t> Lower<'t> {
    /// The value of an expression.
    pub(super) fn eval(&mut self, node: Node<'t>) -> Lowered<Value> {
        self.nested(node, |s| s.expression(node))
    }

    /// Evaluates an expression for its effects alone. A place whose value nobody wants, or whose
    /// value is cast to `void`, is not read, unless it may be volatile ([expr.context]).
    pub(super) fn effects(&mut self, node: Node<'t>) -> Lowered<()> {
        if let Some(value) = self.cast_to_void(node) {
            return self.nested(node, |s| s.effects(value));
        }
        let place = match node.kind() {
            "parenthesized_expression" => {
                let inner = only(node)?;
                return self.nested(node, |s| s.effects(inner));
            }
            "comma_expression" => {
                let (l, r) = operands(node, "left", "right")?;
                return self.nested(node, |s| {
                    s.effects(l)?;
                    s.effects(r)
                });
            }
            "subscript_expression" => true,
            "pointer_expression" => self.operator(node) == "*",
            "identifier" => matches!(self.env.lookup(self.text(node)), Some(Binding::Cell(..))),
            _ => false,
        };
        if place && !self.unit.text.contains("volatile") {
            self.place(node).map(|_| ())
        } else {
            self.eval(node).map(|_| ())
        }
    }

    /// The operand of `(void)x`, `void(x)` or `static_cast<void>(x)`.
    fn cast_to_void(&self, node: Node<'t>) -> Option<Node<'t>> {
        let is_void = |node: Node<'t>| self.text(node) == "void";
        if node.kind() == "cast_expression" {
            return part(node, "value").filter(|_| part(node, "type").is_some_and(is_void));
        }
        let function = part(node, "function")?;
        let casts = match function.kind() {
            "template_function" => {
                let named = part(function, "name").map(|n| self.text(n)) == Some("static_cast");
                let types = part(function, "arguments").map(children).unwrap_or_default();
                named && matches!(types[..], [t] if is_void(t))
            }
            _ => is_void(function),
        };
        match children(part(node, "arguments")?)[..] {
            [value] if casts => Some(value),
            _ => None,
        }
    }

    /// The truth of an expression.
    pub(super) fn condition(&mut self, node: Node<'t>) -> Lowered<Bool> {
        let value = self.eval(node)?;
        self.truth(value, node)
    }

    fn expression(&mut self, node: Node<'t>) -> Lowered<Value> {
        if node.is_error() || node.is_missing() {
            return refuse(node, "syntax error");
        }
        match node.kind() {
            "parenthesized_expression" => self.eval(only(node)?),
            "condition_clause" => {
                let value = operand(node, "value")?;
                if part(node, "initializer").is_some() || value.kind() == "declaration" {
                    return refuse(node, "variable that is declared in a condition");
                }
                self.eval(value)
            }
            "identifier" | "qualified_identifier" => self.name(node),
            "number_literal" => self.number(node),
            "char_literal" => match literal::integer(self.text(node)) {
                Some((_, bits)) => Ok(Value::Int(IntType::I8, Num::lit(bits & 0xff))),
                None => refuse(node, format!("character literal {}", self.text(node))),
            },
            "true" => Ok(Value::Bool(Bool::Lit(true))),
            "false" => Ok(Value::Bool(Bool::Lit(false))),
            "null" | "nullptr" => Ok(Value::Poison("null pointer")),
            "string_literal" => Ok(Value::Poison("string")),
            "binary_expression" => {
                let (l, r) = operands(node, "left", "right")?;
                let op = self.operator(node);
                if matches!(op, "&&" | "||") {
                    return self.short_circuit(op, l, r, node).map(Value::Bool);
                }
                if !matches!(op, "<<" | ">>") {
                    self.in_any_order(&[l, r], node)?;
                }
                let l = self.eval(l)?;
                let r = self.eval(r)?;
                self.binary(op, l, r, node)
            }
            "unary_expression" => {
                let value = self.eval(operand(node, "argument")?)?;
                self.unary(self.operator(node), value, node)
            }
            "pointer_expression" if self.operator(node) == "&" => {
                let place = self.place(operand(node, "argument")?)?;
                self.address_of(place, node)
            }
            "pointer_expression" | "subscript_expression" => {
                let place = self.place(node)?;
                self.load(&place, node)
            }
            "field_expression" => self.member(node),
            "cast_expression" => {
                let (t, value) = operands(node, "type", "value")?;
                self.cast_to(t, value, node)
            }
            "conditional_expression" => self.conditional(node),
            "assignment_expression" => self.assignment(node),
            "update_expression" => self.update(node),
            "comma_expression" => {
                let (l, r) = operands(node, "left", "right")?;
                self.effects(l)?;
                self.eval(r)
            }
            "call_expression" => self.call(node),
            "sizeof_expression" => self.size_of(node),
            "initializer_list" | "argument_list" | "compound_literal_expression" => {
                for child in children(node) {
                    if child.kind() != "type_descriptor"
                        && let Value::Pointer(_) = self.eval(child)?
                    {
                        return refuse(child, "pointer kept in an object");
                    }
                }
                Ok(Value::DATA)
            }
            "gnu_asm_expression" => refuse(node, "inline assembly"),
            "lambda_expression" => refuse(node, "lambda"),
            other => refuse(node, other.replace('_', " ")),
        }
    }

    fn name(&mut self, node: Node<'t>) -> Lowered<Value> {
        let name = self.text(node);
        match self.env.lookup(name).cloned() {
            Some(Binding::Constant(Value::Poison(what))) => refuse(node, what),
            Some(Binding::Constant(value)) => Ok(value),
            Some(_) => {
                let place = self.place(node)?;
                self.load(&place, node)
            }
            None if name == "warpSize" => {
                let warp = self.warp();
                Ok(Value::Int(IntType::I32, Num::lit(warp)))
            }
            None => match constant(name) {
                Some(value) => Ok(value),
                None => unknown(node, name),
            },
        }
    }

    fn number(&mut self, node: Node<'t>) -> Lowered<Value> {
        let text = self.text(node);
        // The grammar takes a sign for a part of the number.
        if let Some(digits) = text.strip_prefix('-') {
            let value = self.number_of(digits, node)?;
            return self.unary("-", value, node);
        }
        self.number_of(text.strip_prefix('+').unwrap_or(text), node)
    }

    fn number_of(&mut self, text: &str, node: Node<'t>) -> Lowered<Value> {
        if let Some((t, bits)) = literal::integer(text) {
            return Ok(Value::Int(t, Num::lit(bits)));
        }
        let single = text.ends_with(['f', 'F']) && !text.starts_with("0x");
        let looks_floating = text.contains(['.', 'e', 'E', 'p', 'P']) || single;
        if !looks_floating {
            return refuse(node, format!("number `{text}`, which is not understood"));
        }
        let data = Data::scalar(if single { 4 } else { 8 });
        Ok(Value::Data(data, literal::floating(text).map(Num::lit)))
    }

    /// `a.b`: a component of a built-in index, or of a place or value.
    fn member(&mut self, node: Node<'t>) -> Lowered<Value> {
        let (argument, field) = operands(node, "argument", "field")?;
        let name = self.text(argument);
        if argument.kind() == "identifier"
            && self.env.lookup(name).is_none()
            && let Some(value) = self.builtin(name, self.text(field))
        {
            return Ok(value);
        }
        if argument.kind() == "call_expression" {
            if let Some(value) = self.place_in_group(argument, self.text(field))? {
                return Ok(value);
            }
            // A component of a value that is nowhere: `make_float4(…).x`.
            return match self.eval(argument)? {
                Value::Data(Data { lane, .. }, _) => {
                    let lane = lane.map_or(CType::Data(Data::UNKNOWN), |l| *l);
                    Ok(self.unknown(&lane, node))
                }
                _ => refuse(node, "member of a value that is no structure"),
            };
        }
        let place = self.place(node)?;
        self.load(&place, node)
    }

    /// `(type) value`, also as `static_cast<type>(value)` and `type(value)`.
    pub(super) fn cast_to(
        &mut self,
        descriptor: Node<'t>,
        value: Node<'t>,
        node: Node<'t>,
    ) -> Lowered<Value> {
        let ctype = self.descriptor(descriptor)?;
        let value = self.eval(value)?;
        match ctype {
            Some(ctype) => self.convert(value, &ctype, node),
            None => Ok(value),
        }
    }

    fn size_of(&mut self, node: Node<'t>) -> Lowered<Value> {
        let size = if let Some(descriptor) = part(node, "type") {
            let name = self.text(descriptor);
            // `sizeof(x)` of a variable can look like a type.
            match self.env.lookup(name) {
                Some(Binding::Array(_, t) | Binding::Cell(_, t)) => t.size(),
                Some(Binding::Var(v)) => self.env.ctype(*v).size(),
                _ => self.descriptor(descriptor)?.and_then(|t| t.size()),
            }
        } else if let Some(value) = part(node, "value").map(without_parentheses) {
            match self.env.lookup(self.text(value)) {
                Some(Binding::Array(_, t) | Binding::Cell(_, t)) => t.size(),
                Some(Binding::Var(v)) => self.env.ctype(*v).size(),
                // The operand is not evaluated.
                _ => self.discarded(|s| {
                    let place = s.place(value)?;
                    Ok(s.place_type(&place).size())
                })?,
            }
        } else {
            None
        };
        match size {
            Some(size) => Ok(Value::Int(IntType::U64, Num::lit(size))),
            None => refuse(node, "`sizeof` of a type whose size is not known"),
        }
    }
}

/// Refuses a name that nothing declares; one in capitals is a macro's, mostly.
pub(super) fn unknown<T>(node: Node<'_>, name: &str) -> Lowered<T> {
    match name.contains(|c: char| c.is_ascii_lowercase()) {
        true => refuse(node, format!("unknown name `{name}`")),
        false => refuse(node, format!("unknown name `{name}` (`-D {name}=…` defines a macro)")),
    }
}

/// A field of a node that has it, if it is no error.
pub(super) fn operand<'t>(node: Node<'t>, field: &str) -> Lowered<Node<'t>> {
    part(node, field).map_or_else(|| refuse(node, "syntax error"), Ok)
}

/// Two fields of a node.
pub(super) fn operands<'t>(
    node: Node<'t>,
    first: &str,
    second: &str,
) -> Lowered<(Node<'t>, Node<'t>)> {
    Ok((operand(node, first)?, operand(node, second)?))
}

/// The only child of a node.
pub(super) fn only(node: Node<'_>) -> Lowered<Node<'_>> {
    match children(node)[..] {
        [only] => Ok(only),
        _ => refuse(node, "syntax error"),
    }
}

/// The constants that CUDA's and C's headers define.
pub(super) fn constant(name: &str) -> Option<Value> {
    let int = |t, bits: u64| Some(Value::Int(t, Num::lit(bits)));
    match name {
        "warpSize" => int(IntType::I32, 32),
        "CHAR_BIT" => int(IntType::I32, 8),
        "INT_MAX" | "INT32_MAX" => int(IntType::I32, 0x7fff_ffff),
        "INT_MIN" | "INT32_MIN" => int(IntType::I32, 0x8000_0000),
        "UINT_MAX" | "UINT32_MAX" => int(IntType::U32, 0xffff_ffff),
        "SHRT_MAX" => int(IntType::I32, 0x7fff),
        "UCHAR_MAX" => int(IntType::I32, 0xff),
        "USHRT_MAX" => int(IntType::I32, 0xffff),
        "LLONG_MAX" | "LONG_MAX" | "INT64_MAX" => int(IntType::I64, i64::MAX as u64),
        "ULLONG_MAX" | "ULONG_MAX" | "UINT64_MAX" | "SIZE_MAX" => int(IntType::U64, u64::MAX),
        "NULL" => Some(Value::Poison("null pointer")),
        "FLT_MAX" | "FLT_MIN" | "FLT_EPSILON" | "DBL_MAX" | "DBL_MIN" | "DBL_EPSILON"
        | "INFINITY" | "NAN" | "HUGE_VALF" | "CUDART_INF_F" | "CUDART_INF" | "M_PI" | "M_PI_2"
        | "M_PI_4" | "M_E" | "M_SQRT2" | "CUDART_PI_F" | "CUDART_PI" => Some(Value::DATA),
        _ => None,
    }
}
