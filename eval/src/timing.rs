//! Time controls: what an agent is asked to keep to, and when its answer is late.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use giuthi_engine::Player;
use giuthi_engine::search::MAX_DEPTH;
use giuthi_engine::ugi::command::Go;
use thiserror::Error;

/// What all agents of a tournament are asked to keep to, in place of limits of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeControl {
    /// A game clock: so much at the beginning, and so much after each move. Written in seconds, `10+0.1` or `10`.
    Clock {
        /// Time at the beginning.
        base: Duration,
        /// Time gained after each move.
        increment: Duration,
    },
    /// So much for each move. Written in milliseconds, `movetime=100`.
    MoveTime(Duration),
    /// Positions for each move, `nodes=5000`.
    Nodes(u64),
    /// Plies for each move, `depth=4`.
    Depth(u32),
}

/// Longest time that can be asked for.
const LONGEST: Duration = Duration::from_secs(7 * 86_400);

impl TimeControl {
    /// Whether answers can be late by it.
    #[must_use]
    pub const fn is_timed(self) -> bool {
        matches!(self, TimeControl::Clock { .. } | TimeControl::MoveTime(_))
    }
}

impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TimeControl::Clock { base, increment } if increment.is_zero() => {
                write!(f, "{}", base.as_secs_f64())
            }
            TimeControl::Clock { base, increment } => {
                write!(f, "{}+{}", base.as_secs_f64(), increment.as_secs_f64())
            }
            TimeControl::MoveTime(time) => write!(f, "movetime={}", time.as_millis()),
            TimeControl::Nodes(nodes) => write!(f, "nodes={nodes}"),
            TimeControl::Depth(depth) => write!(f, "depth={depth}"),
        }
    }
}

/// Why a text is no time control.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "write seconds a game and seconds gained after each move, such as 10+0.1 or 10 (no more than a week, in whole \
     milliseconds), or movetime=MS, nodes=N or depth=D (1 to {MAX_DEPTH}) for each move"
)]
pub struct TimeControlError;

impl FromStr for TimeControl {
    type Err = TimeControlError;

    fn from_str(text: &str) -> Result<TimeControl, TimeControlError> {
        parse(text).ok_or(TimeControlError)
    }
}

fn parse(text: &str) -> Option<TimeControl> {
    let whole = |text: &str| {
        let digits = text.bytes().all(|byte| byte.is_ascii_digit());
        text.parse::<u64>().ok().filter(|&number| digits && number > 0)
    };
    let seconds = |text: &str| {
        let plain = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
        let milliseconds = 1000.0 * text.parse::<f64>().ok().filter(|seconds| plain && *seconds <= 1e6)?;
        let rounded = milliseconds.round();
        let time = Duration::from_millis(rounded as u64);
        ((milliseconds - rounded).abs() < 1e-6 && time <= LONGEST).then_some(time)
    };
    match text.split_once('=') {
        Some(("movetime", ms)) => {
            let time = Duration::from_millis(whole(ms)?);
            (time <= LONGEST).then_some(TimeControl::MoveTime(time))
        }
        Some(("nodes", nodes)) => whole(nodes).map(TimeControl::Nodes),
        Some(("depth", depth)) => {
            let depth = whole(depth).filter(|&depth| depth <= u64::from(MAX_DEPTH))?;
            Some(TimeControl::Depth(depth as u32))
        }
        Some(_) => None,
        None => {
            let (base, increment) = text.split_once('+').unwrap_or((text, "0"));
            let (base, increment) = (seconds(base)?, seconds(increment)?);
            (!base.is_zero()).then_some(TimeControl::Clock { base, increment })
        }
    }
}

/// How time is kept in a tournament.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timing {
    /// What all agents are asked to keep to; without it each keeps to its own limits.
    pub control: Option<TimeControl>,
    /// What an answer may come too late by: its way to us, which is no fault of the agent's.
    pub margin: Duration,
    /// How long a program may think where no clock says so.
    pub move_timeout: Duration,
}

impl Default for Timing {
    /// Limits of one's own, a margin of 50 ms, ten seconds for a move that no clock limits.
    fn default() -> Timing {
        Timing { control: None, margin: Duration::from_millis(50), move_timeout: Duration::from_secs(10) }
    }
}

/// The two players' clocks in a game.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clocks {
    timing: Timing,
    left: [Duration; 2],
}

impl Clocks {
    pub(crate) const fn new(timing: Timing) -> Clocks {
        let base = match timing.control {
            Some(TimeControl::Clock { base, .. }) => base,
            _ => Duration::ZERO,
        };
        Clocks { timing, left: [base; 2] }
    }

    /// What the player to move is asked to keep to.
    pub(crate) fn go(&self) -> Go {
        let mut go = Go::default();
        match self.timing.control {
            None => {}
            Some(TimeControl::Clock { increment, .. }) => {
                go.clocks = self.left.map(Some);
                go.increments = [Some(increment); 2];
            }
            Some(TimeControl::MoveTime(time)) => go.movetime = Some(time),
            Some(TimeControl::Nodes(nodes)) => go.nodes = Some(nodes),
            Some(TimeControl::Depth(depth)) => go.depth = Some(depth),
        }
        go
    }

    /// When the answer is due, margin included; `None` where only patience is the limit.
    pub(crate) fn due(&self, player: Player) -> Option<Duration> {
        let time = match self.timing.control? {
            TimeControl::Clock { .. } => self.left[player.index()],
            TimeControl::MoveTime(time) => time,
            TimeControl::Nodes(_) | TimeControl::Depth(_) => return None,
        };
        Some(time.saturating_add(self.timing.margin))
    }

    /// How long a program is waited for.
    pub(crate) fn patience(&self, player: Player) -> Duration {
        self.due(player).unwrap_or(self.timing.move_timeout)
    }

    /// Takes the time of a move from a player's clock.
    pub(crate) fn punch(&mut self, player: Player, took: Duration) {
        if let Some(TimeControl::Clock { increment, .. }) = self.timing.control {
            let left = &mut self.left[player.index()];
            *left = left.saturating_sub(took).saturating_add(increment);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_controls_round_trip() {
        for text in ["10+0.1", "10", "0.5", "0.001+0.02", "movetime=100", "nodes=5000", "depth=4"] {
            assert_eq!(text.parse::<TimeControl>().unwrap().to_string(), text);
        }
        for text in [
            "",
            "0",
            "0+1",
            "-1",
            "1+",
            "+1",
            "1e3",
            "nan",
            "inf",
            "0.0001",
            "604801",
            "movetime=0",
            "movetime=",
            "nodes=-1",
            "depth=201",
            "depth=0",
            "time=5",
            "10+0.1+0.1",
            "nodes=+5",
        ] {
            assert_eq!(text.parse::<TimeControl>(), Err(TimeControlError), "{text}");
        }
    }

    #[test]
    fn a_clock_runs_for_whoever_thinks() {
        let ms = Duration::from_millis;
        let control = Some("1+0.1".parse().unwrap());
        let mut clocks = Clocks::new(Timing { control, margin: ms(20), ..Timing::default() });
        clocks.punch(Player::North, ms(300));
        assert_eq!(clocks.go().to_string(), "go p1time 1000 p2time 800 p1inc 100 p2inc 100");
        assert_eq!(clocks.due(Player::North), Some(ms(820)));
        // Within the margin nothing is lost, and nothing is left.
        clocks.punch(Player::North, ms(815));
        assert_eq!(clocks.due(Player::North), Some(ms(120)));
        assert_eq!(clocks.due(Player::South), Some(ms(1020)));
    }
}
