//! Shards: which share of a dataset or a tournament is made here; told by a flag, or by what a cluster says of a task.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// Digits alone and no zeros in front, so that a number has one spelling.
fn number<T: FromStr>(text: &str) -> Option<T> {
    let plain = text.bytes().all(|byte| byte.is_ascii_digit()) && (text == "0" || !text.starts_with('0'));
    text.parse().ok().filter(|_| plain)
}

/// One of the shares that work is dealt into by its numbers: the parts of a dataset, the pairs of a tournament. Written `I/N`, `0/1` for the whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    index: u32,
    count: u32,
}

impl Shard {
    /// The one shard of undivided work.
    pub const WHOLE: Shard = Shard { index: 0, count: 1 };

    /// Shard `index` of `count`; `None` unless `index < count`.
    #[must_use]
    pub const fn new(index: u32, count: u32) -> Option<Shard> {
        if index < count { Some(Shard { index, count }) } else { None }
    }

    /// Its number, from 0.
    #[must_use]
    pub const fn index(self) -> u32 {
        self.index
    }

    /// How many shards there are.
    #[must_use]
    pub const fn count(self) -> u32 {
        self.count
    }

    /// Whether the part or pair of a number is one of its own.
    #[must_use]
    pub const fn has(self, number: u64) -> bool {
        number % self.count as u64 == self.index as u64
    }
}

/// Why a text is no shard.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "write I/N: the shard's number I, from 0 to N-1, and the number of shards N, such as 0/4, without zeros in front"
)]
pub struct ShardError;

impl Default for Shard {
    fn default() -> Self {
        Shard::WHOLE
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.count)
    }
}

impl FromStr for Shard {
    type Err = ShardError;

    fn from_str(text: &str) -> Result<Shard, ShardError> {
        let parse = || {
            let (index, count) = text.split_once('/')?;
            Shard::new(number(index)?, number(count)?)
        };
        parse().ok_or(ShardError)
    }
}

/// What Slurm calls the number of a task of a job array.
const SLURM_ID: &str = "SLURM_ARRAY_TASK_ID";
/// What Slurm calls the number of tasks of a job array, and the least and the greatest of their numbers.
const SLURM_COUNT: &str = "SLURM_ARRAY_TASK_COUNT";
const SLURM_BOUNDS: [&str; 2] = ["SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_MAX"];
/// What Kubernetes calls the number of a pod of an indexed job, from 0.
const KUBERNETES_INDEX: &str = "JOB_COMPLETION_INDEX";

/// Why the environment does not tell a shard.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum EnvironmentError {
    /// No variable that is known is there.
    #[error("neither {SLURM_ID} nor {KUBERNETES_INDEX} is there to tell the shard: write --shard I/N")]
    Nothing,
    /// Two systems speak at once.
    #[error("both {SLURM_ID} and {KUBERNETES_INDEX} are there: write --shard I/N")]
    Both,
    /// A variable is no number.
    #[error("{name} is `{text}`, which is no whole number without zeros in front")]
    Number {
        /// The variable.
        name: &'static str,
        /// What it holds.
        text: String,
    },
    /// It is not told how many shards there are.
    #[error("{0} tells the shard's number, but not how many there are: add --shards N")]
    Count(&'static str),
    /// The number is too great.
    #[error("{name} is {index}, but of {count} shards the last is number {}", count.saturating_sub(1))]
    Beyond {
        /// The variable.
        name: &'static str,
        /// What it holds.
        index: u32,
        /// How many shards there are.
        count: u32,
    },
    /// It is told how many tasks the array has, and not how they are numbered.
    #[error(
        "{SLURM_COUNT} is there, but {0} is not, so nobody knows whether the tasks are 0, 1, 2, …: add --shards N"
    )]
    Bounds(&'static str),
    /// The numbers of the array are not 0, 1, 2, …
    #[error(
        "the numbers of the job array are not 0, 1, 2, …: submit it as --array=0-{}, or add --shards N to take {SLURM_ID} \
         as it is",
        count.saturating_sub(1)
    )]
    Array {
        /// How many tasks the array has.
        count: u32,
    },
}

impl Shard {
    /// The shard that a cluster's variables tell, read by `variable`, and which of them told it: `SLURM_ARRAY_TASK_ID` of
    /// a job array whose tasks are numbered from 0, or `JOB_COMPLETION_INDEX` of an indexed job of Kubernetes. `count` is
    /// how many shards there are, where that is known; without it a job array is taken to be all of them, and has to say that
    /// it is numbered from 0 (`SLURM_ARRAY_TASK_COUNT`, `SLURM_ARRAY_TASK_MIN` and `SLURM_ARRAY_TASK_MAX`).
    ///
    /// # Errors
    /// Where nothing or too much is told, or a number is out of place; each says what to do.
    pub fn from_environment(
        variable: impl Fn(&str) -> Option<String>,
        count: Option<u32>,
    ) -> Result<(Shard, String), EnvironmentError> {
        // An empty variable is as good as none.
        let text = |name| variable(name).filter(|text| !text.is_empty());
        let read = |name: &'static str| match text(name) {
            None => Ok(None),
            Some(text) => match number::<u32>(&text) {
                Some(number) => Ok(Some(number)),
                None => Err(EnvironmentError::Number { name, text: text.escape_debug().to_string() }),
            },
        };
        let (name, index, told) = match (read(SLURM_ID)?, read(KUBERNETES_INDEX)?) {
            (None, None) => return Err(EnvironmentError::Nothing),
            (Some(_), Some(_)) => return Err(EnvironmentError::Both),
            (None, Some(index)) => (KUBERNETES_INDEX, index, None),
            (Some(index), None) => {
                let tasks = read(SLURM_COUNT)?;
                let regular = |tasks: u32| -> Result<u32, EnvironmentError> {
                    let bound = |name| read(name)?.ok_or(EnvironmentError::Bounds(name));
                    let [least, most] = SLURM_BOUNDS.map(bound);
                    let plain = least? == 0 && Some(most?) == tasks.checked_sub(1);
                    if plain { Ok(tasks) } else { Err(EnvironmentError::Array { count: tasks }) }
                };
                // A task that is done again alone stands in an array of its own, so --shards goes before.
                let told = if count.is_none() { tasks.map(regular).transpose()? } else { None };
                (SLURM_ID, index, told)
            }
        };
        let count = count.or(told).ok_or(EnvironmentError::Count(name))?;
        let shard = Shard::new(index, count).ok_or(EnvironmentError::Beyond { name, index, count })?;
        let beside = if told.is_some() { format!(" and {SLURM_COUNT}") } else { String::new() };
        Ok((shard, format!("{name}{beside}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(variables: &[(&str, &str)], count: Option<u32>) -> String {
        let variable = |name: &str| {
            let found = variables.iter().find(|(other, _)| *other == name);
            found.map(|(_, text)| (*text).to_owned())
        };
        match Shard::from_environment(variable, count) {
            Ok((shard, by)) => format!("{shard} by {by}"),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn shards_share_out_everything() {
        assert_eq!("2/3".parse(), Ok(Shard { index: 2, count: 3 }));
        for text in [
            "", "1", "3/3", "-1/3", "+1/3", " 1/3", "1/3 ", "1 /3", "00/3", "01/3", "1/03", "1/3/3", "0/0",
            "a/b", "/3", "1/",
        ] {
            assert_eq!(text.parse::<Shard>(), Err(ShardError), "{text}");
        }
        for number in 0..20 {
            let shards = (0..3).filter(|&index| Shard::new(index, 3).is_some_and(|shard| shard.has(number)));
            assert_eq!(shards.count(), 1);
        }
    }

    #[test]
    fn clusters_tell_the_shard() {
        let array = |id, least, most, tasks| {
            [
                ("SLURM_ARRAY_TASK_ID", id),
                ("SLURM_ARRAY_TASK_MIN", least),
                ("SLURM_ARRAY_TASK_MAX", most),
                ("SLURM_ARRAY_TASK_COUNT", tasks),
            ]
        };
        let by_both = "by SLURM_ARRAY_TASK_ID and SLURM_ARRAY_TASK_COUNT";
        assert_eq!(told(&array("3", "0", "7", "8"), None), format!("3/8 {by_both}"));
        assert_eq!(told(&array("0", "0", "0", "1"), None), format!("0/1 {by_both}"));
        // With --shards the number is taken as it is, so that one task can be done again alone.
        assert_eq!(told(&array("3", "3", "3", "1"), Some(8)), "3/8 by SLURM_ARRAY_TASK_ID");
        assert_eq!(told(&[("JOB_COMPLETION_INDEX", "4")], Some(5)), "4/5 by JOB_COMPLETION_INDEX");
        let empty = [("JOB_COMPLETION_INDEX", "4"), ("SLURM_ARRAY_TASK_ID", "")];
        assert_eq!(told(&empty, Some(5)), "4/5 by JOB_COMPLETION_INDEX");
        for (variables, count, says) in [
            (&array("1", "1", "8", "8")[..], None, "submit it as --array=0-7, or add --shards N"),
            (&array("3", "3", "3", "1"), None, "submit it as --array=0-0"),
            (&array("0", "0", "14", "8"), None, "not 0, 1, 2, …"),
            (&array("0", "0", "0", "0"), None, "submit it as --array=0-0"),
            (&array("0", "0", "0", "0"), Some(0), "SLURM_ARRAY_TASK_ID is 0, but of 0 shards"),
            (
                &array("8", "0", "8", "8")[..1],
                Some(8),
                "SLURM_ARRAY_TASK_ID is 8, but of 8 shards the last is number 7",
            ),
            (
                &array("0", "0", "7", "8")[..1],
                None,
                "SLURM_ARRAY_TASK_ID tells the shard's number, but not how many",
            ),
            (&array("x", "0", "7", "8"), None, "SLURM_ARRAY_TASK_ID is `x`"),
            (&array("-1", "0", "7", "8"), Some(8), "SLURM_ARRAY_TASK_ID is `-1`"),
            (&array("01", "0", "7", "8"), None, "SLURM_ARRAY_TASK_ID is `01`, which is no whole number"),
            (&array(" 1", "0", "7", "8"), Some(8), "SLURM_ARRAY_TASK_ID is ` 1`"),
            (&array("1", "00", "7", "8"), None, "SLURM_ARRAY_TASK_MIN is `00`"),
            (&array("1", "0", "07", "8"), None, "SLURM_ARRAY_TASK_MAX is `07`"),
            (&array("1", "0", "7", "08"), None, "SLURM_ARRAY_TASK_COUNT is `08`"),
            (&[("JOB_COMPLETION_INDEX", "04")], Some(5), "JOB_COMPLETION_INDEX is `04`"),
            (&[("JOB_COMPLETION_INDEX", "+4")], Some(5), "JOB_COMPLETION_INDEX is `+4`"),
            (
                &[("SLURM_ARRAY_TASK_ID", "1"), ("SLURM_ARRAY_TASK_COUNT", "4")],
                None,
                "SLURM_ARRAY_TASK_COUNT is there, but SLURM_ARRAY_TASK_MIN is not",
            ),
            (
                &[
                    ("SLURM_ARRAY_TASK_ID", "1"),
                    ("SLURM_ARRAY_TASK_COUNT", "4"),
                    ("SLURM_ARRAY_TASK_MIN", "0"),
                ],
                None,
                "SLURM_ARRAY_TASK_MAX is not, so nobody knows whether the tasks are 0, 1, 2, …: add --shards N",
            ),
            (&array("1", "0", "7", "+8"), None, "SLURM_ARRAY_TASK_COUNT is `+8`"),
            (
                &[("JOB_COMPLETION_INDEX", "4")],
                None,
                "JOB_COMPLETION_INDEX tells the shard's number, but not how many",
            ),
            (&[("JOB_COMPLETION_INDEX", "4")], Some(4), "the last is number 3"),
            (&[], Some(4), "neither SLURM_ARRAY_TASK_ID nor JOB_COMPLETION_INDEX"),
            (
                &[("JOB_COMPLETION_INDEX", "4"), ("SLURM_ARRAY_TASK_ID", "4")],
                Some(9),
                "both SLURM_ARRAY_TASK_ID and",
            ),
        ] {
            let said = told(variables, count);
            assert!(said.contains(says), "{variables:?}: {said}");
        }
    }
}
