//! Launches that the first comments of a file name, as in verifiers' suites: `//--blockDim=64 --gridDim=[4,2]`.

use super::evaluate::int;
use super::{LaunchSite, Says};
use babycuda_core::{IntType, Span};

/// The launch that the comments before all code name, of the kernel `name`; `None`: there is none, or it is no launch.
pub(super) fn header(source: &str, name: &str) -> Option<LaunchSite> {
    let mut at = 0;
    for line in source.split_inclusive('\n') {
        let text = line.trim();
        let range = at..at + line.trim_end().len();
        at += line.len();
        match text.strip_prefix("//") {
            Some(comment) => {
                let block = extents(comment, &["--blockDim=", "--local_size="]);
                let grid = extents(comment, &["--gridDim=", "--num_groups="]);
                let Some(block) = block else { continue };
                // Options that define names, or say something twice, are for a compiler to read.
                if comment.contains("-D") || comment.matches("--").count() > 2 {
                    return None;
                }
                let lane = |extent: u32| Some(int(IntType::U32, u64::from(extent)));
                let says = Says {
                    block: block.map(lane),
                    grid: grid.map_or([None, None, None], |grid| grid.map(lane)),
                    ..Says::default()
                };
                let (kernel, span) = (name.to_owned(), Span::locate(source, range));
                return Some(LaunchSite { kernel, span, unknown: None, says });
            }
            None if text.is_empty() => {}
            None => return None,
        }
    }
    None
}

/// The extents behind one of these options, `4` or `[4,2,1]`.
fn extents(comment: &str, options: &[&str]) -> Option<[u32; 3]> {
    let rest = options.iter().find_map(|option| Some(comment.split_once(option)?.1))?;
    let list = match rest.strip_prefix('[') {
        Some(rest) => rest.split_once(']')?.0,
        None => rest.split_whitespace().next()?,
    };
    let mut extents = [1; 3];
    let numbers =
        list.split(',').map(|number| number.trim().parse::<u32>().ok().filter(|n| *n > 0));
    for (d, number) in numbers.enumerate() {
        *extents.get_mut(d)? = number?;
    }
    Some(extents)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_comments_only() {
        let of = |source| header(source, "k").map(|site| (site.span.line, site.says.block));
        let block = |x: u64, y: u64| [x, y, 1].map(|e| Some(int(IntType::U32, e)));
        assert_eq!(of("//pass\n//--blockDim=64 --gridDim=2\n"), Some((2, block(64, 1))));
        assert_eq!(of("\n//--local_size=[8,4] --num_groups=[2,2]"), Some((2, block(8, 4))));
        for none in [
            "int x;\n//--blockDim=64",
            "//--blockDim=0",
            "//--blockDim=[1,2,3,4]",
            "//--blockDim=n",
            "//--blockDim=64 --gridDim=1 -DN=2",
            "//--blockDim=64 --gridDim=1 --blockDim=128",
        ] {
            assert_eq!(of(none), None, "{none}");
        }
    }
}
