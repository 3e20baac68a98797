//! Exact play: what positions are worth when nobody errs.

pub mod solve;
mod value;

pub use value::Value;
