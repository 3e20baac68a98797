//! The picture of a run: Elo by generation, with 95 % intervals, as one SVG file.

use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::path::Path;

use giuthi_engine::files::write_whole;

use super::matches::Elo;
use super::report::Row;

/// Width and height of the frame.
const SIZE: [f64; 2] = [560.0, 300.0];
/// Its left and upper edge.
const AT: [f64; 2] = [70.0, 50.0];

const STYLE: &str = "text{font:12px sans-serif;fill:#333}.frame{fill:none;stroke:#999}polyline,line{fill:none;\
stroke-width:2}.zero{stroke:#bbb;stroke-width:1}.best{stroke:#0b62a4}.first{stroke:#b35900}.material{stroke:#777}\
circle{stroke-width:2}circle.kept{fill:#fff}circle.promoted{fill:#0b62a4}circle.first{fill:#b35900}\
circle.material{fill:#777}";

/// The lines drawn: class, name, and what a row has of it.
type Series = (&'static str, &'static str, fn(&Row) -> Option<Elo>);

const SERIES: [Series; 3] = [
    ("best", "against the best before (filled: promoted)", |row| Some(row.against_best)),
    ("first", "against generation 0", |row| row.against_first),
    ("material", "against the material count", |row| row.against_material),
];

/// Writes the picture; it appears only when whole.
pub fn save(path: &Path, rows: &[Row]) -> io::Result<()> {
    let text = svg(rows);
    write_whole(path, |file| file.write_all(text.as_bytes()))
}

/// The picture as text.
#[must_use]
pub fn svg(rows: &[Row]) -> String {
    let elos = || rows.iter().flat_map(|row| SERIES.iter().filter_map(|(_, _, of)| of(row)));
    // Where one took every point the interval has no end worth drawing.
    let far = elos().fold(50.0_f64, |far, elo| far.max(elo.elo.abs())) * 2.0;
    let low = elos().fold(0.0_f64, |low, elo| low.min(elo.lower)).max(-far);
    let high = elos().fold(0.0_f64, |high, elo| high.max(elo.upper)).min(far);
    let air = ((high - low) * 0.05).max(5.0);
    let [low, high] = [low - air, high + air];
    let last = (rows.len().max(2) - 1) as f64;
    // A little air to both sides, for the intervals stand beside each other.
    let x = |generation: f64| AT[0] + SIZE[0] * (generation + 0.3) / (last + 0.6);
    let y = |elo: f64| AT[1] + SIZE[1] * (high - elo.clamp(low, high)) / (high - low);

    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"660\" height=\"460\" viewBox=\"0 0 660 460\">\n\
         <style>{STYLE}</style>\n<rect width=\"660\" height=\"460\" fill=\"#fff\"/>\n"
    );
    let ([left, top], [width, height]) = (AT, SIZE);
    let _ = writeln!(
        svg,
        "<rect class=\"frame\" x=\"{left}\" y=\"{top}\" width=\"{width}\" height=\"{height}\"/>"
    );
    let mut text = |x: f64, y: f64, anchor: &str, text: &str| {
        let _ = writeln!(svg, "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{text}</text>");
    };
    text(left, 24.0, "start", "Elo of each generation's network, with 95 % intervals");
    text(left, top - 8.0, "start", "Elo");
    text(left + width / 2.0, top + height + 34.0, "middle", "generation");
    for elo in [low, 0.0, high] {
        // An end that stands too near to the zero goes without its number.
        if elo != 0.0 && (y(elo) - y(0.0)).abs() < 14.0 {
            continue;
        }
        text(left - 6.0, y(elo) + 4.0, "end", &format!("{elo:.0}"));
    }
    let every = rows.len().div_ceil(20).max(1);
    for row in rows.iter().step_by(every) {
        text(x(row.generation.into()), top + height + 16.0, "middle", &row.generation.to_string());
    }
    for (at, (_, name, _)) in SERIES.iter().enumerate() {
        text(left + 34.0, top + height + 58.0 + 16.0 * at as f64, "start", name);
    }
    let zero = y(0.0);
    let _ = writeln!(
        svg,
        "<line class=\"zero\" x1=\"{left}\" y1=\"{zero:.1}\" x2=\"{:.1}\" y2=\"{zero:.1}\"/>",
        left + width
    );
    for (at, (class, _, of)) in SERIES.iter().enumerate() {
        let line = top + height + 54.0 + 16.0 * at as f64;
        let _ = writeln!(
            svg,
            "<line class=\"{class}\" x1=\"{left}\" y1=\"{line}\" x2=\"{}\" y2=\"{line}\"/>",
            left + 28.0
        );
        let beside = 5.0 * (at as f64 - 1.0);
        let points: Vec<(&Row, Elo)> = rows.iter().filter_map(|row| Some((row, of(row)?))).collect();
        let place = |row: &Row| x(row.generation.into()) + beside;
        let joined: Vec<String> =
            points.iter().map(|(row, elo)| format!("{:.1},{:.1}", place(row), y(elo.elo))).collect();
        let _ = writeln!(svg, "<polyline class=\"{class}\" points=\"{}\"/>", joined.join(" "));
        for (row, elo) in points {
            let [x, from, to] = [place(row), y(elo.lower), y(elo.upper)];
            let _ = writeln!(
                svg,
                "<line class=\"{class}\" x1=\"{x:.1}\" y1=\"{from:.1}\" x2=\"{x:.1}\" y2=\"{to:.1}\"/>"
            );
            let mark = match (at, row.promoted) {
                (0, true) => " promoted",
                (0, false) => " kept",
                _ => "",
            };
            let _ = writeln!(
                svg,
                "<circle class=\"{class}{mark}\" cx=\"{x:.1}\" cy=\"{:.1}\" r=\"4\"><title>generation {}: {:+.0} [{:.0}, \
                 {:.0}]</title></circle>",
                y(elo.elo),
                row.generation,
                elo.elo,
                elo.lower,
                elo.upper
            );
        }
    }
    svg.push_str("</svg>\n");
    svg
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(generation: u32, elo: f64, promoted: bool) -> Row {
        let elo = Elo { elo, lower: elo - 45.0, upper: elo + 4500.0 };
        Row {
            generation,
            games: 10,
            rows: 100,
            fit_rows: 200,
            best_epoch: 1,
            validation_loss: 0.5,
            best_before: None,
            score: 0.5,
            against_best: elo,
            against_first: (generation > 0).then_some(elo),
            against_material: Some(elo),
            promoted,
            openings_repeat: false,
        }
    }

    #[test]
    fn every_match_is_drawn_inside_the_frame() {
        for rows in
            [vec![row(0, 0.0, true)], vec![row(0, 149.0, true), row(1, 51.0, true), row(2, -14.0, false)]]
        {
            let text = svg(&rows);
            assert_eq!(text.matches("<circle").count(), 3 * rows.len() - 1);
            assert_eq!(text.matches("best kept").count(), rows.iter().filter(|row| !row.promoted).count());
            for line in text.lines().filter(|line| line.starts_with("<circle")) {
                let number = |name: &str| -> f64 {
                    let rest = line.split_once(name).unwrap().1;
                    rest.split('"').nth(1).unwrap().parse().unwrap()
                };
                assert!((AT[0]..=AT[0] + SIZE[0]).contains(&number("cx=")), "{line}");
                assert!((AT[1]..=AT[1] + SIZE[1]).contains(&number("cy=")), "{line}");
            }
            assert!(!text.contains("NaN") && !text.contains("inf"));
        }
    }
}
