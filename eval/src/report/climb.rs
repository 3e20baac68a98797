//! The chart of generations: Elo by generation, with 95 % intervals; what is no generation as a line across.

use super::html;
use super::ratings::{bounds, told};
use super::svg::{Svg, ticks};
use super::{Group, Report};
use crate::rating::Rating;

const LEFT: f64 = 60.0;
const RIGHT: f64 = 700.0;
const TOP: f64 = 14.0;
const HEIGHT: f64 = 300.0;

/// The chart; nothing where no two generations compare.
pub(super) fn chart(report: &Report) -> String {
    let Some(first) = report.generations.first() else { return String::new() };
    // Generations that no games connect to the first do not compare with it.
    let group: &Group = &report.groups[report.place(first.agent).0];
    let Some(ratings) = &group.ratings else { return String::new() };
    let of = |agent: usize| group.agents.iter().position(|&other| other == agent).map(|at| ratings[at]);
    let points: Vec<(u32, usize, Rating)> =
        report.generations.iter().filter_map(|one| Some((one.number, one.agent, of(one.agent)?))).collect();
    let last = points.last().map_or(first.number, |&(number, ..)| number);
    if last == first.number {
        return String::new();
    }
    let [low, high] = bounds(&points.iter().map(|&(.., rating)| rating).collect::<Vec<_>>());
    let y = |elo: f64| TOP + HEIGHT * (high - elo.clamp(low, high)) / (high - low);
    let span = f64::from(last - first.number);
    let x = |number: u32| LEFT + (RIGHT - LEFT) * (f64::from(number - first.number) + 0.3) / (span + 0.6);
    let words: Vec<String> =
        points.iter().map(|(number, _, rating)| format!("generation {number}: {}", told(*rating))).collect();
    let bottom = TOP + HEIGHT;
    let mut svg =
        Svg::new("climb", bottom + 50.0, "Elo of each generation with 95 % intervals", &words.join("; "));
    for tick in ticks(low, high, 7) {
        let class = if tick == 0.0 { "zero" } else { "grid" };
        svg.line([LEFT, y(tick)], [RIGHT, y(tick)], class);
        svg.label([LEFT - 8.0, y(tick) + 4.5], "end", "soft", &format!("{tick:.0}"));
    }
    for number in ticks(f64::from(first.number), f64::from(last), 16) {
        if number.fract() == 0.0 {
            svg.label([x(number as u32), bottom + 18.0], "middle", "soft", &format!("{number:.0}"));
        }
    }
    svg.label([(LEFT + RIGHT) / 2.0, bottom + 40.0], "middle", "soft", "generation");
    others(&mut svg, report, group, ratings, [low, high], y);
    if points.windows(2).all(|two| two[0].0 < two[1].0) {
        let joined: Vec<String> = points
            .iter()
            .map(|(number, _, rating)| format!("{:.1},{:.1}", x(*number), y(rating.elo)))
            .collect();
        svg.add(format_args!("<polyline class=\"path\" points=\"{}\"/>", joined.join(" ")));
    }
    for (number, agent, rating) in points {
        let x = x(number);
        svg.line([x, y(rating.lower)], [x, y(rating.upper)], "interval");
        svg.add(format_args!(
            "<circle cx=\"{x:.1}\" cy=\"{:.1}\" r=\"5\" class=\"dot\"><title>{}: {}</title></circle>",
            y(rating.elo),
            html::text(&report.names[agent]),
            told(rating)
        ));
    }
    svg.finish()
}

/// Lines for the agents that are no generations, the first few of those on the scale.
fn others(
    svg: &mut Svg,
    report: &Report,
    group: &Group,
    ratings: &[Rating],
    [low, high]: [f64; 2],
    y: impl Fn(f64) -> f64,
) {
    let is_generation = |agent: usize| report.generations.iter().any(|one| one.agent == agent);
    let others = group.agents.iter().zip(ratings).filter(|(agent, _)| !is_generation(**agent));
    let mut before = f64::NEG_INFINITY;
    for (&agent, rating) in others.filter(|(_, rating)| (low..=high).contains(&rating.elo)).take(6) {
        svg.line([LEFT, y(rating.elo)], [RIGHT, y(rating.elo)], "other");
        // Of lines that lie close together, the best has its name at its height and the others below.
        before = y(rating.elo).max(before + 15.0);
        let name = html::short(&report.names[agent], 24);
        svg.label([RIGHT + 8.0, before + 4.5], "start", "name soft", &name);
    }
}
