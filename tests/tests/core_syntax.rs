//! The concrete syntax on random trees and texts: parse ∘ print is the identity, and no text
//! panics.

use babycuda_core::parse::{
    parse_bool, parse_map, parse_num, parse_program, parse_protocol, parse_stmt,
};
use babycuda_testkit::generators::{
    Profile, map_file, mutate_text, program, raw_bool, raw_num, raw_program, raw_protocol,
    raw_stmt, strategy,
};
use babycuda_testkit::{Choices, Distribution};
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn parsing_a_printed_number_gives_it_back(n in strategy(raw_num)) {
        prop_assert_eq!(parse_num(&n.to_string()), Ok(n));
    }

    #[test]
    fn parsing_a_printed_condition_gives_it_back(c in strategy(raw_bool)) {
        prop_assert_eq!(parse_bool(&c.to_string()), Ok(c));
    }

    #[test]
    fn parsing_a_printed_statement_gives_it_back(b in strategy(raw_stmt)) {
        prop_assert_eq!(parse_stmt(&format!("{b}")), Ok(b.clone()));
        prop_assert_eq!(parse_stmt(&format!("{b:#}")), Ok(b.clone()));
        prop_assert_eq!(parse_stmt(&format!("{b:?}")), Ok(b));
    }

    #[test]
    fn parsing_a_printed_protocol_gives_it_back(p in strategy(raw_protocol)) {
        prop_assert_eq!(parse_protocol(&format!("{p}")), Ok(p.clone()));
        prop_assert_eq!(parse_protocol(&format!("{p:#}")), Ok(p.clone()));
        prop_assert_eq!(parse_protocol(&format!("{p:?}")), Ok(p));
    }

    #[test]
    fn parsing_a_printed_program_gives_it_back(p in strategy(raw_program)) {
        let parsed = parse_program(&p.to_string());
        prop_assert_eq!(parsed.map(|q| q.without_sources()), Ok(p));
    }

    #[test]
    fn parsing_a_printed_map_file_gives_it_back(m in strategy(|c| map_file(c, Profile::ANY))) {
        let parsed = parse_map(&m.to_string()).map(|mut n| {
            n.declarations = n.declarations.without_sources();
            n
        });
        prop_assert_eq!(parsed, Ok(m));
    }

    #[test]
    fn every_site_has_a_span_inside_the_text(p in strategy(raw_program)) {
        let text = p.to_string();
        let parsed = parse_program(&text).map_err(|e| TestCaseError::fail(e.to_string()))?;
        for b in parsed.body.subterms() {
            if let Some(site) = b.site() {
                let span = parsed.sources.spans[&site];
                prop_assert!(!text[span.bytes()].is_empty());
            }
        }
    }

    #[test]
    fn arbitrary_text_never_panics(text in "\\PC{0,80}") {
        let _ = parse_program(&text).map_err(|e| e.to_string());
        let _ = parse_map(&text).map_err(|e| e.to_string());
    }

    #[test]
    fn almost_programs_never_panic_and_errors_point_into_the_text(
        (p, numbers) in (strategy(raw_program), prop::collection::vec(any::<u16>(), 0..30))
    ) {
        let text = mutate_text(&mut Choices::new(&numbers), &p.to_string());
        if let Err(error) = parse_program(&text) {
            prop_assert!(text.get(error.span.bytes()).is_some());
            prop_assert!(error.to_string().contains("-->"));
        }
    }

    #[test]
    fn generated_programs_are_well_scoped(
        p in strategy(|c| program(c, Profile::ANY))
    ) {
        prop_assert_eq!(p.check_scope(), Ok(()));
    }
}

/// Mutated texts must be neither all accepted nor all rejected, or the test above tests nothing.
#[test]
fn mutated_texts_are_partly_accepted() {
    let mut seen = Distribution::default();
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let cases = (strategy(raw_program), prop::collection::vec(any::<u16>(), 0..30));
    for _ in 0..2000 {
        let Ok(tree) = cases.new_tree(&mut runner) else { continue };
        let (p, numbers) = proptest::strategy::ValueTree::current(&tree);
        let text = mutate_text(&mut Choices::new(&numbers), &p.to_string());
        seen.case([if parse_program(&text).is_ok() { "accepted" } else { "rejected" }]);
    }
    seen.assert_share("accepted", 0.02..=0.6);
}
