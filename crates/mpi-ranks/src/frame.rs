//! What ranks tell each other before an operation: which it is, and how much each brings.
//!
//! Every operation begins with the same exchange of one frame a rank. So ranks at different operations find
//! out, and none waits for a message of another kind. A small operation is over with it: the frame has room
//! for 29 numbers.

use ranks::RankError;

/// Words of a frame.
pub(crate) const WORDS: usize = 32;
/// Those before its load: the operation, the length, and what else must agree.
const HEAD: usize = 3;
/// Words that a frame carries.
pub(crate) const LOAD: usize = WORDS - HEAD;

/// What a rank asks the others for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operation {
    Sum,
    Max,
    Gather,
    Copy,
    SumScatter,
    Exchange,
    /// The last one: this rank asks for nothing more.
    Leave,
}

impl Operation {
    const ALL: [Self; 7] =
        [Self::Sum, Self::Max, Self::Gather, Self::Copy, Self::SumScatter, Self::Exchange, Self::Leave];

    fn name(self) -> &'static str {
        match self {
            Self::Sum => "sum",
            Self::Max => "max",
            Self::Gather => "gather",
            Self::Copy => "copy",
            Self::SumScatter => "sum and scatter",
            Self::Exchange => "exchange",
            Self::Leave => "leave",
        }
    }

    /// Whether every rank must bring as much as any other.
    fn is_of_one_length(self) -> bool {
        matches!(self, Self::Sum | Self::Max | Self::SumScatter)
    }
}

/// The frames of all ranks, and before the exchange that of this one.
#[derive(Debug)]
pub(crate) struct Frames {
    pub(crate) own: [u64; WORDS],
    pub(crate) all: Vec<u64>,
}

impl Frames {
    pub(crate) fn new(size: usize) -> Self {
        Self { own: [0; WORDS], all: vec![0; WORDS * size] }
    }

    /// Begins a frame. `agreed` must be the same number on all ranks.
    pub(crate) fn begin(&mut self, operation: Operation, length: usize, agreed: u64) {
        self.own = [0; WORDS];
        self.own[0] = operation as u64;
        self.own[1] = length as u64;
        self.own[2] = agreed;
    }

    /// Where its load goes.
    pub(crate) fn load_mut(&mut self) -> &mut [u64] {
        &mut self.own[HEAD..]
    }

    /// Refuses frames that do not belong together: on every rank or on none.
    pub(crate) fn check(&self) -> Result<(), RankError> {
        let code = |operation: Operation| operation as u64;
        let is_left = |head: &[u64]| head[0] == code(Operation::Leave);
        match self.heads().position(is_left) {
            // All leave together, or some do too early.
            Some(rank) if !self.heads().all(is_left) => return Err(RankError::Gone { rank }),
            _ => {}
        }
        let named = |found: u64| Operation::ALL.into_iter().find(|operation| code(*operation) == found);
        let own = &self.own[..HEAD];
        let expected = named(own[0]).map_or("nothing", Operation::name);
        // A rank that agrees with another one than this finds what this one finds.
        if let Some(other) = self.heads().find(|head| head[0] != own[0]) {
            let found = named(other[0]).map_or("an operation of another version", Operation::name);
            return Err(RankError::Operations { expected, found });
        }
        if self.heads().any(|head| head[2] != own[2]) {
            let found =
                if own[0] == code(Operation::Copy) { "copy of another rank" } else { "sum of other runs" };
            return Err(RankError::Operations { expected, found });
        }
        let length = |head: &[u64]| word(head[1]);
        match self.heads().find(|head| head[1] != own[1]) {
            Some(other) if named(own[0]).is_some_and(Operation::is_of_one_length) => {
                Err(RankError::Lengths { expected: length(own), found: length(other) })
            }
            _ => Ok(()),
        }
    }

    /// What each rank brings.
    pub(crate) fn lengths(&self) -> impl Iterator<Item = usize> {
        self.heads().map(|head| word(head[1]))
    }

    /// The loads of all ranks.
    pub(crate) fn loads(&self) -> impl Iterator<Item = &[u64]> {
        self.all.chunks_exact(WORDS).map(|frame| &frame[HEAD..])
    }

    fn heads(&self) -> impl Iterator<Item = &[u64]> {
        self.all.chunks_exact(WORDS).map(|frame| &frame[..HEAD])
    }
}

/// A length that a rank of the same program has sent.
#[allow(clippy::cast_possible_truncation, reason = "lengths are those of slices, of 64 bits")]
pub(crate) fn word(word: u64) -> usize {
    word as usize
}

/// A number that differs where the lengths do, up to a chance of 2^−64: FNV-1a over words.
pub(crate) fn digest(lengths: &[usize]) -> u64 {
    let mix = |state: u64, length: &usize| (state ^ *length as u64).wrapping_mul(0x0100_0000_01b3);
    lengths.iter().fold(0xcbf2_9ce4_8422_2325, mix)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(ranks: &[(Operation, usize, u64)], own: usize) -> Result<(), RankError> {
        let mut frames = Frames::new(ranks.len());
        let all: Vec<u64> = ranks
            .iter()
            .flat_map(|(operation, length, agreed)| {
                frames.begin(*operation, *length, *agreed);
                frames.own
            })
            .collect();
        let (operation, length, agreed) = ranks[own];
        frames.begin(operation, length, agreed);
        frames.all = all;
        frames.check()
    }

    #[test]
    fn every_rank_finds_what_differs() {
        use Operation::{Copy, Gather, Leave, Max, Sum, SumScatter};
        for own in 0..3 {
            assert_eq!(of(&[(Sum, 4, 0); 3], own), Ok(()));
            assert_eq!(of(&[(Gather, 4, 0), (Gather, 5, 0), (Gather, 0, 0)], own), Ok(()));
            let gone = of(&[(Sum, 4, 0), (Leave, 0, 0), (Max, 4, 0)], own);
            assert_eq!(gone, Err(RankError::Gone { rank: 1 }));
            assert_eq!(of(&[(Leave, 0, 0), (Leave, 3, 0), (Leave, 0, 0)], own), Ok(()));
            let found = of(&[(Sum, 4, 0), (Sum, 4, 0), (Max, 4, 0)], own);
            let [expected, found_here] = if own == 2 { ["max", "sum"] } else { ["sum", "max"] };
            assert_eq!(found, Err(RankError::Operations { expected, found: found_here }));
            let lengths = of(&[(SumScatter, 4, 7), (SumScatter, 6, 7), (SumScatter, 4, 7)], own);
            let [expected, found_here] = if own == 1 { [6, 4] } else { [4, 6] };
            assert_eq!(lengths, Err(RankError::Lengths { expected, found: found_here }));
            let (expected, found) = ("copy", "copy of another rank");
            let copies = of(&[(Copy, 4, 0), (Copy, 4, 0), (Copy, 4, 1)], own);
            assert_eq!(copies, Err(RankError::Operations { expected, found }));
        }
    }

    #[test]
    fn lengths_are_told_apart_by_their_digest() {
        let all: [&[usize]; 5] = [&[], &[0], &[1, 2], &[2, 1], &[0, 3]];
        let mut digests: Vec<u64> = all.iter().map(|lengths| digest(lengths)).collect();
        digests.sort_unstable();
        digests.dedup();
        assert_eq!(digests.len(), all.len());
    }
}
