//! The picture of a fit: losses and accuracy by epoch, and predictions against results, as one SVG file.

use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::path::Path;

use giuthi_engine::files::write_whole;

use crate::fit::{Calibration, Fitted};
use crate::metrics::Epoch;

/// Width and height of a panel's frame.
const SIZE: [f64; 2] = [360.0, 260.0];
/// Left edges of the panels' frames.
const LEFT: [f64; 2] = [60.0, 520.0];
/// Their upper edge.
const TOP: f64 = 50.0;

/// Writes the picture; it appears only when whole.
pub fn save(path: &Path, fitted: &Fitted) -> io::Result<()> {
    let text = svg(&fitted.epochs, fitted.best_epoch, &fitted.calibration);
    write_whole(path, |file| file.write_all(text.as_bytes()))
}

/// A panel: what its edges stand for.
struct Panel {
    left: f64,
    x: [f64; 2],
    y: [f64; 2],
}

impl Panel {
    fn at(&self, x: f64, y: f64) -> [f64; 2] {
        let along = |value: f64, [low, high]: [f64; 2]| (value - low) / (high - low);
        [self.left + SIZE[0] * along(x, self.x), TOP + SIZE[1] * (1.0 - along(y, self.y))]
    }

    fn line(&self, svg: &mut String, class: &str, points: impl Iterator<Item = (f64, f64)>) {
        let mut text = String::new();
        for (x, y) in points {
            let [x, y] = self.at(x, y);
            let _ = write!(text, "{x:.1},{y:.1} ");
        }
        let _ = writeln!(svg, "<polyline class=\"{class}\" points=\"{}\"/>", text.trim_end());
    }

    /// Frame, title and the numbers at its edges.
    fn frame(&self, svg: &mut String, title: &str, [x_name, y_name]: [&str; 2], decimals: usize) {
        let ([width, height], left) = (SIZE, self.left);
        let _ = writeln!(
            svg,
            "<rect class=\"frame\" x=\"{left}\" y=\"{TOP}\" width=\"{width}\" height=\"{height}\"/>"
        );
        let mut text = |x: f64, y: f64, anchor: &str, text: &str| {
            let _ = writeln!(svg, "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{text}</text>");
        };
        text(left, TOP - 26.0, "start", title);
        text(left + width / 2.0, TOP + height + 34.0, "middle", x_name);
        text(left, TOP - 8.0, "start", y_name);
        for (value, anchor) in self.x.into_iter().zip(["start", "end"]) {
            text(self.at(value, 0.0)[0], TOP + height + 16.0, anchor, &format!("{value}"));
        }
        for (value, below) in self.y.into_iter().zip([0.0, 10.0]) {
            text(left - 6.0, self.at(0.0, value)[1] + below, "end", &format!("{value:.decimals$}"));
        }
    }
}

const STYLE: &str = "text{font:12px sans-serif;fill:#333}.frame{fill:none;stroke:#999}polyline{fill:none;\
stroke-width:2}.training{stroke:#888}.validation{stroke:#0b62a4}.accuracy{stroke:#b35900;stroke-dasharray:5 3}\
.even{stroke:#bbb;stroke-width:1}.best{stroke:#0b62a4;stroke-width:1;stroke-dasharray:2 3}.bin{fill:#0b62a4}";

/// The picture as text.
#[must_use]
pub fn svg(epochs: &[Epoch], best_epoch: u32, calibration: &Calibration) -> String {
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"920\" height=\"370\" viewBox=\"0 0 920 370\">\n\
         <style>{STYLE}</style>\n<rect width=\"920\" height=\"370\" fill=\"#fff\"/>\n"
    );
    learning(&mut svg, epochs, best_epoch);
    predictions(&mut svg, calibration);
    svg.push_str("</svg>\n");
    svg
}

fn learning(svg: &mut String, epochs: &[Epoch], best_epoch: u32) {
    let losses = || epochs.iter().flat_map(|epoch| [epoch.train_loss, epoch.validation_loss]);
    let (low, high) = (losses().fold(f64::INFINITY, f64::min), losses().fold(f64::NEG_INFINITY, f64::max));
    let air = ((high - low) * 0.05).max(1e-3);
    let last = epochs.len().max(2) as f64;
    let panel = Panel { left: LEFT[0], x: [1.0, last], y: [low - air, high + air] };
    panel.frame(svg, "Learning curve", ["epoch", "mean loss, nats"], 3);
    let by_epoch = |value: fn(&Epoch) -> f64| epochs.iter().map(move |e| (f64::from(e.epoch), value(e)));
    let best = f64::from(best_epoch);
    panel.line(svg, "best", panel.y.into_iter().map(|y| (best, y)));
    panel.line(svg, "training", by_epoch(|epoch| epoch.train_loss));
    panel.line(svg, "validation", by_epoch(|epoch| epoch.validation_loss));
    let shares = Panel { y: [0.0, 1.0], ..panel };
    shares.line(svg, "accuracy", by_epoch(|epoch| epoch.validation_accuracy));
    let right = LEFT[0] + SIZE[0];
    for (at, (class, name)) in
        [("training", "training"), ("validation", "validation"), ("accuracy", "accuracy, 0 to 1")]
            .into_iter()
            .enumerate()
    {
        let y = TOP + 16.0 + 16.0 * at as f64;
        let _ = writeln!(svg, "<text x=\"{}\" y=\"{y}\" text-anchor=\"end\">{name}</text>", right - 34.0);
        let (from, to) = (right - 28.0, right - 6.0);
        let (line, mark) = (y - 4.0, class);
        let _ = writeln!(svg, "<polyline class=\"{mark}\" points=\"{from},{line} {to},{line}\"/>");
    }
}

fn predictions(svg: &mut String, calibration: &Calibration) {
    let panel = Panel { left: LEFT[1], x: [-1.0, 1.0], y: [-1.0, 1.0] };
    let title = format!("Calibration on the validation rows: off by {:.3}", calibration.error());
    panel.frame(svg, &title, ["predicted result", "mean result"], 0);
    panel.line(svg, "even", [(-1.0, -1.0), (1.0, 1.0)].into_iter());
    let most = calibration.bins.iter().map(|bin| bin.rows).max().unwrap_or(0).max(1) as f64;
    for bin in calibration.bins.iter().filter(|bin| bin.rows > 0) {
        let rows = bin.rows as f64;
        let [x, y] = panel.at(bin.predicted / rows, bin.actual / rows);
        // By area, so that the eye weighs rows.
        let radius = 2.0 + 8.0 * (rows / most).sqrt();
        let _ = writeln!(
            svg,
            "<circle class=\"bin\" fill-opacity=\".6\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius:.1}\"><title>{} \
             rows: {:.3} predicted, {:.3} came</title></circle>",
            bin.rows,
            bin.predicted / rows,
            bin.actual / rows
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_epoch_and_every_range_with_rows_is_drawn_inside_the_frame() {
        let epoch = |epoch: u32, loss: f64| Epoch {
            epoch,
            train_loss: loss,
            validation_loss: loss + 0.1,
            validation_accuracy: 0.5,
            learning_rate: 0.1,
            samples_per_s: 1.0,
            best: true,
        };
        let mut calibration = Calibration::default();
        calibration.add(-0.5, -1.0);
        calibration.add(0.5, 1.0);
        for epochs in [vec![epoch(1, 0.7)], vec![epoch(1, 0.9), epoch(2, 0.8), epoch(3, 0.7)]] {
            let text = svg(&epochs, 1, &calibration);
            let line = text.lines().find(|line| line.contains("\"validation\"")).unwrap();
            let points: Vec<f64> =
                line.split('"').nth(3).unwrap().split([',', ' ']).map(|n| n.parse().unwrap()).collect();
            assert_eq!(points.len(), 2 * epochs.len());
            for point in points.chunks_exact(2) {
                assert!((LEFT[0]..=LEFT[0] + SIZE[0]).contains(&point[0]), "{line}");
                assert!((TOP..=TOP + SIZE[1]).contains(&point[1]), "{line}");
            }
            assert_eq!(text.matches("<circle").count(), 2);
            assert!(!text.contains("NaN") && !text.contains("inf"));
        }
    }
}
