//! What is asked for must fit some kernel of the file.

use crate::lower::kernel::{OTHER_BLOCK, Skipped};
use crate::{FrontendError, Kernel, Options, Translation};
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

/// Every fixed parameter must be one of some kernel, and its value one of its type.
pub(crate) fn check_parameters(options: &Options, kernels: &[Kernel]) -> Result<(), FrontendError> {
    let all_translated = kernels.iter().all(|k| matches!(k.translation, Translation::Program(_)));
    for (name, value) in &options.settings.params {
        let error = |message: String| FrontendError::Parameter { name: name.to_string(), message };
        let mut found = false;
        for kernel in kernels {
            let Translation::Program(program) = &kernel.translation else {
                continue;
            };
            for param in program.params.iter().filter(|p| p.name.stem() == name.as_str()) {
                found = true;
                if let Domain::Machine(t) = param.domain
                    && param.domain.value(value).is_none()
                {
                    return Err(error(format!("{value} is no value of type {t}")));
                }
            }
        }
        if !found && all_translated && !kernels.is_empty() {
            return Err(error("no kernel has an integer parameter of this name".into()));
        }
    }
    Ok(())
}
