//! A table of positions and their values, for readers of the other forms to compare theirs with.

use giuthi_engine::net::Quantised;
use giuthi_engine::{Network, Position};

use super::{Fault, TOLERANCE, near};

/// Its columns.
const HEAD: &str = "position,value,quantised";

/// `position,value,quantised`: the position's text, and its value by float weights and by integers, in as many digits
/// as tell float32 numbers apart.
pub(super) fn to_bytes(network: &Network, positions: &[Position]) -> Vec<u8> {
    let quantised = Quantised::new(network);
    let mut text = format!("{HEAD}\n");
    for position in positions {
        // A position's text has commas.
        text += &format!("\"{position}\",{},{}\n", network.value(position), quantised.value(position));
    }
    text.into_bytes()
}

/// Reads the table and compares it with the network.
pub(super) fn compare(bytes: &[u8], network: &Network, positions: &[Position]) -> Result<f32, Fault> {
    let quantised = Quantised::new(network);
    let mut reader = csv::Reader::from_reader(bytes);
    let rows =
        reader.deserialize().collect::<Result<Vec<(String, f32, f32)>, _>>().map_err(|_| Fault::Other)?;
    if rows.len() != positions.len() {
        return Err(Fault::Other);
    }
    let mut worst = 0.0f32;
    for ((text, value, integers), position) in rows.into_iter().zip(positions) {
        if text != position.to_string() {
            return Err(Fault::Other);
        }
        near(position, integers, quantised.value(position), 0.0)?;
        worst = worst.max(near(position, value, network.value(position), TOLERANCE)?);
    }
    Ok(worst)
}
