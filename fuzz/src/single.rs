//! One kernel, outside of a campaign: for who makes kernels in another way, as targets of `cargo fuzz` do.

use crate::folder::{Disagreement, pretty};
use crate::judge::{Asking, judge_beside};
use crate::kernels::Worst;
use crate::reduced;
use crate::tool::Tool;
use babycuda_validation::scorecard::Case;
use std::fmt;

/// Where the document of a disagreement is written to by whoever reads it.
const FOLDER: &str = "FOLDER";

impl Disagreement {
    /// The first tool that does not say what is true of a kernel, with a small kernel of which it says as much: it is asked about
    /// `reductions` others at most. Who runs kernels is given the contents of `d` of this number.
    pub fn about<'t>(
        tools: impl IntoIterator<Item = &'t dyn Tool>,
        case: &Case,
        contents: u32,
        asking: &Asking,
        reductions: usize,
    ) -> Option<Disagreement> {
        let worst = Worst::new();
        let judged = |tool: &'t dyn Tool| {
            let judged = judge_beside(tool, case, &worst, contents, asking);
            judged.class.is_finding().then_some((tool, judged))
        };
        let (tool, judged) = tools.into_iter().find_map(judged)?;
        let (_, finding) = reduced(tool, 0, case, judged, asking, reductions);
        let again = ["babycuda", "fuzz", "replay", FOLDER].map(str::to_owned).to_vec();
        Some(Disagreement { finding, command: Vec::new(), again, asking: asking.clone() })
    }
}

/// The kernel, and its document with how it is asked about again.
impl fmt::Display for Disagreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let finding = &self.finding;
        writeln!(f, "{}: {}, and it is {}", finding.tool, finding.class, finding.truth)?;
        if let Some(case) = finding.case() {
            writeln!(f, "{}", case.small)?;
        }
        let document = pretty(self).map_err(|_| fmt::Error)?;
        write!(
            f,
            "Once this is {FOLDER}/finding.json, `{}` asks again:\n{document}",
            self.again.join(" ")
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Answer, Class, Divergence, Folder, Said, tools};
    use babycuda_validation::scorecard::{About, Fragment};
    use std::path::Path;
    use std::time::Duration;

    /// Says of every kernel that it is race-free.
    struct Optimist;

    impl Tool for Optimist {
        fn name(&self) -> &str {
            "reference"
        }

        fn about(&self) -> About {
            About::Run
        }

        fn divergence(&self) -> Divergence {
            Divergence::Apart
        }

        fn prepare(&self, _: &Case, _: u32, _: &Path) -> Result<Vec<String>, String> {
            Ok(Vec::new())
        }

        fn ask(&self, _: &Case, _: u32, _: Duration) -> Said {
            Said { answer: Answer::RaceFree, words: String::new() }
        }
    }

    /// What a message says is what `replay` reads.
    #[test]
    fn a_disagreement_is_told_and_can_be_asked_about_again() {
        let asking = Asking::default();
        let about = |number| {
            let case = Case::of_fragment(Fragment::Affine, 3, number).expect("a kernel");
            Disagreement::about([&Optimist as &dyn Tool], &case, 0, &asking, 100)
        };
        let told = (0..20).find_map(about).expect("a racy kernel").to_string();
        assert!(told.starts_with("reference: missed race, and it is racy\n"), "{told}");
        let (_, document) = told.split_once("asks again:\n").expect("a document");
        let folder = std::env::temp_dir().join(format!("babycuda-told-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        std::fs::write(folder.join("finding.json"), document).expect("a file");
        let replayed = Folder::at(&folder)
            .replay(&|name, asking| tools(name, &asking.reading, Path::new("/nowhere")))
            .expect("a finding");
        std::fs::remove_dir_all(&folder).expect("it was there");
        // The one of this name is right.
        assert_eq!((replayed[0].before, replayed[0].now), (Class::MissedRace, Class::Agreed));
    }
}
