//! Lanes of a warp that a mask names.

use super::device::{Exchange, Offer, Trade};
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
        let lane = self.named(mask, launch).ok_or_else(|| {
            Out::Unsupported("an exchange of lanes that its mask does not name".into())
        })?;
        let first = if exchange.grouped { mask.trailing_zeros() } else { 0 };
        let offer = Offer { lane, value, operand, width };
        self.wait(Wait::Lanes { mask, first, exchange: exchange.kind, offer }, at);
        Ok(())
    }

    /// A barrier of lanes that are no tile: it goes on as an exchange does, when all have come.
    pub(super) fn meet(&mut self, mask: u64, launch: &Launch, at: At) -> Did {
        let mask = mask as u32;
        let lane = self.named(mask, launch).ok_or_else(|| {
            Out::Unsupported("a barrier of lanes whose mask does not name its own".into())
        })?;
        let offer = Offer { lane, value: Value::Known(0), operand: Value::Unknown, width: 0 };
        self.wait(Wait::Lanes { mask, first: 0, exchange: Trade::Barrier, offer }, at);
        Ok(())
    }

    /// The thread's lane, if a mask names it.
    fn named(&self, mask: u32, launch: &Launch) -> Option<u32> {
        let lane = (self.thread.index % u64::from(launch.warp)) as u32;
        (launch.warp <= 32 && mask.checked_shr(lane).unwrap_or(0) & 1 == 1).then_some(lane)
    }
}
