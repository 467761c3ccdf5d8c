//! Lanes of a warp that a mask names.

use super::device::{Exchange, Offer};
use super::thread::{Did, Out, State, Wait};
use super::value::Value;
use babycuda_core::Launch;
use babycuda_core::syntax::BarrierScope;
use babycuda_kernel::At;

impl State {
    /// The scope whose group of the thread a mask names.
    pub(super) fn lanes(&self, launch: &Launch, mask: u64) -> Option<BarrierScope> {
        let first = |size: u32| u64::MAX.checked_shr(64u32.checked_sub(size)?);
        let lanes = first(launch.warp)?;
        if mask & lanes == lanes {
            return Some(BarrierScope::Warp);
        }
        let size = (mask & lanes).count_ones();
        let lane = (self.thread.index % u64::from(launch.warp)) as u32;
        let own = size.is_power_of_two() && mask & lanes == first(size)? << (lane / size * size);
        own.then_some(BarrierScope::Tile(size))
    }

    pub(super) fn exchange(&mut self, exchange: Exchange, launch: &Launch, at: At) -> Did {
        let (mut operand, mut width) = (Value::Unknown, launch.warp);
        if exchange.kind.shuffles() {
            width = u32::try_from(self.known("the width of a shuffle")?).unwrap_or(0);
            operand = self.pop();
        }
        let value = self.pop();
        if exchange.grouped {
            self.group()?;
        }
        let mask = self.known("a mask")? as u32;
        let lane = (self.thread.index % u64::from(launch.warp)) as u32;
        if launch.warp > 32 || mask.checked_shr(lane).unwrap_or(0) & 1 == 0 {
            return Err(Out::Unsupported(
                "an exchange of lanes that its mask does not name".into(),
            ));
        }
        let first = if exchange.grouped { mask.trailing_zeros() } else { 0 };
        let offer = Offer { lane, value, operand, width };
        self.wait(Wait::Lanes { mask, first, exchange: exchange.kind, offer }, at);
        Ok(())
    }
}
