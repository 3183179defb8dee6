//! Chooses the next token from logits: the greatest, or one drawn at a temperature from a seeded stream.
//!
//! Both are the same on every machine: the exponential is the contracts' own, sums are made in one order, and the
//! random numbers are ChaCha8's.

use crate::fault::{Code, Fault, Result};
use cke_oracle::functions::exp_e0;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// A rule to choose tokens by.
pub enum Sampler {
    /// The first of the greatest logits. NaN is never chosen, unless there is nothing else: then token 0.
    Greedy,
    /// Drawn: see [`Sampler::at_temperature`].
    Drawn {
        /// What logits are divided by.
        temperature: f32,
        /// The stream of random numbers.
        random: Box<ChaCha8Rng>,
    },
}

impl Sampler {
    /// A sampler that draws at `temperature` with a stream made from `seed`.
    ///
    /// With `m` the greatest logit, token `i` has the weight `w[i] = exp_e0((logit[i] - m) / temperature)` in single
    /// precision (0 for NaN). A draw takes the next 53 random bits as `u` in [0, 1) and chooses the first token whose
    /// weight, added in double precision to those of all tokens before it, exceeds `u` times the sum of all.
    ///
    /// # Errors
    ///
    /// `CKE-R005`: the temperature is not a positive number.
    pub fn at_temperature(temperature: f32, seed: u64) -> Result<Self> {
        if !(temperature > 0.0 && temperature.is_finite()) {
            let message = format!("temperature {temperature}, expected a positive number");
            return Err(Fault::new(Code::OutsideLimits, message));
        }
        Ok(Sampler::Drawn { temperature, random: Box::new(ChaCha8Rng::seed_from_u64(seed)) })
    }

    /// The token chosen from `logits`; 0 if there are none.
    pub fn next(&mut self, logits: &[f32]) -> u32 {
        match self {
            Sampler::Greedy => greatest(logits),
            Sampler::Drawn { temperature, random } => draw(logits, *temperature, random.next_u64() >> 11),
        }
    }
}

/// The rule of the contract `argmax`: strictly greater than all before, beginning with minus infinity at 0.
fn greatest(logits: &[f32]) -> u32 {
    let begin = (0, f32::NEG_INFINITY);
    let (index, _) =
        (0..).zip(logits).fold(begin, |best, (index, &logit)| if logit > best.1 { (index, logit) } else { best });
    index
}

/// `bits` are 53 random bits.
fn draw(logits: &[f32], temperature: f32, bits: u64) -> u32 {
    let best = greatest(logits);
    let Some(&greatest) = logits.get(best as usize) else { return best };
    let weight = |&logit: &f32| {
        let scaled = (logit - greatest) / temperature;
        if scaled.is_nan() { 0.0 } else { f64::from(exp_e0(scaled)) }
    };
    let total: f64 = logits.iter().map(weight).sum();
    // `bits` times 2^-53 is exact and less than 1, and its product with the sum rounds to less than the sum.
    let threshold = bits as f64 * f64::from_bits(0x3ca0_0000_0000_0000) * total;
    let mut sum = 0.0;
    for (index, logit) in (0..).zip(logits) {
        sum += weight(logit);
        if sum > threshold {
            return index;
        }
    }
    // The threshold is less than the sum, which is made in the same order: only a sum of nothing comes here.
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn greedy_takes_the_first_of_the_greatest() {
        let nan = f32::NAN;
        let cases: [(&[f32], u32); 8] = [
            (&[1.0, 3.0, 3.0, 2.0], 1),
            (&[nan, -5.0, nan, -4.0], 3),
            (&[nan, nan], 0),
            (&[f32::NEG_INFINITY, f32::NEG_INFINITY], 0),
            (&[nan, f32::NEG_INFINITY], 0),
            (&[-0.0, 0.0], 0),
            (&[0.0, f32::INFINITY], 1),
            (&[], 0),
        ];
        for (logits, expected) in cases {
            assert_eq!(Sampler::Greedy.next(logits), expected, "{logits:?}");
        }
    }

    /// The stream is part of the rule: these tokens may never change.
    #[test]
    fn a_seed_always_gives_the_same_tokens() {
        let logits: Vec<f32> = (0..50_u8).map(|i| f32::from(i % 7) * 0.5).collect();
        let stream = |seed| {
            let mut sampler = Sampler::at_temperature(0.8, seed).unwrap();
            (0..12).map(|_| sampler.next(&logits)).collect::<Vec<_>>()
        };
        assert_eq!(stream(42), stream(42));
        assert_ne!(stream(42), stream(43));
        assert_eq!(stream(42), [34, 48, 20, 33, 15, 9, 18, 41, 40, 13, 27, 47]);
    }

    #[test]
    fn frequencies_follow_the_weights() {
        // Weights 1, e, e^2 at temperature 0.5.
        let mut sampler = Sampler::at_temperature(0.5, 7).unwrap();
        let mut counts = [0_u32; 4];
        for _ in 0..30_000 {
            counts[sampler.next(&[0.0, 0.5, 1.0, f32::NAN]) as usize] += 1;
        }
        let expected = [2701.0, 7342.0, 19957.0, 0.0];
        for (count, expected) in counts.into_iter().zip(expected) {
            assert!((f64::from(count) - expected).abs() <= 0.05 * expected, "{counts:?}");
        }
    }

    #[test]
    fn extreme_logits_and_draws_stay_inside() {
        let all_ones = (1 << 53) - 1;
        for bits in [0, 1, all_ones] {
            assert_eq!(draw(&[f32::NEG_INFINITY, 5.0, f32::NAN], 1.0, bits), 1);
            assert_eq!(draw(&[f32::NAN, f32::NAN], 1.0, bits), 0);
            assert_eq!(draw(&[f32::NEG_INFINITY; 3], 1.0, bits), 0);
            assert_eq!(draw(&[0.0, f32::INFINITY, 1.0], 1.0, bits), 1);
            assert_eq!(draw(&[-1.0e38, 1.0e38], f32::MIN_POSITIVE, bits), 1);
            assert_eq!(draw(&[], 1.0, bits), 0);
        }
        assert_eq!(draw(&[0.0, 0.0], 1.0, 0), 0);
        assert_eq!(draw(&[0.0, 0.0], 1.0, all_ones), 1);
    }

    #[test]
    fn temperatures_which_are_not_positive_numbers_are_refused() {
        for temperature in [0.0, -1.0, f32::NAN, f32::INFINITY] {
            assert!(Sampler::at_temperature(temperature, 1).is_err());
        }
    }
}
