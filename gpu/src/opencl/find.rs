//! Which device, and whether it can do what the interpreter needs.

use super::driver::Driver;
use super::error::name;
use super::pocl;
use crate::backend::{BackendName, Device, Unavailable};
use opencl3::device::{CL_DEVICE_TYPE_ALL, CL_DEVICE_TYPE_CPU, CL_DEVICE_TYPE_GPU};
use opencl3::error_codes::ClError;
use opencl3::platform::{Platform, get_platforms};
use std::sync::{Mutex, PoisonError};

/// What the interpreter needs beyond OpenCL C 1.2: compare-and-swap of a cell.
const EXTENSION: &str = "cl_khr_int64_base_atomics";

/// The environment variable that chooses a device.
pub const DEVICE: &str = "BABYCUDA_OPENCL_DEVICE";

/// Opens the best device, of those with `wanted` in their `platform: device`, in any case: GPUs come
/// before other devices, and processors last.
///
/// # Errors
/// No library, no driver, no device of that name, or none that has what the interpreter needs.
pub(super) fn open(wanted: Option<&str>) -> Result<Driver, Unavailable> {
    // Drivers make their devices when they are first asked for them, and not all of them
    // expect to be asked by several threads.
    static OPENING: Mutex<()> = Mutex::new(());
    let _one_at_a_time = OPENING.lock().unwrap_or_else(PoisonError::into_inner);
    find(wanted).map_err(|reason| Unavailable { backend: BackendName::OpenCl, reason })
}

fn find(wanted: Option<&str>) -> Result<Driver, String> {
    let mut refusals = Vec::new();
    let mut fitting = Vec::new();
    for candidate in candidates(&mut refusals)? {
        match refusal(wanted, &candidate) {
            Ok(None) => fitting.push(candidate),
            Ok(Some(reason)) => refusals.push(format!("{}: {reason}", candidate.name)),
            Err(error) => refusals.push(format!("{}: {}", candidate.name, name(error.0))),
        }
    }
    fitting.sort_by_key(|candidate| rank(candidate.kind));
    for candidate in fitting {
        let name = candidate.name.clone();
        match candidate.open() {
            Ok(driver) => return Ok(driver),
            Err(reason) => refusals.push(format!("{name}: {reason}")),
        }
    }
    Err(match refusals.is_empty() {
        true => "the drivers have no devices".to_owned(),
        false => refusals.join("; "),
    })
}

/// Why not this one?
fn refusal(wanted: Option<&str>, candidate: &Candidate) -> opencl3::Result<Option<String>> {
    let device = &candidate.device;
    if let Some(wanted) = wanted
        && !candidate.name.to_lowercase().contains(&wanted.to_lowercase())
    {
        return Ok(Some(format!("the name does not contain `{wanted}`")));
    }
    if !device.available()? {
        return Ok(Some("it is not available".to_owned()));
    }
    if !device.compiler_available()? {
        return Ok(Some("it has no compiler".to_owned()));
    }
    if !device.endian_little()? {
        return Ok(Some("it is big-endian".to_owned()));
    }
    let extensions = device.extensions()?;
    if !extensions.split_whitespace().any(|extension| extension == EXTENSION) {
        return Ok(Some(format!("it lacks {EXTENSION}")));
    }
    Ok(None)
}

/// A device of some driver.
struct Candidate {
    device: opencl3::device::Device,
    /// `platform: device`
    name: String,
    kind: u64,
    is_pocl: bool,
}

impl Candidate {
    fn open(self) -> Result<Driver, String> {
        let description = self.describe().map_err(|error| name(error.0))?;
        if self.is_pocl {
            pocl::stay(self.device.id()).map_err(name)?;
        }
        Driver::new(description, self.device.id())
    }

    fn describe(&self) -> opencl3::Result<Device> {
        let device = &self.device;
        let sizes = device.max_work_item_sizes()?;
        let most = device.max_work_group_size()?.min(sizes.first().copied().unwrap_or(1));
        Ok(Device {
            backend: BackendName::OpenCl,
            name: self.name.clone(),
            driver: format!("{}, driver {}", device.version()?.trim(), device.driver_version()?),
            workgroup: u32::try_from(most).unwrap_or(u32::MAX),
            buffer_bytes: device.max_mem_alloc_size()?,
            memory_bytes: device.global_mem_size()?,
            iterations: None,
            cooperative: false,
        })
    }
}

/// All devices. What keeps a platform from naming its own goes to `refusals`.
fn candidates(refusals: &mut Vec<String>) -> Result<Vec<Candidate>, String> {
    let mut all = Vec::new();
    for platform in get_platforms().map_err(explain)? {
        let platform_name = platform.name().unwrap_or_default();
        match devices(&platform, &platform_name) {
            Ok(devices) => all.extend(devices),
            Err(reason) => refusals.push(format!("{platform_name}: {reason}")),
        }
    }
    Ok(all)
}

fn devices(platform: &Platform, platform_name: &str) -> Result<Vec<Candidate>, String> {
    let is_pocl = platform_name == pocl::PLATFORM;
    if is_pocl {
        pocl::prepare()?;
    }
    let ids = platform.get_devices(CL_DEVICE_TYPE_ALL).map_err(|error| name(error.0))?;
    let candidate = |id| {
        let device = opencl3::device::Device::new(id);
        let device_name = device.name().unwrap_or_default();
        Candidate {
            name: format!("{platform_name}: {}", device_name.trim()),
            kind: device.dev_type().unwrap_or(0),
            is_pocl,
            device,
        }
    };
    Ok(ids.into_iter().map(candidate).collect())
}

/// The smaller, the better.
fn rank(kind: u64) -> u8 {
    match kind {
        _ if kind & CL_DEVICE_TYPE_GPU != 0 => 0,
        _ if kind & CL_DEVICE_TYPE_CPU != 0 => 2,
        _ => 1,
    }
}

fn explain(error: ClError) -> String {
    match error.0 {
        opencl3::error_codes::DLOPEN_RUNTIME_LOAD_FAILED => {
            "the library libOpenCL could not be loaded".to_owned()
        }
        // `cl_khr_icd`: the loader found no driver.
        -1001 => "no driver is installed".to_owned(),
        code => name(code),
    }
}
