//! Exact play: what positions are worth when nobody errs. Tables of all boards with few seeds, and a solver for the
//! others.

pub mod solve;
pub mod tablebase;

pub use tablebase::Value;
