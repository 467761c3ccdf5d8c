//! The two sides for programs.

use super::{Compared, DeviceKernel};
use crate::across;
use babycuda::gpu::Device;
use babycuda::gpu::compare::Difference;
use babycuda::semantics::Outcome;
use serde_json::{Value, json};

/// All runs of a file, kernel by kernel.
pub fn document(file: &str, device: &Device, kernels: &[DeviceKernel]) -> Value {
    let runs = kernels.iter().flat_map(|k| k.blocks.iter().map(|block| one(&k.name, block)));
    let across = kernels.iter().filter_map(|k| across::document(&k.name, &k.across));
    let races = kernels.iter().filter_map(|k| Some(k.races.as_ref()?.document(&k.name)));
    json!({
        "version": 1,
        "file": file,
        "device": {
            "backend": device.backend.to_string(),
            "name": device.name,
            "driver": device.driver,
        },
        "runs": runs.collect::<Vec<_>>(),
        "races_across_blocks": across.collect::<Vec<_>>(),
        "device_races": races.collect::<Vec<_>>(),
    })
}

fn one(kernel: &str, Compared { run, sides }: &Compared) -> Value {
    let difference = sides.as_ref().ok().and_then(|(sides, _)| sides.first_difference());
    let (outcome, reason) = match &run.expected {
        Outcome::Done { .. } => ("done", None),
        Outcome::Diverged { divergence, .. } => ("diverged", Some(divergence.to_string())),
        Outcome::Stuck { stuck, .. } => ("stuck", Some(stuck.to_string())),
    };
    json!({
        "name": kernel,
        "block": run.instance.configuration.block,
        "outcome": outcome,
        "reason": reason,
        "drf": run.expected.history().is_drf(),
        "compared": sides.is_ok(),
        "finding": sides.as_ref().ok().map(|(_, finding)| finding.word()),
        "difference": difference.map(describe),
        "not_compared": sides.as_ref().err(),
        "report": run.report.as_ref().ok(),
    })
}

fn describe(difference: Difference<'_>) -> Value {
    match difference {
        Difference::Access(row) => json!({
            "in": "access",
            "phase": row.phase,
            "thread": row.thread,
            "mode": row.mode.keyword(),
            "cell": row.cell.to_string(),
        }),
        Difference::Ending => json!({ "in": "ending" }),
        Difference::Cell(row) => json!({
            "in": "memory",
            "cell": row.cell.to_string(),
            "device": row.device.to_string(),
        }),
    }
}
