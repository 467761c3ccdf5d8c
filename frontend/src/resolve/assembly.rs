//! Inline PTX whose instructions compute in registers only, wait at a barrier, or order memory (PTX ISA, chapter 9).
//!
//! What such instructions make of registers is not computed: an output holds a value of which only the type is known,
//! but for what one `mov` takes from a register that tells where the thread is, or what a clock says. Any other instruction may access
//! memory or branch, and is refused.

use super::types::operand;
use super::{Resolved, Resolver};
use crate::error::refuse;
use crate::unit::{children, field, part};
use babycuda_core::{IntType, MachineOp};
use babycuda_kernel::{Expr, ExprKind, Launch, Place, Type};
use tree_sitter::Node;

/// Instructions that compute in registers, without their modifiers.
const REGISTERS: &str = "\
    mov add sub mul mad mul24 mad24 addc subc madc sad div rem abs neg min max popc clz bfind fns brev bfe bfi bmsk \
    szext dp4a dp2a and or xor not cnot lop3 shf shl shr setp selp slct set cvt prmt testp copysign fma rcp sqrt rsqrt \
    sin cos lg2 ex2 tanh vadd vsub vabsdiff vmin vmax vshl vshr vmad vset vadd2 vsub2 vavrg2 vabsdiff2 vmin2 vmax2 \
    vset2 vadd4 vsub4 vavrg4 vabsdiff4 vmin4 vmax4 vset4";

/// Instructions that only order memory, fetch ahead or pass time, and the declaration of registers.
const WITHOUT_EFFECT: &str = "\
    membar fence nanosleep prefetch prefetchu .reg";

/// What a text of PTX does.
#[derive(Debug, PartialEq)]
enum Ptx {
    /// It computes in registers; the first instruction.
    Registers(String),
    /// `mov` from the register of this name, and nothing else.
    Special(String),
    /// `bar.sync 0`
    Barrier,
}

impl Ptx {
    /// What a template does.
    ///
    /// # Errors
    /// The instruction that is not known.
    fn of(template: &str) -> Result<Ptx, String> {
        let code = template.replace("%%", "%").replace(['{', '}', '\n', '\t'], " ");
        let instructions: Vec<&str> =
            code.split(';').map(str::trim).filter(|text| !text.is_empty()).collect();
        let listed = |list: &str, name: &str| list.split_whitespace().any(|word| word == name);
        let mut first = None;
        for instruction in &instructions {
            let mut words = instruction.split_whitespace();
            let word = words.find(|word| !word.starts_with('@')).unwrap_or_default();
            let rest = words.collect::<Vec<_>>().join(" ");
            // Behind `@p` it is done by some threads.
            let alone = instructions.len() == 1 && !instruction.starts_with('@');
            if alone && matches!(word, "bar.sync" | "barrier.sync") && rest == "0" {
                return Ok(Ptx::Barrier);
            }
            let name = match word.strip_prefix('.') {
                Some(_) => word,
                None => word.split('.').next().unwrap_or_default(),
            };
            if !listed(REGISTERS, name) && !listed(WITHOUT_EFFECT, name) {
                return Err(word.to_owned());
            }
            if alone
                && name == "mov"
                && let Some((to, from)) = rest.split_once(',')
                && to.trim() == "%0"
                && let Some(register) = from.trim().strip_prefix('%')
            {
                return Ok(Ptx::Special(register.to_owned()));
            }
            first.get_or_insert(name);
        }
        Ok(Ptx::Registers(first.unwrap_or("nothing").trim_start_matches('.').to_owned()))
    }
}

impl<'t> Resolver<'t> {
    /// `asm("…" : outputs : inputs : clobbers)`
    pub(super) fn assembly(&mut self, node: Node<'t>) -> Resolved<Expr> {
        let code = operand(node, "assembly_code")?;
        let Some(template) = self.joined(code) else {
            return refuse(node, "inline assembly of such a text");
        };
        if part(node, "goto_labels").is_some() {
            return refuse(node, "inline assembly with labels");
        }
        let ptx = match Ptx::of(&template) {
            Ok(ptx) => ptx,
            Err(instruction) => return refuse(node, format!("inline assembly: `{instruction}`")),
        };
        let (mut inputs, mut outputs) = (Vec::new(), Vec::new());
        for given in self.operands_of(node, "input_operands") {
            inputs.push(self.expr(operand(given, "value")?)?);
        }
        for given in self.operands_of(node, "output_operands") {
            let (constraint, value) = (operand(given, "constraint")?, operand(given, "value")?);
            let place = self.place(value)?;
            if matches!(place.ty, Type::Pointer(_)) {
                return refuse(given, "pointer as an output of inline assembly");
            }
            if self.text(constraint).contains('+') {
                inputs.push(place.clone().value());
            }
            outputs.push(place);
        }
        if let Some(pointer) = inputs.iter().position(|i| matches!(i.ty, Type::Pointer(_))) {
            return refuse(node, format!("pointer as operand {pointer} of inline assembly"));
        }
        let name = match ptx {
            Ptx::Barrier => {
                return Ok(self.device("__syncthreads", Vec::new(), Type::Void, node));
            }
            Ptx::Special(register) => match (outputs.pop(), self.special(&register, node)) {
                (Some(place), Some(value)) if outputs.is_empty() => {
                    return Ok(self.assigned(place, value, node));
                }
                (place, _) => {
                    outputs.extend(place);
                    "mov".to_owned()
                }
            },
            Ptx::Registers(name) => name,
        };
        let name = format!("ptx::{name}");
        let mut outputs = outputs.into_iter();
        let mut all = match outputs.next() {
            None => self.device(&name, inputs, Type::Int(IntType::I32), node),
            Some(place) => {
                let value = self.device(&name, inputs, place.ty.clone(), node);
                self.assigned(place, value, node)
            }
        };
        for place in outputs {
            let value = self.device(&name, Vec::new(), place.ty.clone(), node);
            let both = Box::new([all, self.assigned(place, value, node)]);
            let ty = both[1].ty.clone();
            all = self.expression(node, ExprKind::Comma(both), ty);
        }
        Ok(all.converted(&Type::Void, self.at(node)))
    }

    /// The value of a register that tells where the thread is, or what time it is.
    fn special(&mut self, register: &str, node: Node<'t>) -> Option<Expr> {
        let dimension = |name: &str| ["x", "y", "z"].iter().position(|d| *d == name);
        if register == "laneid" {
            let [x, y, z] = [0, 1, 2].map(|d| self.launch(Launch::ThreadIdx, d, node));
            let [width, height] = [0, 1].map(|d| self.launch(Launch::BlockDim, d, node));
            let rows = self.unsigned(MachineOp::Mul, z, height, node);
            let row = self.unsigned(MachineOp::Add, y, rows, node);
            let before = self.unsigned(MachineOp::Mul, row, width, node);
            let number = self.unsigned(MachineOp::Add, x, before, node);
            let lanes = self.expression(node, ExprKind::WarpSize, Type::Int(IntType::I32));
            let lanes = lanes.converted(&Type::Int(IntType::U32), self.at(node));
            return Some(self.unsigned(MachineOp::Rem, number, lanes, node));
        }
        if matches!(register, "clock" | "clock64" | "globaltimer") {
            return Some(self.device("clock64", Vec::new(), Type::Int(IntType::I64), node));
        }
        let (name, of) = register.split_once('.')?;
        let launch = match name {
            "tid" => Launch::ThreadIdx,
            "ntid" => Launch::BlockDim,
            "ctaid" => Launch::BlockIdx,
            "nctaid" => Launch::GridDim,
            _ => return None,
        };
        Some(self.launch(launch, dimension(of)?, node))
    }

    fn unsigned(&mut self, op: MachineOp, l: Expr, r: Expr, node: Node<'t>) -> Expr {
        let both = Box::new([l, r]);
        self.expression(node, ExprKind::Arithmetic(op, both), Type::Int(IntType::U32))
    }

    fn assigned(&mut self, place: Place, value: Expr, node: Node<'t>) -> Expr {
        let (ty, value) = (place.ty.clone(), value.converted(&place.ty, self.at(node)));
        self.expression(node, ExprKind::Assign(Box::new(place), Box::new(value)), ty)
    }

    fn operands_of(&self, node: Node<'t>, name: &str) -> Vec<Node<'t>> {
        part(node, name).map_or(Vec::new(), |list| field(list, "operand"))
    }

    /// The text of a string, or of several that follow each other.
    fn joined(&self, node: Node<'t>) -> Option<String> {
        match node.kind() {
            "string_literal" => {
                let text = self.text(node).strip_prefix('"')?.strip_suffix('"')?;
                Some(text.replace("\\n", "\n").replace("\\t", "\t"))
            }
            "concatenated_string" => children(node).iter().map(|part| self.joined(*part)).collect(),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_are_told_by_name() {
        let registers = |name: &str| Ok(Ptx::Registers(name.to_owned()));
        for (code, wanted) in [
            ("vabsdiff4.u32.u32.u32.add %0, %1, %2, %3;", registers("vabsdiff4")),
            ("{ .reg .pred p; setp.eq.u32 p, %1, 0;\n\t@p mov.u32 %0, 3; }", registers("reg")),
            ("mov.u32 %0, %%laneid;", Ok(Ptx::Special("laneid".to_owned()))),
            ("mov.u64 %0, %globaltimer;", Ok(Ptx::Special("globaltimer".to_owned()))),
            ("bar.sync 0;", Ok(Ptx::Barrier)),
            ("membar.gl;", registers("membar")),
            ("", registers("nothing")),
            ("bar.sync 1, 64;", Err("bar.sync".to_owned())),
            ("mov.u32 %0, 1; bar.sync 0;", Err("bar.sync".to_owned())),
            ("ld.global.u32 %0, [%1];", Err("ld.global.u32".to_owned())),
            ("@p bra L;", Err("bra".to_owned())),
            ("@p bar.sync 0;", Err("bar.sync".to_owned())),
            ("@!p barrier.sync 0;", Err("barrier.sync".to_owned())),
            ("@p mov.u32 %0, %%tid.x;", registers("mov")),
            ("L: mov.u32 %0, 1;", Err("L:".to_owned())),
            ("mov.u32 %0, 1; exit;", Err("exit".to_owned())),
        ] {
            assert_eq!(Ptx::of(code), wanted, "{code}");
        }
    }
}
