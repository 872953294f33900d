//! Labels that lie: at random, in blocks, or where a rule is surest.
//!
//! Each function takes the labels ±1 of any stream, real or drawn, and returns them with some signs turned;
//! the rows stay as they are. What a flip does not touch comes back bit for bit.

use super::GeneratorError;
use rand::{Rng, RngExt};
use rows::numeric::first_beyond;

/// Turns each label with probability p ≤ ½, independently: classification noise. At p = ½ nothing is left to
/// learn.
///
/// One number is drawn a label, whatever p: with the same random numbers, the flips of a smaller p are among
/// those of a larger one, so that noise levels can be compared in pairs.
///
/// ```
/// use datasets::synthetic::flip_at_random;
/// use rand::SeedableRng;
/// let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(7);
/// let noisy = flip_at_random(&[1.0; 1000], 0.2, &mut rng)?;
/// let flipped = noisy.iter().filter(|&&y| y < 0.0).count();
/// assert!((150..250).contains(&flipped));
/// # Ok::<(), datasets::synthetic::GeneratorError>(())
/// ```
///
/// # Errors
/// [`GeneratorError::BadParameter`] unless 0 ≤ p ≤ ½.
pub fn flip_at_random(
    labels: &[f64],
    probability: f64,
    rng: &mut (impl Rng + ?Sized),
) -> Result<Vec<f64>, GeneratorError> {
    if !(0.0..=0.5).contains(&probability) {
        let (name, requirement) = ("probability of a flip", "between 0 and 1/2");
        return Err(GeneratorError::BadParameter { name, value: probability, requirement });
    }
    Ok(labels.iter().map(|&y| if rng.random::<f64>() < probability { -y } else { y }).collect())
}

/// Turns the last `length` labels of every `period`: as many lies as noise of rate length/period has, but in
/// a row, so that a learner that follows the stream has learned the lie when the truth comes back.
///
/// ```
/// use datasets::synthetic::flip_blocks;
/// assert_eq!(flip_blocks(&[1.0; 7], 3, 1)?, [1.0, 1.0, -1.0, 1.0, 1.0, -1.0, 1.0]);
/// # Ok::<(), datasets::synthetic::GeneratorError>(())
/// ```
///
/// # Errors
/// [`GeneratorError::BadParameter`] unless length ≤ period/2, beyond which the lie would be the truth.
pub fn flip_blocks(labels: &[f64], period: usize, length: usize) -> Result<Vec<f64>, GeneratorError> {
    if period == 0 || length > period / 2 {
        let (name, requirement) = ("length of a flipped block", "at most half of a period of at least 1");
        return Err(GeneratorError::BadParameter { name, value: length as f64, requirement });
    }
    let turned = |t: usize| t % period >= period - length;
    Ok(labels.iter().enumerate().map(|(t, &y)| if turned(t) { -y } else { y }).collect())
}

/// Turns ⌊p·n⌋ labels where a rule is surest and right: those with the largest `y_i·s_i` > 0 of the scores s,
/// the earliest first among equals. No randomness: the adversary knows the whole stream and spends a budget
/// of lies.
///
/// With s the signed distance from a threshold, the stump behind it loses exactly its most confident region,
/// which no reweighting of examples can win back without losing the rest.
///
/// ```
/// use datasets::synthetic::flip_surest;
/// let flipped = flip_surest(&[1.0, -1.0, 1.0, -1.0], &[0.5, -2.0, 3.0, 4.0], 0.25)?;
/// assert_eq!(flipped, [1.0, -1.0, -1.0, -1.0]);
/// # Ok::<(), datasets::synthetic::GeneratorError>(())
/// ```
///
/// # Errors
/// [`GeneratorError::BadParameter`] unless 0 ≤ p ≤ ½, and where there is not one score up to 1e140 in
/// size a label.
pub fn flip_surest(labels: &[f64], scores: &[f64], share: f64) -> Result<Vec<f64>, GeneratorError> {
    let bad = |name, value, requirement| Err(GeneratorError::BadParameter { name, value, requirement });
    if !(0.0..=0.5).contains(&share) {
        return bad("share of flipped labels", share, "between 0 and 1/2");
    }
    if scores.len() != labels.len() {
        return bad("number of scores", scores.len() as f64, "the number of labels");
    }
    if let Some(i) = first_beyond(scores) {
        return bad("score", scores[i], "between −1e140 and 1e140");
    }
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 ≤ share·n ≤ n")]
    let budget = (share * labels.len() as f64) as usize;
    let mut right: Vec<usize> = (0..labels.len()).filter(|&i| labels[i] * scores[i] > 0.0).collect();
    // The sort is stable, so that the earliest come first among equals.
    right.sort_by(|&i, &k| scores[k].abs().total_cmp(&scores[i].abs()));
    let mut flipped = labels.to_vec();
    for &i in right.iter().take(budget) {
        flipped[i] = -flipped[i];
    }
    Ok(flipped)
}
