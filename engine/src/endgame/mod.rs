//! The end of games: tables of what positions of few seeds are worth, and problems composed from them.

pub mod puzzle;
pub mod tablebase;
