//! The page: a frame (`page.html`) whose parts are filled in one after another, so that nothing that is filled in is taken
//! for a part of the frame.

use std::io::{self, Write};

use giuthi_engine::ugi::session::FaultKind;
use giuthi_engine::{Ending, Player, Shard};

use super::bars::{self, Shares};
use super::counts::{ENDING_NAMES, ENDINGS};
use super::games::MOST;
use super::{Group, Report, climb, html, lengths, ratings};
use crate::output::{dashed, percent, reach, rounded};
use crate::play::FORFEIT;
use crate::recorded::State;
use crate::tally::WinsDrawsLosses;

const PAGE: &str = include_str!("page.html");
const STYLE: &str = include_str!("style.css");
const SCRIPT: [&str; 2] = [include_str!("rules.js"), include_str!("replay.js")];

/// Writes the page.
///
/// # Errors
/// Those of the writer.
pub fn write(report: &Report, out: &mut impl Write) -> io::Result<()> {
    let mut rest = PAGE;
    while let Some((before, after)) = rest.split_once("<!--@") {
        let (part, after) = after.split_once("-->").expect("the frame's marks are closed");
        out.write_all(before.as_bytes())?;
        fill(report, part, out)?;
        rest = after;
    }
    out.write_all(rest.as_bytes())
}

fn fill(report: &Report, part: &str, out: &mut impl Write) -> io::Result<()> {
    let text = match part {
        "title" => title(report),
        "style" => STYLE.trim_end().to_owned(),
        "state" => state(report) + &facts(report),
        "contents" => contents(report),
        "ratings" => standings(report),
        "generations" => generations(report),
        "cross" => cross(report),
        "seats" => seats(report),
        "endings" => endings(report),
        "lengths" => lengths_of_games(report),
        "times" => times(report),
        "sample" => sample(report),
        "footer" => format!("Written by {}.", html::text(&crate::about::program())),
        "data" => return data(report, out),
        "script" => SCRIPT.join("\n").trim_end().to_owned(),
        part => unreachable!("the frame has no part `{part}`"),
    };
    out.write_all(text.as_bytes())
}

fn title(report: &Report) -> String {
    let agents = match &report.names[..] {
        [one, other] => format!("{} against {}", html::short(one, 40), html::short(other, 40)),
        names => format!("{} agents", names.len()),
    };
    let what = if report.recorded.state == State::Test { "sequential test" } else { "tournament" };
    format!("Giuthi {what} on {}: {agents}", report.recorded.variant)
}

/// What is not as in a finished tournament.
fn state(report: &Report) -> String {
    let (played, planned) = (report.played, report.planned);
    let mut notices = Vec::new();
    match report.recorded.state {
        State::Unfinished => notices.push(format!(
            "Not finished: {played} of {planned} games have been played. Everything here is of those alone."
        )),
        State::Test => notices.push(format!(
            "A sequential test: {played} of at most {planned} games have been played. Ratings after a test that stopped when it knew \
             enough lean towards what it found."
        )),
        State::Finished => {}
    }
    if report.recorded.shard != Shard::WHOLE {
        notices.push(format!(
            "Shard {} alone; <code>giuthi eval merge</code> puts the shards together.",
            report.recorded.shard
        ));
    }
    if played == 0 {
        notices.push("No game has been played.".to_owned());
    }
    notices.into_iter().map(|notice| format!("<p class=\"notice\">{notice}</p>\n")).collect()
}

fn facts(report: &Report) -> String {
    let about = &report.recorded.about;
    let openings = match (&about.opening_plies, &about.openings) {
        (_, Some(listed)) => html::text(listed),
        (Some(plies), None) => format!("{} random plies", html::text(plies)),
        (None, None) => "not told".to_owned(),
    };
    let margin = about.margin.map_or(String::new(), |margin| format!(", {margin} ms of margin"));
    let control = match &about.tc {
        Some(tc) => html::text(tc) + &margin,
        None => "each agent's own limits".to_owned(),
    };
    let heroes = match &about.heroes[..] {
        [] => String::new(),
        heroes => {
            let names: Vec<String> = heroes.iter().map(|hero| html::name(hero)).collect();
            format!(" (heroes: {})", names.join(", "))
        }
    };
    let all = if report.played == report.planned { String::new() } else { format!(" of {}", report.planned) };
    let games = format!("{}{all}, {} of every two agents that meet", report.played, about.games);
    let facts = [
        ("Format", html::text(&about.format) + &heroes),
        ("Games", games),
        ("Openings", openings),
        ("Decided ones left out", html::text(&about.decided)),
        ("Time", control),
        ("Seed", about.seed.to_string()),
        ("Played by", html::text(&about.program)),
    ];
    let fact = |(name, value): (&str, String)| format!("<dt>{name}</dt><dd>{value}</dd>\n");
    format!("<dl class=\"facts\">\n{}</dl>\n", facts.map(fact).concat())
}

fn contents(report: &Report) -> String {
    let mut parts = vec![("ratings", "Ratings")];
    if !climb::chart(report).is_empty() {
        parts.push(("generations", "Generations"));
    }
    parts.extend([
        ("against", "Each against each"),
        ("seats", "Seats"),
        ("endings", "Endings"),
        ("lengths-of-games", "Lengths"),
        ("time", "Time"),
        ("games", "Games"),
    ]);
    parts.iter().map(|(id, name)| format!("<a href=\"#{id}\">{name}</a>")).collect::<Vec<_>>().join(" ")
}

/// A chart that may be wider than the window.
fn wide(chart: &str) -> String {
    if chart.is_empty() { String::new() } else { format!("<div class=\"wide\">\n{chart}</div>\n") }
}

/// A table that may be wider than the window.
fn table(class: &str, caption: &str, head: &[&str], rows: &str) -> String {
    let cell = |name: &&str| {
        let (class, name) = match name.strip_prefix('<') {
            Some(name) => (" class=\"left\"", name),
            None => ("", *name),
        };
        format!("<th scope=\"col\"{class}>{name}</th>")
    };
    format!(
        "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"{caption}\">\n<table class=\"{class}\">\n\
         <thead><tr>{}</tr></thead>\n<tbody>\n{rows}</tbody>\n</table>\n</div>\n",
        head.iter().map(cell).collect::<String>()
    )
}

fn standings(report: &Report) -> String {
    let mut text = String::new();
    let played: Vec<&Group> = report.groups.iter().filter(|group| group.ratings.is_some()).collect();
    if report.groups.len() > 1 && report.played > 0 {
        text += &format!(
            "<p class=\"notice\">{} groups of agents that no games connect: ratings of different groups do not compare.</p>\n",
            report.groups.len()
        );
    }
    for (number, group) in report.groups.iter().enumerate() {
        text += &wide(&ratings::chart(report, number, group));
        if group.leans_on_draws {
            text += "<p class=\"soft\">Some took every point from others: ratings lean on half a drawn pair given to each, and \
                     an interval's far end is open.</p>\n";
        }
    }
    let several = played.len() > 1;
    let mut head =
        vec!["#", "<agent", "Elo", "±", "games", "wins", "draws", "losses", "score", "drawn", "time a move"];
    if several {
        head.insert(1, "group");
    }
    let rows: String = report.ranked().map(|agent| standing(report, agent, several)).collect();
    text += &table("", "Ratings", &head, &rows);
    text + "<p class=\"soft\">Bradley–Terry ratings in Elo with 95 % intervals; a draw counts half. The mean of all agents is \
            0.</p>\n"
}

fn standing(report: &Report, agent: usize, several: bool) -> String {
    let about = &report.recorded.about.agents[agent];
    let spec = match about.spec == about.name {
        true => String::new(),
        false => format!("<span class=\"spec\">{}</span>", html::name(&about.spec)),
    };
    let (group, rank) = report.place(agent);
    let games = report.tally.of(agent);
    let [elo, interval] = match report.rating(agent) {
        Some(rating) => [format!("{:+.1}", rounded(rating.elo, 1)), reach(rating)],
        None => ["–".to_owned(), "–".to_owned()],
    };
    let ms = 1000.0 * report.tally.time_a_move(agent).as_secs_f64();
    let (share, drawn) = match games.games() {
        0 => ("–".to_owned(), "–".to_owned()),
        all => (percent(games.score()), percent(games.draws as f64 / all as f64)),
    };
    let group = if several { format!("<td>{}</td>", group + 1) } else { String::new() };
    format!(
        "<tr><td>{rank}</td>{group}<th scope=\"row\" class=\"left\">{}{spec}</th><td>{elo}</td><td>{interval}</td><td>{}</td>\
         <td>{}</td><td>{}</td><td>{}</td><td>{share}</td><td>{drawn}</td><td>{}</td></tr>\n",
        html::name(&about.name),
        games.games(),
        games.wins,
        games.draws,
        games.losses,
        if ms > 0.0 { bars::time(ms) } else { "–".to_owned() },
    )
}

fn generations(report: &Report) -> String {
    match climb::chart(report) {
        chart if chart.is_empty() => String::new(),
        chart => format!(
            "<section id=\"generations\">\n<h2>Elo by generation</h2>\n{}<p class=\"soft\">Vertical lines are 95 % intervals; dashed \
             ones are agents that are no generation.</p>\n</section>\n",
            wide(&chart)
        ),
    }
}

fn cross(report: &Report) -> String {
    let agents: Vec<usize> = report.ranked().collect();
    let numbers: Vec<String> = (1..=agents.len()).map(|rank| rank.to_string()).collect();
    let mut head = vec!["#", "<agent"];
    head.extend(numbers.iter().map(String::as_str));
    let mut rows = String::new();
    for (&agent, rank) in agents.iter().zip(1..) {
        rows += &format!(
            "<tr><td>{rank}</td><th scope=\"row\" class=\"left\">{}</th>",
            html::name(&report.names[agent])
        );
        for &opponent in &agents {
            let games = report.tally.between(agent, opponent);
            rows += &match games.games() {
                0 => "<td class=\"none\"></td>".to_owned(),
                _ => format!(
                    "<td style=\"--score:{:.3}\" title=\"{} against {}\">{}<small>{}</small></td>",
                    games.score(),
                    html::text(&report.names[agent]),
                    html::text(&report.names[opponent]),
                    percent(games.score()),
                    dashed(games)
                ),
            };
        }
        rows += "</tr>\n";
    }
    "<p class=\"soft\">From the view of the row: score, wins-draws-losses.</p>\n".to_owned()
        + &table("cross", "Each against each", &head, &rows)
}

fn seats(report: &Report) -> String {
    let first = report.tally.first_player();
    if first.games() == 0 {
        return NONE.to_owned();
    }
    let kinds = [("wins", "player 0 won"), ("draws", "drawn"), ("losses", "player 1 won")];
    let all = Shares { name: "all games", counts: vec![first.wins, first.draws, first.losses] };
    let worth: Vec<String> =
        report.groups.iter().filter_map(|group| group.first_move).map(ratings::told).collect();
    let mut rows = String::new();
    for agent in report.ranked() {
        rows += &format!("<tr><th scope=\"row\" class=\"left\">{}</th>", html::name(&report.names[agent]));
        for player in Player::BOTH {
            rows += &score(report.counts.seats[agent][player.index()]);
        }
        rows += "</tr>\n";
    }
    let head = ["<agent", "as player 0", "wins-draws-losses", "as player 1", "wins-draws-losses"];
    format!(
        "{}<p>Player 0, who moves first, scored {} of {} games. To move first is worth {}.</p>\n{}",
        wide(&bars::shares("by-seat", "Results by seat", &kinds, &[all])),
        percent(first.score()),
        first.games(),
        worth.join(" and "),
        table("", "Scores by seat", &head, &rows)
    )
}

fn score(games: WinsDrawsLosses) -> String {
    match games.games() {
        0 => "<td>–</td><td>–</td>".to_owned(),
        _ => format!("<td>{}</td><td>{}</td>", percent(games.score()), dashed(games)),
    }
}

const NONE: &str = "<p class=\"soft\">No game has been played.</p>\n";

fn endings(report: &Report) -> String {
    if report.played == 0 {
        return NONE.to_owned();
    }
    let words = [
        "neither player had a pit with two seeds",
        "the same position came again: drawn",
        "a relay without end: drawn",
        "lost by a fault",
    ];
    let kinds: Vec<(&str, &str)> = lengths::CLASSES.into_iter().zip(ENDING_NAMES).collect();
    let mut bars = vec![Shares { name: "all games", counts: report.counts.ended().to_vec() }];
    bars.extend(
        report.ranked().map(|agent| Shares {
            name: &report.names[agent],
            counts: report.counts.endings[agent].to_vec(),
        }),
    );
    let ended = report.counts.ended();
    let rows: String = (0..ENDINGS)
        .filter(|&ending| ending < Ending::ALL.len() || ended[ending] > 0)
        .map(|ending| {
            let share = percent(ended[ending] as f64 / report.played as f64);
            format!(
                "<tr><th scope=\"row\" class=\"left\">{}</th><td>{}</td><td>{share}</td><td class=\"left\">{}</td></tr>\n",
                ENDING_NAMES[ending], ended[ending], words[ending]
            )
        })
        .collect();
    wide(&bars::shares("by-ending", "Endings, of all games and of each agent's", &kinds, &bars))
        + &table("", "Endings", &["<ending", "games", "share", "<that is"], &rows)
        + &faults(report)
}

/// Who lost how many games by which faults; nothing where nobody did.
fn faults(report: &Report) -> String {
    if report.tally.forfeits() == 0 {
        return String::new();
    }
    let mut head = vec!["<agent"];
    head.extend(FaultKind::ALL.map(FaultKind::name));
    let mut rows = String::new();
    for agent in report.ranked() {
        let counts = FaultKind::ALL.map(|kind| report.tally.faults(agent, kind));
        if counts.iter().any(|&count| count > 0) {
            rows +=
                &format!("<tr><th scope=\"row\" class=\"left\">{}</th>", html::name(&report.names[agent]));
            rows += &counts.map(|count| format!("<td>{count}</td>")).concat();
            rows += "</tr>\n";
        }
    }
    format!(
        "<h3>Games lost by faults ({FORFEIT})</h3>\n{}",
        table("faults", "Games lost by faults", &head, &rows)
    )
}

fn lengths_of_games(report: &Report) -> String {
    match report.counts.plies() {
        None => NONE.to_owned(),
        Some((least, median, mean, most)) => format!(
            "{}<p>Games of {least} to {most} plies, {mean:.1} in the mean; the median is {median}. Each sowing and each forced pass is a \
             ply.</p>\n",
            wide(&lengths::chart(report))
        ),
    }
}

fn times(report: &Report) -> String {
    match bars::times(report) {
        chart if chart.is_empty() => "<p class=\"soft\">No time was taken.</p>\n".to_owned(),
        chart => {
            wide(&chart)
                + "<p class=\"soft\">Mean over the moves that an agent was asked for; openings and forced passes are none of them. Games \
                   that were played beside each other share the machine.</p>\n"
        }
    }
}

fn sample(report: &Report) -> String {
    let there = report.sample.games() as u64;
    match report.played {
        0 => NONE.to_owned(),
        played if there < played => format!(
            "<p class=\"notice\">{there} of {played} games are here, drawn evenly, pair by pair; a page holds {MOST} at most. \
             <code>giuthi eval replay DIR GAME</code> shows any of them in a terminal.</p>\n"
        ),
        _ => "<p class=\"soft\">Every game of these, move by move and lap by lap. Arrow keys step through it.</p>\n".to_owned(),
    }
}

/// What the script knows.
fn data(report: &Report, out: &mut impl Write) -> io::Result<()> {
    let variant = report.recorded.variant;
    let faults = FaultKind::ALL.map(|kind| format!("{FORFEIT}: {}", kind.name()));
    let endings: Vec<String> =
        Ending::ALL.iter().map(|ending| ending.name().to_owned()).chain(faults).collect();
    let absent = match report.sample.games() as u64 == report.played {
        true => "",
        false => ". Not every game is on this page: giuthi eval replay shows the others in a terminal",
    };
    writeln!(
        out,
        "{{\"variant\":{{\"width\":{},\"seeds\":{}}},\"pairings\":{},\"absent\":{},\n\"agents\":{},\n\"endings\":{},\n\"games\":[",
        variant.width(),
        variant.seeds(),
        report.recorded.pairings.len(),
        html::json(&absent),
        html::json(&report.names),
        html::json(&endings),
    )?;
    for (at, row) in report.sample.rows().enumerate() {
        let comma = if at == 0 { "" } else { ",\n" };
        write!(out, "{comma}{row}")?;
    }
    out.write_all(b"\n]}")
}
