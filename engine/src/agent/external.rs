//! `cmd:COMMAND LINE`: an external program that speaks the engine protocol. It can fail in ways that no agent of ours
//! does, and so it is no [`Agent`](super::Agent): whoever lets it play starts a [`Session`](crate::ugi::session::Session).

use std::sync::Arc;

use super::{Kind, LoadError, Recipe, SpecError};
use crate::notation::excerpt;

pub(super) static KIND: Kind = Kind {
    name: "cmd",
    summary: "cmd:COMMAND LINE, an external program that speaks the engine protocol",
    keys: &[],
    examples: &[],
    parse: |text| {
        if words(text)?.is_empty() {
            return Err(SpecError::Missing { agent: "cmd", what: "a command line: cmd:COMMAND LINE" });
        }
        // Nobody knows what it looks at.
        Ok(Recipe { clocked: true, load: Arc::new(|_| Err(LoadError::External)) })
    },
};

/// A command line taken apart as a shell would, without any of a shell's other powers.
pub(super) fn words(line: &str) -> Result<Vec<String>, SpecError> {
    shlex::split(line).ok_or_else(|| SpecError::Quotes(excerpt(line)))
}
