//! Runs the graph of an ONNX file, node by node as the standard describes the operators: what is compared is what the
//! file says, not what was meant. For no other graphs than ours, and slowly.

use std::collections::HashMap;

use giuthi_engine::Position;
use prost::Message;

use super::proto::{FLOAT, INT64, Model, Node, Tensor};
use crate::export::seen;

/// Numbers of a tensor, row by row. Whole ones are far below 2^53.
#[derive(Clone, Debug, PartialEq)]
struct Array {
    shape: Vec<usize>,
    numbers: Vec<f64>,
}

impl Array {
    fn of(tensor: &Tensor) -> Option<Array> {
        let raw = &tensor.raw_data;
        let numbers: Vec<f64> = match tensor.data_type {
            FLOAT => raw.as_chunks().0.iter().map(|&bytes| f64::from(f32::from_le_bytes(bytes))).collect(),
            INT64 => raw.as_chunks().0.iter().map(|&bytes| i64::from_le_bytes(bytes) as f64).collect(),
            _ => return None,
        };
        let shape =
            tensor.dims.iter().map(|&length| usize::try_from(length).ok()).collect::<Option<Vec<_>>>()?;
        (shape.iter().product::<usize>() == numbers.len()).then_some(Array { shape, numbers })
    }

    /// The only axis that an array of one number names.
    fn axis(&self) -> Option<usize> {
        let &[axis] = self.numbers.as_slice() else { return None };
        Some(axis as usize)
    }

    /// Rows and columns.
    fn matrix(&self) -> Option<[usize; 2]> {
        self.shape.as_slice().try_into().ok()
    }
}

/// The output `value` for each position, or nothing where the graph is not to be run.
pub(super) fn values(bytes: &[u8], positions: &[Position]) -> Option<Vec<f32>> {
    let graph = Model::decode(bytes).ok()?.graph?;
    let mut arrays = HashMap::new();
    for tensor in &graph.initializer {
        arrays.insert(tensor.name.as_str(), Array::of(tensor)?);
    }
    let (pits, leads): (Vec<Vec<u8>>, Vec<i32>) = positions.iter().map(seen).unzip();
    let pits: Vec<f64> = pits.concat().into_iter().map(f64::from).collect();
    let shape = vec![positions.len(), pits.len() / positions.len().max(1)];
    arrays.insert("pits", Array { shape, numbers: pits });
    let leads = leads.into_iter().map(f64::from).collect();
    arrays.insert("lead", Array { shape: vec![positions.len()], numbers: leads });
    for node in &graph.node {
        let inputs = node.input.iter().map(|name| arrays.get(name.as_str())).collect::<Option<Vec<_>>>()?;
        let output = apply(node, &inputs)?;
        arrays.insert(node.output.first()?, output);
    }
    let value = arrays.get("value")?;
    (value.shape == [positions.len()]).then(|| value.numbers.iter().map(|&number| number as f32).collect())
}

fn apply(node: &Node, inputs: &[&Array]) -> Option<Array> {
    let attribute =
        |name: &str| node.attribute.iter().find(|attribute| attribute.name == name).map(|found| found.i);
    match (node.op_type.as_str(), inputs) {
        ("Min", [a, b]) => spread(a, b, f64::min),
        ("Add", [a, b]) => spread(a, b, |a, b| a + b),
        ("Div", [a, b]) => spread(a, b, |a, b| a / b),
        ("Clip", [x, least, most]) => {
            let (&[least], &[most]) = (least.numbers.as_slice(), most.numbers.as_slice()) else {
                return None;
            };
            let numbers = x.numbers.iter().map(|number| number.clamp(least, most)).collect();
            Some(Array { shape: x.shape.clone(), numbers })
        }
        ("Gather", [table, at]) if attribute("axis") == Some(0) => {
            let [rows, columns] = table.matrix()?;
            let mut numbers = Vec::with_capacity(at.numbers.len() * columns);
            for &row in &at.numbers {
                let row = (row >= 0.0 && row < rows as f64).then_some(row as usize)?;
                numbers.extend_from_slice(&table.numbers[row * columns..][..columns]);
            }
            Some(Array { shape: [&at.shape[..], &[columns]].concat(), numbers })
        }
        ("ReduceSum", [x, axis]) if attribute("keepdims") == Some(0) && axis.axis() == Some(1) => {
            let &[count, middle, inner] = x.shape.as_slice() else { return None };
            let mut numbers = vec![0.0; count * inner];
            for (sums, block) in numbers.chunks_exact_mut(inner).zip(x.numbers.chunks_exact(middle * inner)) {
                for row in block.chunks_exact(inner) {
                    sums.iter_mut().zip(row).for_each(|(sum, number)| *sum += number);
                }
            }
            Some(Array { shape: vec![count, inner], numbers })
        }
        ("Unsqueeze", [x, axis]) => {
            let mut shape = x.shape.clone();
            let axis = axis.axis().filter(|&axis| axis <= shape.len())?;
            shape.insert(axis, 1);
            Some(Array { shape, numbers: x.numbers.clone() })
        }
        ("MatMul", [a, b]) if b.shape.len() == 1 => {
            let [rows, inner] = a.matrix()?;
            let column = Array { shape: vec![inner, 1], numbers: b.numbers.clone() };
            let product = (b.shape == [inner]).then(|| product(a, &column, false))??;
            Some(Array { shape: vec![rows], ..product })
        }
        ("MatMul", [a, b]) => product(a, b, false),
        ("Gemm", [a, b, c]) if attribute("transB") == Some(1) => {
            spread(&product(a, b, true)?, c, |a, b| a + b)
        }
        ("Softmax", [x]) if attribute("axis") == Some(1) => {
            let [_, columns] = x.matrix()?;
            let mut numbers = x.numbers.clone();
            for row in numbers.chunks_exact_mut(columns) {
                let top = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                row.iter_mut().for_each(|number| *number = (*number - top).exp());
                let sum: f64 = row.iter().sum();
                row.iter_mut().for_each(|number| *number /= sum);
            }
            Some(Array { shape: x.shape.clone(), numbers })
        }
        _ => None,
    }
}

/// `a` with `b`, whose shape is that of `a` or of its last axes, or one number.
fn spread(a: &Array, b: &Array, f: impl Fn(f64, f64) -> f64) -> Option<Array> {
    let fits = a.shape.ends_with(&b.shape) && !b.numbers.is_empty();
    let numbers = || a.numbers.iter().zip(b.numbers.iter().cycle()).map(|(&a, &b)| f(a, b)).collect();
    fits.then(|| Array { shape: a.shape.clone(), numbers: numbers() })
}

/// The product of two matrices, the second one `turned` or not.
fn product(a: &Array, b: &Array, turned: bool) -> Option<Array> {
    let ([rows, inner], [b_rows, b_columns]) = (a.matrix()?, b.matrix()?);
    let (b_inner, columns) = if turned { (b_columns, b_rows) } else { (b_rows, b_columns) };
    let mut numbers = Vec::with_capacity(rows * columns);
    for row in a.numbers.chunks_exact(inner.max(1)) {
        for column in 0..columns {
            let at = |from: usize| if turned { column * inner + from } else { from * columns + column };
            numbers.push(row.iter().enumerate().map(|(from, number)| number * b.numbers[at(from)]).sum());
        }
    }
    (inner == b_inner && numbers.len() == rows * columns)
        .then_some(Array { shape: vec![rows, columns], numbers })
}
