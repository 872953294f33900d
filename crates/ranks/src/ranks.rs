//! The ranks as an algorithm sees them.

use crate::{Communicator, OtherSetting, RankError};
use std::collections::BTreeMap;
use std::fmt::Display;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// All ranks of a training, or none but this one.
///
/// *Cost:* alone, every operation is a check of one pointer. Among several, the calls and bytes of this rank
/// are counted: [`traffic`](Self::traffic).
///
/// ```
/// use ranks::Ranks;
/// let ranks = Ranks::alone();
/// let mut numbers = [3, 4];
/// ranks.sum(&mut numbers)?;
/// assert_eq!((numbers, ranks.are_several(), ranks.traffic().messages), ([3, 4], false, 0));
/// # Ok::<(), ranks::RankError>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Ranks {
    peers: Option<Arc<Peers>>,
}

#[derive(Debug)]
struct Peers {
    communicator: Box<dyn Communicator>,
    messages: AtomicU64,
    bytes: AtomicU64,
}

/// What a rank has exchanged: the operations, and the bytes that it handed to them.
///
/// How many times a byte is sent depends on the engine: an all-reduce of b bytes among R ranks moves at least
/// 2b(R − 1)/R a rank.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Traffic {
    /// The operations.
    pub messages: u64,
    /// The bytes that this rank contributed.
    pub bytes: u64,
}

impl Ranks {
    /// One process, without another.
    #[must_use]
    pub const fn alone() -> Self {
        Self { peers: None }
    }

    /// The ranks that a communicator connects.
    #[must_use]
    pub fn of(communicator: impl Communicator + 'static) -> Self {
        let (messages, bytes) = (AtomicU64::new(0), AtomicU64::new(0));
        Self { peers: Some(Arc::new(Peers { communicator: Box::new(communicator), messages, bytes })) }
    }

    /// Whether there is a communicator; it may connect one rank with itself.
    #[inline]
    #[must_use]
    pub fn are_several(&self) -> bool {
        self.peers.is_some()
    }

    /// The number of this rank, from 0.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.peers.as_ref().map_or(0, |peers| peers.communicator.rank())
    }

    /// The number of ranks.
    #[must_use]
    pub fn size(&self) -> usize {
        self.peers.as_ref().map_or(1, |peers| peers.communicator.size())
    }

    /// What this rank has exchanged so far.
    #[must_use]
    pub fn traffic(&self) -> Traffic {
        self.peers.as_ref().map_or_else(Traffic::default, |peers| Traffic {
            messages: peers.messages.load(Relaxed),
            bytes: peers.bytes.load(Relaxed),
        })
    }

    /// As [`Communicator::sum`].
    ///
    /// # Errors
    /// As there.
    #[inline]
    pub fn sum(&self, numbers: &mut [u64]) -> Result<(), RankError> {
        match &self.peers {
            None => Ok(()),
            Some(peers) => peers.counted(8 * numbers.len(), |ranks| ranks.sum(numbers)),
        }
    }

    /// As [`Communicator::max`].
    ///
    /// # Errors
    /// As there.
    #[inline]
    pub fn max(&self, numbers: &mut [u64]) -> Result<(), RankError> {
        match &self.peers {
            None => Ok(()),
            Some(peers) => peers.counted(8 * numbers.len(), |ranks| ranks.max(numbers)),
        }
    }

    /// The largest of numbers that are at least 0; NaN is above all of them.
    ///
    /// # Errors
    /// As [`Communicator::max`].
    pub fn largest<const N: usize>(&self, numbers: [f64; N]) -> Result<[f64; N], RankError> {
        let mut bits = numbers.map(|v| v.abs().to_bits());
        self.max(&mut bits)?;
        Ok(bits.map(f64::from_bits))
    }

    /// Whether it is so on any rank.
    ///
    /// # Errors
    /// As [`Communicator::max`].
    pub fn any(&self, here: bool) -> Result<bool, RankError> {
        let mut any = [u64::from(here)];
        self.max(&mut any)?;
        Ok(any[0] != 0)
    }

    /// The outcome of work that every rank has done for itself, if none has failed. Else the error of this
    /// rank, or that of the first other one that has one.
    ///
    /// ```
    /// use ranks::{RankError, Ranks, on_threads};
    /// use std::time::Duration;
    /// let found = on_threads(2, Duration::from_secs(60), |ranks: Ranks| {
    ///     let refused = RankError::Lengths { expected: 1, found: 2 };
    ///     ranks.agree(if ranks.rank() == 1 { Err(refused) } else { Ok(7) })
    /// });
    /// let reason = "the ranks have 1 and 2 numbers of the same kind".to_owned();
    /// assert_eq!(found[0], Some(Err(RankError::Failed { rank: 1, reason })));
    /// assert_eq!(found[1], Some(Err(RankError::Lengths { expected: 1, found: 2 })));
    /// ```
    ///
    /// # Errors
    /// The error of this rank, also where the ranks cannot go on together; [`RankError::Failed`] for that of
    /// another rank; as [`Communicator::gather`].
    pub fn agree<T, E: From<RankError> + Display>(&self, own: Result<T, E>) -> Result<T, E> {
        if !self.are_several() {
            return own;
        }
        let told = self.told(own.as_ref().err().map(|error| error as &dyn Display), &[]);
        let own = own?;
        told?;
        Ok(own)
    }

    /// The bytes of each rank, in their order, if no rank has failed; the errors are those of
    /// [`agree`](Self::agree), in the same message.
    ///
    /// ```
    /// use ranks::{RankError, Ranks, on_threads};
    /// use std::time::Duration;
    /// let found = on_threads(2, Duration::from_secs(60), |ranks: Ranks| {
    ///     ranks.gather_agreed::<RankError>(Ok(vec![1; ranks.rank()]))
    /// });
    /// assert_eq!(found[0], Some(Ok(vec![vec![], vec![1]])));
    /// ```
    ///
    /// # Errors
    /// As [`agree`](Self::agree).
    pub fn gather_agreed<E: From<RankError> + Display>(
        &self,
        own: Result<Vec<u8>, E>,
    ) -> Result<Vec<Vec<u8>>, E> {
        if !self.are_several() {
            return own.map(|bytes| vec![bytes]);
        }
        let bytes = own.as_ref().map_or(&[][..], Vec::as_slice);
        let told = self.told(own.as_ref().err().map(|error| error as &dyn Display), bytes);
        own?;
        Ok(told?)
    }

    /// Tells the others an error or bytes: those of each rank, or the first error.
    fn told(&self, error: Option<&dyn Display>, bytes: &[u8]) -> Result<Vec<Vec<u8>>, RankError> {
        let mut own = vec![u8::from(error.is_some())];
        match error {
            Some(error) => own.extend(error.to_string().into_bytes()),
            None => own.extend(bytes),
        }
        let mut all = self.gather_each(own)?;
        for (rank, told) in all.iter_mut().enumerate() {
            match told.first() {
                Some(0) => drop(told.remove(0)),
                Some(_) => {
                    let reason = String::from_utf8_lossy(&told[1..]).into_owned();
                    return Err(RankError::Failed { rank, reason });
                }
                None => return Err(ill_sized()),
            }
        }
        Ok(all)
    }

    /// Refuses settings that are not those of rank 0: pairs of a name and a text, in any order, where a name
    /// stands once. Every rank comes to the same.
    ///
    /// ```
    /// use ranks::{OtherSetting, RankError, Ranks, on_threads};
    /// use std::time::Duration;
    /// let found = on_threads(3, Duration::from_secs(60), |ranks: Ranks| {
    ///     let seed = if ranks.rank() == 2 { "7" } else { "0" };
    ///     ranks.check_same(&[("depth", "3"), ("seed", seed)])
    /// });
    /// let [name, first, found_there] = ["seed", "0", "7"].map(str::to_owned);
    /// let refused = OtherSetting { rank: 2, name, first, found: found_there };
    /// let refused = RankError::Settings(Box::new(refused));
    /// assert_eq!(found, [(); 3].map(|()| Some(Err(refused.clone()))));
    /// ```
    ///
    /// # Errors
    /// [`RankError::Settings`] with the first rank and name; as [`Communicator::gather`].
    pub fn check_same<S: AsRef<str>>(&self, own: &[(S, S)]) -> Result<(), RankError> {
        if !self.are_several() {
            return Ok(());
        }
        let mut told = Vec::new();
        for text in own.iter().flat_map(|(name, text)| [name, text]) {
            told.extend((text.as_ref().len() as u64).to_le_bytes());
            told.extend(text.as_ref().as_bytes());
        }
        let all = self.gather_each(told)?;
        let pairs = |told: &[u8]| -> Result<BTreeMap<String, String>, RankError> {
            let texts = parts(told).ok_or_else(ill_sized)?.into_iter();
            let texts: Vec<String> = texts.map(|text| String::from_utf8_lossy(text).into_owned()).collect();
            let (texts, _) = texts.as_chunks::<2>();
            Ok(texts.iter().map(|[name, text]| (name.clone(), text.clone())).collect())
        };
        let first = pairs(all.first().map_or(&[][..], Vec::as_slice))?;
        for (rank, other) in all.iter().enumerate().skip(1) {
            let other = pairs(other)?;
            let of = |settings: &BTreeMap<String, String>, name: &str| {
                settings.get(name).cloned().unwrap_or_else(|| "not given".to_owned())
            };
            let mut names = first.keys().chain(other.keys());
            if let Some(name) = names.find(|name| first.get(*name) != other.get(*name)) {
                let (first, found) = (of(&first, name), of(&other, name));
                let name = name.clone();
                return Err(RankError::Settings(Box::new(OtherSetting { rank, name, first, found })));
            }
        }
        Ok(())
    }

    /// The least and the largest of the numbers of all ranks, −0 below 0: ∞ and −∞ where there are none. One
    /// process and several ranks find the same bits.
    ///
    /// ```
    /// use ranks::Ranks;
    /// assert_eq!(Ranks::alone().ends(&[2.0, -1.0, 0.5]), Ok([-1.0, 2.0]));
    /// ```
    ///
    /// # Errors
    /// As [`Communicator::gather`].
    pub fn ends(&self, own: &[f64]) -> Result<[f64; 2], RankError> {
        let further = |[l, m]: [f64; 2], [least, most]: [f64; 2]| {
            let least = if least.total_cmp(&l).is_lt() { least } else { l };
            [least, if most.total_cmp(&m).is_gt() { most } else { m }]
        };
        let start = [f64::INFINITY, f64::NEG_INFINITY];
        let own = own.iter().map(|number| [*number; 2]).fold(start, further);
        let all = self.gather(own.map(f64::to_le_bytes).concat())?;
        let of_ranks = all.as_chunks::<16>().0.iter().map(|pair| {
            let (words, _) = pair.as_chunks::<8>();
            [0, 1].map(|end| words.get(end).map_or(f64::NAN, |bytes| f64::from_le_bytes(*bytes)))
        });
        Ok(of_ranks.fold(start, further))
    }

    /// Sums of doubles row by row, from `start` on: the rows of this rank follow those of the ranks before.
    /// The sums are those of one process, to the bit.
    ///
    /// *Cost:* all ranks compute their terms at once, into 8·N bytes a row. The additions go from rank to
    /// rank, with a message of 8·N bytes for each.
    ///
    /// # Errors
    /// As [`Communicator::copy_from`].
    #[inline]
    pub fn sum_of_rows<const N: usize>(
        &self,
        start: [f64; N],
        terms: impl Iterator<Item = [f64; N]>,
    ) -> Result<[f64; N], RankError> {
        if !self.are_several() {
            return Ok(terms.fold(start, add));
        }
        let terms: Vec<[f64; N]> = terms.collect();
        let written = |sums: [f64; N]| sums.map(f64::to_le_bytes).concat();
        let read = |bytes: &[u8]| {
            let mut numbers = bytes.as_chunks::<8>().0.iter().map(|bytes| f64::from_le_bytes(*bytes));
            [(); N].map(|()| numbers.next().unwrap_or(f64::NAN))
        };
        let go_on = |before: Vec<u8>| written(terms.into_iter().fold(read(&before), add));
        Ok(read(&self.in_order(written(start), go_on)?))
    }

    /// The bytes of all ranks, rank by rank.
    ///
    /// # Errors
    /// As [`Communicator::gather`].
    pub fn gather(&self, bytes: Vec<u8>) -> Result<Vec<u8>, RankError> {
        let Some(peers) = &self.peers else { return Ok(bytes) };
        let mut all = Vec::new();
        peers.counted(bytes.len(), |ranks| ranks.gather(&bytes, &mut all))?;
        Ok(all)
    }

    /// The bytes of each rank, in their order.
    ///
    /// ```
    /// use ranks::{Ranks, on_threads};
    /// use std::time::Duration;
    /// let found = on_threads(3, Duration::from_secs(60), |ranks: Ranks| {
    ///     ranks.gather_each(b"ranks"[..ranks.rank()].to_vec())
    /// });
    /// assert_eq!(found[0], Some(Ok(vec![b"".to_vec(), b"r".to_vec(), b"ra".to_vec()])));
    /// assert_eq!(Ranks::alone().gather_each(vec![7]), Ok(vec![vec![7]]));
    /// ```
    ///
    /// # Errors
    /// As [`Communicator::gather`].
    pub fn gather_each(&self, bytes: Vec<u8>) -> Result<Vec<Vec<u8>>, RankError> {
        if !self.are_several() {
            return Ok(vec![bytes]);
        }
        let mut own = (bytes.len() as u64).to_le_bytes().to_vec();
        own.extend(bytes);
        let all = self.gather(own)?;
        let parts = parts(&all).filter(|parts| parts.len() == self.size()).ok_or_else(ill_sized)?;
        Ok(parts.into_iter().map(<[u8]>::to_vec).collect())
    }

    /// As [`Communicator::sum_scatter`]: the sums of this rank's own run, of `lengths[rank]` numbers.
    ///
    /// # Errors
    /// As there.
    pub fn sum_scatter<'n>(
        &self,
        numbers: &'n mut [u64],
        lengths: &[usize],
    ) -> Result<&'n mut [u64], RankError> {
        let (expected, found) = (lengths.len(), self.size());
        if expected != found {
            return Err(RankError::Lengths { expected, found });
        }
        let (expected, found) = (numbers.len(), lengths.iter().sum());
        if expected != found {
            return Err(RankError::Lengths { expected, found });
        }
        if let Some(peers) = &self.peers {
            peers.counted(8 * numbers.len(), |ranks| ranks.sum_scatter(numbers, lengths))?;
        }
        let begin = lengths[..self.rank()].iter().sum::<usize>();
        Ok(&mut numbers[begin..begin + lengths[self.rank()]])
    }

    /// Sends a run of bytes to each rank, and returns what each has sent to this one, in their order. The run
    /// of this rank stays where it is. The memory of the others goes to the engine, and that of an exchange
    /// before may come back.
    ///
    /// # Errors
    /// As [`Communicator::exchange`].
    pub fn exchange(&self, mut runs: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>, RankError> {
        let (expected, found) = (self.size(), runs.len());
        if expected != found {
            return Err(RankError::Lengths { expected, found });
        }
        let Some(peers) = &self.peers else { return Ok(runs) };
        let sent = runs.iter().enumerate().filter(|(rank, _)| *rank != self.rank());
        let bytes = sent.map(|(_, run)| run.len()).sum();
        peers.counted(bytes, |ranks| ranks.exchange(&mut runs))?;
        Ok(runs)
    }

    /// A pass over the rows of all ranks in their order, one rank after the other. Each goes on from the
    /// bytes that the rank before has left; all get the last ones.
    ///
    /// # Errors
    /// As [`Communicator::copy_from`].
    pub fn in_order(
        &self,
        start: Vec<u8>,
        pass: impl FnOnce(Vec<u8>) -> Vec<u8>,
    ) -> Result<Vec<u8>, RankError> {
        let Some(peers) = &self.peers else { return Ok(pass(start)) };
        let (mut state, mut pass) = (start, Some(pass));
        for root in 0..self.size() {
            if let Some(pass) = pass.take_if(|_| root == self.rank()) {
                state = pass(state);
            }
            let own = if root == self.rank() { state.len() } else { 0 };
            peers.counted(own, |ranks| ranks.copy_from(root, &mut state))?;
        }
        Ok(state)
    }
}

/// Parts that stand behind their lengths.
fn parts(mut bytes: &[u8]) -> Option<Vec<&[u8]>> {
    let mut parts = Vec::new();
    while let Some((length, behind)) = bytes.split_first_chunk::<8>() {
        let (part, behind) = behind.split_at_checked(usize::try_from(u64::from_le_bytes(*length)).ok()?)?;
        parts.push(part);
        bytes = behind;
    }
    bytes.is_empty().then_some(parts)
}

/// As where ranks are of two versions of a program.
fn ill_sized() -> RankError {
    RankError::System { reason: "what ranks have sent is not as long as they say".to_owned() }
}

/// Adds the numbers of a row.
fn add<const N: usize>(mut sums: [f64; N], terms: [f64; N]) -> [f64; N] {
    sums.iter_mut().zip(terms).for_each(|(sum, term)| *sum += term);
    sums
}

impl Peers {
    fn counted(
        &self,
        bytes: usize,
        operation: impl FnOnce(&dyn Communicator) -> Result<(), RankError>,
    ) -> Result<(), RankError> {
        self.messages.fetch_add(1, Relaxed);
        self.bytes.fetch_add(bytes as u64, Relaxed);
        operation(&*self.communicator)
    }
}

#[cfg(test)]
mod tests {
    use crate::{RankError, Ranks, on_threads};
    use std::time::Duration;

    const LIMIT: Duration = Duration::from_secs(60);

    /// The reason why a rank ends is its own, also where the others can no longer be told.
    #[test]
    fn a_rank_that_is_alone_has_its_own_error() {
        let found = on_threads(2, LIMIT, |ranks: Ranks| {
            if ranks.rank() == 1 {
                return None;
            }
            let refused = RankError::Lengths { expected: 1, found: 2 };
            Some([ranks.agree(Err(refused)), ranks.agree(Ok(()))])
        });
        let own = RankError::Lengths { expected: 1, found: 2 };
        assert_eq!(found[0], Some(Some([Err(own), Err(RankError::Gone { rank: 1 })])));
    }

    #[test]
    fn settings_of_all_ranks_are_compared_with_those_of_the_first() {
        type Given = &'static [(&'static str, &'static str)];
        let checked = |of_ranks: [Given; 3]| {
            let found = on_threads(3, LIMIT, |ranks: Ranks| ranks.check_same(of_ranks[ranks.rank()]));
            assert!(found.iter().all(|other| *other == found[0]), "{found:?}");
            found[0].clone().map(|found| found.map_err(|error| error.to_string()))
        };
        let refused = |words: &str| Some(Err(format!("{words}: every rank needs the same settings")));
        let own: Given = &[("a", "1"), ("b", "")];
        assert_eq!(checked([own, &[("b", ""), ("a", "1")], own]), Some(Ok(())));
        assert_eq!(checked([own, own, &[("a", "1")]]), refused("b is not given on rank 2, and  on rank 0"));
        let more: Given = &[("a", "2"), ("b", ""), ("c", "x")];
        assert_eq!(checked([own, more, own]), refused("a is 2 on rank 1, and 1 on rank 0"));
        assert_eq!(
            checked([&more[1..], &more[1..2], own]),
            refused("c is not given on rank 1, and x on rank 0")
        );
        assert_eq!(Ranks::alone().check_same(own), Ok(()));
    }

    #[test]
    fn an_error_without_words_is_one() {
        #[derive(Debug, PartialEq, thiserror::Error)]
        enum Refused {
            #[error("")]
            Own,
            #[error(transparent)]
            Other(#[from] RankError),
        }
        let found = on_threads(2, LIMIT, |ranks: Ranks| {
            ranks.agree(if ranks.rank() == 1 { Err(Refused::Own) } else { Ok(()) })
        });
        let other = RankError::Failed { rank: 1, reason: String::new() };
        assert_eq!(found, [Some(Err(Refused::Other(other))), Some(Err(Refused::Own))]);
    }
}
