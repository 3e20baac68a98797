//! Rows made ready for a step: half of them mirrored, and the rows of each category listed.

use giuthi_engine::net::FeatureSet;

use crate::data::Rows;

/// Rows as a training step takes them; plain numbers, so that another thread can make it.
#[derive(Debug)]
pub struct Batch {
    /// Rows.
    pub(crate) count: usize,
    /// For each row its categories.
    pub(crate) categories: Vec<i32>,
    /// For each category the rows in which it holds, category by category.
    pub(crate) rows: Vec<i32>,
    /// Where the rows of each category begin in `rows`, and after the last where they end.
    pub(crate) starts: Vec<i32>,
    /// For each row its lead and a 1, so that weight and bias are one product.
    pub(crate) lead_and_one: Vec<f32>,
    /// For each row how likely win, draw and loss are taken to be.
    pub(crate) targets: Vec<f32>,
}

impl Batch {
    /// For each row how likely win, draw and loss are taken to be.
    #[must_use]
    pub fn targets(&self) -> &[f32] {
        &self.targets
    }
}

/// Makes batches.
#[derive(Clone, Debug)]
pub struct Batcher {
    /// For each category the mirrored one; empty where nothing is mirrored.
    mirror: Vec<i32>,
    categories: usize,
}

impl Batcher {
    /// For boards with rows of `width` pits. With `mirror` the second half of each batch is mirrored.
    #[must_use]
    pub fn new(features: FeatureSet, width: usize, mirror: bool) -> Batcher {
        let categories = features.categories(width);
        let mirrored = |category| features.mirrored(category, width) as i32;
        let mirror = if mirror { (0..categories).map(mirrored).collect() } else { Vec::new() };
        Batcher { mirror, categories }
    }

    /// A batch of these rows. Which half a row is in is for the shuffling to say.
    #[must_use]
    pub fn batch(&self, rows: Rows) -> Batch {
        let Rows { mut categories, leads, targets, .. } = rows;
        let count = leads.len();
        let pits = categories.len() / count.max(1);
        if !self.mirror.is_empty() {
            for category in &mut categories[count / 2 * pits..] {
                *category = self.mirror[*category as usize];
            }
        }
        let (rows, starts) = by_category(&categories, pits, self.categories);
        let lead_and_one = leads.iter().flat_map(|&lead| [lead, 1.0]).collect();
        Batch { count, categories, rows, starts, lead_and_one, targets: targets.into_flattened() }
    }
}

/// The rows of each category, by a counting sort, and where each category's begin.
fn by_category(categories: &[i32], pits: usize, of: usize) -> (Vec<i32>, Vec<i32>) {
    let mut starts = vec![0i32; of + 1];
    for &category in categories {
        starts[category as usize + 1] += 1;
    }
    for at in 0..of {
        starts[at + 1] += starts[at];
    }
    let mut next = starts.clone();
    let mut rows = vec![0; categories.len()];
    for (row, categories) in categories.chunks_exact(pits.max(1)).enumerate() {
        for &category in categories {
            let place = &mut next[category as usize];
            rows[*place as usize] = row as i32;
            *place += 1;
        }
    }
    (rows, starts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rows_of_each_category_are_those_in_which_it_holds() {
        let categories = [0, 3, 1, 3, 0, 4, 1, 3];
        let (rows, starts) = by_category(&categories, 2, 6);
        assert_eq!(starts, [0, 2, 4, 4, 7, 8, 8]);
        assert_eq!(rows, [0, 2, 1, 3, 0, 1, 3, 2]);
    }
}
