//! Races that depend on what the host stored.

use super::*;

/// Races and divergences relative to the host's contents are those of enumeration in them: in
/// declared contents, and where the host chooses, free of races only if all contents are.
#[test]
fn races_relative_to_inputs_are_those_of_enumeration() {
    let (counts, chosen) = (Counts::default(), Cell::new(0u32));
    let config = ProptestConfig { cases: 3000, failure_persistence: None, ..Default::default() };
    let control = prop_oneof![Just(Control::Uniform), Just(Control::Free)];
    let protocols = control.prop_flat_map(|c| protocol(c, 3));
    let index = proptest::sample::select(&["0", "1", "m", "tid", "tid / 2", "tid % 2 + m"][..]);
    let values = proptest::collection::vec(0u32..4, 8);
    proptest!(config, |(p in protocols, place in 0usize..5, index in index, values in values)| {
        let p = reading(&p, place, index);
        let given = |contents| {
            let d = with_array(small(None), "P", Space::Global, contents);
            let d = with_array(d, "A", Space::Global, Contents::Undefined);
            with_array(d, "B", Space::Global, Contents::Undefined)
        };
        let known = given(Contents::Values(values.iter().map(|k| Natural::from(*k)).collect()));
        let (pairs, diverges) = enumerated(&p, &known);
        let result = check(&p, &known, &Builtin, &SolveOptions::default());
        let found: Pairs = result.races.iter().map(Witness::pair).collect();
        prop_assert!(found.is_subset(&pairs), "{}\n{:?}\n{:?}", p, found, pairs);
        if result.undecided.is_empty() {
            prop_assert_eq!(&found, &pairs, "{}\n{:?}", p, values);
            prop_assert_eq!(!result.divergences.is_empty(), diverges, "{}\n{:#?}", p, result);
        }
        let open = given(Contents::Any);
        let result = check(&p, &open, &Builtin, &SolveOptions::default());
        if result.undecided.is_empty() {
            let found: Pairs = result.races.iter().map(Witness::pair).collect();
            prop_assert!(pairs.is_subset(&found), "{}\n{:?}\n{:?}", p, found, pairs);
            prop_assert!(!diverges || !result.divergences.is_empty(), "{}", p);
            count(&chosen, true);
        }
        // What the model chose is enough: in these contents there is such a race.
        for witness in &result.races {
            let mut at = witness.configuration.clone();
            at.host.insert("P".into(), HostArray { fill: Some(Natural::zero()), ..Default::default() });
            for choice in witness.first.data.iter().chain(&witness.second.data) {
                at.host.set(choice.cell.clone().unwrap(), choice.value.clone());
            }
            let limits = enumerate::EnumerationLimits::default();
            let races = enumerate(&p, &open, &at, &limits).unwrap().races;
            prop_assert!(races.contains_key(&witness.pair()), "{}\n{:#?}", p, witness);
        }
        count(&counts.divergent, diverges);
        count(&counts.free, !diverges && pairs.is_empty());
        count(&counts.racy, !pairs.is_empty());
    });
    let shares =
        [&counts.divergent, &counts.free, &counts.racy, &chosen].map(|c| c.get() * 100 / 3000);
    println!("divergent, free, racy, decided for all contents: {shares:?} %");
    assert!(shares[0] > 1 && shares[1] > 5 && shares[2] > 10 && shares[3] > 40, "{shares:?}");
}

#[test]
fn what_the_host_stored_decides_alike_for_all_threads() {
    let d = with_array(line(), "P", Space::Global, Contents::Any);
    let d = with_array(d, "S", Space::Shared, Contents::Undefined);
    // A number of rounds that all threads read in one cell; the same in a cell of each.
    let rounds = |index: &str| {
        format!("let n = input P[{index}] in forS i in 0..n {{ wr S[tid]; sync; rd S[0]; sync }}")
    };
    drf(&rounds("0"), &d);
    let result = solved(&rounds("tid"), &d);
    assert_eq!(result.divergences.len(), 1, "{result:#?}");
    let data = &result.divergences.values().next().unwrap().data;
    assert!(data.iter().all(|choices| choices.iter().all(|c| c.cell.is_some())), "{data:?}");
    // Below a guard, and by way of another input.
    drf("let n = input P[0] in let m = input P[n] in if m == 1 { wr S[tid]; sync; rd S[0] }", &d);
    // A read in each round stays in it.
    let result = solved("forS i in 0..4 { let x = input P[i] in wr S[x + tid]; sync }", &d);
    assert!(result.is_drf(), "{result:#?}");
    let undecided = solved("forS i in 0..4 { let x = input P[i] in if x == 0 { sync } }", &d);
    let data = |u: &Undecided| matches!(u.cause, Cause::Unaligned(Unaligned::Data { .. }));
    assert!(undecided.undecided.iter().any(data), "{undecided:#?}");
}

#[test]
fn equal_indices_of_an_input_give_equal_values() {
    let any = with_array(line(), "P", Space::Global, Contents::Any);
    let same = "let x = input P[0] in if tid == x { wr B[0] }";
    drf(same, &any);
    drf("let x = input P[3] in let y = input P[3] in if x < y { wr B[0] }", &any);
    let result = racy("let x = input P[tid] in wr B[x]", &any);
    let side = &result.races[0].first;
    assert_eq!(side.data.len(), 1, "{side:?}");
    assert_eq!(result.races[0].confirmation, Confirmation::Run);
    // Declared contents are what they are.
    let of = |contents| with_array(line(), "P", Space::Global, contents);
    let values = |k: &[u32]| of(Contents::Values(k.iter().map(|k| Natural::from(*k)).collect()));
    let four =
        |d: Declarations| Declarations { geometry: Geometry::exactly(Launch::threads(4)), ..d };
    drf("let x = input P[tid] in wr B[x]", &four(values(&[3, 1, 0, 2])));
    let result = racy("let x = input P[tid] in wr B[x]", &four(values(&[3, 1, 0, 3])));
    assert!(!result.races[0].depends_on_data());
    racy("let x = input P[tid] in wr B[x]", &four(of(Contents::Fill(7u32.into()))));
    drf("let x = input P[tid] in if x == 8 { wr B[0] }", &four(of(Contents::Fill(7u32.into()))));
}

/// What is declared of an array that the program writes is not what is read there.
#[test]
fn declared_contents_of_written_arrays_are_not_known() {
    let text = "rd C[tid]; wr C[0]";
    let mut p = parsed(&format!("{text}; any x: u32 {{ if x == 9 {{ wr B[0] }} }}"));
    // The value is that of the read, as in the protocol of a program.
    p = p.map_sites(&mut |site| if site == Site(2) { Site(0) } else { site });
    let d = with_array(line(), "C", Space::Global, Contents::Fill(7u32.into()));
    let result = check(&p, &d, &Builtin, &SolveOptions::default());
    assert!(result.undecided.is_empty(), "{result:#?}");
    assert!(result.races.iter().any(|w| w.cell.array.as_str() == "B"), "{result:#?}");
}
