//! Devices that are given up when they do not answer in time.

use babycuda_gpu::{Backend, Device, DeviceError, Image, Output, Unavailable};
use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded, unbounded};
use rayon::iter::{IntoParallelIterator, ParallelIterator};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread::JoinHandle;
use std::time::Duration;

/// Opens a device.
pub type Open<B = Box<dyn Backend>> = Arc<dyn Fn() -> Result<B, Unavailable> + Send + Sync>;

/// What a device is asked to do.
type Call<B> = Box<dyn FnOnce(&mut B) + Send>;

/// A device on a thread of its own. When it does not answer in time it is lost, and its thread is
/// left alone: no one can end what it does.
pub struct Watched<B = Box<dyn Backend>> {
    open: Open<B>,
    deadline: Duration,
    device: Device,
    /// None: it hangs.
    serving: Option<Serving<B>>,
}

/// The thread of a device.
struct Serving<B> {
    calls: Sender<Call<B>>,
    thread: JoinHandle<()>,
}

impl<B: Backend + 'static> Watched<B> {
    /// Opens a device that may take so long for an answer.
    ///
    /// # Errors
    /// [`Unavailable`].
    ///
    /// # Panics
    /// When `open` does.
    pub fn open(open: &Open<B>, deadline: Duration) -> Result<Watched<B>, Unavailable> {
        let (serving, opened) = serve(open);
        // Proof: the thread tells what came of it, or panics, as `open` itself would.
        let device = opened.recv().expect("opening a device does not panic")?;
        Ok(Watched { open: open.clone(), deadline, device, serving: Some(serving) })
    }

    /// Opens a new device in the place of one that hangs.
    ///
    /// # Errors
    /// [`Unavailable`]: there is none, or it does not open in time either.
    pub fn renew(&mut self) -> Result<(), Unavailable> {
        let (serving, opened) = serve(&self.open);
        match opened.recv_timeout(self.deadline) {
            Ok(device) => self.device = device?,
            Err(_) => {
                let (backend, reason) = (self.device.backend, self.late().to_string());
                return Err(Unavailable { backend, reason });
            }
        }
        self.serving = Some(serving);
        Ok(())
    }

    /// Did it not answer in time?
    pub fn hangs(&self) -> bool {
        self.serving.is_none()
    }

    /// What the device makes of it.
    ///
    /// # Errors
    /// [`DeviceError::Lost`]: it hangs, or its thread panicked.
    pub fn ask<T: Send + 'static>(
        &mut self,
        what: impl FnOnce(&mut B) -> T + Send + 'static,
    ) -> Result<T, DeviceError> {
        let Some(serving) = &self.serving else { return Err(self.late()) };
        let (reply, answer) = bounded(1);
        // Whoever waits no more needs no answer, here and below.
        let call = Box::new(move |backend: &mut B| drop(reply.send(what(backend))));
        // Where its thread has ended, there is no answer either.
        let _ = serving.calls.send(call);
        match answer.recv_timeout(self.deadline) {
            Ok(answer) => Ok(answer),
            Err(RecvTimeoutError::Disconnected) => {
                Err(DeviceError::Lost { message: "its thread panicked".to_owned() })
            }
            Err(RecvTimeoutError::Timeout) => {
                self.serving = None;
                Err(self.late())
            }
        }
    }

    fn late(&self) -> DeviceError {
        let message = format!("it did not answer in {} s", self.deadline.as_secs_f64());
        DeviceError::Lost { message }
    }
}

impl<B: Backend + 'static> Backend for Watched<B> {
    fn device(&self) -> &Device {
        &self.device
    }

    fn launch(&mut self, image: &Image) -> Result<Output, DeviceError> {
        let image = image.clone();
        self.ask(move |backend| backend.launch(&image)).and_then(|output| output)
    }
}

impl<B> Drop for Watched<B> {
    fn drop(&mut self) {
        if let Some(Serving { calls, thread }) = self.serving.take() {
            drop(calls);
            // What it panics with was told on standard error.
            drop(thread.join());
        }
    }
}

/// Opens a device on a thread, which it belongs to.
fn serve<B: Backend + 'static>(
    open: &Open<B>,
) -> (Serving<B>, Receiver<Result<Device, Unavailable>>) {
    let (calls, asked) = unbounded::<Call<B>>();
    let (ready, opened) = bounded(1);
    let open = open.clone();
    let thread = std::thread::spawn(move || match open() {
        Ok(mut backend) => {
            let _ = ready.send(Ok(backend.device().clone()));
            asked.iter().for_each(|call| call(&mut backend));
        }
        Err(missing) => drop(ready.send(Err(missing))),
    });
    (Serving { calls, thread }, opened)
}

/// Devices that several threads give work to. Each is either free, or with whoever gives it back.
pub(crate) struct Pool<B> {
    device: Device,
    free: Receiver<Watched<B>>,
    back: Sender<Watched<B>>,
    /// How many hung.
    hung: AtomicUsize,
}

/// So many may hang before no other takes their place: enough to find a program or two.
const HANGS: usize = 16;

/// What a device says.
pub(crate) enum Answer<T> {
    Some(T),
    /// It hangs. Is there another one in its place?
    Hang {
        others: bool,
    },
    /// There is no device any more.
    None,
}

impl<B: Backend + 'static> Pool<B> {
    /// Opens so many devices, and one at least.
    pub(crate) fn open(
        open: &Open<B>,
        number: usize,
        deadline: Duration,
    ) -> Result<Pool<B>, Unavailable> {
        let opened = (0..number.max(1)).into_par_iter().map(|_| Watched::open(open, deadline));
        let opened = opened.collect::<Result<Vec<Watched<B>>, Unavailable>>()?;
        // Proof: there is at least one.
        let device = opened.first().expect("a device").device().clone();
        let (back, free) = unbounded();
        // The other end of the channel is here, and below it is in `self`.
        opened.into_iter().for_each(|one| drop(back.send(one)));
        Ok(Pool { device, free, back, hung: AtomicUsize::new(0) })
    }

    /// The first device, as it was opened.
    pub(crate) fn device(&self) -> &Device {
        &self.device
    }

    /// What the first device that is free makes of it.
    pub(crate) fn ask<T: Send + 'static>(
        &self,
        what: impl FnOnce(&mut B) -> T + Send + 'static,
    ) -> Answer<T> {
        let Ok(mut device) = self.free.recv() else { return Answer::None };
        let answer = match device.hangs() {
            true => Answer::None,
            false => match device.ask(what) {
                Ok(answer) => Answer::Some(answer),
                Err(_) if device.hangs() => {
                    let others = self.hung.fetch_add(1, Relaxed) + 1 < HANGS;
                    Answer::Hang { others: others && device.renew().is_ok() }
                }
                // Its thread panicked.
                Err(_) => Answer::None,
            },
        };
        let _ = self.back.send(device);
        answer
    }
}
