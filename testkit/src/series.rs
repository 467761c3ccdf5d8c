//! CUDA kernels that grow in one thing: what does a tool's time depend on?
//!
//! ```
//! use babycuda_testkit::series::SERIES;
//!
//! let races = SERIES.iter().find(|series| series.name == "races").unwrap();
//! assert!(races.kernel(2).contains("a[0] = threadIdx.x;\na[1] = threadIdx.x;\n"));
//! ```

/// A kernel for each number of what grows.
#[derive(Clone, Copy, Debug)]
pub struct Series {
    /// What grows.
    pub name: &'static str,
    /// Is every kernel of it racy, or is none?
    pub racy: bool,
    /// The largest number that makes a kernel which the front end reads.
    pub most: usize,
    /// What stands before, in the body.
    before: &'static str,
    /// The kernel's parameters beside `float *a, int n`; `{k}` is each number, and `{m}` how many there are.
    parameters: &'static str,
    /// The text for each number; it nests if it opens a brace.
    part: &'static str,
    /// What stands within all parts, or after them.
    inner: &'static str,
}

/// Loops and conditionals nest as deep as the front end reads.
const LOOP: Series = Series {
    name: "loop nesting",
    racy: false,
    most: 72,
    before: "",
    parameters: "",
    part: "for (int i{k} = 0; i{k} < 2; i{k}++) {",
    inner: "a[threadIdx.x] = 1;",
};

const FLAT: Series = Series { most: usize::MAX, inner: "", ..LOOP };

/// All of them.
pub const SERIES: [Series; 12] = [
    LOOP,
    Series { name: "conditional nesting", most: 48, part: "if (n > {k}) {", ..LOOP },
    Series { name: "loops", part: "for (int i = 0; i < n; i++) a[threadIdx.x] = {k};", ..FLAT },
    Series {
        name: "loops with strides",
        part: "for (int i = threadIdx.x; i < n; i += blockDim.x) a[i] = {k};",
        ..FLAT
    },
    Series { name: "stores to an array", part: "a[{m} * threadIdx.x + {k}] = {k};", ..FLAT },
    Series { name: "stores to a cell", part: "a[threadIdx.x] += {k};", ..FLAT },
    Series {
        name: "stores to arrays",
        parameters: ", float *a{k}",
        part: "a{k}[threadIdx.x] = {k};",
        ..FLAT
    },
    Series {
        name: "reads",
        parameters: ", const float *b",
        part: "a[threadIdx.x] += b[threadIdx.x + {k}];",
        ..FLAT
    },
    Series {
        name: "barriers",
        before: "__shared__ float s[1024];",
        part: "s[threadIdx.x] = {k}; __syncthreads(); \
            a[threadIdx.x] += s[blockDim.x - 1 - threadIdx.x]; __syncthreads();",
        ..FLAT
    },
    Series { name: "conditionals", part: "if (n > {k}) a[threadIdx.x] = {k};", ..FLAT },
    Series { name: "races", racy: true, part: "a[{k}] = threadIdx.x;", ..FLAT },
    Series {
        name: "races in phases",
        racy: true,
        part: "a[{k}] = threadIdx.x; __syncthreads();",
        ..FLAT
    },
];

impl Series {
    /// The kernel of size `n`.
    pub fn kernel(&self, n: usize) -> String {
        let of = |text: &str, k: usize| {
            text.replace("{k}", &k.to_string()).replace("{m}", &n.to_string())
        };
        let all = |text: &str, end: &str| -> String { (0..n).map(|k| of(text, k) + end).collect() };
        let parameters = if self.parameters.contains("{k}") {
            all(self.parameters, "")
        } else {
            self.parameters.to_owned()
        };
        let ends = if self.part.ends_with('{') { "}".repeat(n) + "\n" } else { String::new() };
        let Series { before, inner, .. } = self;
        let parts = all(self.part, "\n");
        let body = format!("{before}\n{parts}{inner}{ends}");
        format!("__global__ void k(float *a, int n{parameters}) {{{body}}}\n")
    }
}
