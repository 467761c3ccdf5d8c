//! The way through a host function to a launch in it.

use super::Says;
use super::effects::Effects;
use crate::doubt::Doubts;
use crate::resolve::Host;
use crate::unit::{
    Function, MAX_DEPTH, Unit, children, field, function_declarator, listed, part, walk,
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
    pub(super) unset: BTreeSet<Var>,
    /// Variables that others may change: what is stored through an address may change them.
    pub(super) escaped: BTreeSet<Var>,
    /// Variables of the file whose address it never takes: functions may change them.
    quiet: BTreeSet<Var>,
    /// Names that the function declares more than once: which is meant is not followed.
    ambiguous: BTreeSet<&'t str>,
    /// Does the function belong to a class, whose members hide names of the file?
    pub(super) member: bool,
    pub(super) conditions: Vec<Expr>,
    /// Was an expression that is not read taken for a number, where a `dim3` may stand?
    pub(super) guessed: bool,
}

/// What cannot be followed, and why.
type Followed<T> = Result<T, String>;

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
    if super::hazards::specializes(unit, kernel) {
        return Err(format!("the template `{kernel}` has a specialization"));
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
    let is = |qualifier| crate::unit::has_qualifier(function, unit.text, qualifier);
    if (is("__device__") || is("__global__")) && unit.source.contains(super::ARCHITECTURE) {
        return refused("is one of the device, to which the file means other things");
    }
    let has = |kinds: &'static str| {
        let is = |n: Node<'t>, _: Option<&str>| listed(kinds, n.kind()).then_some(());
        walk(function, is).is_some()
    };
    // A jump to a label behind the launch, and behind the loops around it, only leaves the way to it.
    const LOOPS: &str = "for_statement while_statement do_statement for_range_loop";
    let loops = around.iter().filter(|n| listed(LOOPS, n.kind())).map(Node::end_byte);
    let behind = loops.max().unwrap_or(0).max(call.end_byte());
    let lands = |n: Node<'t>, _: Option<&str>| {
        let label = n.kind() == "labeled_statement" && n.start_byte() < behind;
        (label || n.kind() == "gnu_asm_expression").then_some(())
    };
    if walk(function, lands).is_some() {
        return refused("jumps");
    }
    if has("type_definition alias_declaration using_declaration namespace_alias_definition") {
        return refused("names types or namespaces itself");
    }
    let hides = |n: Node<'t>, _: Option<&str>| {
        let is_name = n.kind() == "type_identifier" && unit.is_type(unit.text_of(n));
        is_name.then_some(())
    };
    if template.is_some_and(|list| walk(list, hides).is_some()) {
        return refused("has a parameter of the name of a type");
    }
    // A member of its class may hide a name of the file.
    let member = around.iter().any(|n| n.kind() == "field_declaration_list")
        || function_declarator(function)
            .and_then(|d| part(d, "declarator"))
            .is_none_or(|name| name.kind() != "identifier");
    let mut path = Walk::new(unit, doubts, member);
    path.enter(Function { node: function, template }, member);
    let body = part(function, "body").ok_or("the function around it has no body")?;
    path.descend(body, call)?;
    Ok(path.launch(kernel, call))
}

pub(super) fn named(unit: &Unit<'_>, kernel: &Function<'_>, name: &str) -> bool {
    crate::unit::function_name(kernel.node).is_some_and(|n| unit.text_of(n) == name)
}

impl<'u, 't> Walk<'u, 't> {
    /// Of no function yet.
    pub(super) fn new(unit: &'t Unit<'t>, doubts: &'u Doubts<'t>, member: bool) -> Walk<'u, 't> {
        Walk {
            unit,
            doubts,
            host: Host::new(unit, member),
            values: HashMap::new(),
            symbols: Vec::new(),
            unset: BTreeSet::new(),
            escaped: BTreeSet::new(),
            quiet: BTreeSet::new(),
            ambiguous: BTreeSet::new(),
            member,
            conditions: Vec::new(),
            guessed: false,
        }
    }

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
        let root = successors(Some(function.node), Node::parent).last().unwrap_or(function.node);
        // What objects do where nothing is seen may change what stands outside of functions, and so may another name.
        let hidden = super::hazards::has_methods(root)
            || self.unit.declarations.iter().any(|n| {
                let is = |n: Node<'t>, _: Option<&str>| {
                    (n.kind() == "reference_declarator").then_some(())
                };
                n.kind() == "declaration" && walk(*n, is).is_some()
            });
        let globals = if member { Vec::new() } else { self.unit.declarations.clone() };
        for node in globals.into_iter().filter(|n| n.kind() == "declaration") {
            let own = ["const", "constexpr", "__device__", "__constant__", "__shared__"];
            if own.iter().any(|q| crate::unit::has_qualifier(node, self.unit.text, q)) {
                continue;
            }
            let restless = ["volatile", "thread_local"];
            let restless =
                restless.iter().any(|q| crate::unit::has_qualifier(node, self.unit.text, q));
            for declarator in field(node, "declarator") {
                if hidden || restless {
                    if let Some(declared) = self.host.declared(node, declarator) {
                        self.host.declare(declared.name, Type::Opaque("object".into()));
                    }
                } else if let Some(v) = self.unknown(node, declarator) {
                    self.quiet.insert(v);
                }
            }
        }
        let taken =
            if self.quiet.is_empty() { BTreeSet::new() } else { self.effects(root).escaped };
        self.quiet.retain(|v| !taken.contains(v));
        self.escaped.extend(taken);
        self.host.enter();
        // A name that the function declares anywhere means nothing but that.
        let mut names = Vec::new();
        let _nothing = walk(function.node, |n, field| {
            match n.kind() {
                "identifier" if field == Some("declarator") => names.push(n),
                // Its declarator has no name in the grammar.
                "reference_declarator" => names.extend(children(n)),
                "enumerator" => names.extend(part(n, "name")),
                "structured_binding_declarator" => names.extend(children(n)),
                _ => {}
            }
            None::<()>
        });
        let mut known = BTreeSet::new();
        for name in names {
            let text = self.text(name);
            if !known.insert(text) {
                self.ambiguous.insert(text);
            }
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
    pub(super) fn unknown(&mut self, declaration: Node<'t>, declarator: Node<'t>) -> Option<Var> {
        let declared = self.host.declared(declaration, declarator)?;
        let ty = declared.ty.unwrap_or(Type::Opaque("object".into()));
        let v = self.host.declare(declared.name, ty);
        self.forget(v);
        Some(v)
    }

    /// The variable holds something that is not known.
    pub(super) fn forget(&mut self, v: Var) {
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
    pub(super) fn havoc(&mut self, effects: &Effects) {
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

    /// Has the name of the variable one meaning in the function?
    pub(super) fn is_one(&self, v: Var) -> bool {
        !self.ambiguous.contains(self.host.kernel()[v].name.as_str())
    }

    /// The integer that a variable holds.
    pub(super) fn holds(&self, v: Var) -> Option<Expr> {
        if !self.is_one(v) {
            return None;
        }
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
        match listed(STATEMENTS, node.kind()) {
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
    pub(super) fn guarded(&mut self, condition: Node<'t>, holds: bool) {
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
}

/// Is it `dim3`?
pub(super) fn is_dim3(ty: &Type) -> bool {
    matches!(ty, Type::Vector(lane, 3) if **lane == Type::Int(IntType::U32))
}
