//! The options that say where a command starts from: `--variant` and `--position`.

use clap::Args;

use crate::cli::Usage;
use crate::position::Position;
use crate::rules::Variant;

/// Where to start from.
#[derive(Args)]
pub(super) struct Start {
    /// Board and start: 2xWxS, W pits a row (5 to 10) and S seeds a pit (1 to 9) [default: 2x8x8]
    #[arg(long, value_name = "V", allow_hyphen_values = true)]
    variant: Option<Variant>,

    /// Position instead of the variant's start, five fields in one argument:
    /// "PITS-OF-PLAYER-1 PITS-OF-PLAYER-0 PILE0 PILE1 TO-MOVE", pits with commas between, in ring order
    #[arg(long, value_name = "P", allow_hyphen_values = true)]
    position: Option<Position>,
}

impl Start {
    /// The position to start from. A position tells its width by itself; a variant of another width beside it is an
    /// error of usage.
    pub(super) fn position(&self) -> Result<Position, Usage> {
        match (self.position, self.variant) {
            (None, variant) => Ok(Position::start(variant.unwrap_or_default())),
            (Some(position), Some(variant)) if variant.width() != position.width() => Err(Usage(format!(
                "--variant {variant} has rows of {} pits, but --position has rows of {}: give one of them, or equal widths",
                variant.width(),
                position.width()
            ))),
            (Some(position), _) => Ok(position),
        }
    }

    /// A variant with boards of a position's width: the one given, or one that might have led there.
    pub(super) fn variant_of(&self, position: &Position) -> Variant {
        let seeds = Variant::default().seeds();
        let fitting = || Variant::new(position.width(), seeds).expect("a position's width is possible");
        self.variant.unwrap_or_else(fitting)
    }
}
