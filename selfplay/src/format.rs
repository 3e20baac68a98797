//! How the parts of a dataset are written: plain, or compressed.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::settings::SettingError;

/// How parts are written. All of a dataset's are written alike.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// As text, `part-NNNNN.csv`.
    #[default]
    Plain,
    /// As one Zstandard frame of that text, `part-NNNNN.csv.zst`.
    Zstd(Level),
}

impl Format {
    /// How the names of the parts end.
    #[must_use]
    pub const fn ending(self) -> &'static str {
        match self {
            Format::Plain => ".csv",
            Format::Zstd(_) => ".csv.zst",
        }
    }

    /// The compression's name in the manifest, none where nothing is compressed.
    pub(crate) const fn compression(self) -> Option<Compression> {
        match self {
            Format::Plain => None,
            Format::Zstd(_) => Some(Compression::Zstd),
        }
    }

    /// The level, where there is one.
    pub(crate) const fn level(self) -> Option<Level> {
        match self {
            Format::Plain => None,
            Format::Zstd(level) => Some(level),
        }
    }
}

/// A way to compress, by the name it has in the manifest and behind `--compress`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Compression {
    /// Zstandard (RFC 8878).
    Zstd,
}

/// Zstandard's level of compression: the higher, the smaller the files and the longer it takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "i32", into = "i32")]
pub struct Level(i32);

impl Level {
    /// The highest level; those above would ask readers for much memory.
    pub const MOST: i32 = 19;

    /// The level as a number.
    #[must_use]
    pub const fn get(self) -> i32 {
        self.0
    }
}

impl Default for Level {
    fn default() -> Self {
        Level(1)
    }
}

impl TryFrom<i32> for Level {
    type Error = SettingError;

    fn try_from(level: i32) -> Result<Level, SettingError> {
        if (1..=Level::MOST).contains(&level) { Ok(Level(level)) } else { Err(SettingError::Level) }
    }
}

impl From<Level> for i32 {
    fn from(level: Level) -> i32 {
        level.0
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for Level {
    type Err = SettingError;

    fn from_str(text: &str) -> Result<Level, SettingError> {
        let digits = text.bytes().all(|byte| byte.is_ascii_digit());
        text.parse::<i32>().ok().filter(|_| digits).ok_or(SettingError::Level)?.try_into()
    }
}
