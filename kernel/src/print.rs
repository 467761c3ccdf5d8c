//! Kernels as C: with every conversion, and parentheses around every operation within another.

use crate::expr::{Expr, ExprKind, Initial, Member, Place, PlaceKind, UnaryOp};
use crate::kernel::{Function, Kernel, Storage, Var};
use crate::operators::spelling;
use crate::stmt::{Loop, Stmt, StmtKind};
use crate::types::{Group, Type};
use babycuda_core::expr::BoolOp;
use babycuda_core::machine::Width;
use babycuda_core::{IntType, MachineOp};
use std::fmt;

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut printer = Printer { kernel: self, out: String::new(), depth: 0 };
        for global in &self.globals {
            printer.stmt(global);
        }
        for (i, function) in self.functions.iter().enumerate().rev() {
            printer.function(function, if i == 0 { "__global__" } else { "__device__" });
        }
        f.write_str(printer.out.trim_end())
    }
}

struct Printer<'a> {
    kernel: &'a Kernel,
    out: String,
    depth: usize,
}

impl Printer<'_> {
    fn line(&mut self, text: &str) {
        self.out += &"    ".repeat(self.depth);
        self.out += text;
        self.out.push('\n');
    }

    /// The lines within braces.
    fn braced(&mut self, head: &str, tail: &str, body: impl FnOnce(&mut Self)) {
        self.line(&format!("{head}{{"));
        self.depth += 1;
        body(self);
        self.depth -= 1;
        self.line(&format!("}}{tail}"));
    }

    fn function(&mut self, function: &Function, mark: &str) {
        let parameters: Vec<String> =
            function.parameters.iter().map(|v| self.declared(*v)).collect();
        let result = self.typed(&function.result, &function.name);
        self.braced(&format!("{mark} {result}({}) ", parameters.join(", ")), "", |p| {
            p.within(&function.body);
        });
    }

    /// The statement without its braces.
    fn within(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Block(stmts) => stmts.iter().for_each(|stmt| self.stmt(stmt)),
            _ => self.stmt(stmt),
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Block(_) => self.braced("", "", |p| p.within(stmt)),
            StmtKind::Declare(..) => {
                let declaration = self.declaration(stmt);
                self.line(&format!("{declaration};"));
            }
            StmtKind::Expr(expr) => {
                let text = self.expr(expr, false);
                self.line(&format!("{text};"));
            }
            StmtKind::If(condition, then, otherwise) => {
                let head = format!("if ({}) ", self.expr(condition, false));
                self.braced(&head, "", |p| p.within(then));
                if let Some(otherwise) = otherwise {
                    self.braced("else ", "", |p| p.within(otherwise));
                }
            }
            StmtKind::Loop(parts) => self.turns(parts),
            StmtKind::Switch(value, cases) => {
                let head = format!("switch ({}) ", self.expr(value, false));
                self.braced(&head, "", |p| {
                    for case in cases {
                        match &case.label {
                            Some(label) => {
                                let label = p.expr(label, false);
                                p.line(&format!("case {label}:"));
                            }
                            None => p.line("default:"),
                        }
                        p.depth += 1;
                        case.body.iter().for_each(|stmt| p.stmt(stmt));
                        p.depth -= 1;
                    }
                });
            }
            StmtKind::Break => self.line("break;"),
            StmtKind::Continue => self.line("continue;"),
            StmtKind::Return(None) => self.line("return;"),
            StmtKind::Return(Some(value)) => {
                let value = self.expr(value, false);
                self.line(&format!("return {value};"));
            }
            StmtKind::Unsupported(construct) => self.line(&unsupported(construct)),
        }
    }

    fn turns(&mut self, parts: &Loop) {
        let condition = parts.condition.as_ref().map(|c| self.expr(c, false)).unwrap_or_default();
        let update = parts.update.as_ref().map(|u| self.expr(u, false)).unwrap_or_default();
        let around = parts.initial.len() > 1;
        let initial: Vec<String> = parts.initial.iter().map(|s| self.declaration(s)).collect();
        let first = if around { String::new() } else { initial.concat() };
        let head = match parts.test_first {
            true => format!("for ({first}; {condition}; {update}) "),
            false => "do ".to_owned(),
        };
        let tail = match parts.test_first {
            true => String::new(),
            false => format!(" while ({condition});"),
        };
        let turns = |p: &mut Self| p.braced(&head, &tail, |p| p.within(&parts.body));
        if !around {
            return turns(self);
        }
        self.braced("", "", |p| {
            initial.iter().for_each(|line| p.line(&format!("{line};")));
            turns(p);
        });
    }

    /// A declaration or an expression, without the semicolon.
    fn declaration(&self, stmt: &Stmt) -> String {
        match &stmt.kind {
            StmtKind::Declare(v, initial) => {
                let declared = self.declared(*v);
                match initial {
                    None => declared,
                    Some(initial) => format!("{declared} = {}", self.initial(initial)),
                }
            }
            StmtKind::Expr(expr) => self.expr(expr, false),
            StmtKind::Unsupported(construct) => unsupported(construct),
            // Nothing else comes before a loop.
            _ => String::new(),
        }
    }

    fn initial(&self, initial: &Initial) -> String {
        match initial {
            Initial::Value(value) => self.expr(value, false),
            Initial::Place(place) => self.place(place, false),
        }
    }

    /// A variable with its type and storage.
    fn declared(&self, v: Var) -> String {
        let variable = &self.kernel[v];
        let mut name = self.name(v);
        if variable.storage == Storage::Reference {
            name.insert(0, '&');
        }
        let storage = match variable.storage {
            Storage::Local | Storage::Reference | Storage::File | Storage::Template => "",
            Storage::Shared => "__shared__ ",
            Storage::Dynamic => "extern __shared__ ",
            Storage::Device => "__device__ ",
            Storage::Constant => "__constant__ ",
        };
        let constant = if variable.constant { "const " } else { "" };
        let volatile = if variable.volatile { "volatile " } else { "" };
        format!("{storage}{constant}{volatile}{}", self.typed(&variable.ty, &name))
    }

    /// A variable's name, with its number where another has that name, too.
    fn name(&self, v: Var) -> String {
        let name = &self.kernel[v].name;
        let same = self.kernel.variables.iter().filter(|other| other.name == *name).count();
        if same > 1 { format!("{name}_{}", v.0) } else { name.clone() }
    }

    /// What declares `name` to be of a type.
    fn typed(&self, ty: &Type, name: &str) -> String {
        match ty {
            Type::Pointer(to) if matches!(**to, Type::Array(..)) => {
                self.typed(to, &format!("(*{name})"))
            }
            Type::Pointer(to) => self.typed(to, &format!("*{name}")),
            Type::Array(element, extent) => {
                let extent = extent.as_deref().map(|e| self.expr(e, false)).unwrap_or_default();
                self.typed(element, &format!("{name}[{extent}]"))
            }
            Type::Void => spaced("void", name),
            Type::Bool => spaced("bool", name),
            Type::Int(t) => spaced(&int(*t), name),
            Type::Float(2) => spaced("half", name),
            Type::Float(8) => spaced("double", name),
            Type::Float(_) => spaced("float", name),
            Type::Vector(lane, lanes) => {
                let lane = self.typed(lane, "").replace("unsigned ", "u").replace(' ', "");
                spaced(&format!("{lane}{lanes}"), name)
            }
            Type::Record(record) => spaced(&self.kernel[*record].name, name),
            Type::Opaque(what) => spaced(what, name),
            Type::Group(group) => spaced(&self.group(group), name),
        }
    }

    fn group(&self, group: &Group) -> String {
        match group {
            Group::Any => "thread_group".to_owned(),
            Group::Block => "thread_block".to_owned(),
            Group::Grid => "grid_group".to_owned(),
            Group::Tile(size) => format!("thread_block_tile<{}>", self.expr(size, true)),
        }
    }

    /// An expression; `inner`: as an operand of another.
    fn expr(&self, expr: &Expr, inner: bool) -> String {
        let around = |text: String| if inner { format!("({text})") } else { text };
        let both = |op: &str, [l, r]: &[Expr; 2]| {
            around(format!("{} {op} {}", self.expr(l, true), self.expr(r, true)))
        };
        match &expr.kind {
            ExprKind::Int(bits) => self.literal(*bits, &expr.ty),
            ExprKind::Float(bits) => float(*bits, &expr.ty),
            ExprKind::Null => "nullptr".to_owned(),
            ExprKind::String => "\"…\"".to_owned(),
            ExprKind::Launch(launch, dimension) => {
                format!("{}.{}", launch.name(), lane(*dimension as u32))
            }
            ExprKind::WarpSize => "warpSize".to_owned(),
            ExprKind::Load(place) | ExprKind::Decay(place) => self.place(place, inner),
            ExprKind::AddressOf(place) => around(format!("&{}", self.place(place, true))),
            ExprKind::Component(value, member) => {
                format!("{}.{}", self.expr(value, true), self.member(&value.ty, member))
            }
            ExprKind::Convert(value) => {
                around(format!("({}){}", self.typed(&expr.ty, ""), self.expr(value, true)))
            }
            ExprKind::Unary(op, value) => {
                let op = match op {
                    UnaryOp::Negate => "-",
                    UnaryOp::Complement => "~",
                    UnaryOp::Not => "!",
                };
                around(format!("{op}{}", self.expr(value, true)))
            }
            ExprKind::Arithmetic(op @ (MachineOp::Min | MachineOp::Max), operands) => {
                let [l, r] = &operands.as_ref();
                format!("{}({}, {})", op.mnemonic(), self.expr(l, false), self.expr(r, false))
            }
            ExprKind::Arithmetic(op, operands) => both(spelling(*op), operands),
            ExprKind::Compare(relation, operands) => both(relation.symbol(), operands),
            ExprKind::Logical(BoolOp::And, operands) => both("&&", operands),
            ExprKind::Logical(BoolOp::Or, operands) => both("||", operands),
            ExprKind::Conditional(all) => {
                let [c, x, y] = &all.as_ref();
                let [c, x, y] = [c, x, y].map(|e| self.expr(e, true));
                around(format!("{c} ? {x} : {y}"))
            }
            ExprKind::Comma(operands) => both(",", operands),
            ExprKind::Assign(place, value) => {
                around(format!("{} = {}", self.place(place, false), self.expr(value, false)))
            }
            ExprKind::Update { op, place, value, .. } => around(format!(
                "{} {}= {}",
                self.place(place, false),
                spelling(*op),
                self.expr(value, false)
            )),
            ExprKind::Step { place, up, prefix } => {
                let (place, op) = (self.place(place, true), if *up { "++" } else { "--" });
                around(if *prefix { format!("{op}{place}") } else { format!("{place}{op}") })
            }
            ExprKind::List(values) => {
                let values: Vec<String> = values.iter().map(|v| self.expr(v, false)).collect();
                format!("({}){{{}}}", self.typed(&expr.ty, ""), values.join(", "))
            }
            ExprKind::Call { function, arguments, .. } => {
                let arguments: Vec<String> = arguments.iter().map(|a| self.initial(a)).collect();
                format!("{}({})", self.kernel[*function].name, arguments.join(", "))
            }
            ExprKind::Device(name, arguments) => {
                let arguments: Vec<String> =
                    arguments.iter().map(|a| self.expr(a, false)).collect();
                format!("{name}({})", arguments.join(", "))
            }
            ExprKind::Unsupported(construct) => unsupported(construct),
        }
    }

    fn place(&self, place: &Place, inner: bool) -> String {
        match &place.kind {
            PlaceKind::Variable(v) => self.name(*v),
            PlaceKind::Deref(pointer) => {
                let text = format!("*{}", self.expr(pointer, true));
                if inner { format!("({text})") } else { text }
            }
            PlaceKind::Index(both) => {
                format!("{}[{}]", self.expr(&both[0], true), self.expr(&both[1], false))
            }
            PlaceKind::Member(of, member) => {
                format!("{}.{}", self.place(of, true), self.member(&of.ty, member))
            }
            PlaceKind::Unsupported(construct) => unsupported(construct),
        }
    }

    fn member(&self, of: &Type, member: &Member) -> String {
        match (member, of) {
            (Member::Lane(number), _) => lane(*number),
            (Member::Named(name), _) => name.clone(),
            (Member::Field(field), Type::Record(record)) => {
                let found = self.kernel[*record].fields.get(*field);
                found.map_or_else(|| format!("field{field}"), |field| field.name.clone())
            }
            (Member::Field(field), _) => format!("field{field}"),
        }
    }

    fn literal(&self, bits: u64, ty: &Type) -> String {
        match ty {
            Type::Int(t) => {
                let suffix = match (t.width, t.signed) {
                    (Width::W64, true) => "l",
                    (Width::W64, false) => "ul",
                    (_, true) => "",
                    (_, false) => "u",
                };
                format!("{}{suffix}", t.read(bits))
            }
            _ if bits == 0 => "false".to_owned(),
            _ => "true".to_owned(),
        }
    }
}

fn spaced(ty: &str, name: &str) -> String {
    if name.is_empty() { ty.to_owned() } else { format!("{ty} {name}") }
}

fn int(t: IntType) -> String {
    let name = match t.width {
        Width::W8 if t.signed => "signed char",
        Width::W8 => "char",
        Width::W16 => "short",
        Width::W32 => "int",
        Width::W64 => "long",
    };
    if t.signed { name.to_owned() } else { format!("unsigned {name}") }
}

fn float(bits: Option<u64>, ty: &Type) -> String {
    match (bits, ty) {
        (None, _) => "/* a number */".to_owned(),
        (Some(bits), Type::Float(4)) => format!("{:?}f", f32::from_bits(bits as u32)),
        (Some(bits), _) => format!("{:?}", f64::from_bits(bits)),
    }
}

fn lane(number: u32) -> String {
    match number {
        0 => "x".to_owned(),
        1 => "y".to_owned(),
        2 => "z".to_owned(),
        3 => "w".to_owned(),
        more => format!("s{more:x}"),
    }
}

fn unsupported(construct: &str) -> String {
    format!("/* not understood: {} */", construct.replace("*/", "* /"))
}
