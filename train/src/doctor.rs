//! What only libtorch knows of itself: where it was loaded from, its devices and threads.

use std::fs;
use std::path::PathBuf;

use serde::Serialize;
use tch::{Cuda, Device, Kind, TchError, Tensor};

/// What libtorch is here.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Facts {
    /// The file of its library that runs in this process; none where the system does not tell.
    pub library: Option<PathBuf>,
    /// Whether it was built for CUDA.
    pub cuda_built: bool,
    /// Whether it finds a CUDA device.
    pub cuda: bool,
    /// How many.
    pub devices: usize,
    /// Whether cuDNN is there.
    pub cudnn: bool,
    /// Threads that it takes where nothing is said.
    pub threads: usize,
    /// Threads of operations that run beside each other.
    pub interop_threads: usize,
    /// Processors that this process may use.
    pub processors: usize,
}

/// Asks libtorch, and lets it add two numbers on every device.
///
/// # Errors
/// When it cannot.
pub fn facts() -> Result<Facts, TchError> {
    let devices = usize::try_from(Cuda::device_count()).unwrap_or(0);
    for device in std::iter::once(Device::Cpu).chain((0..devices).map(Device::Cuda)) {
        let sum = Tensor::f_ones([2], (Kind::Float, device))?.f_sum(Kind::Float)?;
        if f64::try_from(sum)? != 2.0 {
            return Err(TchError::Kind(format!("1 and 1 are not 2 on {device:?}")));
        }
    }
    let count = |number: i32| usize::try_from(number).unwrap_or(0);
    Ok(Facts {
        library: library(),
        cuda_built: tch::utils::has_cuda(),
        cuda: Cuda::is_available(),
        devices,
        cudnn: Cuda::cudnn_is_available(),
        threads: count(tch::get_num_threads()),
        interop_threads: count(tch::get_num_interop_threads()),
        processors: std::thread::available_parallelism().map_or(1, usize::from),
    })
}

/// libtorch's file among those that this process has in its memory (Linux).
fn library() -> Option<PathBuf> {
    let maps = fs::read_to_string("/proc/self/maps").ok()?;
    let path = |line: &str| Some(PathBuf::from(&line[line.find('/')?..]));
    maps.lines().filter_map(path).find(|path| path.ends_with("libtorch_cpu.so"))
}
