//! What is wrong with a program, and where in it.

use babycuda_core::{Program, Site, Span};
use std::fmt;

/// A program that a device cannot have: why, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Located<Kind> {
    /// Why.
    pub kind: Kind,
    /// The statement; `None`: a declaration, or the whole program.
    pub site: Option<Site>,
    /// Where the statement stands, when the program has a source.
    pub span: Option<Span>,
}

impl<Kind> Located<Kind> {
    pub(crate) fn new(kind: Kind, site: Option<Site>, program: &Program) -> Self {
        let span = site.and_then(|site| program.sources.spans.get(&site).copied());
        Located { kind, site, span }
    }
}

impl<Kind: fmt::Display> fmt::Display for Located<Kind> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.span, self.site) {
            (Some(span), _) => write!(f, "{span}: {}", self.kind),
            (None, Some(site)) => write!(f, "statement {site}: {}", self.kind),
            (None, None) => write!(f, "{}", self.kind),
        }
    }
}

impl<Kind: fmt::Debug + fmt::Display> std::error::Error for Located<Kind> {}
