//! `giuthi-eval rate`: ratings of results in files.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, ValueEnum};
use giuthi_engine::cli::{Usage, print, tell};

use crate::input::read_file;
use crate::ranking::{Besides, Ranking};
use crate::rating::{Advantage, Options};
use crate::results::Results;

/// Furthest rating that can be given to an anchor, and to the first move, in Elo.
const MAX_ELO: f64 = 100_000.0;

/// Rate agents by the results of their games, from files
///
/// A FILE is a games.csv, any CSV with the columns player0, player1 and result (1-0, 0-1, 1/2-1/2; player 0 moved
/// first), or PGN with the tags White, Black and Result; - is standard input. Several files count as one. Games of the
/// same round in a file share an opening, and the intervals know it; games without a round count one by one.
/// docs/ratings.md says how the ratings are made.
#[derive(Args)]
pub(super) struct Arguments {
    /// Files of results
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Hold an agent's rating at ELO (0 when not given), instead of the mean of all at 0; can be repeated
    #[arg(long = "anchor", value_name = "NAME[=ELO]", allow_hyphen_values = true)]
    anchors: Vec<String>,
    /// What the first move is worth: `fit` to estimate it with the ratings, or a number of Elo. It cancels out where
    /// all play as often from either seat
    #[arg(long, value_name = "fit|ELO", default_value = "0", allow_hyphen_values = true)]
    first_move: FirstMove,
    /// Tell each agent's chance to be stronger than each other too
    #[arg(long)]
    los: bool,
    /// Tell the results of each against each too
    #[arg(long)]
    cross: bool,
    /// What is printed: tables; one JSON object an agent; the rows of ratings.csv; the games as PGN for other programs
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = Format::Table)]
    format: Format,
    /// Short for --format json
    #[arg(long, conflicts_with = "format")]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Table,
    Json,
    Csv,
    OrdoPgn,
}

/// What `--first-move` says.
#[derive(Clone, Copy)]
struct FirstMove(Advantage);

impl FromStr for FirstMove {
    type Err = String;

    fn from_str(text: &str) -> Result<FirstMove, String> {
        match text {
            "fit" => Ok(FirstMove(Advantage::Fitted)),
            text => elo(text)
                .map(|elo| FirstMove(Advantage::Given(elo)))
                .ok_or_else(|| format!("fit is possible, or a number of Elo from -{MAX_ELO} to {MAX_ELO}")),
        }
    }
}

/// A number of Elo within the bounds.
fn elo(text: &str) -> Option<f64> {
    text.parse().ok().filter(|elo: &f64| elo.abs() <= MAX_ELO)
}

pub(super) fn work(arguments: Arguments) -> anyhow::Result<()> {
    let format = if arguments.json { Format::Json } else { arguments.format };
    let besides = Besides { superiority: arguments.los, crossed: arguments.cross };
    if (arguments.los || arguments.cross) && !matches!(format, Format::Table | Format::Json) {
        return Err(Usage("--los and --cross: only with --format table or json".to_owned()).into());
    }
    let mut results = Results::default();
    for file in &arguments.files {
        read_file(file, &mut results)?;
    }
    if results.unfinished > 0 {
        tell(format_args!("warning: games that were not finished, and do not count: {}", results.unfinished));
    }
    if results.games().is_empty() {
        anyhow::bail!("no game was finished: there is nothing to rate");
    }
    if format == Format::OrdoPgn {
        return print(&results.pgn());
    }
    let FirstMove(advantage) = arguments.first_move;
    let options = Options { anchors: anchors(&arguments.anchors, &results)?, advantage };
    if let (Some([a, b]), Advantage::Given(0.0)) = (results.uneven_seats(), advantage) {
        tell(format_args!(
            "warning: seats are uneven (as between {} and {}): what the first move is worth does not cancel out; --first-move fit takes it into account",
            results.names()[a],
            results.names()[b]
        ));
    }
    let ranking = Ranking::new(&results, &options);
    if ranking.fit().groups().len() > 1 {
        tell(format_args!(
            "warning: no games connect {} groups of agents: each is rated on its own",
            ranking.fit().groups().len()
        ));
    }
    match format {
        Format::Table => print(&ranking.text(besides)),
        Format::Json => print(&ranking.json_lines(besides)),
        Format::Csv | Format::OrdoPgn => print(&ranking.csv()),
    }
}

/// The anchors by the agents' numbers.
fn anchors(texts: &[String], results: &Results) -> anyhow::Result<BTreeMap<usize, f64>> {
    let mut anchors = BTreeMap::new();
    for text in texts {
        let (agent, elo) = anchor(text, results).map_err(Usage)?;
        if anchors.insert(agent, elo).is_some() {
            return Err(Usage(format!("--anchor: `{}` is given twice", results.names()[agent])).into());
        }
    }
    Ok(anchors)
}

/// An agent and its rating. Names may hold `=` themselves: what is an agent's name as a whole is not taken apart.
fn anchor(text: &str, results: &Results) -> Result<(usize, f64), String> {
    if let Some(agent) = results.named(text) {
        return Ok((agent, 0.0));
    }
    let unknown = |name: &str| {
        let mut names: Vec<String> =
            results.names().iter().take(10).map(|name| format!("`{name}`")).collect();
        if results.names().len() > names.len() {
            names.push("…".to_owned());
        }
        format!("--anchor: no agent is called `{name}`; there are {}", names.join(", "))
    };
    let (name, number) = text.rsplit_once('=').ok_or_else(|| unknown(text))?;
    let agent = results.named(name).ok_or_else(|| unknown(name))?;
    match elo(number) {
        Some(elo) => Ok((agent, elo)),
        None => Err(format!(
            "--anchor {text}: `{number}` is no rating: a number of Elo from -{MAX_ELO} to {MAX_ELO} is possible"
        )),
    }
}
