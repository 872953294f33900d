//! Columns of which no two differ from their bin of 0 in the same row.

/// How many open bundles a column is tried with.
const TRIES: usize = 8;

/// A column that may share its byte: the rows in which it is not in its bin of 0.
pub(super) struct Candidate {
    pub(super) column: usize,
    /// How many bins it has beside the bin of 0.
    pub(super) codes: usize,
    pub(super) rows: Vec<u32>,
}

/// Columns that share a byte, with the code that the bins of each start at.
#[derive(Default)]
pub(super) struct Bundle {
    pub(super) members: Vec<(usize, usize)>,
    /// One more than the highest code; code 0 is a row in which every member is in its bin of 0.
    pub(super) codes: usize,
    /// A bit a row: whether a member is elsewhere.
    taken: Vec<u64>,
}

impl Bundle {
    fn is_taken(&self, row: u32) -> bool {
        self.taken[row as usize / 64] >> (row % 64) & 1 == 1
    }

    fn take(&mut self, candidate: &Candidate) {
        self.members.push((candidate.column, self.codes));
        self.codes += candidate.codes;
        for row in &candidate.rows {
            self.taken[*row as usize / 64] |= 1 << (row % 64);
        }
    }
}

/// Each candidate in its turn goes to the first open bundle that it fits, or opens one; of those that no other joined,
/// nothing is said. At most `codes` codes a bundle.
pub(super) fn bundles(m: usize, candidates: &[Candidate], codes: usize) -> Vec<Bundle> {
    let mut bundles: Vec<Bundle> = Vec::new();
    for candidate in candidates {
        let fits = |bundle: &&mut Bundle| {
            bundle.codes + candidate.codes <= codes
                && !candidate.rows.iter().any(|row| bundle.is_taken(*row))
        };
        let open = bundles.len().saturating_sub(TRIES);
        match bundles[open..].iter_mut().find(fits) {
            Some(bundle) => bundle.take(candidate),
            None if candidate.codes < codes => {
                let mut bundle = Bundle { codes: 1, taken: vec![0; m.div_ceil(64)], ..Bundle::default() };
                bundle.take(candidate);
                bundles.push(bundle);
                // A bundle that is tried no more needs its marks no more.
                if let Some(closed) = bundles.len().checked_sub(TRIES + 1) {
                    bundles[closed].taken = Vec::new();
                }
            }
            None => {}
        }
    }
    bundles.retain(|bundle| bundle.members.len() > 1);
    bundles
}
