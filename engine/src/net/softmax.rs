//! From logits to the expected result, with the same bits on every machine.
//!
//! The standard library's `exp` is the system's, and rounds as the system likes. This one is a polynomial in plain
//! float32 operations, each of which IEEE 754 fixes to the bit.

/// P(win) − P(loss) of the logits of win, draw and loss; the fourth number is not looked at. Finite logits give a
/// number from −1 to 1, within 1e-5 of the true one.
#[inline(always)]
pub(super) fn expected(logits: [f32; 4]) -> f32 {
    let [win, draw, loss, _] = logits;
    let top = larger(larger(win, draw), loss);
    let [win, draw, loss, _] = logits.map(|logit| exp(logit - top));
    (win - loss) / (win + draw + loss)
}

#[inline(always)]
fn larger(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

/// `e^x` for `x` up to 0, to a relative error of 4e-6; the smallest normal number where that is smaller.
///
/// `2^n · 2^f` with `n` whole and `f` from −1/2 to 1/2: the first goes into the exponent's bits, the second is the
/// Taylor polynomial of degree 5.
#[inline(always)]
fn exp(x: f32) -> f32 {
    /// Added to a number of moderate size, it leaves the nearest whole one in the lowest bits.
    const ROUNDER: f32 = 12_582_912.0;
    const LN_2: f32 = std::f32::consts::LN_2;
    const C2: f32 = LN_2 * LN_2 / 2.0;
    const C3: f32 = C2 * LN_2 / 3.0;
    const C4: f32 = C3 * LN_2 / 4.0;
    const C5: f32 = C4 * LN_2 / 5.0;
    let x = larger(x * std::f32::consts::LOG2_E, -126.0);
    let rounded = x + ROUNDER;
    let f = x - (rounded - ROUNDER);
    let power = ((((C5 * f + C4) * f + C3) * f + C2) * f + LN_2) * f + 1.0;
    let n = rounded.to_bits().wrapping_sub(ROUNDER.to_bits());
    f32::from_bits(power.to_bits().wrapping_add(n << 23))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exp_is_close_to_the_true_one() {
        let mut worst = 0.0f64;
        for step in 0..=870_000 {
            let x = -(step as f32) / 10_000.0;
            let (found, wanted) = (f64::from(exp(x)), f64::from(x).exp());
            worst = worst.max((found / wanted - 1.0).abs());
        }
        // Towards −87 the rounding of `x · log2 e` is what shows.
        assert!(worst < 1e-5, "{worst}");
        assert_eq!(exp(0.0), 1.0);
        assert_eq!(exp(-1e30), f32::MIN_POSITIVE);
        assert_eq!(exp(f32::NEG_INFINITY), f32::MIN_POSITIVE);
    }

    /// That the bits are the same everywhere can be tried only with bits that were written down.
    #[test]
    fn bits_are_fixed() {
        let found = [-0.1, -1.0, -2.5, -40.0].map(|x| exp(x).to_bits());
        assert_eq!(found, [0x3f67a36d, 0x3ebc5a9f, 0x3da81c29, 0x229cbc90], "{found:#010x?}");
    }

    #[test]
    fn expected_results_are_those_of_the_softmax() {
        for [win, draw, loss] in
            [[0.0f32; 3], [3.0, 1.0, -2.0], [-1.5, 0.25, 1.0], [1e30, 0.0, -1e30], [-80.0, 0.0, 7.5]]
        {
            let top = f64::from(win.max(draw).max(loss));
            let odds = [win, draw, loss].map(|logit| (f64::from(logit) - top).exp());
            let wanted = (odds[0] - odds[2]) / odds.iter().sum::<f64>();
            let found = f64::from(expected([win, draw, loss, f32::MAX]));
            assert!((found - wanted).abs() < 1e-5, "{win} {draw} {loss}: {found}, not {wanted}");
        }
    }
}
