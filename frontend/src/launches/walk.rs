//! The way through a host function to a launch in it.

use super::Says;
use super::effects::Effects;
use super::evaluate::int;
use crate::doubt::Doubts;
use crate::resolve::Host;
use crate::unit::{
    Function, MAX_DEPTH, Unit, children, field, function_declarator, part, walk,
    without_parentheses,
};
use babycuda_core::IntType;
use babycuda_kernel::{At, Expr, ExprKind, Type, UnaryOp, Var};
use std::collections::{BTreeSet, HashMap};
use std::iter::successors;
use tree_sitter::Node;

/// What a variable of the host holds.
#[derive(Clone, Debug)]
pub(super) enum Value {
    /// An integer of its type.
    Int(Expr),
    /// A `dim3`, each extent where it is known; has it been assigned?
    Dim3([Option<Expr>; 3], [bool; 3]),
}

/// A way through a host function.
pub(super) struct Walk<'u, 't> {
    pub(super) unit: &'t Unit<'t>,
    doubts: &'u Doubts<'t>,
    pub(super) host: Host<'t>,
    pub(super) values: HashMap<Var, Value>,
    pub(super) symbols: Vec<(String, Type)>,
    /// Variables without a value so far.
    unset: BTreeSet<Var>,
    /// Variables that others may change: what is stored through an address may change them.
    escaped: BTreeSet<Var>,
    /// Variables of the file whose address it never takes: functions may change them.
    quiet: BTreeSet<Var>,
    conditions: Vec<Expr>,
}

/// What cannot be followed, and why.
type Followed<T> = Result<T, String>;

/// The arguments of a function that launches the kernel that it is given first: where the grid is among them, and where
/// the kernel's own arguments begin, if they are there.
pub(super) fn launches_by(function: &str) -> Option<(usize, Option<usize>)> {
    match function {
        "hipLaunchKernelGGL" => Some((1, Some(5))),
        "cudaLaunchKernel" | "cudaLaunchCooperativeKernel" | "hipLaunchKernel" => Some((1, None)),
        _ => None,
    }
}

/// What the launch `call` of the kernel says.
///
/// # Errors
/// Why nothing is known of it, in words.
pub(super) fn follow<'t>(
    unit: &'t Unit<'t>,
    doubts: &Doubts<'t>,
    kernel: &str,
    call: Node<'t>,
) -> Followed<Says> {
    if unit.kernels.iter().filter(|k| named(unit, k, kernel)).count() > 1 {
        return Err(format!("there are several kernels `{kernel}`"));
    }
    let around = successors(call.parent(), Node::parent).take(MAX_DEPTH);
    let around: Vec<Node<'t>> = around.collect();
    let function = around.iter().find(|n| n.kind() == "function_definition").copied();
    let Some(function) = function else {
        return Err("it stands in no function".into());
    };
    if around.iter().any(|n| n.kind() == "lambda_expression") {
        return Err("it stands in a lambda".into());
    }
    let template = successors(function.parent(), Node::parent)
        .take(2)
        .find(|n| n.kind() == "template_declaration")
        .and_then(|n| part(n, "parameters"));
    let refused = |what: &str| Err(format!("the function around it {what}"));
    if function.has_error() {
        return refused("is not understood");
    }
    if doubts.overlaps(&function.byte_range()) {
        return refused("has a conditional that may be compiled otherwise");
    }
    let jumps = |n: Node<'t>, _: Option<&str>| {
        matches!(n.kind(), "goto_statement" | "labeled_statement" | "gnu_asm_expression")
            .then_some(())
    };
    if walk(function, jumps).is_some() {
        return refused("jumps");
    }
    // A member of its class may hide a name of the file.
    let member = around.iter().any(|n| n.kind() == "field_declaration_list")
        || function_declarator(function)
            .and_then(|d| part(d, "declarator"))
            .is_none_or(|name| name.kind() != "identifier");
    let mut path = Walk {
        unit,
        doubts,
        host: Host::new(unit, member),
        values: HashMap::new(),
        symbols: Vec::new(),
        unset: BTreeSet::new(),
        escaped: BTreeSet::new(),
        quiet: BTreeSet::new(),
        conditions: Vec::new(),
    };
    path.enter(Function { node: function, template }, member);
    let body = part(function, "body").ok_or("the function around it has no body")?;
    path.descend(body, call)?;
    Ok(path.launch(kernel, call))
}

fn named(unit: &Unit<'_>, kernel: &Function<'_>, name: &str) -> bool {
    crate::unit::function_name(kernel.node).is_some_and(|n| unit.text_of(n) == name)
}

impl<'u, 't> Walk<'u, 't> {
    pub(super) fn text(&self, node: Node<'_>) -> &'t str {
        self.unit.text_of(node)
    }

    /// May a name in the expression mean something else?
    pub(super) fn is_doubtful(&self, node: Node<'t>) -> bool {
        self.doubts.mentions(self.unit, node)
    }

    pub(super) fn is_integer(&self, v: Var) -> bool {
        matches!(self.host.kernel()[v].ty, Type::Int(_))
    }

    /// Does the declaration declare a number or `dim3`, whose initializer takes values?
    pub(super) fn is_number(&self, declaration: Node<'t>) -> bool {
        part(declaration, "type").is_some_and(|t| {
            matches!(t.kind(), "primitive_type" | "sized_type_specifier")
                || matches!(self.text(t), "dim3" | "size_t" | "uint" | "float2" | "float4" | "int2")
        })
    }

    /// The names outside of the function, and its parameters.
    fn enter(&mut self, function: Function<'t>, member: bool) {
        self.host.enter();
        let globals = if member { Vec::new() } else { self.unit.declarations.clone() };
        for node in globals.into_iter().filter(|n| n.kind() == "declaration") {
            let own = ["const", "constexpr", "__device__", "__constant__", "__shared__"];
            if own.iter().any(|q| crate::unit::has_qualifier(node, self.unit.text, q)) {
                continue;
            }
            for declarator in field(node, "declarator") {
                if let Some(v) = self.unknown(node, declarator) {
                    self.quiet.insert(v);
                }
            }
        }
        let root = successors(Some(function.node), Node::parent).last().unwrap_or(function.node);
        let taken =
            if self.quiet.is_empty() { BTreeSet::new() } else { self.effects(root).escaped };
        self.quiet.retain(|v| !taken.contains(v));
        self.escaped.extend(taken);
        self.host.enter();
        // A name that the function declares anywhere means nothing but that.
        let mut names = Vec::new();
        let _nothing = walk(function.node, |n, field| {
            if field == Some("declarator") && n.kind() == "identifier" {
                names.push(n);
            }
            None::<()>
        });
        for name in names {
            self.host.declare(name, Type::Opaque("object".into()));
        }
        self.host.enter();
        let list = function.template.into_iter().chain(function.parameters());
        for parameter in list.flat_map(children) {
            if let Some(declarator) = part(parameter, "declarator")
                && let Some(v) = self.unknown(parameter, declarator)
                && walk(declarator, |n, _| (n.kind() == "reference_declarator").then_some(()))
                    .is_some()
            {
                self.escaped.insert(v);
            }
        }
        self.host.enter();
    }

    /// Declares a variable of which nothing is known; `None`: it has no name.
    fn unknown(&mut self, declaration: Node<'t>, declarator: Node<'t>) -> Option<Var> {
        let declared = self.host.declared(declaration, declarator)?;
        let ty = declared.ty.unwrap_or(Type::Opaque("object".into()));
        let v = self.host.declare(declared.name, ty);
        self.forget(v);
        Some(v)
    }

    /// The variable holds something that is not known.
    fn forget(&mut self, v: Var) {
        self.unset.remove(&v);
        let (name, ty) = (self.host.kernel()[v].name.clone(), self.host.kernel()[v].ty.clone());
        match ty {
            Type::Int(_) => {
                let value = self.symbol(&name, &ty);
                self.values.insert(v, Value::Int(value));
            }
            ty if is_dim3(&ty) => {
                let lane = Type::Int(IntType::U32);
                let lanes = ["x", "y", "z"].map(|d| self.symbol(&format!("{name}.{d}"), &lane));
                self.values.insert(v, Value::Dim3(lanes.map(Some), [true; 3]));
            }
            _ => {
                self.values.remove(&v);
            }
        }
    }

    /// What a part of the function may change is not known any more.
    fn havoc(&mut self, effects: &Effects) {
        self.escaped.extend(&effects.escaped);
        effects.changed.iter().for_each(|v| self.forget(*v));
        if effects.stores {
            self.escaped.clone().into_iter().for_each(|v| self.forget(v));
        }
        if effects.calls {
            self.quiet.clone().into_iter().for_each(|v| self.forget(v));
        }
    }

    /// May the variable be changed by another name?
    pub(super) fn is_escaped(&self, v: Var) -> bool {
        self.escaped.contains(&v)
    }

    /// The integer that a variable holds.
    fn holds(&self, v: Var) -> Option<Expr> {
        match self.values.get(&v) {
            Some(Value::Int(value)) => Some(value.clone()),
            Some(Value::Dim3(..)) => None,
            None => {
                let ty = self.host.kernel()[v].ty.clone();
                self.host.constant(v).map(|bits| Expr::int(ty, bits, At(0)))
            }
        }
    }

    /// Goes on to what contains the launch.
    fn descend(&mut self, node: Node<'t>, to: Node<'t>) -> Followed<()> {
        let within =
            |n: &Node<'t>| n.start_byte() <= to.start_byte() && to.end_byte() <= n.end_byte();
        let next = children(node).into_iter().find(within);
        let next = next.ok_or("the way to it is not understood")?;
        let is = |name: &str| part(node, name) == Some(next);
        match node.kind() {
            "compound_statement" => {
                self.host.enter();
                let before = children(node).into_iter().take_while(|n| *n != next);
                before.for_each(|statement| self.step(statement));
                self.reach(next, to)
            }
            "if_statement" => {
                if is("condition") {
                    return self.reach_expression(node);
                }
                let condition = part(node, "condition").ok_or("an `if` without a condition")?;
                self.host.enter();
                self.guarded(condition, is("consequence"));
                self.reach(next, to)
            }
            "for_statement" => {
                self.host.enter();
                if let Some(initializer) = part(node, "initializer").filter(|n| *n != next) {
                    self.step(initializer);
                }
                let effects = self.effects(node);
                self.havoc(&effects);
                if let Some(condition) = part(node, "condition").filter(|n| *n != next) {
                    self.guarded(condition, true);
                }
                if is("body") { self.reach(next, to) } else { self.reach_expression(node) }
            }
            "while_statement" => {
                self.host.enter();
                let effects = self.effects(node);
                self.havoc(&effects);
                if !is("body") {
                    return self.reach_expression(node);
                }
                if let Some(condition) = part(node, "condition") {
                    self.guarded(condition, true);
                }
                self.reach(next, to)
            }
            "do_statement" | "switch_statement" | "for_range_loop" | "try_statement" => {
                self.host.enter();
                let effects = self.effects(node);
                self.havoc(&effects);
                let switch = node.kind() == "switch_statement";
                match next.kind() {
                    // What comes before a case may be left out.
                    "compound_statement" if switch => {
                        self.host.enter();
                        let case = children(next).into_iter().find(within);
                        self.reach(case.ok_or("the way to it is not understood")?, to)
                    }
                    _ => self.reach(next, to),
                }
            }
            "case_statement" => {
                let of_switch = node.parent().and_then(|n| n.parent());
                if of_switch.is_none_or(|n| n.kind() != "switch_statement") {
                    return Err("the function around it jumps".into());
                }
                let value = part(node, "value");
                let before = children(node).into_iter().take_while(|n| *n != next);
                let before: Vec<_> = before.filter(|n| Some(*n) != value).collect();
                before.into_iter().for_each(|statement| self.step(statement));
                self.reach(next, to)
            }
            "else_clause" | "catch_clause" => self.reach(next, to),
            _ => self.reach_expression(node),
        }
    }

    /// On to the launch in a statement.
    fn reach(&mut self, node: Node<'t>, to: Node<'t>) -> Followed<()> {
        const STATEMENTS: &str = "compound_statement if_statement for_statement while_statement do_statement \
            switch_statement for_range_loop try_statement case_statement else_clause catch_clause";
        match crate::unit::listed(STATEMENTS, node.kind()) {
            true => self.descend(node, to),
            false => self.reach_expression(node),
        }
    }

    /// The launch is a part of an expression or declaration: what that changes is not known.
    fn reach_expression(&mut self, node: Node<'t>) -> Followed<()> {
        let effects = self.effects(node);
        self.havoc(&effects);
        for v in effects.changed.iter().chain(&effects.escaped) {
            self.values.remove(v);
        }
        Ok(())
    }

    /// A condition holds, or does not, from here on.
    fn guarded(&mut self, condition: Node<'t>, holds: bool) {
        let declares = walk(condition, |n, _| (n.kind() == "declaration").then_some(n));
        if let Some(declaration) = declares {
            for declarator in field(declaration, "declarator") {
                self.unknown(declaration, declarator);
            }
        }
        let effects = self.effects(condition);
        self.havoc(&effects);
        if !effects.nothing() || declares.is_some() {
            return;
        }
        let Some(truth) = self.truth(condition) else { return };
        let ty = truth.ty.clone();
        self.conditions.push(match holds {
            true => truth,
            false => Expr { kind: ExprKind::Unary(UnaryOp::Not, Box::new(truth)), ty, at: At(0) },
        });
    }

    /// Runs a statement before the launch.
    fn step(&mut self, statement: Node<'t>) {
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
        let fixed = crate::unit::has_qualifier(declaration, self.unit.text, "static")
            && !crate::unit::has_qualifier(declaration, self.unit.text, "const");
        if base.as_ref().is_some_and(is_dim3) && !fixed {
            return self.extents_declared(declaration, declarator);
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
    fn extents_declared(&mut self, declaration: Node<'t>, declarator: Node<'t>) {
        let one = || Some(int(IntType::U32, 1));
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
                    if let Some(Value::Dim3(all, _)) = of.and_then(|v| self.values.get(&v)) {
                        extents = all.clone();
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
            _ => {
                self.unknown(declaration, declarator);
                return;
            }
        };
        if let Some(name) = name.filter(|n| n.kind() == "identifier") {
            let lane = Box::new(Type::Int(IntType::U32));
            let v = self.host.declare(name, Type::Vector(lane, 3));
            self.values.insert(v, Value::Dim3(extents, given));
        } else {
            self.unknown(declaration, declarator);
        }
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

    /// What the launch says, where the way to it was followed.
    fn launch(&mut self, kernel: &str, call: Node<'t>) -> Says {
        let arguments = part(call, "arguments").map(children).unwrap_or_default();
        let syntax = children(call).into_iter().find(|c| c.kind() == "kernel_call_syntax");
        let function = part(call, "function");
        let (configuration, own) = match syntax {
            Some(syntax) => (children(syntax), Some(arguments)),
            None => {
                let by = function.and_then(|f| launches_by(self.text(f)));
                let (first, own) = by.unwrap_or((1, None));
                let rest = arguments.iter().skip(first).copied().collect();
                (rest, own.map(|from| arguments.into_iter().skip(from).collect()))
            }
        };
        let extents = |s: &mut Self, at: usize| {
            configuration.get(at).map_or([None, None, None], |node| s.extents(*node))
        };
        let (grid, block) = (extents(self, 0), extents(self, 1));
        let names = own.iter().flatten().map(|argument| {
            let mut first = None;
            let _nothing = walk(*argument, |n, _| {
                if first.is_none() && n.kind() == "identifier" {
                    first = Some(self.text(n).to_owned());
                }
                None::<()>
            });
            first
        });
        let names = names.collect();
        let known = own.map(|own| own.into_iter().map(|argument| self.value(argument)).collect());
        let (template, written) =
            function.map_or_else(Default::default, |f| self.template(kernel, f));
        Says {
            block,
            grid,
            arguments: known,
            names,
            template,
            written,
            conditions: std::mem::take(&mut self.conditions),
            symbols: std::mem::take(&mut self.symbols),
        }
    }

    /// What the template of the kernel is given.
    fn template(&mut self, kernel: &str, function: Node<'t>) -> (Vec<(String, Expr)>, Vec<String>) {
        let list = walk(function, |n, _| (n.kind() == "template_argument_list").then_some(n));
        let given = list.map(children).unwrap_or_default();
        let written = given.iter().map(|n| self.text(*n).to_owned()).collect();
        let definition = self.unit.kernels.iter().find(|k| named(self.unit, k, kernel));
        let parameters = definition.and_then(|k| k.template).map(children).unwrap_or_default();
        let mut values = Vec::new();
        for (parameter, argument) in parameters.into_iter().zip(given) {
            // A name may look like a type.
            let named = walk(argument, |n, _| (n.child_count() == 0).then_some(n));
            let of_name = named.filter(|n| n.byte_range() == argument.byte_range());
            let value = match of_name.and_then(|n| self.host.variable(self.text(n))) {
                Some(v) => self.holds(v),
                None if argument.kind() == "type_descriptor" => None,
                None => self.value(argument),
            };
            let name = part(parameter, "declarator").map(|d| self.text(d));
            if let (Some(name), Some(value)) = (name, value) {
                values.push((name.to_owned(), value));
            }
        }
        (values, written)
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

/// Is it `dim3`?
fn is_dim3(ty: &Type) -> bool {
    matches!(ty, Type::Vector(lane, 3) if **lane == Type::Int(IntType::U32))
}
