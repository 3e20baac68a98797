//! `giuthi train export`.

use std::path::PathBuf;

use anyhow::{Context, bail};
use clap::Args;
use giuthi_engine::Network;
use giuthi_engine::cli::print;

use crate::export;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// The weights
    #[arg(value_name = "NET.safetensors")]
    net: PathBuf,
    /// Write the network as an ONNX file
    #[arg(long, value_name = "FILE.onnx", required = true)]
    onnx: PathBuf,
    /// Overwrite a file that exists
    #[arg(long)]
    force: bool,
}

pub(super) fn work(arguments: &Arguments) -> anyhow::Result<()> {
    let path = &arguments.onnx;
    let out = path.display();
    if path.exists() && !arguments.force {
        bail!("{out} exists: give another name, or --force to overwrite it");
    }
    let network = Network::load(&arguments.net)?;
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    }
    export::write_onnx(&network, path)?;
    let width = network.header().width;
    print(&format!("{out}: network for rows of {width} pits, read back and compared\n"))
}
