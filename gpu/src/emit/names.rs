//! Identifiers: what names of a program are called in a text.
//!
//! A name keeps its spelling where that is an identifier of all three languages that means nothing
//! there yet. The choice depends on the program alone: it has the same names in every language.

use babycuda_core::{MachineOp, Name};
use std::collections::{BTreeMap, BTreeSet};

/// The identifiers of a text.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    taken: BTreeSet<String>,
    /// The last number that was tried for a stem.
    counters: BTreeMap<String, u64>,
}

impl Names {
    /// An identifier like `name` that no other call returned.
    pub(super) fn fresh(&mut self, name: &Name) -> String {
        self.spelled_like(name.as_str())
    }

    /// An identifier like `text` that no other call returned.
    pub(super) fn spelled_like(&mut self, text: &str) -> String {
        let mut stem = identifier(text);
        if is_function(&stem) {
            stem.insert_str(0, "v_");
        }
        if !is_reserved(&stem) && self.taken.insert(stem.clone()) {
            return stem;
        }
        let counter = self.counters.entry(stem.clone()).or_default();
        loop {
            *counter += 1;
            let candidate = format!("{}_{counter}", stem.trim_end_matches('_'));
            if !is_reserved(&candidate) && self.taken.insert(candidate.clone()) {
                return candidate;
            }
        }
    }
}

/// `text` with what no identifier may have replaced: `x'1` is `x_1`. Identifiers of WGSL do not
/// start with two underscores, and in C those that start with one are the compiler's.
fn identifier(text: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let mut out: String = text.chars().map(plain).collect();
    // Two underscores in a row are the compiler's too, anywhere in an identifier of C++.
    while out.contains("__") {
        out = out.replace("__", "_");
    }
    if !out.starts_with(|c: char| c.is_ascii_alphabetic()) {
        out.insert_str(0, if out.starts_with('_') { "v" } else { "v_" });
    }
    out
}

/// Does `text` mean something in one of the languages, or in the texts that this crate prints?
fn is_reserved(text: &str) -> bool {
    /// What vectors, matrices and scalars are called, with their extents cut off.
    const SCALARS: &str = "char schar uchar short ushort int uint long ulong longlong ulonglong \
        half float double bool size_t vec mat mat2x mat3x mat4x ptrdiff_t uintptr_t";
    let stem = text.trim_end_matches(|c: char| c.is_ascii_digit());
    let is = |words: &str, text| words.split_ascii_whitespace().any(|word| word == text);
    let scalar = is(SCALARS, stem) || is_scalar(text);
    let operator = text.split_once('_').is_some_and(|(operator, domain)| {
        let machine = MachineOp::ALL.iter().any(|op| op.mnemonic() == operator);
        (machine || operator == "mod") && (domain == "natural" || is_scalar(domain))
    });
    scalar || operator || is(RESERVED, text)
}

/// Does `text` start like the functions and macros of one of the languages?
fn is_function(text: &str) -> bool {
    const PREFIXES: [&str; 9] =
        ["atomic", "get_", "read_", "write_", "convert_", "as_", "cl_", "CLK_", "CL_"];
    PREFIXES.iter().any(|prefix| text.starts_with(prefix))
}

fn is_scalar(text: &str) -> bool {
    text.strip_prefix(['u', 'i', 'f']).is_some_and(is_width)
}

fn is_width(digits: &str) -> bool {
    matches!(digits, "8" | "16" | "32" | "64")
}

/// Words of C, C++, CUDA C, OpenCL C and WGSL (used and reserved ones), the functions and macros
/// that texts use, and the identifiers of instrumented texts.
const RESERVED: &str = "
alignas alignof and and_eq asm assert auto bitand bitor break case catch char8_t char16_t char32_t
class co_await co_return co_yield compl concept const const_cast const_eval consteval constexpr
constinit continue decltype default delete do dynamic_cast else enum explicit export extern false
for friend goto if import inline inline_ module mutable namespace new noexcept not not_eq nullptr
operator or or_eq private protected public reflexpr register reinterpret_cast requires restrict
return signed sizeof static static_assert static_cast struct switch synchronized template this
thread_local throw true try typedef typeid typename union unsigned using virtual void volatile
wchar_t while xor xor_eq main NULL INT_MAX INT_MIN UINT_MAX LONG_MAX LONG_MIN linux unix
threadIdx blockIdx blockDim gridDim warpSize dim3 clock clock64 min max abs select clamp printf
memcpy memset malloc free exp log pow sin cos tan sqrt
kernel global local constant generic uniform pipe image sampler event_t queue_t clk_event_t
reserve_id_t ndrange_t barrier mem_fence wait_group_events isequal any all distance length dot
cross normalize mix step sign degrees radians ceil floor round trunc rint mad hypot erf
abstract active alias array asm_fragment async attribute await become binding_array bitcast bitmask
cast coherent column_major common compile compile_fragment const_assert continuing crate debugger
demote demote_to_helper diagnostic discard enable extends external fallthrough filter final finally
fn from fxgroup get groupshared highp impl implements instanceof interface layout let loop lowp
macro macro_rules match mediump meta mod move mut nil noinline nointerpolation non_coherent
noncoherent noperspective null of override package packoffset partial pass patch pixelfragment
precise precision premerge priv ptr pub readonly ref regardless require resource sampler_comparison
self Self set shared smooth snorm storage std subroutine super target texture trait type unless
unorm unsafe unsized use var varying wgsl where with workgroup workgroupBarrier storageBarrier
writeonly yield vec2 extractBits insertBits arrayLength
Parameters parameters Thread thread begin record spend proceed fault mix64 memory inputs entries
Monitor monitor monitor_words monitor_sizes monitor_findings monitor_shared monitor_steps monitor_step
monitor_note monitor_found monitor_spend monitor_proceed monitor_reach watch_global watch_shared pass_block
pass_warp pass_some results block_x block_y block_z block_dim block_index block_threads thread_index cell_index local_id
local_index group_id groups number cell result who
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_identifiers_once() {
        let mut names = Names::default();
        let mut of = |text: &str| names.fresh(&Name::new(text));
        assert_eq!(of("A"), "A");
        assert_eq!(of("A"), "A_1");
        assert_eq!(of("x'1"), "x_1");
        assert_eq!(of("x_1"), "x_1_1");
        assert_eq!(of("unknown.i32"), "unknown_i32");
        assert_eq!(of("in"), "in");
        assert_eq!(of("in_"), "in_");
        assert_eq!(of("int"), "int_1");
        assert_eq!(of("fn"), "fn_1");
        assert_eq!(of("__global"), "v_global");
        assert_eq!(of("2x"), "v_2x");
        assert_eq!(of("größe"), "gr_e");
        assert_eq!(of(""), "v_");
        assert_eq!(of("uint4"), "uint4_1");
        assert_eq!(of("i32"), "i32_1");
        assert_eq!(of("i"), "i");
        assert_eq!(of("i7"), "i7");
        assert_eq!(of("add_u32"), "add_u32_1");
        assert_eq!(of("atomicAdd"), "v_atomicAdd");
        assert_eq!(of("as_"), "v_as_");
    }

    #[test]
    fn every_name_is_an_identifier() {
        let mut names = Names::default();
        for text in ["", "_", "__", "9", "a b", "😀", "a__b", "x_", "x_"] {
            let name = names.fresh(&Name::new(text));
            assert!(name.starts_with(|c: char| c.is_ascii_alphabetic()), "{name}");
            assert!(name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'), "{name}");
            assert!(!name.contains("__"), "{name}");
        }
    }
}
