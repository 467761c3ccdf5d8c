//! Whether what a campaign's document says agrees with itself: it may be damaged, and nothing of it is to count then.

use crate::coverage::{Step, rules};
use crate::found::{CONSTRUCTS, NONE_FITS, NOT_UNDERSTOOD, Row};
use crate::{Class, Finding, Found, Fragment, Told};
use babycuda_campaign::Counts;
use std::collections::BTreeSet;

/// A place in the document, and what is wrong there.
type Wrong = (&'static str, String);

impl Found {
    /// Is it what is found in so many kernels?
    ///
    /// # Errors
    /// The first place that says something else than the rest, and what.
    pub(crate) fn agrees(&self, tried: u64) -> Result<(), Wrong> {
        let made = self.made(tried)?;
        self.names()?;
        if made > 0 && self.tools.is_empty() {
            return Err(("/content/found/tools", "nobody was asked".to_owned()));
        }
        self.tools.iter().try_for_each(|(tool, row)| self.answers(tool, row, made))?;
        let is_one = |same: &str, finding: &Finding| {
            let known = self.tools.contains_key(&finding.tool) && finding.class.is_finding();
            known && finding.case().is_some_and(|case| finding.shape(&case) == same)
        };
        match self.findings.iter().find(|(same, finding)| !is_one(same, finding)) {
            Some((same, _)) => Err(("/content/found/findings", format!("not called so: {same:?}"))),
            None => Ok(()),
        }
    }

    /// How many kernels tools were asked about.
    fn made(&self, tried: u64) -> Result<u64, Wrong> {
        let wrong = |why| Err(("/content/found/kernels", why));
        let told = [Told::RaceFree, Told::Divergent, Told::Racy, Told::Unknown];
        let mut made = 0u64;
        for (name, number) in self.kernels.iter() {
            let parts = name.rsplit_once(": ");
            match parts.filter(|(of, _)| Fragment::ALL.iter().any(|f| f.to_string() == *of)) {
                Some((_, what)) if told.iter().any(|told| told.to_string() == what) => {
                    made = made.saturating_add(number);
                }
                Some((_, NOT_UNDERSTOOD | NONE_FITS)) => {}
                _ => return wrong(format!("no kernels are called `{name}`")),
            }
        }
        match self.kernels.total() {
            all if all == tried => Ok(made),
            all => wrong(format!("{all} kernels, where {tried} are done")),
        }
    }

    /// Are all that are counted known?
    fn names(&self) -> Result<(), Wrong> {
        let known: BTreeSet<&str> = rules().collect();
        named("/content/found/rules", &self.rules, |name| known.contains(name))?;
        named("/content/found/steps", &self.steps, |name| Step::is_one(name, &known))?;
        let is_construct = |name: &str| CONSTRUCTS.contains(&name);
        named("/content/found/constructs", &self.constructs, is_construct)
    }

    /// Did a tool answer about so many kernels, and are its disagreements there?
    fn answers(&self, tool: &str, row: &Row, made: u64) -> Result<(), Wrong> {
        let [answers, reasons] = [row.classes.total(), row.unsupported.total()];
        if answers != made {
            let why = format!("{answers} answers of {tool}, about {made} kernels");
            return Err(("/content/found/tools", why));
        }
        let unsupported = row.classes.get(&Class::Unsupported);
        if reasons != unsupported {
            let why =
                format!("{reasons} reasons of {tool} for {unsupported} that it did not answer");
            return Err(("/content/found/tools", why));
        }
        for (class, number) in row.classes.iter().filter(|(class, _)| class.is_finding()) {
            let own = self.findings.values().filter(|f| f.tool == *tool && f.class == *class);
            let times = own.fold(0u64, |all, finding| all.saturating_add(finding.times));
            if times != number {
                let why = format!("{times} times {class} of {tool}, where there are {number}");
                return Err(("/content/found/findings", why));
            }
        }
        Ok(())
    }
}

/// Is all known that is counted at a place?
fn named(
    place: &'static str,
    counts: &Counts<String>,
    is_known: impl Fn(&str) -> bool,
) -> Result<(), Wrong> {
    match counts.iter().find(|(name, _)| !is_known(name)) {
        Some((name, _)) => Err((place, format!("nothing is called `{name}`"))),
        None => Ok(()),
    }
}
