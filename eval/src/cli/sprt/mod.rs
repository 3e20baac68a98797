//! `giuthi-eval sprt`: a sequential test of how much stronger an agent is.

mod play;

use std::path::{Path, PathBuf};

use clap::Args;
use giuthi_engine::AgentSpec;
use giuthi_engine::cli::{Usage, agents, print, tell};

use super::openings::OpeningFlags;
use crate::input::read_file;
use crate::results::Results;
use crate::sprt::{EloModel, Ended, Report, Sprt, SprtError, Trial, Verdict};
use crate::stats::Counts;

/// Test by games whether an agent is stronger, until the answer is clear
///
/// The agent given first plays pairs of games against the second, each opening from both seats, until the results speak
/// for H0 (ELO0 stronger) or H1 (ELO1 stronger): a sequential probability ratio test. Stopped before a bound is
/// reached, by Ctrl-C or --games, it has no result. With FILE or --counts nothing is played. docs/ratings.md has the
/// formulas.
#[derive(Args)]
#[command(after_help = agents())]
pub(super) struct Arguments {
    /// Count the games of a file (games.csv, or a CSV with round, player0, player1, result) instead of playing; --agent
    /// names the agents where there are more than two
    #[arg(value_name = "FILE", conflicts_with_all = ["counts", "Games", "OpeningFlags"])]
    file: Option<PathBuf>,
    /// Judge these numbers instead of playing: WINS,DRAWS,LOSSES, or LL,LD,WL+DD,WD,WW of pairs
    #[arg(long, value_name = "NUMBERS", allow_hyphen_values = true, conflicts_with_all = ["agents", "trinomial", "pentanomial", "Games", "OpeningFlags"])]
    counts: Option<Counts>,
    /// The agent that is tested, and its opponent
    #[arg(long = "agent", value_name = "SPEC")]
    agents: Vec<String>,
    /// The hypothesis H0: so much stronger in Elo
    #[arg(long, value_name = "ELO", default_value_t = 0.0, allow_hyphen_values = true)]
    elo0: f64,
    /// The hypothesis H1
    #[arg(long, value_name = "ELO", default_value_t = 10.0, allow_hyphen_values = true)]
    elo1: f64,
    /// How often H1 may be accepted though H0 is true
    #[arg(long, value_name = "SHARE", default_value_t = 0.05, allow_hyphen_values = true)]
    alpha: f64,
    /// How often H0 may be accepted though H1 is true
    #[arg(long, value_name = "SHARE", default_value_t = 0.05, allow_hyphen_values = true)]
    beta: f64,
    /// What the hypotheses' Elo means: that of ratings, or standard deviations of a game's result
    #[arg(long, value_name = "MODEL", value_enum, default_value_t)]
    model: EloModel,
    /// Count pairs by their five results (the default)
    #[arg(long)]
    pentanomial: bool,
    /// Count the single games of pairs by their three results
    #[arg(long, conflicts_with = "pentanomial")]
    trinomial: bool,
    #[command(flatten)]
    games: play::Games,
    #[command(flatten)]
    openings: OpeningFlags,
    /// Print one JSON object instead of text
    #[arg(long)]
    json: bool,
}

pub(super) fn work(arguments: &Arguments) -> anyhow::Result<()> {
    let &Arguments { elo0, elo1, alpha, beta, model, .. } = arguments;
    let sprt = Sprt::new(elo0, elo1, alpha, beta, model).map_err(|error| {
        let flags = match error {
            SprtError::Elo(..) => "--elo0 and --elo1",
            SprtError::Wrong(_) => "--alpha and --beta",
        };
        Usage(format!("{flags}: {error}"))
    })?;
    let report = match (&arguments.counts, &arguments.file) {
        (Some(counts), _) => Report::of_counts(&sprt, counts),
        (None, Some(file)) => of_file(file, &arguments.agents, Trial::new(sprt, !arguments.trinomial))?,
        (None, None) => {
            let [_, _] = &arguments.agents[..] else {
                return Err(two_agents(arguments.agents.len()).into());
            };
            let agents = arguments.agents.iter().map(|text| {
                text.parse::<AgentSpec>().map_err(|error| Usage(format!("--agent {text}: {error}")))
            });
            let agents = agents.collect::<Result<_, _>>()?;
            arguments.games.play(agents, &arguments.openings, Trial::new(sprt, !arguments.trinomial))?
        }
    };
    print(&if arguments.json { report.json_line() } else { report.text() })
}

/// The test on the pairs of a file, in its order.
fn of_file(file: &Path, agents: &[String], mut trial: Trial) -> anyhow::Result<Report> {
    let mut results = Results::default();
    read_file(file, &mut results)?;
    let names = results.names();
    let numbers = match agents {
        [] if names.len() == 2 => [0, 1],
        [] => {
            return Err(Usage(format!(
                "{}: {} agents: which two are tested? --agent NAME --agent NAME says it",
                file.display(),
                names.len()
            ))
            .into());
        }
        [agent, opponent] if agent != opponent => {
            let mut numbers = [0; 2];
            for (number, name) in numbers.iter_mut().zip([agent, opponent]) {
                *number = results.named(name).ok_or_else(|| {
                    Usage(format!("--agent: no agent of {} is called `{name}`", file.display()))
                })?;
            }
            numbers
        }
        _ => return Err(two_agents(agents.len()).into()),
    };
    let pairs = results.pairs(numbers[0], numbers[1]);
    if pairs.is_empty() {
        anyhow::bail!(
            "{}: no pairs of games of {} and {}: two games of the same `round` with the seats swapped are needed",
            file.display(),
            names[numbers[0]],
            names[numbers[1]]
        );
    }
    let mut counted = 0;
    for &pair in &pairs {
        if trial.verdict() != Verdict::Undecided {
            break;
        }
        trial.add(pair);
        counted += 1;
    }
    if counted < pairs.len() {
        tell(format_args!(
            "the bound was reached after {counted} of {} pairs; the others do not count",
            pairs.len()
        ));
    }
    let ended = if trial.verdict() == Verdict::Undecided { Ended::Games } else { Ended::Bound };
    Ok(Report::new(&trial, numbers.map(|number| names[number].clone()), ended))
}

fn two_agents(given: usize) -> Usage {
    Usage(format!(
        "--agent: two different agents are needed, the one whose strength is tested first; given: {given}"
    ))
}
