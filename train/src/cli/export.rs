//! `giuthi train export`.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::Args;
use giuthi_engine::Network;
use giuthi_engine::cli::{Usage, print};
use serde::Serialize;

use crate::export::{Form, POSITIONS, Written, positions, write};

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// The weights
    #[arg(value_name = "NET.safetensors")]
    net: PathBuf,
    #[command(flatten)]
    forms: Forms,
    /// Overwrite files that exist
    #[arg(long)]
    force: bool,
    /// Print one JSON object a file: file, form, bytes, sha256, width, positions, worst_difference
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
#[group(required = true, multiple = true)]
struct Forms {
    /// Write the network as an ONNX file
    #[arg(long, value_name = "FILE.onnx")]
    onnx: Option<PathBuf>,
    /// Write it as a TorchScript file
    #[arg(long, value_name = "FILE.pt")]
    torchscript: Option<PathBuf>,
    /// Write it in the integers that the agents reckon with; they take such a file as net=FILE too
    #[arg(long, value_name = "FILE.giuthiq")]
    quantised: Option<PathBuf>,
    /// Write positions of random games with the network's values, to compare other programs' with
    #[arg(long, value_name = "FILE.csv")]
    values: Option<PathBuf>,
}

impl Forms {
    fn asked(&self) -> Vec<(Form, &Path)> {
        let Forms { onnx, torchscript, quantised, values } = self;
        [
            (Form::Onnx, onnx),
            (Form::TorchScript, torchscript),
            (Form::Quantised, quantised),
            (Form::Values, values),
        ]
        .into_iter()
        .filter_map(|(form, path)| Some((form, path.as_deref()?)))
        .collect()
    }
}

/// A file, under the names of the JSON form.
#[derive(Serialize)]
struct Line<'a> {
    file: &'a str,
    form: &'static str,
    bytes: usize,
    sha256: &'a str,
    width: usize,
    positions: usize,
    worst_difference: f32,
}

pub(super) fn work(arguments: &Arguments) -> anyhow::Result<()> {
    let asked = arguments.forms.asked();
    // Everything that can be refused is, before anything is written.
    for (at, (form, path)) in asked.iter().enumerate() {
        let out = path.display();
        let flag = form.name();
        if asked[..at].iter().any(|(_, other)| same(other, path)) {
            return Err(Usage(format!("--{flag} {out}: another form is to be written there")).into());
        }
        if same(path, &arguments.net) {
            return Err(Usage(format!("--{flag} {out}: these are the weights themselves")).into());
        }
        if path.exists() && !arguments.force {
            bail!("{out} exists: give another name, or --force to overwrite it");
        }
    }
    let network = Network::load(&arguments.net)?;
    let width = network.header().width;
    let positions = positions(width, POSITIONS);
    for (form, path) in asked {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        }
        let Written { bytes, sha256, positions, worst, .. } = write(&network, form, path, &positions)?;
        let file = path.display().to_string();
        let line = if arguments.json {
            let (file, sha256, form) = (file.as_str(), sha256.as_str(), form.name());
            let line = Line { file, form, bytes, sha256, width, positions, worst_difference: worst };
            serde_json::to_string(&line)?
        } else {
            format!(
                "{file}: network for rows of {width} pits as {form}, read back; values of {positions} positions \
                 within {worst:.1e} of the weights'"
            )
        };
        print(&(line + "\n"))?;
    }
    Ok(())
}

/// Whether two paths lead to the same file, be it there or not.
fn same(a: &Path, b: &Path) -> bool {
    let real = |path: &Path| {
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        path.canonicalize().unwrap_or_else(|_| {
            match (path.parent().map(Path::canonicalize), path.file_name()) {
                (Some(Ok(folder)), Some(name)) => folder.join(name),
                _ => path,
            }
        })
    };
    real(a) == real(b)
}
