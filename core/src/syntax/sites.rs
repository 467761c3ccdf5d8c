//! Sites of statements and protocols.

use super::{Protocol, Stmt};
use crate::deep::grow;
use crate::site::Site;
use std::sync::Arc;

/// Numbers sites from 0, in the order in which it is called.
fn count() -> impl FnMut(Site) -> Site {
    let mut next = 0u32;
    move |_| {
        let site = Site(next);
        next = next.saturating_add(1);
        site
    }
}

impl Stmt {
    /// The statement with its sites numbered from 0 in pre-order.
    #[must_use]
    pub fn numbered(&self) -> Stmt {
        self.map_sites(&mut count())
    }

    /// The site of the statement itself; `skip` and `;` have none.
    pub fn site(&self) -> Option<Site> {
        match self {
            Stmt::Skip | Stmt::Seq(..) => None,
            Stmt::Write { site, .. }
            | Stmt::Read { site, .. }
            | Stmt::Atomic { site, .. }
            | Stmt::If { site, .. }
            | Stmt::For { site, .. }
            | Stmt::Sync { site } => Some(*site),
        }
    }

    /// The statement with every site replaced, visited in pre-order.
    #[must_use]
    pub fn map_sites(&self, f: &mut impl FnMut(Site) -> Site) -> Stmt {
        grow(|| self.map_sites_here(f))
    }

    fn map_sites_here(&self, f: &mut impl FnMut(Site) -> Site) -> Stmt {
        let mut mapped = self.clone();
        // Only this node is changed: its children are shared with `self` until they are replaced.
        match &mut mapped {
            Stmt::Skip => {}
            Stmt::Sync { site } | Stmt::Write { site, .. } => *site = f(*site),
            Stmt::Read { site, body, .. }
            | Stmt::Atomic { site, body, .. }
            | Stmt::For { site, body, .. } => {
                *site = f(*site);
                *body = Arc::new(body.map_sites(f));
            }
            Stmt::Seq(b, c) => {
                *b = Arc::new(b.map_sites(f));
                *c = Arc::new(c.map_sites(f));
            }
            Stmt::If { site, then, otherwise, .. } => {
                *site = f(*site);
                *then = Arc::new(then.map_sites(f));
                *otherwise = Arc::new(otherwise.map_sites(f));
            }
        }
        mapped
    }
}

impl Protocol {
    /// The protocol with its sites numbered from 0 in pre-order.
    #[must_use]
    pub fn numbered(&self) -> Protocol {
        self.map_sites(&mut count())
    }

    /// The site of the protocol itself; `skip` and `;` have none.
    pub fn site(&self) -> Option<Site> {
        match self {
            Protocol::Skip | Protocol::Seq(..) => None,
            Protocol::Access { site, .. }
            | Protocol::If { site, .. }
            | Protocol::For { site, .. }
            | Protocol::Any { site, .. }
            | Protocol::Sync { site } => Some(*site),
        }
    }

    /// The protocol with every site replaced, visited in pre-order.
    #[must_use]
    pub fn map_sites(&self, f: &mut impl FnMut(Site) -> Site) -> Protocol {
        grow(|| self.map_sites_here(f))
    }

    fn map_sites_here(&self, f: &mut impl FnMut(Site) -> Site) -> Protocol {
        let mut mapped = self.clone();
        match &mut mapped {
            Protocol::Skip => {}
            Protocol::Sync { site } | Protocol::Access { site, .. } => *site = f(*site),
            Protocol::For { site, body, .. } | Protocol::Any { site, body, .. } => {
                *site = f(*site);
                *body = Arc::new(body.map_sites(f));
            }
            Protocol::Seq(p, q) => {
                *p = Arc::new(p.map_sites(f));
                *q = Arc::new(q.map_sites(f));
            }
            Protocol::If { site, then, otherwise, .. } => {
                *site = f(*site);
                *then = Arc::new(then.map_sites(f));
                *otherwise = Arc::new(otherwise.map_sites(f));
            }
        }
        mapped
    }
}
