//! The two sides for programs.

use super::{DeviceRun, across_blocks};
use crate::across;
use babycuda::gpu::Device;
use babycuda::gpu::compare::Difference;
use babycuda::semantics::Outcome;
use serde_json::{Value, json};

/// All runs of a file, kernel by kernel.
pub fn document(file: &str, device: &Device, kernels: &[Vec<DeviceRun>]) -> Value {
    json!({
        "version": 1,
        "file": file,
        "device": {
            "backend": device.backend.to_string(),
            "name": device.name,
            "driver": device.driver,
        },
        "runs": kernels.iter().flatten().map(one).collect::<Vec<_>>(),
        "races_across_blocks": kernels.iter().filter_map(|runs| between(runs)).collect::<Vec<_>>(),
    })
}

/// The races between the blocks of a kernel.
fn between(runs: &[DeviceRun]) -> Option<Value> {
    across::document(&runs.first()?.kernel, &across_blocks(runs))
}

fn one(run: &DeviceRun) -> Value {
    let comparison = run.comparison();
    let difference = comparison.as_ref().ok().and_then(|(_, sides)| sides.first_difference());
    let (outcome, reason) = match &run.expected {
        Outcome::Done { .. } => ("done", None),
        Outcome::Diverged { divergence, .. } => ("diverged", Some(divergence.to_string())),
        Outcome::Stuck { stuck, .. } => ("stuck", Some(stuck.to_string())),
    };
    json!({
        "name": run.kernel,
        "block": run.instance.configuration.block,
        "outcome": outcome,
        "reason": reason,
        "drf": run.expected.history().is_drf(),
        "compared": comparison.is_ok(),
        "finding": comparison.as_ref().ok().map(|(_, sides)| run.finding(sides).word()),
        "difference": difference.map(describe),
        "not_compared": comparison.as_ref().err(),
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
