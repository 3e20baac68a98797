//! Charts of bars that lie: shares of a whole, and times.

use super::Report;
use super::html;
use super::svg::{Svg, WIDTH};
use crate::output::percent;

const LEFT: f64 = 250.0;
const RIGHT: f64 = WIDTH - 20.0;
const ROW: f64 = 28.0;
const TOP: f64 = 30.0;

/// A bar of shares: what it is of, and its counts.
pub(super) struct Shares<'a> {
    pub(super) name: &'a str,
    pub(super) counts: Vec<u64>,
}

/// Bars of shares, one below the other. `kinds` are the classes and words of the counts.
pub(super) fn shares(id: &str, title: &str, kinds: &[(&str, &str)], rows: &[Shares<'_>]) -> String {
    let words: Vec<String> = rows
        .iter()
        .map(|row| {
            let counts = kinds.iter().zip(&row.counts).map(|((_, kind), count)| format!("{kind} {count}"));
            format!("{}: {}", row.name, counts.collect::<Vec<_>>().join(", "))
        })
        .collect();
    let mut svg = Svg::new(id, TOP + ROW * rows.len() as f64 + 6.0, title, &words.join("; "));
    let there = |kind: usize| rows.iter().any(|row| row.counts[kind] > 0);
    svg.legend(
        [LEFT, 16.0],
        kinds.iter().enumerate().filter(|(kind, _)| there(*kind)).map(|(_, kind)| *kind),
    );
    for (at, row) in rows.iter().enumerate() {
        let y = TOP + ROW * at as f64;
        svg.name([LEFT - 14.0, y + 17.5], row.name);
        let all = row.counts.iter().sum::<u64>().max(1) as f64;
        let mut x = LEFT;
        for ((class, kind), &count) in kinds.iter().zip(&row.counts).filter(|(_, count)| **count > 0) {
            let share = count as f64 / all;
            let width = (RIGHT - LEFT) * share;
            let title =
                format!("{}: {count} {} ({})", html::text(row.name), html::text(kind), percent(share));
            svg.bar([x, y + 2.0], [width, ROW - 6.0], class, &title);
            if width > 52.0 {
                svg.label([x + width / 2.0, y + 17.5], "middle", "on-bar", &percent(share));
            }
            x += width;
        }
    }
    svg.finish()
}

/// Mean time that each agent took for a move; nothing where nobody took any.
pub(super) fn times(report: &Report) -> String {
    let ms = |agent: usize| 1000.0 * report.tally.time_a_move(agent).as_secs_f64();
    let agents: Vec<usize> = report.ranked().filter(|&agent| ms(agent) > 0.0).collect();
    let most = agents.iter().map(|&agent| ms(agent)).fold(0.0, f64::max);
    if most == 0.0 {
        return String::new();
    }
    let words: Vec<String> =
        agents.iter().map(|&agent| format!("{}: {}", report.names[agent], time(ms(agent)))).collect();
    let height = 10.0 + ROW * agents.len() as f64;
    let mut svg = Svg::new("times", height, "Mean time a move", &words.join("; "));
    for (row, &agent) in agents.iter().enumerate() {
        let y = 4.0 + ROW * row as f64;
        svg.name([LEFT - 14.0, y + 17.5], &report.names[agent]);
        let width = (RIGHT - 110.0 - LEFT) * ms(agent) / most;
        let told = time(ms(agent));
        svg.bar([LEFT, y + 2.0], [width.max(1.0), ROW - 6.0], "time", &told);
        svg.label([LEFT + width.max(1.0) + 10.0, y + 17.5], "start", "number", &told);
    }
    svg.finish()
}

/// Milliseconds, to three digits.
pub(super) fn time(ms: f64) -> String {
    match ms {
        ms if ms >= 10_000.0 => format!("{:.1} s", ms / 1000.0),
        ms if ms >= 100.0 => format!("{ms:.0} ms"),
        ms if ms >= 10.0 => format!("{ms:.1} ms"),
        ms if ms >= 1.0 => format!("{ms:.2} ms"),
        ms => format!("{:.1} µs", 1000.0 * ms),
    }
}
