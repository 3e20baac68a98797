//! The chart of ratings: a line an agent, with its 95 % interval.

use super::html;
use super::svg::{Svg, ticks};
use super::{Group, Report};
use crate::output::{reach, rounded};
use crate::rating::Rating;

/// Where the scale begins and ends: names stand before it, numbers behind.
const SCALE: [f64; 2] = [250.0, 690.0];
const ROW: f64 = 28.0;
const TOP: f64 = 12.0;

/// The bounds of a scale that shows ratings and what is worth showing of their intervals: where one took every point an
/// interval has no end to draw.
pub(super) fn bounds(ratings: &[Rating]) -> [f64; 2] {
    let far = 2.0 * ratings.iter().fold(50.0_f64, |far, rating| far.max(rating.elo.abs()));
    let low = ratings.iter().fold(0.0_f64, |low, rating| low.min(rating.lower)).max(-far);
    let high = ratings.iter().fold(0.0_f64, |high, rating| high.max(rating.upper)).min(far);
    let air = ((high - low) * 0.05).max(5.0);
    [low - air, high + air]
}

/// An Elo number with its interval, as a tooltip says it.
pub(super) fn told(rating: Rating) -> String {
    let [elo, lower, upper] = [rating.elo, rating.lower, rating.upper].map(|elo| rounded(elo, 1));
    format!("{elo:+.1} Elo [{lower:.1}, {upper:.1}]")
}

/// The chart of a group; nothing where it has not played.
pub(super) fn chart(report: &Report, number: usize, group: &Group) -> String {
    let Some(ratings) = &group.ratings else { return String::new() };
    let [low, high] = bounds(ratings);
    let x = |elo: f64| SCALE[0] + (SCALE[1] - SCALE[0]) * (elo.clamp(low, high) - low) / (high - low);
    let bottom = TOP + ROW * ratings.len() as f64;
    let words: Vec<String> = group
        .agents
        .iter()
        .zip(ratings)
        .map(|(&agent, &rating)| format!("{}: {}", report.names[agent], told(rating)))
        .collect();
    let mut svg = Svg::new(
        &format!("ratings-{number}"),
        bottom + 46.0,
        "Ratings in Elo with 95 % intervals",
        &words.join("; "),
    );
    for tick in ticks(low, high, 8) {
        let class = if tick == 0.0 { "zero" } else { "grid" };
        svg.line([x(tick), TOP], [x(tick), bottom], class);
        svg.label([x(tick), bottom + 18.0], "middle", "soft", &format!("{tick:.0}"));
    }
    svg.label([(SCALE[0] + SCALE[1]) / 2.0, bottom + 38.0], "middle", "soft", "Elo; the mean of all is 0");
    for (row, (&agent, &rating)) in group.agents.iter().zip(ratings).enumerate() {
        let y = TOP + ROW * (row as f64 + 0.5);
        svg.name([SCALE[0] - 14.0, y + 4.5], &report.names[agent]);
        svg.line([x(rating.lower), y], [x(rating.upper), y], "interval");
        for (end, inside) in [(rating.lower, rating.lower >= low), (rating.upper, rating.upper <= high)] {
            // An end beyond the scale has no cap.
            if inside {
                svg.line([x(end), y - 5.0], [x(end), y + 5.0], "interval");
            }
        }
        svg.add(format_args!(
            "<circle cx=\"{:.1}\" cy=\"{y:.1}\" r=\"5\" class=\"dot\"><title>{}: {}</title></circle>",
            x(rating.elo),
            html::text(&report.names[agent]),
            told(rating)
        ));
        let number =
            format!("{:+.1} <tspan class=\"soft\">± {}</tspan>", rounded(rating.elo, 1), reach(rating));
        svg.label([SCALE[1] + 14.0, y + 4.5], "start", "number", &number.replace("± +", "+"));
    }
    svg.finish()
}
