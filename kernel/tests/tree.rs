//! A kernel built by hand: how it prints, what a walk finds, where control goes.

use babycuda_core::expr::Relation;
use babycuda_core::{IntType, MachineOp};
use babycuda_kernel::{
    At, Case, Exit, Expr, ExprKind, Function, Graph, Kernel, Launch, Loop, Node, Origin, Place,
    PlaceKind, Stmt, StmtKind, Storage, Type, Var, Variable,
};

const AT: At = At(0);
const INT: Type = Type::Int(IntType::I32);

fn stmt(kind: StmtKind) -> Stmt {
    Stmt { kind, at: AT }
}

fn int(value: u64) -> Expr {
    Expr::int(INT, value, AT)
}

fn variable(name: &str, ty: Type) -> Variable {
    let name = name.to_owned();
    Variable { name, ty, storage: Storage::Local, constant: false, volatile: false, at: AT }
}

/// `for (int i = 0; i < 4; i++) { switch (i) { case 1: break; default: continue; } a[threadIdx.x] = i; }`
fn kernel() -> Kernel {
    let (a, i) = (Var(0), Var(1));
    let pointer = INT.pointer();
    let the = |v: Var, ty: &Type| Place::variable(v, ty.clone(), AT);
    let value = |v: Var, ty: &Type| the(v, ty).value();
    let launch = ExprKind::Launch(Launch::ThreadIdx, 0);
    let x = Expr { kind: launch, ty: Type::Int(IntType::U32), at: AT };
    let cell = PlaceKind::Index(Box::new([value(a, &pointer), x]));
    let cell = Place { kind: cell, ty: INT, at: AT };
    let store = ExprKind::Assign(Box::new(cell), Box::new(value(i, &INT)));
    let below = ExprKind::Compare(Relation::Lt, Box::new([value(i, &INT), int(4)]));
    let step = ExprKind::Step { place: Box::new(the(i, &INT)), up: true, prefix: false };
    let cases = vec![
        Case { label: Some(int(1)), body: vec![stmt(StmtKind::Break)], at: AT },
        Case { label: None, body: vec![stmt(StmtKind::Continue)], at: AT },
    ];
    let turns = Loop {
        initial: vec![stmt(StmtKind::Declare(i, Some(babycuda_kernel::Initial::Value(int(0)))))],
        test_first: true,
        condition: Some(Expr { kind: below, ty: Type::Bool, at: AT }),
        update: Some(Expr { kind: step, ty: INT, at: AT }),
        body: stmt(StmtKind::Block(vec![
            stmt(StmtKind::Switch(value(i, &INT), cases)),
            stmt(StmtKind::Expr(Expr { kind: store, ty: INT, at: AT })),
        ])),
    };
    let unknown = stmt(StmtKind::Unsupported("goto".into()));
    let body = stmt(StmtKind::Block(vec![stmt(StmtKind::Loop(Box::new(turns))), unknown]));
    let (name, parameters, result) = ("k".to_owned(), vec![a], Type::Void);
    Kernel {
        functions: vec![Function { name, parameters, result, body, at: AT }],
        variables: vec![variable("a", pointer), variable("i", INT)],
        origins: vec![Origin::default()],
        ..Kernel::default()
    }
}

#[test]
fn it_prints_as_c() {
    let wanted = "\
__global__ void k(int *a) {
    for (int i = 0; i < 4; i++) {
        switch (i) {
            case 1:
                break;
            default:
                continue;
        }
        a[threadIdx.x] = i;
    }
    /* not understood: goto */
}";
    assert_eq!(kernel().to_string(), wanted);
}

#[test]
fn a_walk_finds_every_node() {
    let kernel = kernel();
    let body = &kernel.entry().expect("a function").body;
    let nodes: Vec<Node<'_>> = Node::from(body).subterms().collect();
    let places = nodes.iter().filter(|n| matches!(n, Node::Place(_))).count();
    let unsupported: Vec<&str> = nodes.iter().filter_map(|n| n.unsupported()).collect();
    // i < 4, i++, switch (i), a[…] and the a and i in it.
    assert_eq!((places, unsupported), (6, vec!["goto"]));
    let stores = nodes
        .iter()
        .filter(|n| matches!(n, Node::Expr(e) if matches!(e.kind, ExprKind::Assign(..))));
    assert_eq!(stores.count(), 1);
}

#[test]
fn control_goes_where_c_says() {
    let kernel = kernel();
    let graph = Graph::of(kernel.entry().expect("a function"));
    let reachable = graph.reachable();
    let branch = reachable.iter().find_map(|b| match &graph.blocks[*b].exit {
        Exit::Branch(_, both) => Some(*both),
        _ => None,
    });
    let [body, after] = branch.expect("a condition");
    let Exit::Switch(_, labels, otherwise) = &graph.blocks[body].exit else { panic!("no switch") };
    // `break` goes to the store, `continue` to the update; both come back to the condition.
    let Exit::Goto(store) = graph.blocks[labels[0].1].exit else { panic!("no break") };
    let Exit::Goto(update) = graph.blocks[*otherwise].exit else { panic!("no continue") };
    assert_eq!((graph.blocks[store].steps.len(), graph.blocks[update].steps.len()), (1, 1));
    assert_eq!(graph.successors(store), [update]);
    assert_eq!(graph.blocks[after].exit, Exit::Return(None));
    assert_eq!(graph.blocks[after].steps.len(), 1);
    // Nothing but what is behind a jump is unreachable.
    let stray = (0..graph.blocks.len()).filter(|b| !reachable.contains(b));
    assert!(stray.into_iter().all(|b| graph.blocks[b].steps.is_empty()));
}

#[test]
fn a_conversion_to_the_same_type_is_none() {
    let sum = ExprKind::Arithmetic(MachineOp::Add, Box::new([int(1), int(2)]));
    let sum = Expr { kind: sum, ty: INT, at: AT };
    let wide = sum.converted(&Type::Int(IntType::I64), AT);
    assert_eq!(babycuda_kernel::constant(&wide, &|_| None), Some(3));
    assert_eq!(wide.clone().converted(&wide.ty, AT), wide);
}
