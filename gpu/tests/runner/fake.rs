//! A device that runs images on the simulator, and fails or lies as it is told.

use babycuda_gpu::sim::{Schedule, Sim};
use babycuda_gpu::{Backend, Device, DeviceError, Image, Output};

type Answer = Option<Result<Output, DeviceError>>;
type Instead<'a> = Box<dyn FnMut(usize, &Image) -> Answer + 'a>;

/// The device.
pub struct Fake<'a> {
    sim: Sim,
    /// What to answer instead, given the number of the launch.
    instead: Instead<'a>,
    /// Workgroup and programs of each launch.
    pub launched: Vec<(u32, usize)>,
    /// Words of code of each launch.
    pub code_words: Vec<usize>,
}

impl<'a> Fake<'a> {
    pub fn new(instead: impl FnMut(usize, &Image) -> Answer + 'a) -> Fake<'a> {
        Fake::on(Sim::new(Schedule::Random(0)), instead)
    }

    pub fn on(sim: Sim, instead: impl FnMut(usize, &Image) -> Answer + 'a) -> Fake<'a> {
        let instead = Box::new(instead);
        Fake { sim, instead, launched: Vec::new(), code_words: Vec::new() }
    }
}

impl Backend for Fake<'_> {
    fn device(&self) -> &Device {
        self.sim.device()
    }

    fn launch(&mut self, image: &Image) -> Result<Output, DeviceError> {
        let answer = (self.instead)(self.launched.len(), image);
        self.launched.push((image.workgroup, image.len()));
        self.code_words.push(image.code.len());
        answer.unwrap_or_else(|| self.sim.launch(image))
    }
}
