//! The flags that choose a shard.

use std::str::FromStr;

use clap::Args;

use super::{Usage, tell, whole_number};
use crate::shard::{Shard, ShardError};

/// `--shard` and `--shards`.
#[derive(Args, Debug)]
pub struct ShardFlags {
    /// Do only every N-th piece of the work, from piece I on, so that N machines share it; `auto` takes I/N from what
    /// Slurm (a job array) or Kubernetes (an indexed job) says
    #[arg(long, value_name = "I/N", default_value = "0/1", allow_hyphen_values = true)]
    shard: Choice,
    /// How many shards there are, for --shard auto
    #[arg(long, value_name = "N", value_parser = shards, allow_negative_numbers = true)]
    shards: Option<u32>,
}

/// A shard by its numbers, or told by the environment.
#[derive(Clone, Copy, Debug)]
enum Choice {
    Given(Shard),
    Auto,
}

impl FromStr for Choice {
    type Err = String;

    fn from_str(text: &str) -> Result<Choice, String> {
        match text {
            "auto" => Ok(Choice::Auto),
            text => text.parse().map(Choice::Given).map_err(|error: ShardError| format!("{error}; or auto")),
        }
    }
}

fn shards(text: &str) -> Result<u32, String> {
    whole_number(1..=u64::from(u32::MAX))(text).map(|number| number as u32)
}

impl ShardFlags {
    /// The shard asked for. One that the environment tells is named on stderr, with the variable that tells it.
    ///
    /// # Errors
    /// Where the flags do not go together, or the environment does not tell a shard.
    pub fn chosen(&self) -> Result<Shard, Usage> {
        match self.shard {
            Choice::Given(_) if self.shards.is_some() => {
                Err(Usage("--shards: only --shard auto asks how many there are; I/N tells it".to_owned()))
            }
            Choice::Given(shard) => Ok(shard),
            Choice::Auto => {
                let variable =
                    |name: &str| std::env::var_os(name).map(|text| text.to_string_lossy().into_owned());
                let told = Shard::from_environment(variable, self.shards);
                let (shard, by) = told.map_err(|error| Usage(format!("--shard auto: {error}")))?;
                tell(format_args!("shard {shard}, by {by}"));
                Ok(shard)
            }
        }
    }
}
