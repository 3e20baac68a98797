//! The network in integers, as the agents use it: NNUE's way (Nasu 2018), with scales taken from the weights.
//!
//! A sum of the first layer is held in 16 bits, `unit` steps to 1.0; each unit has its own scale, the finest at which
//! no position can make its sum overflow. Clipped sums (`0 … unit`) times 16-bit weights make the sums of the second
//! layer in 32 bits, again each with the finest scale at which none can overflow. The three sums of the last layer, a
//! few dozen products, are taken in float32, in one order on every processor. So nothing is ever cut off but what the
//! network itself clips, and how far a value is from float's is a matter of rounding alone.

use super::integers::Integers;
use super::kernel::{self, Kernel, Tables};
use super::{Header, Network};
use crate::position::Position;

/// A network in integers, ready to evaluate: for the same weights within some thousandths of what [`Network`] says, and
/// many times as fast. The same bits on every machine.
#[derive(Clone, Debug)]
pub struct Quantised {
    header: Header,
    tables: Tables,
}

impl Quantised {
    /// Rounds the weights of a network to integers.
    ///
    /// Weights can be so large (a reach of the first layer beyond 32767) that no whole step fits into 1.0; such a unit
    /// becomes a switch between 0 and 1. Whatever has learned anything is far from that.
    #[must_use]
    pub fn new(network: &Network) -> Quantised {
        Quantised::of(network.header().clone(), &Integers::of_network(network))
    }

    /// The network of given integers, which have been checked.
    pub(super) fn of(header: Header, integers: &Integers) -> Quantised {
        let tables = integers.tables(header.width);
        Quantised { header, tables }
    }

    /// Its integers.
    pub(super) fn integers(&self) -> Integers {
        Integers::of_tables(self.header.layers, &self.tables)
    }

    /// Sizes and origin.
    #[must_use]
    pub const fn header(&self) -> &Header {
        &self.header
    }

    /// Logits of win, draw and loss for the player to move, by a given kernel.
    ///
    /// # Panics
    /// When the position's rows are not as wide as the network's.
    #[must_use]
    pub fn logits_by(&self, kernel: Kernel, position: &Position) -> [f32; 3] {
        self.check(position);
        let [win, draw, loss, _] = kernel::logits(kernel, &self.tables, position);
        [win, draw, loss]
    }

    /// The expected result for the player to move: P(win) − P(loss), −1 … 1.
    ///
    /// # Panics
    /// When the position's rows are not as wide as the network's.
    #[inline]
    #[must_use]
    pub fn value(&self, position: &Position) -> f32 {
        self.value_by(Kernel::fastest(), position)
    }

    /// [`Quantised::value`] by a given kernel: the same number from each.
    ///
    /// # Panics
    /// When the position's rows are not as wide as the network's.
    #[inline]
    #[must_use]
    pub fn value_by(&self, kernel: Kernel, position: &Position) -> f32 {
        self.check(position);
        kernel::value(kernel, &self.tables, position)
    }

    #[inline]
    fn check(&self, position: &Position) {
        assert_eq!(position.width(), self.header.width, "a network judges boards of its own width");
    }
}
