//! What the charts share: a picture with its title for those who cannot see it, scales and their ticks.

use std::fmt::Write;

use super::html;

/// Width of every chart, in units of its own: the page scales it.
pub(super) const WIDTH: f64 = 900.0;

/// A chart being drawn. Colours and fonts are the page's, by classes.
pub(super) struct Svg {
    text: String,
}

impl Svg {
    /// A chart of so many units of height. `title` and `description` are what a screen reader says.
    pub(super) fn new(id: &str, height: f64, title: &str, description: &str) -> Svg {
        let (title, description) = (html::text(title), html::text(description));
        Svg {
            text: format!(
                "<svg class=\"chart\" viewBox=\"0 0 {WIDTH} {height:.0}\" role=\"img\" \
                 aria-labelledby=\"{id}-title {id}-text\">\n<title id=\"{id}-title\">{title}</title>\n\
                 <desc id=\"{id}-text\">{description}</desc>\n"
            ),
        }
    }

    pub(super) fn add(&mut self, what: std::fmt::Arguments<'_>) {
        self.text.write_fmt(what).expect("a String takes any text");
        self.text.push('\n');
    }

    /// Text that is safe already. `anchor` is `start`, `middle` or `end`.
    pub(super) fn label(&mut self, [x, y]: [f64; 2], anchor: &str, class: &str, safe: &str) {
        self.add(format_args!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" class=\"{class}\">{safe}</text>"
        ));
    }

    /// An agent's name to the left of `x`, the whole of it where the pointer rests.
    pub(super) fn name(&mut self, [x, y]: [f64; 2], name: &str) {
        let (short, whole) = (html::short(name, NAME), html::text(name));
        let title = if short == whole { String::new() } else { format!("<title>{whole}</title>") };
        self.label([x, y], "end", "name", &format!("{short}{title}"));
    }

    pub(super) fn line(&mut self, [x1, y1]: [f64; 2], [x2, y2]: [f64; 2], class: &str) {
        self.add(format_args!(
            "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" class=\"{class}\"/>"
        ));
    }

    /// A rectangle, told by `title` (safe already) where the pointer rests.
    pub(super) fn bar(&mut self, [x, y]: [f64; 2], [width, height]: [f64; 2], class: &str, title: &str) {
        self.add(format_args!(
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" class=\"{class}\">\
             <title>{title}</title></rect>"
        ));
    }

    /// What colours stand for, from left to right.
    pub(super) fn legend<'a>(
        &mut self,
        [mut x, y]: [f64; 2],
        entries: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) {
        for (class, words) in entries {
            self.add(format_args!(
                "<rect x=\"{x:.1}\" y=\"{:.1}\" width=\"12\" height=\"12\" class=\"{class}\"/>",
                y - 10.0
            ));
            self.label([x + 18.0, y], "start", "", &html::text(words));
            x += 44.0 + 7.0 * words.chars().count() as f64;
        }
    }

    pub(super) fn finish(mut self) -> String {
        self.text.push_str("</svg>\n");
        self.text
    }
}

/// Characters of a name beside a chart.
const NAME: usize = 30;

/// Round numbers within bounds, at most about so many: multiples of 1, 2 or 5 times a power of ten.
pub(super) fn ticks(low: f64, high: f64, most: usize) -> Vec<f64> {
    let step = step((high - low) / most as f64);
    let first = (low / step).ceil() as i64;
    let last = (high / step).floor() as i64;
    (first..=last).map(|tick| tick as f64 * step).collect()
}

/// The least 1, 2 or 5 times a power of ten that is not below a number.
pub(super) fn step(least: f64) -> f64 {
    let power = 10f64.powf(least.max(1e-9).log10().floor());
    [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .map(|times| times * power)
        .find(|&step| step >= least * 0.999_999)
        .unwrap_or(power)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_numbers_within_the_bounds() {
        assert_eq!(ticks(-130.0, 130.0, 6), [-100.0, -50.0, 0.0, 50.0, 100.0]);
        assert_eq!(ticks(0.0, 1.0, 5), [0.0, 0.2, 0.4, 0.6000000000000001, 0.8, 1.0]);
        assert_eq!(ticks(3.0, 4700.0, 5), [1000.0, 2000.0, 3000.0, 4000.0]);
        assert_eq!(
            [step(0.3), step(1.0), step(1.2), step(2.0), step(4.9), step(7.0)],
            [0.5, 1.0, 2.0, 2.0, 5.0, 10.0]
        );
    }
}
