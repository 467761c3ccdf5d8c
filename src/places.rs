//! Where the accesses of a kernel stand: nodes of its typed tree, and statements of its translation, by their places in
//! the file.

use babycuda_core::{AccessMode, Site, Span};
use babycuda_kernel::{At, ExprKind, Kernel, Node, Place, PlaceKind, Storage, Type};
use std::collections::{BTreeSet, HashMap};

/// The accesses of a kernel that threads may see of each other, by the first byte of their place.
///
/// What a macro makes has the place of its use, and what an included file has that of the `#include`: several accesses
/// of one mode may then have one place, which tells none of them.
#[derive(Debug)]
pub(crate) struct Places<'a> {
    source: &'a str,
    tree: &'a Kernel,
    nodes: HashMap<(usize, Mode), BTreeSet<At>>,
}

/// How a place of a kernel is accessed: atomic updates of all scopes are alike.
type Mode = std::mem::Discriminant<AccessMode>;

impl<'a> Places<'a> {
    pub(crate) fn of(source: &'a str, tree: &'a Kernel) -> Places<'a> {
        let mut places = Places { source, tree, nodes: HashMap::new() };
        let roots = tree.functions.iter().map(|function| &function.body).chain(&tree.globals);
        for node in roots.flat_map(|body| Node::from(body).subterms()) {
            let Node::Expr(expr) = node else { continue };
            let (read, write) = (AccessMode::Rd, AccessMode::Wr);
            match &expr.kind {
                ExprKind::Load(place) => places.note(place, &[read]),
                ExprKind::Assign(place, _) => places.note(place, &[write]),
                ExprKind::Update { place, .. } | ExprKind::Step { place, .. } => {
                    places.note(place, &[read, write]);
                }
                ExprKind::Device(..) => {
                    let update = AccessMode::At(babycuda_core::syntax::Scope::Device);
                    [read, write, update].into_iter().for_each(|mode| places.add(expr.at, mode));
                }
                _ => {}
            }
        }
        places
    }

    fn note(&mut self, place: &Place, modes: &[AccessMode]) {
        // A kernel's pointer has the storage of what it points to, and is a thread's own.
        let own = match place.kind {
            PlaceKind::Variable(v) => {
                self.tree[v].storage == Storage::Local || matches!(place.ty, Type::Pointer(_))
            }
            _ => false,
        };
        if !own {
            modes.iter().for_each(|mode| self.add(place.at, *mode));
        }
    }

    fn add(&mut self, at: At, mode: AccessMode) {
        if let Some(origin) = self.tree.origins.get(at.0 as usize) {
            let key = (origin.bytes.start, std::mem::discriminant(&mode));
            self.nodes.entry(key).or_default().insert(at);
        }
    }

    /// Where a node of the tree stands.
    pub(crate) fn span(&self, node: Site) -> Option<Span> {
        let origin = self.tree.origins.get(node.0 as usize)?;
        Some(Span::locate(self.source, origin.bytes.clone()))
    }

    /// The same of an access, if its place tells it from all others of its mode.
    pub(crate) fn telling(&self, node: Site, mode: AccessMode) -> Option<Span> {
        let span = self.span(node)?;
        let alike = self.nodes.get(&(span.start, std::mem::discriminant(&mode)));
        let others = alike.is_some_and(|nodes| nodes.iter().any(|at| at.0 != node.0));
        (!others || !self.is_shared(At(node.0))).then_some(span)
    }

    /// The nodes of the access of this mode at a place; none: there is none, or there are several.
    pub(crate) fn nodes(&self, place: Span, mode: AccessMode) -> BTreeSet<Site> {
        let found = self.nodes.get(&(place.start, std::mem::discriminant(&mode)));
        let found: BTreeSet<At> = found.cloned().unwrap_or_default();
        if found.len() > 1 && found.iter().any(|at| self.is_shared(*at)) {
            return BTreeSet::new();
        }
        found.into_iter().map(|at| Site(at.0)).collect()
    }

    /// Is its place that of a macro's use, or of an `#include`?
    fn is_shared(&self, at: At) -> bool {
        let origin = self.tree.origins.get(at.0 as usize);
        origin.is_some_and(|origin| origin.spelled.is_some() || origin.included.is_some())
    }
}

#[cfg(all(test, feature = "frontend"))]
mod tests {
    use super::*;
    use babycuda_frontend::{Options, parse_cuda};

    const TEXT: &str = "#define BOTH a[t] = b[t]; a[0] = t;\n__global__ void k(int *a, int *b) { \
                        int t = threadIdx.x; BOTH a[t] += 1; (b[0]) = a[t]; }";

    /// The spans of the stores and loads of a text, by the nodes of their places.
    fn of(places: &Places<'_>, text: &str, mode: AccessMode) -> Vec<(Site, Span)> {
        let is = |node: &u32| {
            let origin = &places.tree.origins[*node as usize];
            let bytes = origin.spelled.as_ref().unwrap_or(&origin.bytes);
            let key = (origin.bytes.start, std::mem::discriminant(&mode));
            let noted = places.nodes.get(&key).is_some_and(|nodes| nodes.contains(&At(*node)));
            noted && &TEXT[bytes.clone()] == text
        };
        let nodes = (0..places.tree.origins.len() as u32).filter(is).map(Site);
        nodes.filter_map(|node| Some((node, places.telling(node, mode)?))).collect()
    }

    #[test]
    fn a_place_tells_an_access_or_none() {
        let tree = parse_cuda(TEXT, &Options::default()).unwrap().remove(0).tree.unwrap();
        let places = Places::of(TEXT, &tree);
        let (rd, wr) = (AccessMode::Rd, AccessMode::Wr);
        // Of the macro's two stores none is told; its load is the only one there.
        for (text, mode) in [("a[t]", wr), ("a[t]", rd), ("b[0]", wr), ("b[t]", rd)] {
            let found = of(&places, text, mode);
            assert!(!found.is_empty(), "{text}");
            for (node, span) in found {
                let alone = places.nodes(span, mode);
                assert!(alone.is_empty() || alone == BTreeSet::from([node]), "{text}: {alone:?}");
                assert_eq!(alone.is_empty(), TEXT[span.start..].starts_with("BOTH") && mode == wr);
            }
        }
        let (store, other) = (of(&places, "a[0]", wr), of(&places, "a[t]", wr));
        assert!(store.is_empty(), "{store:?}");
        assert_eq!(other.len(), 1, "{other:?}");
        let [(_, used)] = of(&places, "b[t]", rd)[..] else { panic!("the macro's load") };
        assert_eq!((places.nodes(used, rd).len(), places.nodes(used, wr).len()), (1, 0));
    }
}
