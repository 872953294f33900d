//! Columns that share a byte, because no row has two of them outside their usual bins.

/// The number of open bundles tried for a column.
const TRIES: usize = 8;

/// A column that may share its byte, with its rows outside the bin that has no code: its *hole*.
pub(crate) struct Candidate {
    pub(crate) column: usize,
    /// The number of its bins without the hole.
    pub(crate) codes: usize,
    pub(crate) rows: Vec<u32>,
}

/// Columns that share a byte, with the code that the bins of each start at.
#[derive(Default)]
pub(crate) struct Bundle {
    pub(crate) members: Vec<(usize, usize)>,
    /// One more than the highest code; code 0 is a row in which every member is in its hole.
    pub(crate) codes: usize,
    /// A bit a row: whether a member is outside its hole.
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

/// Each candidate in turn joins the first open bundle that it fits, or opens one. Bundles of one member are
/// left out. At most `codes` codes a bundle. `is_anywhere` is told whether a row is taken here, and says
/// whether one is taken on any rank.
///
/// # Errors
/// Those of `is_anywhere`.
pub(crate) fn bundles<E>(
    m: usize,
    candidates: impl IntoIterator<Item = Candidate>,
    codes: usize,
    is_anywhere: impl Fn(bool) -> Result<bool, E>,
) -> Result<Vec<Bundle>, E> {
    let mut bundles: Vec<Bundle> = Vec::new();
    for candidate in candidates {
        let open = bundles.len().saturating_sub(TRIES);
        let mut place = None;
        for (k, bundle) in bundles.iter().enumerate().skip(open) {
            let has_room = bundle.codes + candidate.codes <= codes;
            if has_room && !is_anywhere(candidate.rows.iter().any(|row| bundle.is_taken(*row)))? {
                place = Some(k);
                break;
            }
        }
        match place {
            Some(k) => bundles[k].take(&candidate),
            None if candidate.codes < codes => {
                let mut bundle = Bundle { codes: 1, taken: vec![0; m.div_ceil(64)], ..Bundle::default() };
                bundle.take(&candidate);
                bundles.push(bundle);
                // A closed bundle no longer needs its marks.
                if let Some(closed) = bundles.len().checked_sub(TRIES + 1) {
                    bundles[closed].taken = Vec::new();
                }
            }
            None => {}
        }
    }
    bundles.retain(|bundle| bundle.members.len() > 1);
    Ok(bundles)
}
