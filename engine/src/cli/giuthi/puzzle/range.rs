//! Ranges in flags: `6`, `6..12`.

use std::ops::RangeInclusive;

/// A parser, for clap, of a whole number or two with `..` between, both included, within bounds. A number alone stands for
/// itself, or, where that is `open`, for itself and all above.
pub(super) fn range(
    bounds: RangeInclusive<u64>,
    open: bool,
) -> impl Fn(&str) -> Result<RangeInclusive<u64>, String> + Clone {
    move |text| {
        let number = |text: &str| {
            let digits = text.bytes().all(|byte| byte.is_ascii_digit());
            text.parse::<u64>().ok().filter(|number| digits && bounds.contains(number))
        };
        let most = if open { *bounds.end() } else { 0 };
        let range = match text.split_once("..") {
            Some((least, most)) => number(least).zip(number(most)),
            None => number(text).map(|least| (least, most.max(least))),
        };
        let (first, last) = (bounds.start(), bounds.end());
        match range {
            Some((least, most)) if least <= most => Ok(least..=most),
            Some((least, most)) => Err(format!("{least} is more than {most}: write the lesser first")),
            None => Err(format!(
                "a whole number from {first} to {last} is possible, or two such as {first}..{last}, the lesser first"
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_within_bounds_and_the_right_way_round() {
        let seeds = range(2..=60, false);
        assert_eq!(seeds("7"), Ok(7..=7));
        assert_eq!(seeds("2..60"), Ok(2..=60));
        assert_eq!(range(1..=99, true)("7"), Ok(7..=99));
        for (text, says) in [
            ("3..2", "3 is more than 2"),
            ("1..4", "from 2 to 60"),
            ("4..61", "from 2 to 60"),
            ("..", "from 2 to 60"),
            ("4..", "from 2 to 60"),
            ("+4", "from 2 to 60"),
            ("4..5..6", "from 2 to 60"),
            ("4-6", "from 2 to 60"),
        ] {
            let error = seeds(text).unwrap_err();
            assert!(error.contains(says), "{text}: {error}");
        }
    }
}
