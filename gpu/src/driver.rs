//! What back ends with a driver have in common: arguments as bytes, and how devices are lost.

use crate::backend::DeviceError;
use crate::text::Argument;
use std::sync::{Arc, OnceLock};

impl Argument<'_> {
    /// Does the kernel write it?
    pub(crate) fn is_written(&self) -> bool {
        match self {
            Argument::Word(_) | Argument::Long(_) | Argument::Words(_) | Argument::Longs(_) => {
                false
            }
            Argument::WordsInOut(_)
            | Argument::LongsInOut(_)
            | Argument::WordsOut(_)
            | Argument::LongsOut(_) => true,
        }
    }

    /// The bytes of the number, or those of the buffer before the run; `None`: any.
    pub(crate) fn contents(&self) -> Option<&[u8]> {
        match self {
            Argument::Word(word) => Some(bytemuck::bytes_of(word)),
            Argument::Long(long) => Some(bytemuck::bytes_of(long)),
            Argument::Words(words) => Some(bytemuck::cast_slice(words)),
            Argument::Longs(longs) => Some(bytemuck::cast_slice(longs)),
            Argument::WordsInOut(words) => Some(bytemuck::cast_slice(words)),
            Argument::LongsInOut(longs) => Some(bytemuck::cast_slice(longs)),
            Argument::WordsOut(_) | Argument::LongsOut(_) => None,
        }
    }

    /// Where the host wants what the kernel wrote, if that is anything.
    pub(crate) fn destination(&mut self) -> Option<&mut [u8]> {
        let bytes: &mut [u8] = match self {
            Argument::Word(_) | Argument::Long(_) | Argument::Words(_) | Argument::Longs(_) => {
                return None;
            }
            Argument::WordsInOut(words) | Argument::WordsOut(words) => {
                bytemuck::cast_slice_mut(words)
            }
            Argument::LongsInOut(longs) | Argument::LongsOut(longs) => {
                bytemuck::cast_slice_mut(longs)
            }
        };
        (!bytes.is_empty()).then_some(bytes)
    }
}

/// Why a device is lost, once it is. Shared with the callbacks of a driver, which may run on any
/// thread.
#[derive(Clone, Default, Debug)]
pub(crate) struct Loss(Arc<OnceLock<String>>);

impl Loss {
    /// The first reason is kept.
    pub(crate) fn note(&self, reason: String) {
        let _ = self.0.set(reason);
    }

    /// The error, if it loses the device, is kept.
    #[cfg(any(feature = "opencl", feature = "cuda"))] // wgpu tells otherwise.
    pub(crate) fn watch(&self, error: &DeviceError) {
        if let DeviceError::Lost { message } = error {
            self.note(message.clone());
        }
    }

    /// # Errors
    /// The device is lost.
    pub(crate) fn check(&self) -> Result<(), DeviceError> {
        let lost = |message: &String| Err(DeviceError::Lost { message: message.clone() });
        self.0.get().map_or(Ok(()), lost)
    }
}
