//! Exact play: what positions are worth when nobody errs. Tables of all boards with few seeds, and a solver for the
//! others; problems composed from the tables.

pub mod puzzle;
pub mod solve;
mod summed;
pub mod tablebase;

pub use tablebase::Value;
