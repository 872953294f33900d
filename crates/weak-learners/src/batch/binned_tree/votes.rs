//! The votes of the rows of all ranks.

use crate::LearnerError;
use crate::batch::BinnedColumns;
use crate::batch::tree::{Tree, TreeNode};

/// Fills in the votes of the rows of other ranks; those of this rank's rows are in their place.
///
/// A vote travels as its number among the answers of the tree. Runs of rows are whole blocks, so that their
/// numbers are whole bytes, and the bytes of all ranks are those of all rows.
///
/// # Errors
/// Those of the ranks; [`LearnerError::LengthMismatch`] where they have other trees.
pub(super) fn gather(tree: &Tree, sample: &BinnedColumns, votes: &mut [f64]) -> Result<(), LearnerError> {
    let answers = answers(tree);
    let bits = bits(answers.len());
    let number = |vote: &f64| answers.binary_search_by(|answer| answer.total_cmp(vote)).unwrap_or_default();
    let all = sample.ranks().gather(packed(votes[sample.place()].iter().map(number), bits))?;
    let (argument, expected, got) = ("votes", (votes.len() * bits).div_ceil(8), all.len());
    if got != expected {
        return Err(LearnerError::LengthMismatch { argument, expected, got });
    }
    for (vote, number) in votes.iter_mut().zip(unpacked(&all, bits)) {
        // No answer has another number where the trees are equal.
        *vote = answers.get(number).copied().unwrap_or(f64::NAN);
    }
    Ok(())
}

/// The distinct answers, in ascending order.
fn answers(tree: &Tree) -> Vec<f64> {
    let answer = |node: &TreeNode| match node {
        TreeNode::Leaf { answer } => Some(*answer),
        TreeNode::Split { .. } => None,
    };
    let mut answers: Vec<f64> = tree.nodes().iter().filter_map(answer).collect();
    answers.sort_unstable_by(f64::total_cmp);
    answers.dedup_by(|next, kept| next.total_cmp(kept).is_eq());
    answers
}

/// How many bits hold a number below `count`, a power of two; 32 for the leaves of 2^32 rows.
fn bits(count: usize) -> usize {
    [1, 2, 4, 8, 16].into_iter().find(|bits| count <= 1 << bits).unwrap_or(32)
}

/// The numbers, the first in the lowest bits of a byte, or the lowest byte of a number first.
fn packed(numbers: impl ExactSizeIterator<Item = usize>, bits: usize) -> Vec<u8> {
    let mut bytes = vec![0_u8; (numbers.len() * bits).div_ceil(8)];
    for (i, number) in numbers.enumerate() {
        let (first, number) = (i * bits, number.to_le_bytes());
        if bits < 8 {
            bytes[first / 8] |= number[0] << (first % 8);
        } else {
            bytes[first / 8..][..bits / 8].copy_from_slice(&number[..bits / 8]);
        }
    }
    bytes
}

/// The numbers, and those of the bits that fill the last byte.
fn unpacked(bytes: &[u8], bits: usize) -> impl Iterator<Item = usize> {
    (0..bytes.len() * 8 / bits).map(move |i| {
        let first = i * bits;
        if bits < 8 {
            usize::from(bytes[first / 8] >> (first % 8)) & ((1 << bits) - 1)
        } else {
            let number = bytes[first / 8..][..bits / 8].iter().rev();
            number.fold(0, |number, byte| number << 8 | usize::from(*byte))
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_every_width_come_back() {
        for (count, expected) in [
            (1, 1),
            (2, 1),
            (3, 2),
            (5, 4),
            (16, 4),
            (17, 8),
            (256, 8),
            (257, 16),
            (1 << 16, 16),
            (65_537, 32),
        ] {
            let bits = bits(count);
            assert_eq!(bits, expected);
            let numbers: Vec<usize> = (0..1027).map(|i| i * 7919 % count).collect();
            // Runs of whole blocks of 1024 are whole bytes.
            let mut bytes = packed(numbers[..1024].iter().copied(), bits);
            bytes.extend(packed(numbers[1024..].iter().copied(), bits));
            assert_eq!(bytes.len(), (1027 * bits).div_ceil(8));
            assert!(unpacked(&bytes, bits).take(1027).eq(numbers), "{bits} bits");
        }
    }
}
