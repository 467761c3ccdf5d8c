//! Barriers that order shared memory only (`barrier(CLK_LOCAL_MEM_FENCE)` of OpenCL C).
//!
//! A program knows barriers that order all memory. It says the same of a kernel where no thread accesses a
//! global array, that the kernel writes, before and behind a barrier that does not order it.

use babycuda_core::syntax::Space;
use babycuda_core::{Name, Program, Site, Span, Stmt};
use std::collections::BTreeMap;

/// A global array that is written, and accessed at both sides of a barrier at one of these places.
pub(crate) fn crossed(program: &Program, barriers: &[Span]) -> Option<Name> {
    let written = program.body.written();
    let global = |name: &Name| program.array(name).is_none_or(|a| a.space == Space::Global);
    let concerned = |name: &&Name| written.contains(*name) && global(name);
    let place = |site: &Site| program.sources.spans.get(site);
    let is_local = |stmt: &Stmt| match stmt {
        Stmt::Sync { site, .. } => place(site).is_none_or(|span| barriers.contains(span)),
        _ => false,
    };
    // What is executed later stands later in pre-order, but for the next iteration of a loop.
    let (mut passed, mut seen) = (0usize, BTreeMap::new());
    for stmt in program.body.subterms() {
        if is_local(stmt) {
            passed += 1;
        }
        if let Some(name) = stmt.accessed().filter(concerned)
            && *seen.entry(name).or_insert(passed) != passed
        {
            return Some(name.clone());
        }
        if let Stmt::For { body, .. } = stmt
            && body.subterms().any(is_local)
            && let Some(name) = body.arrays().iter().find(concerned)
        {
            return Some(name.clone());
        }
    }
    None
}
