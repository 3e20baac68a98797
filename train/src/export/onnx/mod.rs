//! A network as an ONNX file, which ONNX Runtime and others run.
//!
//! Inputs, for `n` positions: `pits`, `[n, 2W]`, int64, the seeds in the pits in ring order from the first pit of the
//! player to move; `lead`, `[n]`, float32, that player's pile minus the opponent's. Outputs, for the player to move:
//! `logits` and `probabilities`, `[n, 3]`, of win, draw and loss, and `value`, `[n]`, the expected result, −1 … 1.
//! What the network sees is reckoned in the graph, so nobody need encode positions.

mod proto;
mod run;

use std::collections::HashMap;

use giuthi_engine::net::{COUNTS, FORMAT, FeatureSet, LEAD_UNIT, Weights};
use giuthi_engine::{Network, Position};
use prost::Message;

use self::proto::{
    Attribute, Dimension, FLOAT, Graph, INT, INT64, Length, Model, Node, OperatorSet, Property, Shape,
    Tensor, TensorType, Type, Value,
};

/// Version of the file's structure: ONNX 1.12 (2022) and later read it.
const IR_VERSION: i64 = 8;
/// Version of the operators.
const OPERATORS: i64 = 17;

/// The bytes of the file.
#[must_use]
pub fn to_bytes(network: &Network) -> Vec<u8> {
    let FeatureSet::Pits24Lead = network.header().features;
    model(network).encode_to_vec()
}

/// The values that a file gives to positions: its graph is run as it is read, node by node. `None` where it is no graph
/// of the kind that [`to_bytes`] writes.
#[must_use]
pub fn values(bytes: &[u8], positions: &[Position]) -> Option<Vec<f32>> {
    run::values(bytes, positions)
}

/// Whether the bytes are those of a file that holds just this network: read back field by field, not compared with what
/// [`to_bytes`] would write.
#[must_use]
pub fn holds(bytes: &[u8], network: &Network) -> bool {
    let Ok(model) = Model::decode(bytes) else { return false };
    let Some(graph) = &model.graph else { return false };
    let tensors: HashMap<&str, &Tensor> =
        graph.initializer.iter().map(|tensor| (tensor.name.as_str(), tensor)).collect();
    let same = |(name, shape, numbers): (&str, Vec<i64>, &Vec<f32>)| {
        tensors.get(name).is_some_and(|tensor| {
            let (fours, rest) = tensor.raw_data.as_chunks::<4>();
            let found = fours.iter().map(|bytes| f32::from_le_bytes(*bytes).to_bits());
            tensor.data_type == FLOAT
                && tensor.dims == shape
                && rest.is_empty()
                && found.eq(numbers.iter().map(|number| number.to_bits()))
        })
    };
    let told: HashMap<&str, &str> =
        model.metadata_props.iter().map(|Property { key, value }| (key.as_str(), value.as_str())).collect();
    parameters(network).into_iter().all(same)
        && properties(network).iter().all(|(key, value)| told.get(key) == Some(&value.as_str()))
}

/// The learned numbers under their names in the graph, which are those of the weights file.
fn parameters(network: &Network) -> [(&'static str, Vec<i64>, &Vec<f32>); 7] {
    let Weights { input, lead, input_bias, hidden, hidden_bias, output, output_bias } = network.weights();
    let header = network.header();
    let [first, second] = header.layers.map(|size| size as i64);
    [
        ("input.weight", vec![header.features.categories(header.width) as i64, first], input),
        ("lead.weight", vec![1, first], lead),
        ("input.bias", vec![first], input_bias),
        ("hidden.weight", vec![second, first], hidden),
        ("hidden.bias", vec![second], hidden_bias),
        ("output.weight", vec![3, second], output),
        ("output.bias", vec![3], output_bias),
    ]
}

/// The metadata of the weights file.
fn properties(network: &Network) -> [(&'static str, String); 6] {
    let header = network.header();
    let [first, second] = header.layers;
    [
        ("format", FORMAT.to_owned()),
        ("variant-width", header.width.to_string()),
        ("features", header.features.id().to_owned()),
        ("layers", format!("{first},{second}")),
        ("trained-on", header.trained_on.clone()),
        ("program", header.program.clone()),
    ]
}

fn model(network: &Network) -> Model {
    let width = network.header().width;
    let pits = 2 * width as i64;
    let mut initializer: Vec<Tensor> =
        parameters(network).into_iter().map(|(name, shape, numbers)| floats(name, shape, numbers)).collect();
    // Category `24 · pit + min(seeds, 23)`.
    let offsets: Vec<i64> = (0..pits).map(|pit| COUNTS as i64 * pit).collect();
    initializer.extend([
        integers("most", vec![], &[COUNTS as i64 - 1]),
        integers("offsets", vec![pits], &offsets),
        integers("pits-axis", vec![1], &[1]),
        floats("lead-unit", vec![], &[LEAD_UNIT]),
        floats("zero", vec![], &[0.0]),
        floats("one", vec![], &[1.0]),
        // P(win) − P(loss).
        floats("results", vec![3], &[1.0, 0.0, -1.0]),
    ]);
    let node = vec![
        node("Min", &["pits", "most"], "counts", &[]),
        node("Add", &["counts", "offsets"], "categories", &[]),
        node("Gather", &["input.weight", "categories"], "vectors", &[("axis", 0)]),
        node("ReduceSum", &["vectors", "pits-axis"], "pits-sum", &[("keepdims", 0)]),
        node("Div", &["lead", "lead-unit"], "lead-feature", &[]),
        node("Unsqueeze", &["lead-feature", "pits-axis"], "lead-column", &[]),
        node("MatMul", &["lead-column", "lead.weight"], "lead-vector", &[]),
        node("Add", &["pits-sum", "lead-vector"], "sum", &[]),
        node("Add", &["sum", "input.bias"], "first", &[]),
        node("Clip", &["first", "zero", "one"], "first-active", &[]),
        node("Gemm", &["first-active", "hidden.weight", "hidden.bias"], "second", &[("transB", 1)]),
        node("Clip", &["second", "zero", "one"], "second-active", &[]),
        node("Gemm", &["second-active", "output.weight", "output.bias"], "logits", &[("transB", 1)]),
        node("Softmax", &["logits"], "probabilities", &[("axis", 1)]),
        node("MatMul", &["probabilities", "results"], "value", &[]),
    ];
    let any = || Length::Name("n".to_owned());
    let graph = Graph {
        node,
        name: "giuthi-value".to_owned(),
        initializer,
        input: vec![
            value(
                "pits",
                INT64,
                [any(), Length::Value(pits)],
                "seeds, from the first pit of the player to move",
            ),
            value("lead", FLOAT, [any()], "pile of the player to move minus the opponent's, in seeds"),
        ],
        output: vec![
            value("logits", FLOAT, [any(), Length::Value(3)], "win, draw, loss for the player to move"),
            value(
                "probabilities",
                FLOAT,
                [any(), Length::Value(3)],
                "win, draw, loss for the player to move",
            ),
            value("value", FLOAT, [any()], "expected result for the player to move, -1 to 1"),
        ],
    };
    Model {
        ir_version: IR_VERSION,
        producer_name: "giuthi-train".to_owned(),
        producer_version: env!("CARGO_PKG_VERSION").to_owned(),
        doc_string: format!("Giuthi value network for rows of {width} pits"),
        graph: Some(graph),
        opset_import: vec![OperatorSet { domain: String::new(), version: OPERATORS }],
        metadata_props: properties(network)
            .map(|(key, value)| Property { key: key.to_owned(), value })
            .into(),
    }
}

fn node(operator: &str, inputs: &[&str], output: &str, attributes: &[(&str, i64)]) -> Node {
    let attribute =
        attributes.iter().map(|&(name, i)| Attribute { name: name.to_owned(), i, r#type: INT }).collect();
    Node {
        input: inputs.iter().map(|&name| name.to_owned()).collect(),
        output: vec![output.to_owned()],
        name: output.to_owned(),
        op_type: operator.to_owned(),
        attribute,
    }
}

fn floats(name: &str, dims: Vec<i64>, numbers: &[f32]) -> Tensor {
    let raw_data = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
    Tensor { dims, data_type: FLOAT, name: name.to_owned(), raw_data }
}

fn integers(name: &str, dims: Vec<i64>, numbers: &[i64]) -> Tensor {
    let raw_data = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
    Tensor { dims, data_type: INT64, name: name.to_owned(), raw_data }
}

fn value<const N: usize>(name: &str, elem_type: i32, shape: [Length; N], doc: &str) -> Value {
    let dim = shape.map(|length| Dimension { length: Some(length) }).into();
    let tensor_type = TensorType { elem_type, shape: Some(Shape { dim }) };
    Value {
        name: name.to_owned(),
        r#type: Some(Type { tensor_type: Some(tensor_type) }),
        doc_string: doc.to_owned(),
    }
}
