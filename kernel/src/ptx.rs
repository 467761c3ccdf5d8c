//! Inline PTX: instructions that compute in registers only, that wait at a barrier or order memory, and single ones
//! that access memory (PTX ISA, chapter 9). Any other instruction is refused.
//!
//! What instructions make of registers is not computed: an output holds a value of which only the type is known,
//! but for what one `mov` takes from a register that tells where the thread is, or what a clock says, and what a load reads.

mod memory;

use crate::expr::{Expr, ExprKind, Launch, Place};
use crate::kernel::At;
use crate::tree::Node;
use crate::types::Type;
use babycuda_core::{IntType, MachineOp, Name};

pub use memory::Access;

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
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ptx {
    /// It computes in registers; the first instruction.
    Registers(String),
    /// `mov` from the register of this name, and nothing else.
    Special(String),
    /// `bar.sync 0`
    Barrier,
    /// One access of memory, and nothing else.
    Memory(Access),
}

impl Ptx {
    /// What a template does.
    ///
    /// # Errors
    /// The instruction that is not known.
    pub fn of(template: &str) -> Result<Ptx, String> {
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
            if alone && let Some(access) = Access::of(word, &rest) {
                return Ok(Ptx::Memory(access));
            }
            let name = match word.strip_prefix('.') {
                Some(_) => word,
                None => word.split('.').next().unwrap_or_default(),
            };
            if matches!(name, "ld" | "st" | "red" | "atom") {
                return Err(instruction.split_whitespace().collect::<Vec<_>>().join(" "));
            }
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

    /// The statement as an expression: its outputs are places, of which those with `true` are read as well, and of each
    /// input the value.
    ///
    /// # Errors
    /// What is not supported: pointers, but as addresses; a place that is read and has an effect.
    pub fn expr(
        &self,
        outputs: Vec<(Place, bool)>,
        mut inputs: Vec<Expr>,
        at: At,
    ) -> Result<Expr, String> {
        let both = outputs.iter().filter(|(_, read)| *read).map(|(place, _)| place);
        for place in both {
            if !Node::Place(place).is_repeatable() {
                return Err("an effect in an operand of inline assembly that is read and written"
                    .to_owned());
            }
            inputs.push(place.clone().value());
        }
        let outputs: Vec<Place> = outputs.into_iter().map(|(place, _)| place).collect();
        let device =
            |name: &str, args, ty| Expr { kind: ExprKind::Device(Name::new(name), args), ty, at };
        let plain = no_pointers(&outputs, &inputs);
        let name = match self {
            Ptx::Memory(access) => return access.expr(&outputs, &inputs, at),
            Ptx::Barrier if inputs.is_empty() && outputs.is_empty() => {
                return Ok(device("__syncthreads", Vec::new(), Type::Void));
            }
            Ptx::Barrier => return Err("inline assembly: `bar.sync` with operands".to_owned()),
            Ptx::Special(register) => match (&outputs[..], special(register, at)) {
                // Inputs are evaluated all the same.
                ([place], Some(value)) if inputs.is_empty() => {
                    return plain.map(|()| assigned(place.clone(), value, at));
                }
                _ => "mov",
            },
            Ptx::Registers(name) => name,
        };
        plain?;
        let name = format!("ptx::{name}");
        let mut outputs = outputs.into_iter();
        let mut all = match outputs.next() {
            None => device(&name, inputs, Type::Int(IntType::I32)),
            Some(place) => {
                let value = device(&name, inputs, place.ty.clone());
                assigned(place, value, at)
            }
        };
        for place in outputs {
            let value = device(&name, Vec::new(), place.ty.clone());
            let both = Box::new([all, assigned(place, value, at)]);
            let ty = both[1].ty.clone();
            all = Expr { kind: ExprKind::Comma(both), ty, at };
        }
        Ok(all.converted(&Type::Void, at))
    }
}

/// Instructions that compute take no pointers.
fn no_pointers(outputs: &[Place], inputs: &[Expr]) -> Result<(), String> {
    let is_pointer = |ty: &Type| matches!(ty, Type::Pointer(_));
    if outputs.iter().any(|place| is_pointer(&place.ty)) {
        return Err("pointer as an output of inline assembly".to_owned());
    }
    match inputs.iter().position(|input| is_pointer(&input.ty)) {
        Some(number) => Err(format!("pointer as operand {number} of inline assembly")),
        None => Ok(()),
    }
}

fn assigned(place: Place, value: Expr, at: At) -> Expr {
    let (ty, value) = (place.ty.clone(), value.converted(&place.ty, at));
    Expr { kind: ExprKind::Assign(Box::new(place), Box::new(value)), ty, at }
}

/// The value of a register that tells where the thread is, or what time it is.
fn special(register: &str, at: At) -> Option<Expr> {
    let word = Type::Int(IntType::U32);
    let make = |kind, ty: &Type| Expr { kind, ty: ty.clone(), at };
    let launch = |of, dimension| make(ExprKind::Launch(of, dimension), &word);
    let unsigned = |op, l, r| make(ExprKind::Arithmetic(op, Box::new([l, r])), &word);
    if register == "laneid" {
        let [x, y, z] = [0, 1, 2].map(|d| launch(Launch::ThreadIdx, d));
        let [width, height] = [0, 1].map(|d| launch(Launch::BlockDim, d));
        let row = unsigned(MachineOp::Add, y, unsigned(MachineOp::Mul, z, height));
        let number = unsigned(MachineOp::Add, x, unsigned(MachineOp::Mul, row, width));
        let lanes = make(ExprKind::WarpSize, &Type::Int(IntType::I32)).converted(&word, at);
        return Some(unsigned(MachineOp::Rem, number, lanes));
    }
    if matches!(register, "clock" | "clock64" | "globaltimer") {
        let clock = ExprKind::Device(Name::new("clock64"), Vec::new());
        return Some(make(clock, &Type::Int(IntType::I64)));
    }
    let (name, of) = register.split_once('.')?;
    let of_launch = match name {
        "tid" => Launch::ThreadIdx,
        "ntid" => Launch::BlockDim,
        "ctaid" => Launch::BlockIdx,
        "nctaid" => Launch::GridDim,
        _ => return None,
    };
    Some(launch(of_launch, ["x", "y", "z"].iter().position(|d| *d == of)?))
}

#[cfg(test)]
mod tests {
    use super::memory::Does;
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
            ("ld.shared.u32 %0, [%1];", Err("ld.shared.u32 %0, [%1]".to_owned())),
            ("ld.acquire.gpu.u32 %0, [%1];", Err("ld.acquire.gpu.u32 %0, [%1]".to_owned())),
            ("@p ld.global.u32 %0, [%1];", Err("@p ld.global.u32 %0, [%1]".to_owned())),
            ("ld.global.u32 %0, [%1]; mov.u32 %2, 1;", Err("ld.global.u32 %0, [%1]".to_owned())),
            ("ld.global.v2.u32 %0, [%1];", Err("ld.global.v2.u32 %0, [%1]".to_owned())),
            ("st.global.u32 [%0], 7;", Err("st.global.u32 [%0], 7".to_owned())),
            ("st.u32 [%0+020], %1;", Err("st.u32 [%0+020], %1".to_owned())),
            ("st.u32 [%0+4294967296], %1;", Err("st.u32 [%0+4294967296], %1".to_owned())),
            ("st.nc.u32 [%0], %1;", Err("st.nc.u32 [%0], %1".to_owned())),
            ("red.exch.b32 [%0], %1;", Err("red.exch.b32 [%0], %1".to_owned())),
            ("@p bra L;", Err("bra".to_owned())),
            ("@p bar.sync 0;", Err("bar.sync".to_owned())),
            ("@!p barrier.sync 0;", Err("barrier.sync".to_owned())),
            ("@p mov.u32 %0, %%tid.x;", registers("mov")),
            ("L: mov.u32 %0, 1;", Err("L:".to_owned())),
            ("mov.u32 %0, 1; exit;", Err("exit".to_owned())),
        ] {
            assert_eq!(Ptx::of(code), wanted, "{code}");
        }
        let access =
            |ty, does, address, offset| Ok(Ptx::Memory(Access { ty, does, address, offset }));
        let word = Type::Int(IntType::U32);
        let update = |name: &str, to, from| Does::Update(name.to_owned(), to, from);
        for (code, wanted) in [
            (
                "ld.global.nc.L1::no_allocate.f32 %0, [%1];",
                access(Type::Float(4), Does::Load(vec![0]), 1, 0),
            ),
            (
                "ld.volatile.v2.u32 {%0,%1}, [%2 + 16];",
                access(word.clone(), Does::Load(vec![0, 1]), 2, 16),
            ),
            ("st.global.cs.b32 [%1], %0;", access(word.clone(), Does::Store(vec![0]), 1, 0)),
            (
                "red.relaxed.gpu.global.add.u32 [%0], %1;",
                access(word.clone(), update("atomicAdd", None, vec![1]), 0, 0),
            ),
            (
                "red.sys.max.s64 [%0], %1;",
                access(Type::Int(IntType::I64), update("atomicMax_system", None, vec![1]), 0, 0),
            ),
            ("st.u16 [%0], %1;", access(Type::Int(IntType::U16), Does::Store(vec![1]), 0, 0)),
            ("st.b8 [%0], %1;", access(Type::Int(IntType::U8), Does::Store(vec![1]), 0, 0)),
            ("st.f64 [%0], %1;", access(Type::Float(8), Does::Store(vec![1]), 0, 0)),
            (
                "atom.cta.cas.b32 %0, [%1], %2, %3;",
                access(word, update("atomicCAS_block", Some(0), vec![2, 3]), 1, 0),
            ),
        ] {
            assert_eq!(Ptx::of(code), wanted, "{code}");
        }
    }
}
