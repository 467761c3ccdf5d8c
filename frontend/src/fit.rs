//! What is asked for must fit some kernel of the file.

use crate::lower::kernel::{OTHER_BLOCK, Skipped};
use crate::{FrontendError, Kernel, Options, Translation, Unsupported};
use babycuda_core::syntax::Domain;

/// Blocks of the size that is asked for must be those of some kernel.
pub(crate) fn check_block(kernels: &[Kernel]) -> Result<(), FrontendError> {
    let other = |kernel: &Kernel| match &kernel.translation {
        Translation::Unsupported(why) if why.construct.starts_with(OTHER_BLOCK) => {
            Some(FrontendError::Block { name: kernel.name.clone(), message: why.construct.clone() })
        }
        _ => None,
    };
    match kernels.iter().map(other).collect::<Option<Vec<_>>>() {
        Some(mut all) if !all.is_empty() => Err(all.remove(0)),
        _ => Ok(()),
    }
}

/// Every assumption must make sense for some kernel.
pub(crate) fn check_used(
    assumptions: &[String],
    skipped: &[Vec<Skipped>],
) -> Result<(), FrontendError> {
    for (number, text) in assumptions.iter().enumerate() {
        let mut reason = None;
        let everywhere = skipped.iter().all(|list| {
            let found = list.iter().find(|s| s.number == number);
            reason = found.map(|s| s.reason.clone()).or(reason.take());
            found.is_some()
        });
        if everywhere && let Some(message) = reason {
            return Err(FrontendError::Assumption { text: text.clone(), message });
        }
    }
    Ok(())
}

/// Every fixed parameter must be one of some kernel, and its value one of its type there. A kernel whose type has no such
/// value is not translated.
pub(crate) fn check_parameters(
    options: &Options,
    kernels: &mut [Kernel],
) -> Result<(), FrontendError> {
    let any = !kernels.is_empty();
    for (name, value) in &options.settings.params {
        // One that is not translated may have any.
        let unread = |k: &Kernel| matches!(k.translation, Translation::Unsupported(_));
        let (mut fits, mut misfit) = (kernels.iter().any(unread), None);
        for kernel in kernels.iter_mut() {
            let Translation::Program(program) = &kernel.translation else {
                continue;
            };
            let mut own =
                program.params.iter().filter(|p| p.name.stem() == name.as_str()).peekable();
            let has = own.peek().is_some();
            match own.find(|param| param.domain.value(value).is_none()).map(|param| param.domain) {
                Some(Domain::Machine(t)) => {
                    misfit.get_or_insert(t);
                    let construct = format!("the value {value} of the `{t}` `{name}`");
                    let unsupported = Unsupported::at(kernel.span, construct);
                    kernel.translation = Translation::Unsupported(unsupported);
                    (kernel.tree, kernel.required) = (None, Vec::new());
                }
                _ => fits |= has,
            }
        }
        let name = name.to_string();
        match misfit {
            _ if fits || !any => {}
            Some(t) => {
                let message = format!("{value} is no value of type {t}");
                return Err(FrontendError::Parameter { name, message });
            }
            None => return Err(FrontendError::NoSuchParameter { name }),
        }
    }
    Ok(())
}
