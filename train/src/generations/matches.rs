//! The matches of a generation's network: against the best before it, which decides; against the network of generation
//! 0 and against the material count, which all generations have in common. `match.json` keeps them.

use giuthi_engine::opening::OpeningPlies;
use giuthi_eval::{Tournament, WinsDrawsLosses};
use serde::{Deserialize, Serialize};

use super::folder::{Folder, damaged, read_json, seed, write_json};
use super::{Error, Event, Means, PromoteBy, Settings, Step};

/// Random plies that the games of a match open with: as few as in self-play's shortest opening by default.
pub(super) const OPENING: OpeningPlies = OpeningPlies::new(6, 6).expect("in order");

/// The value of the key `format` of `match.json`.
pub const FORMAT: &str = "giuthi-match-1";

/// What a network of a generation did in its matches.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Matches {
    /// [`FORMAT`].
    pub format: String,
    /// The network's agent.
    pub candidate: String,
    /// Whether all are played.
    pub complete: bool,
    /// Whether the network is the best from here on: by [`Settings::promote_by`] the first match is above the bound.
    pub promoted: bool,
    /// One each opponent, the best before it first.
    pub matches: Vec<Match>,
}

/// A match, from the candidate's view.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Match {
    /// The generation of the opponent's network; none for the material count.
    pub generation: Option<u32>,
    /// The opponent's agent.
    pub opponent: String,
    /// Seed of openings and games.
    pub seed: u64,
    /// Pairs of games from one opening.
    pub pairs: u32,
    /// Different openings among them; where there are fewer than pairs, games repeat and the interval is too narrow.
    pub different_openings: u64,
    /// Games won.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games lost.
    pub losses: u64,
    /// Points a game, 0 … 1.
    pub score: f64,
    /// How much stronger the candidate is, with a 95 % interval.
    #[serde(flatten)]
    pub elo: Elo,
}

/// A difference in Elo, with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Elo {
    /// The likeliest.
    pub elo: f64,
    /// Lower end.
    pub lower: f64,
    /// Upper end.
    pub upper: f64,
}

impl Matches {
    /// The match against an opponent: a generation's network or, for none, the material count.
    #[must_use]
    pub fn against(&self, generation: Option<u32>) -> Option<&Match> {
        self.matches.iter().find(|played| played.generation == generation)
    }
}

/// The matches of a generation's network, played now as far as they are not there yet. `best` is the generation of
/// the best network so far.
pub(super) fn play(
    settings: &Settings,
    folder: &Folder,
    generation: u32,
    best: Option<u32>,
    means: Means<'_>,
    observe: &mut dyn FnMut(Event<'_>),
) -> Result<Matches, Error> {
    let path = folder.matches(generation);
    let mut matches = match read_json(&path)? {
        Some(value) => {
            let there: Matches = serde_json::from_value(value).map_err(|error| damaged(&path, &error))?;
            if there.format != FORMAT {
                return Err(damaged(&path, &format!("its format is not {FORMAT}")));
            }
            there
        }
        None => Matches {
            format: FORMAT.to_owned(),
            candidate: folder.agent(settings.depth, Some(generation)),
            complete: false,
            promoted: false,
            matches: Vec::new(),
        },
    };
    let mut opponents = vec![best];
    for common in [(generation > 0).then_some(0), None] {
        if !opponents.contains(&common) {
            opponents.push(common);
        }
    }
    if matches.complete != (matches.matches.len() == opponents.len())
        || matches.matches.len() > opponents.len()
    {
        return Err(damaged(&path, &"it does not hold the matches of this run"));
    }
    check(settings, folder, generation, &opponents, &matches).map_err(|reason| damaged(&path, &reason))?;
    for (at, &opponent) in opponents.iter().enumerate().skip(matches.matches.len()) {
        let played = one(settings, folder, generation, opponent, means, observe)?;
        if at == 0 {
            matches.promoted = promoted(settings, &played);
        }
        matches.matches.push(played);
        matches.complete = matches.matches.len() == opponents.len();
        write_json(&path, &matches)?;
    }
    Ok(matches)
}

/// Checks that matches read from a file are those of this generation, as far as they go: not another one's, nor another
/// run's.
fn check(
    settings: &Settings,
    folder: &Folder,
    generation: u32,
    opponents: &[Option<u32>],
    matches: &Matches,
) -> Result<(), &'static str> {
    if matches.candidate != folder.agent(settings.depth, Some(generation)) {
        return Err("its candidate is not the network of this generation");
    }
    let seed = seed(settings, generation, Step::Match);
    for (played, &opponent) in matches.matches.iter().zip(opponents) {
        if played.generation != opponent || played.opponent != folder.agent(settings.depth, opponent) {
            return Err("its opponents are not those of this run");
        }
        if played.seed != seed || played.pairs != settings.match_games / 2 {
            return Err("its matches are not those of this run");
        }
    }
    let first = matches.matches.first();
    if matches.promoted != first.is_some_and(|first| promoted(settings, first)) {
        return Err("whether its network is promoted is not what its first match says");
    }
    Ok(())
}

/// Whether a match against the best before is enough to be the best from there on.
fn promoted(settings: &Settings, played: &Match) -> bool {
    let bound = settings.promote_above;
    match settings.promote_by {
        PromoteBy::Score => played.score > bound,
        // The bound as a difference in Elo; without end for 0 and 1.
        PromoteBy::LowerBound => played.elo.lower > -400.0 * (1.0 / bound - 1.0).log10(),
    }
}

fn one(
    settings: &Settings,
    folder: &Folder,
    generation: u32,
    opponent: Option<u32>,
    means: Means<'_>,
    observe: &mut dyn FnMut(Event<'_>),
) -> Result<Match, Error> {
    let other = folder.agent(settings.depth, opponent);
    let asked = giuthi_eval::Settings {
        variant: settings.variant,
        agents: vec![
            format!("candidate@{}", folder.agent(settings.depth, Some(generation))).parse()?,
            format!("opponent@{other}").parse()?,
        ],
        games: settings.match_games,
        openings: OPENING.into(),
        seed: seed(settings, generation, Step::Match),
        jobs: means.threads.get(),
        ..giuthi_eval::Settings::default()
    };
    let prepared = asked.prepare()?;
    observe(Event::Begin { generation, step: Step::Match, pieces: prepared.schedule().games() });
    let tournament: Tournament = prepared.run(means.clock, |pair| {
        observe(Event::Advance(pair.len() as u64));
        Ok::<(), giuthi_eval::Error>(())
    })?;
    observe(Event::End);
    let WinsDrawsLosses { wins, draws, losses } = tournament.tally.of(0);
    // The ratings of two are as far above their mean as below it.
    let rating = tournament.ratings()[0];
    Ok(Match {
        generation: opponent,
        opponent: other,
        seed: asked.seed,
        pairs: settings.match_games / 2,
        different_openings: prepared.schedule().different_openings() as u64,
        wins,
        draws,
        losses,
        score: tournament.tally.of(0).score(),
        elo: Elo { elo: 2.0 * rating.elo, lower: 2.0 * rating.lower, upper: 2.0 * rating.upper },
    })
}
