//! Queries of the shape that race checks have: two threads, one index.
#![allow(dead_code)]

use babycuda_smt::{Query, Term};

/// A named query and whether it is satisfiable (a race).
pub struct Case {
    pub query: Query,
    pub racy: bool,
    /// Left for the solvers from outside: the embedded one may fail.
    pub hard: bool,
}

/// The largest `int`.
pub const INT: i64 = (1 << 31) - 1;

struct Builder {
    query: Query,
}

impl Builder {
    fn new(name: &str) -> Builder {
        Builder { query: Query::named(name) }
    }

    fn int(&mut self, name: &str, low: i64, high: i64) -> Term {
        self.query.declare_int(name, low, high).unwrap()
    }

    /// One variable for each of the two threads.
    fn pair(&mut self, name: &str, low: i64, high: i64) -> [Term; 2] {
        [1, 2].map(|thread| self.int(&format!("{name}${thread}"), low, high))
    }

    fn assert(&mut self, term: Term) {
        self.query.assert(&term).unwrap();
    }

    fn distinct(&mut self, pairs: &[&[Term; 2]]) {
        let differ = pairs.iter().map(|[a, b]| a.differs(b).unwrap());
        self.assert(Term::or(differ).unwrap());
    }

    fn case(self, racy: bool) -> Case {
        Case { query: self.query, racy, hard: false }
    }
}

fn add(a: &Term, b: &Term) -> Term {
    a.add(b).unwrap()
}

fn mul(a: &Term, b: &Term) -> Term {
    a.mul(b).unwrap()
}

fn lt(a: &Term, b: &Term) -> Term {
    a.less_than(b).unwrap()
}

fn eq(a: &Term, b: &Term) -> Term {
    a.equals(b).unwrap()
}

fn n(k: i64) -> Term {
    Term::int(k)
}

/// All cases.
pub fn cases() -> Vec<Case> {
    vec![
        transpose(true),
        transpose(false),
        stride(1),
        stride(0),
        volume(true),
        volume(false),
        grid_stride(true),
        grid_stride(false),
        blelloch(),
        neighbours(),
        reduction(true),
        reduction(false),
        warps(),
        tile(33),
        tile(16),
        linear_to_square(),
        matrix_product(),
    ]
}

/// `A[y*N + x]` for all sizes, guarded by `x < N` or not.
fn transpose(guarded: bool) -> Case {
    let mut b = Builder::new("transpose");
    let size = b.int("N", 1, INT);
    let x = b.pair("x", 0, INT);
    let y = b.pair("y", 0, INT);
    if guarded {
        b.assert(lt(&x[0], &size));
        b.assert(lt(&x[1], &size));
    }
    b.distinct(&[&x, &y]);
    let index = [0, 1].map(|i| add(&mul(&y[i], &size), &x[i]));
    b.assert(eq(&index[0], &index[1]));
    b.case(!guarded)
}

/// `A[s*2*t]`, where the stride is at least `least`.
fn stride(least: i64) -> Case {
    let mut b = Builder::new("stride");
    let s = b.int("s", least, INT);
    let t = b.pair("tid.x", 0, 1023);
    b.distinct(&[&t]);
    let index = [0, 1].map(|i| mul(&mul(&s, &n(2)), &t[i]));
    b.assert(eq(&index[0], &index[1]));
    b.case(least == 0)
}

/// `A[(z*H + y)*W + x]`; without the guard on `y` the layers overlap.
fn volume(guarded: bool) -> Case {
    let mut b = Builder::new("volume");
    let (w, h) = (b.int("W", 1, INT), b.int("H", 1, INT));
    let x = b.pair("x", 0, INT);
    let y = b.pair("y", 0, INT);
    let z = b.pair("z", 0, INT);
    for i in [0, 1] {
        b.assert(lt(&x[i], &w));
        if guarded {
            b.assert(h.at_most(&y[i]).unwrap().not().unwrap());
        }
    }
    b.distinct(&[&x, &y, &z]);
    let index = [0, 1].map(|i| {
        let area = mul(&mul(&z[i], &h), &w);
        add(&add(&area, &mul(&y[i], &w)), &x[i])
    });
    b.assert(eq(&index[0], &index[1]));
    b.case(!guarded)
}

/// `for (i = bid*bdim + tid; ; i += gdim*bdim) A[i]`, or with a stride of `gdim*bdim - 1`.
fn grid_stride(right: bool) -> Case {
    let mut b = Builder::new("grid stride loop");
    let (bdim, gdim) = (b.int("bdim", 1, 1024), b.int("gdim", 1, 65_535));
    let tid = b.pair("tid", 0, 1023);
    let bid = b.pair("bid", 0, 65_534);
    let k = b.pair("k", 0, INT);
    for i in [0, 1] {
        b.assert(lt(&tid[i], &bdim));
        b.assert(lt(&bid[i], &gdim));
    }
    b.distinct(&[&tid, &bid]);
    let mut stride = mul(&gdim, &bdim);
    if !right {
        stride = stride.sub(&n(1)).unwrap();
    }
    let index = [0, 1].map(|i| add(&add(&mul(&bid[i], &bdim), &tid[i]), &mul(&k[i], &stride)));
    b.assert(eq(&index[0], &index[1]));
    b.case(!right)
}

/// The up-sweep of Blelloch's scan: `A[o*(2t+1)-1]` read, `A[o*(2t+2)-1]` written.
fn blelloch() -> Case {
    let mut b = Builder::new("Blelloch scan");
    let o = b.int("offset", 1, 1024);
    let t = b.pair("tid", 0, 1023);
    b.distinct(&[&t]);
    let at = |t: &Term, k: i64| {
        let position = add(&mul(&n(2), t), &n(k));
        mul(&o, &position).sub(&n(1)).unwrap()
    };
    b.assert(eq(&at(&t[0], 1), &at(&t[1], 2)));
    b.case(false)
}

/// `A[t]` written, `A[t+1]` read.
fn neighbours() -> Case {
    let mut b = Builder::new("neighbours");
    let bdim = b.int("bdim", 1, 1024);
    let t = b.pair("tid", 0, 1023);
    b.assert(lt(&t[0], &bdim));
    b.assert(lt(&t[1], &bdim));
    b.distinct(&[&t]);
    b.assert(eq(&t[0], &add(&t[1], &n(1))));
    b.case(true)
}

/// `if (tid % (2*s) == 0) A[tid] += A[tid + s]`; without the guard the sums race.
fn reduction(guarded: bool) -> Case {
    let mut b = Builder::new("reduction");
    let s = b.int("s", 1, 512);
    let t = b.pair("tid", 0, 1023);
    if guarded {
        for t in &t {
            let rest = t.int_mod(&mul(&n(2), &s)).unwrap();
            b.assert(eq(&rest, &n(0)));
        }
    }
    b.distinct(&[&t]);
    b.assert(eq(&t[0], &add(&t[1], &s)));
    b.case(!guarded)
}

/// `A[(tid/32)*32 + tid%32]`.
fn warps() -> Case {
    let mut b = Builder::new("warps");
    let t = b.pair("tid", 0, 1023);
    b.distinct(&[&t]);
    let index = [0, 1].map(|i| {
        let warp = t[i].int_div(&n(32)).unwrap();
        add(&mul(&warp, &n(32)), &t[i].int_mod(&n(32)).unwrap())
    });
    b.assert(eq(&index[0], &index[1]));
    b.case(false)
}

/// A tile of 32 columns in rows of the given pitch.
fn tile(pitch: i64) -> Case {
    let mut b = Builder::new("tile");
    let x = b.pair("tid.x", 0, 31);
    let y = b.pair("tid.y", 0, 31);
    b.distinct(&[&x, &y]);
    let index = [0, 1].map(|i| add(&mul(&y[i], &n(pitch)), &x[i]));
    b.assert(eq(&index[0], &index[1]));
    b.case(pitch < 32)
}

/// `x = t % W, y = t / W, A[y*W + x]` with W symbolic.
fn linear_to_square() -> Case {
    let mut b = Builder::new("linear to square");
    let w = b.int("W", 1, 1024);
    let t = b.pair("t", 0, INT);
    b.distinct(&[&t]);
    let index =
        [0, 1].map(|i| add(&mul(&t[i].int_div(&w).unwrap(), &w), &t[i].int_mod(&w).unwrap()));
    b.assert(eq(&index[0], &index[1]));
    b.case(false)
}

/// `C[(by*T + ty)*N + bx*T + tx]` with `bx*T + tx < N`.
fn matrix_product() -> Case {
    let mut b = Builder::new("matrix product");
    let size = b.int("N", 1, INT);
    let t = b.int("bdim", 1, 32);
    let [tx, ty] = ["tid.x", "tid.y"].map(|name| b.pair(name, 0, 31));
    let [bx, by] = ["bid.x", "bid.y"].map(|name| b.pair(name, 0, INT));
    b.distinct(&[&tx, &ty, &bx, &by]);
    let mut index = Vec::new();
    for i in [0, 1] {
        b.assert(lt(&tx[i], &t));
        b.assert(lt(&ty[i], &t));
        let column = add(&mul(&bx[i], &t), &tx[i]);
        let row = add(&mul(&by[i], &t), &ty[i]);
        b.assert(lt(&column, &size));
        index.push(add(&mul(&row, &size), &column));
    }
    b.assert(eq(&index[0], &index[1]));
    b.case(false)
}
