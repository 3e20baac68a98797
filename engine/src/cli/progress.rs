//! Progress on stderr: a bar on a terminal, a plain line every few seconds without one.

use std::io::IsTerminal;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

/// Time between two plain lines.
const EVERY: Duration = Duration::from_secs(5);

/// How far a piece of work has come. Shared by threads; advancing costs an addition and, now and then, a line.
pub struct Progress {
    label: String,
    unit: &'static str,
    total: u64,
    done: AtomicU64,
    started: Instant,
    bar: Option<ProgressBar>,
    last: Mutex<Last>,
}

struct Last {
    told: Instant,
    note: String,
    /// What is left, in seconds and since when, where somebody knows better than the count of pieces.
    left: Option<(f64, Instant)>,
}

impl Progress {
    /// Begins to count `total` pieces of `unit` ("games"), under a label ("self-play").
    #[must_use]
    pub fn new(label: &str, unit: &'static str, total: u64) -> Progress {
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::new(total);
            let template = "{prefix} [{bar:30}] {human_pos}/{human_len} {msg}";
            bar.set_style(ProgressStyle::with_template(template).expect("the template is good"));
            bar.set_prefix(label.to_owned());
            bar
        });
        let now = Instant::now();
        let last = Mutex::new(Last { told: now, note: String::new(), left: None });
        Progress { label: label.to_owned(), unit, total, done: AtomicU64::new(0), started: now, bar, last }
    }

    /// Counts `pieces` more as done.
    pub fn advance(&self, pieces: u64) {
        self.done.fetch_add(pieces, Ordering::Relaxed);
        self.show(|_| {});
    }

    /// Sets the words after the counts ("1,200 positions/s"), shown with the next line or redraw.
    pub fn note(&self, note: impl Into<String>) {
        self.show(|last| last.note = note.into());
    }

    /// Says how much longer it will take, for pieces that are not equally long; otherwise the mean of those done tells.
    pub fn foresee(&self, left: Duration) {
        self.show(|last| last.left = Some((left.as_secs_f64(), Instant::now())));
    }

    /// A line of its own on stderr, above the bar where there is one.
    pub fn say(&self, line: impl AsRef<str>) {
        match &self.bar {
            Some(bar) => bar.println(line),
            None => super::tell(line.as_ref()),
        }
    }

    /// Pieces done so far.
    #[must_use]
    pub fn done(&self) -> u64 {
        self.done.load(Ordering::Relaxed)
    }

    /// Time since the beginning.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// Pieces done a second since the beginning.
    #[must_use]
    pub fn per_second(&self) -> f64 {
        self.done() as f64 / self.elapsed().as_secs_f64().max(1e-9)
    }

    fn show(&self, change: impl FnOnce(&mut Last)) {
        // A thread that finds another one at it goes on: the other's line is as good.
        let Ok(mut last) = self.last.try_lock() else { return };
        change(&mut last);
        let every = if self.bar.is_some() { Duration::from_millis(100) } else { EVERY };
        // With everything done, the last line says it all.
        let over = self.bar.is_none() && self.done() >= self.total;
        if over || last.told.elapsed() < every {
            return;
        }
        last.told = Instant::now();
        self.tell(&last);
    }

    fn tell(&self, last: &Last) {
        let done = self.done();
        let rate = self.per_second();
        let left = match last.left {
            Some((left, since)) => (left - since.elapsed().as_secs_f64()).max(0.0),
            None => self.total.saturating_sub(done) as f64 / rate,
        };
        let eta = if left.is_finite() { format!(", {} left", duration(left)) } else { String::new() };
        let note = if last.note.is_empty() { String::new() } else { format!(", {}", last.note) };
        match &self.bar {
            Some(bar) => {
                bar.set_position(done);
                bar.set_message(format!("{} {}/s{note}{eta}", rounded(rate), self.unit));
            }
            None => super::tell(format_args!(
                "{}: {done}/{} {}, {} {}/s{note}{eta}",
                self.label,
                self.total,
                self.unit,
                rounded(rate),
                self.unit
            )),
        }
    }

    /// Ends with a last line that says what was done and how long it took; on a terminal the bar goes.
    pub fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
        super::tell(format_args!(
            "{}: {} {} in {}, {} {}/s",
            self.label,
            self.done(),
            self.unit,
            duration(self.elapsed().as_secs_f64()),
            rounded(self.per_second()),
            self.unit
        ));
    }
}

/// Three significant digits at least, no decimals where they say nothing.
fn rounded(rate: f64) -> String {
    match rate {
        rate if rate >= 100.0 => format!("{rate:.0}"),
        rate if rate >= 10.0 => format!("{rate:.1}"),
        rate => format!("{rate:.2}"),
    }
}

/// A duration in words a person reads: `8.3 s`, `4 min 10 s`, `2 h 5 min`.
#[must_use]
pub fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 60.0 => format!("{s:.1} s"),
        s if s < 3600.0 => format!("{} min {} s", (s / 60.0) as u64, (s % 60.0) as u64),
        s => format!("{} h {} min", (s / 3600.0) as u64, (s % 3600.0 / 60.0) as u64),
    }
}
