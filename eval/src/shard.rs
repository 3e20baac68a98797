//! Shares of a tournament, so that several machines can play it.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// One of the shares that the pairs of a tournament are dealt into by their numbers. Written `I/N`, `0/1` for the whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    index: u32,
    count: u32,
}

/// Why a text is no shard.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("write I/N, the number of the shard, from 0 on, and how many there are, such as 0/4")]
pub struct ShardError;

impl Shard {
    /// The one shard of an undivided tournament.
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

    /// Whether a pair of this number is played in it.
    #[must_use]
    pub const fn has(self, pair: u64) -> bool {
        pair % self.count as u64 == self.index as u64
    }
}

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
        let number = |text: &str| {
            let digits = text.bytes().all(|byte| byte.is_ascii_digit());
            text.parse().ok().filter(|_| digits)
        };
        let parts = text.split_once('/').and_then(|(index, count)| Some((number(index)?, number(count)?)));
        parts.and_then(|(index, count)| Shard::new(index, count)).ok_or(ShardError)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_share_out_all_pairs() {
        assert_eq!("2/3".parse(), Ok(Shard { index: 2, count: 3 }));
        for text in ["", "1", "3/3", "-1/3", "+1/3", "1/3/3", "0/0", "a/b"] {
            assert_eq!(text.parse::<Shard>(), Err(ShardError), "{text}");
        }
        for pair in 0..20 {
            let shards = (0..3).filter(|&index| Shard::new(index, 3).is_some_and(|shard| shard.has(pair)));
            assert_eq!(shards.count(), 1);
        }
    }
}
