//! Headers of systems and toolkits that are known without being read, with the macros of theirs
//! that kernels use.
//!
//! What is known of each: it changes no macro of the file, and of the macros that it defines only
//! those given here decide conditionals or stand in kernels; another one of its names in a kernel
//! is an unknown name, and is refused there. Its types are those of `ctype`, or data.

use crate::unit::{begins, listed};

/// The definitions that stand for a known header; `None` for any other header.
pub(super) fn known(name: &str) -> Option<&'static str> {
    Some(match name {
        "limits.h" | "climits" => LIMITS,
        "stdint.h" | "cstdint" | "inttypes.h" | "cinttypes" => STDINT,
        "float.h" | "cfloat" => FLOAT,
        "math.h" | "cmath" => MATH,
        _ => {
            let read = [C, CPP, POSIX, CUDA, SAMPLES].iter().any(|list| listed(list, name));
            (read || begins(FAMILIES, name)).then_some("")?
        }
    })
}

/// Does the header define `assert` anew each time?
pub(super) fn is_assert(name: &str) -> bool {
    matches!(name, "assert.h" | "cassert")
}

/// Is it a header of C, which includes no `assert.h`?
pub(super) fn is_of_c(name: &str) -> bool {
    let of_c = |c: &str| listed(CPP, name) && listed(C, &format!("{c}.h"));
    listed(C, name) || name.strip_prefix('c').is_some_and(of_c)
}

const LIMITS: &str = "#define CHAR_BIT 8\n#define SCHAR_MIN (-128)\n#define SCHAR_MAX 127\n\
    #define UCHAR_MAX 255\n#define CHAR_MIN (-128)\n#define CHAR_MAX 127\n\
    #define SHRT_MIN (-32768)\n#define SHRT_MAX 32767\n#define USHRT_MAX 65535\n\
    #define INT_MIN (-2147483647 - 1)\n#define INT_MAX 2147483647\n\
    #define UINT_MAX 4294967295U\n#define LONG_MAX 9223372036854775807L\n\
    #define LONG_MIN (-9223372036854775807L - 1L)\n#define ULONG_MAX 18446744073709551615UL\n\
    #define LLONG_MAX 9223372036854775807LL\n#define LLONG_MIN (-9223372036854775807LL - 1LL)\n\
    #define ULLONG_MAX 18446744073709551615ULL\n";

const STDINT: &str = "#define INT8_MIN (-128)\n#define INT8_MAX 127\n#define UINT8_MAX 255\n\
    #define INT16_MIN (-32768)\n#define INT16_MAX 32767\n#define UINT16_MAX 65535\n\
    #define INT32_MIN (-2147483647 - 1)\n#define INT32_MAX 2147483647\n\
    #define UINT32_MAX 4294967295U\n#define INT64_MIN (-9223372036854775807L - 1)\n\
    #define INT64_MAX 9223372036854775807L\n#define UINT64_MAX 18446744073709551615UL\n\
    #define SIZE_MAX 18446744073709551615UL\n";

const FLOAT: &str = "#define FLT_MAX 3.402823466e+38F\n#define FLT_MIN 1.175494351e-38F\n\
    #define FLT_EPSILON 1.192092896e-07F\n#define DBL_MAX 1.7976931348623157e+308\n\
    #define DBL_MIN 2.2250738585072014e-308\n#define DBL_EPSILON 2.2204460492503131e-16\n";

const MATH: &str = "#define M_E 2.7182818284590452354\n#define M_PI 3.14159265358979323846\n\
    #define M_PI_2 1.57079632679489661923\n#define M_PI_4 0.78539816339744830962\n\
    #define M_1_PI 0.31830988618379067154\n#define M_2_PI 0.63661977236758134308\n\
    #define M_LN2 0.69314718055994530942\n#define M_SQRT2 1.41421356237309504880\n\
    #define M_SQRT1_2 0.70710678118654752440\n";

const C: &str = "\
    assert.h complex.h stdbool.h ctype.h errno.h fenv.h locale.h memory.h setjmp.h signal.h \
    stdarg.h stddef.h stdio.h stdlib.h string.h time.h malloc.h error.h";

const CPP: &str = "\
    algorithm cassert cstdbool array atomic bitset cctype cerrno cfenv chrono complex \
    condition_variable csignal cstdarg cstddef cstdio cstdlib cstring ctime deque exception \
    filesystem fstream functional future initializer_list iomanip ios iosfwd iostream \
    istream iterator limits list locale map memory mutex new numeric optional ostream queue \
    random ratio regex set sstream stack stdexcept streambuf string string_view system_error \
    thread tuple type_traits typeindex typeinfo unordered_map unordered_set utility valarray \
    variant vector";

const POSIX: &str = "\
    dirent.h fcntl.h getopt.h libgen.h omp.h pthread.h sys/mman.h sys/stat.h sys/time.h \
    sys/types.h unistd.h windows.h mpi.h io.h";

const CUDA: &str = "\
    builtin_types.h channel_descriptor.h cooperative_groups.h cuComplex.h cublas.h \
    cublas_v2.h cuda.h cudaGL.h cuda_awbarrier.h cuda_awbarrier_primitives.h cuda_bf16.h \
    cuda_fp16.h cuda_fp16.hpp cuda_fp8.h cuda_gl_interop.h cuda_pipeline.h \
    cuda_pipeline_primitives.h cuda_profiler_api.h cuda_runtime.h cuda_runtime_api.h \
    cuda_texture_types.h cudnn.h cufft.h cufftXt.h cufftw.h curand.h curand_kernel.h \
    curand_mtgp32_host.h cusolverDn.h cusolverSp.h cusparse.h cusparse_v2.h \
    device_atomic_functions.h device_functions.h device_launch_parameters.h \
    driver_functions.h driver_types.h host_config.h host_defines.h math_functions.h mma.h \
    nccl.h npp.h nvToolsExt.h nvrtc.h sm_20_atomic_functions.h sm_35_intrinsics.h \
    surface_functions.h surface_indirect_functions.h texture_fetch_functions.h \
    texture_indirect_functions.h texture_types.h vector_functions.h vector_types.h";

/// What the samples of the CUDA toolkit share.
const SAMPLES: &str = "\
    helper_cuda.h helper_cuda_drvapi.h helper_cuda_gl.h helper_cusolver.h helper_functions.h \
    helper_gl.h helper_image.h helper_math.h helper_multiprocess.h helper_nvJPEG.hxx \
    helper_string.h helper_timer.h exception.h cutil.h cutil_inline.h cutil_math.h \
    shrUtils.h";

const FAMILIES: &str = "\
    thrust/ cub/ cuda/ cooperative_groups/ crt/ GL/ GLUT/ OpenGL/ EGL/ GLES nvtx3/ sys/ \
    bits/";
