//! Text that comes from outside, such as agents' names, made safe for a page.

use std::fmt::Write;

/// Text as it stands in HTML and in SVG, between tags or in an attribute's quotes. Control characters, which XML does not
/// allow and which can break lines, become replacement characters.
pub(super) fn text(raw: &str) -> String {
    let mut safe = String::with_capacity(raw.len());
    for character in raw.chars() {
        match character {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            character if character.is_control() => safe.push('\u{fffd}'),
            character => safe.push(character),
        }
    }
    safe
}

/// An agent's name, which may be of any length and run from right to left.
pub(super) fn name(raw: &str) -> String {
    format!("<bdi class=\"name\">{}</bdi>", text(raw))
}

/// A name of at most so many characters, the rest of a longer one left out, made safe.
pub(super) fn short(raw: &str, most: usize) -> String {
    if raw.chars().count() <= most {
        return text(raw);
    }
    let kept: String = raw.chars().take(most - 1).collect();
    text(kept.trim_end()) + "…"
}

/// A value as JSON that may stand in a `<script>`: nothing in it ends the element or begins a comment.
pub(super) fn json(value: &impl serde::Serialize) -> String {
    let text = serde_json::to_string(value).expect("names and numbers are JSON");
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            // Within strings alone, where such an escape is the same character.
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                write!(safe, "\\u{:04x}", u32::from(character)).expect("a String takes any text");
            }
            character => safe.push(character),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    const NASTY: &str = "</script><script>alert('1')</script>&amp;\"quoted\"\u{2028}\n<!--";

    #[test]
    fn no_text_ends_what_it_stands_in() {
        let safe = text(NASTY);
        assert_eq!(
            safe,
            "&lt;/script&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;amp;&quot;quoted&quot;\u{2028}\u{fffd}&lt;!--"
        );
        let safe = json(&[NASTY]);
        assert!(!safe.contains(['<', '>', '&', '\u{2028}', '\n']), "{safe}");
        let back: Vec<String> = serde_json::from_str(&safe).unwrap();
        assert_eq!(back, [NASTY]);
    }

    #[test]
    fn long_names_are_cut_between_characters() {
        assert_eq!(short("Gĩthi", 5), "Gĩthi");
        assert_eq!(short("Gĩthi <b>", 8), "Gĩthi &lt;…");
        assert_eq!(short("アアアアア", 4), "アアア…");
    }
}
