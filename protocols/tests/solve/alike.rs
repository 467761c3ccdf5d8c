//! Accesses that are alike: many of them by few questions, and each pair as if it had been asked alone.

use super::*;

/// A statement of a family: ways to `A` that differ in numbers, and in what else a family has.
fn member() -> impl Strategy<Value = String> {
    let mode = prop_oneof![Just("wr"), Just("rd")];
    let numbers = (1u32..=3, 0u32..=9, 0u32..=5);
    (mode, 0usize..9, numbers).prop_map(|(mode, family, (step, k, j))| match family {
        0..=2 => format!("{mode} A[{step} * tid + {k}]"),
        3 | 4 => format!("if tid < {j} {{ {mode} A[tid + {k}] }}"),
        5 => format!("if tid == {j} {{ if n < {k} {{ {mode} A[tid + {k}] }} }}"),
        6 => format!("forU i in {j}..{k} {{ {mode} A[i + {step} * tid] }}"),
        7 => format!("any x: u32 {{ if x < {j} {{ {mode} A[4 * tid + x] }} }}"),
        _ => format!("any x: u32 {{ any y: u32 {{ {mode} A[3 * tid + {k}] }} }}"),
    })
}

#[test]
fn accesses_that_are_alike_race_as_each_pair_of_them_does() {
    let cases = std::env::var("BABYCUDA_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(200);
    let config = ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() };
    let (racy, free) = (Cell::new(0u32), Cell::new(0u32));
    let declarations = line().with_param("n", Domain::Machine(IntType::U32));
    let statements = proptest::collection::vec(member(), 2..7);
    proptest!(config, |(statements in statements)| {
        let together = parsed(&statements.join("; "));
        let found = check(&together, &declarations, &Builtin, &SolveOptions::default());
        prop_assert!(found.undecided.is_empty(), "{together}: {found:#?}");
        let sites: Vec<Site> = together.subterms().filter_map(|p| match p {
            Protocol::Access { site, .. } => Some(*site),
            _ => None,
        }).collect();
        let expected = pairs_alone(&statements, &declarations);
        let place = |site: Site| sites.iter().position(|s| *s == site);
        let races: BTreeSet<_> = found.races.iter().map(|w| {
            let mut places = [place(w.first.site), place(w.second.site)];
            places.sort();
            places
        }).collect();
        prop_assert_eq!(&races, &expected, "{}", together);
        prop_assert_eq!(races.len(), found.races.len(), "{}", together);
        let counter = if races.is_empty() { &free } else { &racy };
        counter.set(counter.get() + 1);
    });
    println!("{} racy, {} free of races", racy.get(), free.get());
    assert!(racy.get() > cases / 4 && free.get() > cases / 20);
}

/// The pairs of statements that race, each pair asked about alone: a group of one is no group.
fn pairs_alone(statements: &[String], declarations: &Declarations) -> BTreeSet<[Option<usize>; 2]> {
    let mut pairs = BTreeSet::new();
    for (i, first) in statements.iter().enumerate() {
        for (j, second) in statements.iter().enumerate().skip(i) {
            // Two statements of which one thread makes the first only, and the other the second.
            let protocol =
                parsed(&format!("if tid == t {{ {first} }}; if tid != t {{ {second} }}"));
            let chosen = declarations.clone().with_param("t", Domain::Machine(IntType::U32));
            let found = check(&protocol, &chosen, &Builtin, &SolveOptions::default());
            let crossed = |w: &Witness| w.first.site != w.second.site;
            if found.races.iter().any(crossed) {
                pairs.insert([Some(i), Some(j)]);
            }
        }
    }
    pairs
}

#[test]
fn accesses_far_apart_in_one_family_are_found() {
    // Only the first and the last of the family meet.
    let stores: Vec<String> = (0..40).map(|k| format!("wr[39 * tid + {k}]")).collect();
    let result = solved(&stores.join("; "), &line());
    assert_eq!(result.races.len(), 1, "{result:#?}");
    assert!(result.undecided.is_empty(), "{result:#?}");
    assert!(result.statistics.questions < 8 * 40, "{:?}", result.statistics);
}

#[test]
fn questions_about_accesses_are_linear_in_their_number() {
    let questions = |n: usize, part: &dyn Fn(usize) -> String| {
        let parts: Vec<String> = (0..n).map(part).collect();
        let result =
            solved(&parts.join("; "), &line().with_param("n", Domain::Machine(IntType::U32)));
        assert!(result.undecided.is_empty(), "{result:#?}");
        assert_eq!(result.statistics.pairs, n * (n + 1) / 2);
        result.statistics.questions
    };
    // One question for all that never race.
    assert!(questions(64, &|k| format!("wr[64 * tid + {k}]")) <= 4);
    assert!(questions(64, &|k| format!("if n > {k} {{ wr[tid] }}")) <= 4);
    assert!(
        questions(64, &|k| format!("forU i in tid..n + {k} {{ if i == tid {{ wr[i] }} }}")) <= 4
    );
    // A few for each race.
    let racing = [16, 64].map(|n| questions(n, &|k| format!("wr[{k}]")));
    assert!(racing[1] <= 5 * racing[0], "{racing:?}");
}
