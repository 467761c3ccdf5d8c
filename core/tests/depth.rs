//! Trees of a hundred thousand levels, built by hand: no operation overflows the stack.

use babycuda_core::expr::{ArithOp, Relation, Renaming};
use babycuda_core::json::{from_json, to_json};
use babycuda_core::scope::barriers_in_unsynchronized_loops;
use babycuda_core::syntax::{ForSort, MapFile};
use babycuda_core::{AccessMode, Bool, Name, Natural, Num, Program, Protocol, Site, Stmt};
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

const HEIGHT: usize = 100_000;

fn tower<T>(ground: T, mut storey: impl FnMut(T) -> T) -> T {
    (0..HEIGHT).fold(ground, |tower, _| storey(tower))
}

fn hash(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

fn zero() -> Num {
    Num::lit(0u32)
}

fn renaming() -> Renaming {
    Renaming::from([(Name::new("tid"), Num::lit(7u32))])
}

/// Towers of each constructor, in each position. Test threads have 2 MiB of stack.
fn statements() -> Vec<Stmt> {
    let leaf = || Stmt::write("A", Num::var("tid"), zero());
    let guard = || Bool::compare(Relation::Eq, Num::var("tid"), zero());
    vec![
        tower(leaf(), |b| Stmt::seq(Stmt::Skip, b)),
        tower(leaf(), |b| Stmt::seq(b, Stmt::Skip)),
        tower(leaf(), |b| Stmt::branch(guard(), b, Stmt::Skip)),
        tower(leaf(), |b| Stmt::branch(guard(), Stmt::Skip, b)),
        tower(leaf(), |b| Stmt::repeat(ForSort::U, "x", zero(), zero(), b)),
        tower(Stmt::sync(), |b| Stmt::repeat(ForSort::U, "x", zero(), zero(), b)),
        tower(leaf(), |b| Stmt::read("x", "A", zero(), b)),
        Stmt::write("A", tower(Num::var("tid"), |n| Num::arith(ArithOp::Add, n, zero())), zero()),
        Stmt::write("A", tower(Num::var("tid"), |n| Num::arith(ArithOp::Add, zero(), n)), zero()),
        Stmt::branch(tower(guard(), Bool::not), Stmt::Skip, Stmt::Skip),
        Stmt::branch(tower(guard(), |c| Bool::and(c, Bool::Lit(true))), Stmt::Skip, Stmt::Skip),
    ]
}

#[test]
fn statements_of_any_height() {
    for b in statements() {
        let copy = b.map_sites(&mut |site| site);
        assert!(copy == b && hash(&copy) == hash(&b) && copy.alpha_equivalent(&b));
        assert!(b.numbered() >= b);
        let closed = b.subst(&renaming());
        assert!(closed.free_vars().is_empty() && (closed == b) == b.free_vars().is_empty());
        assert_eq!(b.project(&Name::new("B")).arrays().len(), 0);
        assert_eq!(Program::of_body(b.clone()).check_scope(), Ok(()));
        barriers_in_unsynchronized_loops(&b);
        assert!(b.to_string().len() >= HEIGHT && format!("{b:#?}").len() >= HEIGHT);
        let text = to_json(&b).unwrap();
        assert!(from_json::<Stmt>(&text).unwrap() == b);
    }
}

#[test]
fn protocols_of_any_height() {
    let leaf = || Protocol::access(AccessMode::Wr, "A", Num::var("tid"));
    let site = Site::default();
    let towers = vec![
        tower(leaf(), |p| Protocol::Seq(Arc::new(p), Arc::new(Protocol::Skip))),
        tower(leaf(), |p| Protocol::Seq(Arc::new(Protocol::Skip), Arc::new(p))),
        tower(leaf(), |p| Protocol::If {
            site,
            condition: Bool::Lit(true),
            then: Arc::new(p),
            otherwise: Arc::new(Protocol::Skip),
        }),
        tower(leaf(), |p| Protocol::Any {
            site,
            var: Name::new("x"),
            domain: None,
            body: Arc::new(p),
        }),
        tower(leaf(), |p| Protocol::For {
            site,
            sort: ForSort::U,
            var: Name::new("x"),
            lower: zero(),
            upper: zero(),
            body: Arc::new(p),
        }),
    ];
    for p in towers {
        let copy = p.map_sites(&mut |site| site);
        assert!(copy == p && hash(&copy) == hash(&p) && copy.alpha_equivalent(&p));
        assert!(p.subst(&renaming()).free_vars().is_empty());
        assert!(!p.has_sync() && p.project(&Name::new("B")).arrays().is_empty());
        let declarations = Program::of_body(Stmt::write("A", zero(), zero())).declarations;
        assert_eq!(MapFile { declarations, protocol: p.clone() }.check_scope(), Ok(()));
        assert!(p.to_string().len() >= HEIGHT);
        let text = to_json(&p).unwrap();
        assert!(from_json::<Protocol>(&text).unwrap() == p);
    }
}

#[test]
fn expressions_of_any_height() {
    let one = || Num::lit(1u32);
    let sum = tower(Num::var("tid"), |n| Num::arith(ArithOp::Add, n, one()));
    let select = tower(one(), |n| Num::select(Bool::Lit(true), n, one()));
    let env = |_: &Name| Some(Natural::from(5u32));
    assert_eq!(sum.eval(&env), Ok(Natural::from(HEIGHT + 5)));
    assert_eq!(select.eval(&env), Ok(Natural::from(1u32)));
    let not = tower(Bool::Lit(true), Bool::not);
    assert_eq!(not.value(), Ok(HEIGHT.is_multiple_of(2)));
    assert!(sum.is_paper() && !select.is_paper() && not.is_paper());
    assert!(sum.clone() == sum.subst(&Renaming::new()));
}
