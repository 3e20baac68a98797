//! A network as a TorchScript file: `forward(pits, lead)` as libtorch records it, with the weights as constants.
//!
//! Its inputs are those of the ONNX file: `pits`, `[n, 2W]`, int64, and `lead`, `[n]`, float32. It gives the
//! probabilities of win, draw and loss, `[n, 3]`: of what has been recorded, libtorch writes methods of one result only.

use std::fs;
use std::path::Path;

use giuthi_engine::net::{COUNTS, FeatureSet, LEAD_UNIT};
use giuthi_engine::{Network, Position};
use tch::{CModule, Device, Kind, TchError, Tensor};

use super::{Fault, seen};
use crate::model::Model;

/// The bytes of the file. libtorch writes it into a folder beside `path`, which is gone afterwards: its own writer
/// takes a path only, and keeps the file's name in the file.
pub(super) fn to_bytes(network: &Network, path: &Path) -> Result<Vec<u8>, Fault> {
    let module = traced(network)?;
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let scratch = Scratch::new(folder)?;
    let file = scratch.0.join("net.pt");
    module.save(&file)?;
    Ok(fs::read(file)?)
}

/// A folder that goes with everything in it.
struct Scratch(std::path::PathBuf);

impl Scratch {
    fn new(beside: &Path) -> std::io::Result<Scratch> {
        let folder = beside.join(format!(".torchscript.{}.tmp", std::process::id()));
        fs::create_dir(&folder)?;
        Ok(Scratch(folder))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // Best effort: there is nobody to tell.
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn traced(network: &Network) -> Result<CModule, TchError> {
    let FeatureSet::Pits24Lead = network.header().features;
    let pits = 2 * network.header().width as i64;
    let parts = Model::of_network(network, Device::Cpu)?.parts;
    let offsets =
        Tensor::f_arange_start_step(0, pits * COUNTS as i64, COUNTS as i64, (Kind::Int64, Device::Cpu))?;
    let (by_lead, bias) = (parts.lead_and_bias.f_get(0)?, parts.lead_and_bias.f_get(1)?);
    // Nothing in here may ask for the number of positions: the recorder would keep it as a constant.
    let forward = |pits: &Tensor, lead: &Tensor| -> Result<Tensor, TchError> {
        let categories = pits.f_clamp_max(COUNTS as i64 - 1)?.f_add(&offsets)?;
        let sums = Tensor::f_embedding(&parts.input, &categories, -1, false, false)?.f_sum_dim_intlist(
            [1i64].as_slice(),
            false,
            Kind::Float,
        )?;
        let lead = lead.f_div_scalar(f64::from(LEAD_UNIT))?.f_unsqueeze(1)?.f_mul(&by_lead)?;
        sums.f_add(&lead)?
            .f_add(&bias)?
            .f_clamp(0.0, 1.0)?
            .f_linear(&parts.hidden, Some(&parts.hidden_bias))?
            .f_clamp(0.0, 1.0)?
            .f_linear(&parts.output, Some(&parts.output_bias))?
            .f_softmax(1, Kind::Float)
    };
    let example = [
        Tensor::f_zeros([2, pits], (Kind::Int64, Device::Cpu))?,
        Tensor::f_zeros([2], (Kind::Float, Device::Cpu))?,
    ];
    let mut failed = None;
    let mut record = |inputs: &[Tensor]| match forward(&inputs[0], &inputs[1]) {
        Ok(probabilities) => vec![probabilities],
        Err(error) => {
            failed = Some(error);
            Vec::new()
        }
    };
    let module =
        tch::no_grad(|| CModule::create_by_tracing("GiuthiValue", "forward", &example, &mut record))?;
    match failed {
        None => Ok(module),
        Some(error) => Err(error),
    }
}

/// The values that the file gives to positions, all at once; the first of them by itself as well.
pub(super) fn values(bytes: &[u8], positions: &[Position]) -> Result<Vec<f32>, Fault> {
    let module = CModule::load_data(&mut &*bytes)?;
    let together = forward(&module, positions)?;
    if let Some(first) = positions.first() {
        let alone = forward(&module, &[*first])?;
        super::near(first, alone[0], together[0], super::TOLERANCE)?;
    }
    Ok(together)
}

fn forward(module: &CModule, positions: &[Position]) -> Result<Vec<f32>, Fault> {
    let (pits, leads): (Vec<Vec<u8>>, Vec<i32>) = positions.iter().map(seen).unzip();
    let pits: Vec<i64> = pits.concat().into_iter().map(i64::from).collect();
    let leads: Vec<f32> = leads.into_iter().map(|lead| lead as f32).collect();
    let count = positions.len() as i64;
    let pits = Tensor::from_slice(&pits).f_view([count, -1])?;
    let inputs = [pits, Tensor::from_slice(&leads)];
    let probabilities = tch::no_grad(|| module.forward_ts(&inputs))?;
    if probabilities.size() != [count, 3] {
        return Err(Fault::Other);
    }
    let value = probabilities.f_select(1, 0)?.f_sub(&probabilities.f_select(1, 2)?)?;
    Ok(Vec::try_from(value)?)
}
