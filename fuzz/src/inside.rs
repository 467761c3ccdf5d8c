//! The techniques of this library as tools.

use crate::tool::{Answer, Said, Tool};
use babycuda_kernel::Language;
use babycuda_validation::scorecard::technique::Answer as Verdict;
use babycuda_validation::scorecard::{About, Case, Technique, techniques};
use std::fs;
use std::path::Path;
use std::time::Duration;

struct Inside(Technique);

/// All of them, or the one of a name.
pub(crate) fn tools(name: &str) -> Vec<Box<dyn Tool>> {
    let wanted = |technique: &Technique| name == ALL || technique.name == name;
    techniques().into_iter().filter(wanted).map(|t| Box::new(Inside(t)) as Box<dyn Tool>).collect()
}

/// What all are called together.
pub(crate) const ALL: &str = "inside";

impl Tool for Inside {
    fn name(&self) -> &str {
        self.0.name
    }

    fn about(&self) -> About {
        self.0.about
    }

    fn tells_divergence(&self) -> bool {
        self.0.is_own()
    }

    fn prepare(&self, case: &Case, _: u32, folder: &Path) -> Result<Vec<String>, String> {
        let text = case.small.fixed(Language::Cuda).ok_or("no text")?;
        let written =
            fs::create_dir_all(folder).and_then(|()| fs::write(folder.join("kernel.cu"), text));
        written
            .map(|()| Vec::new())
            .map_err(|error| format!("the kernel cannot be written: {error}"))
    }

    /// It has a time of its own, which is longer than kernels of this size need.
    fn ask(&self, case: &Case, contents: u32, _: Duration) -> Said {
        let answer = match self.0.judge(case, contents).0 {
            Verdict::Clean => Answer::RaceFree,
            Verdict::Wrong => Answer::Racy,
            Verdict::Unknown => Answer::Unsupported("unknown".into()),
            Verdict::Unsupported => Answer::Unsupported("a construct that it does not know".into()),
        };
        Said { answer, words: String::new() }
    }
}
