//! Runs exported ONNX files with tract, and compares their values with a table.
//!
//!     giuthi-interop VALUES.csv NET.onnx
//!
//! The table is what `giuthi train export --values` writes. All positions at once, then one by one, then in batches of
//! seven; each value has to be within 1e-5 of the table's.

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, ensure};
use tract_onnx::prelude::*;

const MOST: f32 = 1e-5;

fn main() -> ExitCode {
    match work() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("giuthi-interop: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn work() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [values, net] = arguments.as_slice() else {
        anyhow::bail!("usage: giuthi-interop VALUES.csv NET.onnx");
    };
    let rows = read(Path::new(values)).with_context(|| values.clone())?;
    ensure!(!rows.is_empty(), "{values} has no rows");
    let model = tract_onnx::onnx().model_for_path(net)?.into_optimized()?.into_runnable()?;
    for batch in [rows.len(), 1, 7] {
        let mut worst = 0.0f32;
        for rows in rows.chunks(batch) {
            let width = rows[0].pits.len();
            let pits: Vec<i64> = rows.iter().flat_map(|row| row.pits.iter().copied()).collect();
            let leads: Vec<f32> = rows.iter().map(|row| row.lead).collect();
            let pits = Tensor::from_shape(&[rows.len(), width], &pits)?;
            let outputs = model.run(tvec!(pits.into(), tensor1(&leads).into()))?;
            let shapes: Vec<&[usize]> = outputs.iter().map(|output| output.shape()).collect();
            let count = rows.len();
            ensure!(
                shapes == [&[count, 3][..], &[count, 3], &[count]],
                "{net}: outputs of shapes {shapes:?}"
            );
            let found = outputs[2].to_plain_array_view::<f32>()?;
            for (row, found) in rows.iter().zip(&found) {
                let difference = (found - row.value).abs();
                ensure!(difference <= MOST, "{net}: {found} for {}, not {}", row.position, row.value);
                worst = worst.max(difference);
            }
        }
        println!(
            "{net}: {} positions by tract in batches of {batch}, worst difference {worst:.1e}",
            rows.len()
        );
    }
    Ok(())
}

/// A position as the network sees it, and its value.
struct Row {
    position: String,
    pits: Vec<i64>,
    lead: f32,
    value: f32,
}

fn read(path: &Path) -> Result<Vec<Row>> {
    let mut reader = csv::Reader::from_path(path)?;
    let column = |name: &str, headers: &csv::StringRecord| {
        headers.iter().position(|header| header == name).with_context(|| format!("no column `{name}`"))
    };
    let headers = reader.headers()?.clone();
    let (position, value) = (column("position", &headers)?, column("value", &headers)?);
    reader
        .records()
        .map(|record| {
            let record = record?;
            let text = &record[position];
            let fields: Vec<&str> = text.split(' ').collect();
            let [north, south, pile0, pile1, player] = fields[..] else {
                anyhow::bail!("no position: {text}")
            };
            let row = |text: &str| text.split(',').map(str::parse).collect::<Result<Vec<i64>, _>>();
            let (north, south) = (row(north)?, row(south)?);
            let lead = pile0.parse::<f32>()? - pile1.parse::<f32>()?;
            let south_moves = player == "0";
            Ok(Row {
                position: text.to_owned(),
                pits: if south_moves { [south, north].concat() } else { [north, south].concat() },
                lead: if south_moves { lead } else { -lead },
                value: record[value].parse()?,
            })
        })
        .collect()
}
