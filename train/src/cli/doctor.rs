//! `giuthi-train doctor`.

use anyhow::Context;
use clap::Args;
use giuthi_engine::cli::print;

use crate::doctor::{Facts, facts};

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// Print one JSON object: library, cuda_built, cuda, devices, cudnn, threads, interop_threads, processors
    #[arg(long)]
    json: bool,
}

pub(super) fn work(arguments: &Arguments) -> anyhow::Result<()> {
    let facts = facts().context("libtorch does not work here")?;
    if arguments.json {
        return print(&(serde_json::to_string(&facts)? + "\n"));
    }
    let Facts { library, cuda_built, devices, cudnn, threads, interop_threads, processors, .. } = facts;
    let library = library.map_or_else(|| "somewhere".to_owned(), |path| path.display().to_string());
    let built = if cuda_built { "CUDA" } else { "CPU only" };
    print(&format!(
        "libtorch  {library}\nbuilt for {built}, CUDA devices: {devices}, cuDNN: {cudnn}\nthreads   {threads}, and \
         {interop_threads} for operations side by side; processors: {processors}\n`giuthi train doctor` looks at all \
         that chooses a libtorch\n"
    ))
}
