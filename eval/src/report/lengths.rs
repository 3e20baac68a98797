//! The chart of lengths: games by their plies, the endings one above the other.

use super::Report;
use super::counts::{ENDING_NAMES, ENDINGS};
use super::svg::{Svg, WIDTH, step, ticks};

const LEFT: f64 = 60.0;
const RIGHT: f64 = WIDTH - 20.0;
const TOP: f64 = 40.0;
const HEIGHT: f64 = 240.0;
/// Most bars.
const BARS: usize = 48;

/// The bars: the plies that the first begins at, how many each holds, and the games in each by ending.
pub(super) fn bars(report: &Report) -> Option<(usize, usize, Vec<[u64; ENDINGS]>)> {
    let (least, _, _, most) = report.counts.plies()?;
    let width = step((most + 1 - least) as f64 / BARS as f64).max(1.0) as usize;
    let first = least - least % width;
    let mut bars = vec![[0; ENDINGS]; (most - first) / width + 1];
    for (plies, counts) in &report.counts.lengths {
        let bar = &mut bars[(plies - first) / width];
        bar.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
    }
    Some((first, width, bars))
}

/// The chart; nothing where there is no game.
pub(super) fn chart(report: &Report) -> String {
    let Some((first, width, bars)) = bars(report) else { return String::new() };
    let Some((least, median, mean, most)) = report.counts.plies() else { return String::new() };
    let highest = bars.iter().map(|bar| bar.iter().sum::<u64>()).max().unwrap_or(1) as f64;
    let bottom = TOP + HEIGHT;
    let words =
        format!("{} games of {least} to {most} plies, {mean:.1} in the mean, median {median}", report.played);
    let mut svg = Svg::new("lengths", bottom + 50.0, "Games by their number of plies", &words);
    svg.legend(
        [LEFT, 16.0],
        (0..ENDINGS)
            .filter(|&ending| report.counts.ended()[ending] > 0)
            .map(|ending| (CLASSES[ending], ENDING_NAMES[ending])),
    );
    let y = |games: f64| bottom - HEIGHT * games / highest;
    for tick in ticks(0.0, highest, 5).into_iter().filter(|tick| tick.fract() == 0.0) {
        svg.line([LEFT, y(tick)], [RIGHT, y(tick)], "grid");
        svg.label([LEFT - 8.0, y(tick) + 4.5], "end", "soft", &format!("{tick:.0}"));
    }
    let wide = (RIGHT - LEFT) / bars.len() as f64;
    for (at, bar) in bars.iter().enumerate() {
        let from = first + at * width;
        let plies = if width == 1 { format!("{from}") } else { format!("{from} to {}", from + width - 1) };
        let mut below = 0;
        for (ending, &games) in bar.iter().enumerate().filter(|(_, games)| **games > 0) {
            let top = y((below + games) as f64);
            svg.bar(
                [LEFT + wide * at as f64 + 0.5, top],
                [(wide - 1.0).clamp(1.0, 40.0), y(below as f64) - top],
                CLASSES[ending],
                &format!("{plies} plies: {games} {}", ENDING_NAMES[ending]),
            );
            below += games;
        }
    }
    svg.line([LEFT, bottom], [RIGHT, bottom], "zero");
    let end = (first + bars.len() * width) as f64;
    for tick in ticks(first as f64, end, 10).into_iter().filter(|tick| tick.fract() == 0.0) {
        let x = LEFT + (RIGHT - LEFT) * (tick - first as f64) / (end - first as f64);
        svg.label([x, bottom + 18.0], "middle", "soft", &format!("{tick:.0}"));
    }
    svg.label([(LEFT + RIGHT) / 2.0, bottom + 40.0], "middle", "soft", "plies");
    svg.finish()
}

/// The colours of the endings.
pub(super) const CLASSES: [&str; ENDINGS] = ["end-moves", "end-repetition", "end-endless", "end-forfeit"];
