//! Which names are macros by themselves: those of the compiler, of the platform, of the command
//! line and of headers that are known.
//!
//! A name that C reserves (`__X`, `_X`) may be the compiler's own, unless the file defines it
//! somewhere: then it is the file's, and its definition is the first. What names of both kinds are
//! that compilers do define is asked of the command line: `-D NAME`, `-U NAME`.

use super::condition::Decided;
use super::macros::{BadDefinition, definition};
use super::token::Token;
use super::{BUILTIN, Reason, State, headers, line};
use crate::unit::{begins, listed};
use babycuda_kernel::Language;
use std::rc::Rc;

/// Macros that CUDA's compiler defines in any case. How callbacks are called says something on Windows alone.
const PREDEFINED: [&str; 4] =
    ["__CUDACC__ 1", "__align__(n) __attribute__((aligned(n)))", "CUDART_CB", "CUDARTAPI"];

/// What OpenCL C calls otherwise, so that its kernels are found. Its own words are no macros: a file that
/// defines one is refused by clang.
const OPENCL: [&str; 12] = [
    "__kernel __global__",
    "kernel __global__",
    "__global",
    "global",
    "__local",
    "local",
    "__constant",
    "constant",
    "__private",
    "private",
    "__generic",
    "generic",
];

/// Macros that it defines with a value that its command line decides, and the value taken here.
const ASSUMED: [(&str, &str); 5] = [
    ("__CUDA_ARCH__", "800"),
    ("__cplusplus", "201703L"),
    ("CUDART_VERSION", "12000"),
    ("__CUDACC_VER_MAJOR__", "12"),
    ("__CUDACC_VER_MINOR__", "0"),
];

/// The same of compilers of OpenCL C.
const ASSUMED_OPENCL: [(&str, &str); 2] =
    [("__OPENCL_VERSION__", "200"), ("__OPENCL_C_VERSION__", "200")];

/// Extensions of OpenCL C that the other parser has, and most devices: numbers of more kinds, and atomics.
const EXTENSIONS: [(&str, &str); 7] = [
    ("cl_khr_fp64", "1"),
    ("cl_khr_fp16", "1"),
    ("cl_khr_byte_addressable_store", "1"),
    ("cl_khr_global_int32_base_atomics", "1"),
    ("cl_khr_global_int32_extended_atomics", "1"),
    ("cl_khr_local_int32_base_atomics", "1"),
    ("cl_khr_local_int32_extended_atomics", "1"),
];

/// Names that the compiler, a platform or the command line may define, besides reserved ones, or
/// headers that are known, with values that are not known here.
const OPEN: &str = "\
    WIN32 WIN64 NDEBUG linux unix i386 CUDA_VERSION \
    CUDA_API_PER_THREAD_DEFAULT_STREAM CUB_VERSION THRUST_VERSION CUSPARSE_VERSION \
    CUBLAS_VERSION CUDNN_VERSION CUFFT_VERSION EOF RAND_MAX assert";

/// Names that no compiler defines any more, since CUDA 3.1.
const GONE: &str = "\
    __DEVICE_EMULATION__";

/// Names of the command line that headers do not define.
const MODES: &str = "\
    LINUX UNIX APPLE";

/// How names begin that compilers and platforms define, so that a definition in a file is not the
/// first.
const COMPILERS: &str = "\
    __CUDA __NV __GNU __GCC __clang __CLANG __llvm __INTEL __ICC __PGI __linux __unix \
    __APPLE __MACH __x86 __amd64 __i386 __arm __aarch64 __LP64 __STDC __SIZEOF __cplusplus \
    _MSC_ _WIN __WIN";

/// How names begin that compilers of other languages define.
const FOREIGN: &str = "\
    __OPENCL_ __HIP __SYCL_ __METAL_";

/// The same for OpenCL C.
const FOREIGN_TO_OPENCL: &str = "\
    __CUDA __NVCC __cplusplus __HIP __SYCL_ __METAL_";

/// How names begin that only devices of OpenCL C define.
const OF_DEVICES: &str = "\
    cl_ CL_";

/// Is the name reserved, and no name of the file's own?
pub(super) fn is_of_compiler(name: &str) -> bool {
    is_reserved(name) && begins(COMPILERS, name)
}

fn is_reserved(name: &str) -> bool {
    let second = name.chars().nth(1).unwrap_or(' ');
    name.starts_with('_') && (second == '_' || second.is_ascii_uppercase())
}

impl State<'_> {
    /// Defines what is defined before the file starts.
    pub(super) fn predefine(&mut self) {
        let (predefined, values, extensions): (&[&str], &[_], &[_]) = match self.options.language {
            Language::Cuda => (&PREDEFINED, &ASSUMED, &[]),
            Language::OpenCl => (&OPENCL, &ASSUMED_OPENCL, &EXTENSIONS),
        };
        let values = || values.iter().chain(extensions);
        let assumed = values().map(|(name, value)| format!("{name} {value}"));
        let definitions: Vec<String> =
            predefined.iter().map(|text| (*text).to_owned()).chain(assumed).collect();
        for text in definitions {
            // The tables above are well-formed; were they not, the macro would be missing.
            let _ = self.define(&line(&text), false);
        }
        for (name, value) in values() {
            let value = value.trim_end_matches('L');
            let reason = format!("`{name}` is assumed to be {value} (`-D {name}=…` says another)");
            self.assumed.insert((*name).into(), reason.into());
        }
        for name in &self.options.undefines {
            self.macros.remove(&**name);
            self.assumed.remove(&**name);
        }
    }

    /// Defines a macro of the command line. The last definition of a name counts.
    ///
    /// # Errors
    /// As [`State::define`].
    pub(super) fn pin(&mut self, line: &[Token]) -> Result<(), BadDefinition> {
        let (name, _) = definition(line)?;
        if self.options.undefines.contains(&*name) {
            return Err((Some(name), "both defined and undefined".into()));
        }
        self.macros.remove(&name);
        self.define(line, true)
    }

    /// Is the name a macro?
    pub(super) fn defined(&self, name: &str) -> Decided {
        if let Some(reason) = self.doubtful.get(name) {
            return Err(reason.clone());
        }
        let builtin = BUILTIN.contains(&name) || name == "__has_include" || name == "_Pragma";
        if self.macros.contains_key(name) || builtin {
            return Ok(true);
        }
        if self.undefined.contains(name) || self.options.undefines.contains(name) {
            return Ok(false);
        }
        let (foreign, of_devices) = match self.options.language {
            Language::Cuda => (FOREIGN, ""),
            Language::OpenCl => (FOREIGN_TO_OPENCL, OF_DEVICES),
        };
        let reserved = is_reserved(name) && !begins(foreign, name) || begins(of_devices, name);
        let own = self.own.contains(name) && !begins(COMPILERS, name) || listed(GONE, name);
        if listed(OPEN, name) || (reserved && !own) {
            return Err(format!(
                "conditional on `{name}`, which the compiler may define (`-D {name}` or \
                 `-U {name}` says whether)"
            )
            .into());
        }
        let settled = is_reserved(name) || listed(MODES, name);
        match &self.missing {
            Some(missing) if !settled => {
                Err(format!("conditional on `{name}`, which {missing} may define").into())
            }
            _ => Ok(false),
        }
    }

    /// What is assumed where it is said whether the name is a macro.
    pub(super) fn assumed_macro(&self, name: &str) -> Option<Reason> {
        let of_compiler = self.macros.contains_key(name)
            && ASSUMED.iter().chain(&ASSUMED_OPENCL).any(|(n, _)| *n == name);
        self.assumed.get(name).filter(|_| !of_compiler).cloned()
    }

    /// `#include <assert.h>`: what `assert` means from here on.
    pub(super) fn include_assert(&mut self) {
        let name: Rc<str> = "assert".into();
        if let Some(reason) = self.doubtful.get("NDEBUG").cloned() {
            self.doubt_name(&name, &reason);
        } else if self.macros.contains_key("NDEBUG") {
            // A well-formed line.
            let _ = self.define(&line("assert(e) ((void)0)"), false);
        } else if self.macros.contains_key(&name) {
            self.undefine(&line("assert"));
            self.undefined.remove(&name);
        }
    }

    /// What `assert` means after a header that is not read.
    pub(super) fn assert_as_of(&mut self, header: &str) {
        if headers::is_assert(header) {
            self.include_assert();
        } else if !headers::is_of_c(header)
            && self.macros.contains_key("NDEBUG")
            && !self.macros.contains_key("assert")
        {
            let reason = format!("`{header}` may include `assert.h` where `NDEBUG` is defined");
            self.doubt_name(&"assert".into(), &reason.into());
        }
    }
}
