//! The end of games: tables of what positions of few seeds are worth.

pub mod tablebase;
