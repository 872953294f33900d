//! The operations, on the one thread that calls MPI.
//!
//! A message of MPI that has begun cannot be taken back, and its buffers must live until it is over. So the
//! thread of the engine owns them. Where others are waited for in vain, it tells the thread that has asked,
//! and stays in the message for good.

use crate::frame::{Frames, LOAD, Operation, digest, word};
use mpi::Count;
use mpi::collective::SystemOperation;
use mpi::datatype::{Partition, PartitionMut};
use mpi::request::{Request, Scope};
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, CommunicatorCollectives, Destination, Equivalence, Root, Source};
use ranks::RankError;
use std::ops::Range;
use std::sync::mpsc::SyncSender;
use std::thread;
use std::time::{Duration, Instant};

/// What goes into an operation, and what comes out of it.
#[derive(Debug, Default)]
pub(crate) struct Parcel {
    pub(crate) numbers: Vec<u64>,
    pub(crate) bytes: Vec<u8>,
    pub(crate) lengths: Vec<usize>,
    /// What goes to each rank, and then what has come from each.
    pub(crate) runs: Vec<Vec<u8>>,
    /// The rank whose bytes are copied.
    pub(crate) root: usize,
    /// What ranks leave with, and then the largest of all.
    pub(crate) code: usize,
}

/// The parcel, or why there is none.
pub(crate) type Outcome = Result<Parcel, RankError>;

/// For so long a rank that waits only lets others go first; then it sleeps between its looks.
const AWAKE: Duration = Duration::from_millis(5);
/// The bytes of free memory that are kept for the next exchange.
const KEPT: usize = 1 << 27;
/// The longest sleep.
const SLEEP: Duration = Duration::from_millis(1);

pub(crate) struct Engine {
    waiting: Waiting,
    size: usize,
    rank: usize,
    /// Numbers or bytes of one message, at most.
    largest: usize,
    frames: Frames,
    numbers: Staging<u64>,
    bytes: Staging<u8>,
    /// Free memory for what comes in an exchange.
    free: Vec<Vec<u8>>,
}

/// The messages that are under way.
struct Waiting {
    world: SimpleCommunicator,
    limit: Duration,
    outcomes: SyncSender<Outcome>,
}

/// What a message is sent from and received in.
#[derive(Debug, Default)]
struct Staging<T> {
    to: Vec<T>,
    from: Vec<T>,
    to_counts: Vec<Count>,
    from_counts: Vec<Count>,
}

impl Engine {
    pub(crate) fn new(
        world: SimpleCommunicator,
        limit: Duration,
        largest: usize,
        outcomes: SyncSender<Outcome>,
    ) -> Self {
        // MPI counts ranks from 0 by a signed number.
        let [rank, size] = [world.rank(), world.size()].map(|n| usize::try_from(n).unwrap_or_default());
        let largest = largest.clamp(1, usize::try_from(Count::MAX).unwrap_or(usize::MAX));
        Self {
            waiting: Waiting { world, limit, outcomes },
            size,
            rank,
            largest,
            frames: Frames::new(size),
            numbers: Staging::default(),
            bytes: Staging::default(),
            free: Vec::new(),
        }
    }

    pub(crate) fn rank(&self) -> usize {
        self.rank
    }

    pub(crate) fn size(&self) -> usize {
        self.size
    }

    /// Does what all ranks ask for at once. It does not return where another rank does not answer.
    ///
    /// An error is one on every rank.
    pub(crate) fn operate(&mut self, operation: Operation, parcel: &mut Parcel) -> Result<(), RankError> {
        let (length, agreed) = match operation {
            Operation::Sum | Operation::Max => (parcel.numbers.len(), 0),
            Operation::SumScatter => (parcel.numbers.len(), digest(&parcel.lengths)),
            Operation::Gather => (parcel.bytes.len(), 0),
            Operation::Copy => (parcel.bytes.len(), parcel.root as u64),
            Operation::Exchange => (parcel.runs.len(), 0),
            Operation::Leave => (parcel.code, 0),
        };
        self.frames.begin(operation, length, agreed);
        match operation {
            Operation::Sum | Operation::Max | Operation::SumScatter => {
                self.frames.load_mut().iter_mut().zip(&parcel.numbers).for_each(|(load, own)| *load = *own);
            }
            Operation::Gather | Operation::Copy => pack(&parcel.bytes, self.frames.load_mut()),
            Operation::Exchange | Operation::Leave => {}
        }
        let Frames { own, all } = &mut self.frames;
        mpi::request::scope(|scope| {
            let world = &self.waiting.world;
            self.waiting.wait(world.immediate_all_gather_into(scope, &own[..], &mut all[..]), 0);
        });
        self.frames.check()?;
        match operation {
            Operation::Sum => self.reduce(parcel, SystemOperation::sum(), u64::wrapping_add),
            Operation::Max => self.reduce(parcel, SystemOperation::max(), u64::max),
            Operation::Gather => self.gather(parcel),
            Operation::Copy => self.copy(parcel),
            Operation::SumScatter => self.sum_scatter(parcel),
            Operation::Exchange => self.exchange(parcel),
            Operation::Leave => parcel.code = self.frames.lengths().max().unwrap_or(0),
        }
        Ok(())
    }

    fn reduce(&mut self, parcel: &mut Parcel, of_mpi: SystemOperation, with: fn(u64, u64) -> u64) {
        let numbers = &mut parcel.numbers;
        if numbers.len() <= LOAD {
            self.reduce_loads(numbers, with);
            return;
        }
        let Staging { from, .. } = &mut self.numbers;
        from.resize(numbers.len(), 0);
        for (own, all) in numbers.chunks(self.largest).zip(from.chunks_mut(self.largest)) {
            mpi::request::scope(|scope| {
                let world = &self.waiting.world;
                let request = world.immediate_all_reduce_into(scope, own, all, of_mpi);
                self.waiting.wait(request, size_of_val(own));
            });
        }
        std::mem::swap(numbers, from);
    }

    fn reduce_loads(&self, numbers: &mut [u64], with: fn(u64, u64) -> u64) {
        for (rank, load) in self.frames.loads().enumerate() {
            for (all, own) in numbers.iter_mut().zip(load) {
                *all = if rank == 0 { *own } else { with(*all, *own) };
            }
        }
    }

    fn gather(&mut self, parcel: &mut Parcel) {
        let (Parcel { bytes, lengths, .. }, largest) = (parcel, self.largest_piece());
        lengths.clear();
        lengths.extend(self.frames.lengths());
        let longest = lengths.iter().copied().max().unwrap_or(0);
        let Staging { to, from, from_counts, .. } = &mut self.bytes;
        std::mem::swap(to, bytes);
        bytes.clear();
        if longest <= 8 * LOAD {
            for (load, length) in self.frames.loads().zip(&*lengths) {
                unpack(load, *length, bytes);
            }
            return;
        }
        bytes.resize(lengths.iter().sum(), 0);
        for begin in (0..longest).step_by(largest) {
            let piece = |length: usize| piece(length, begin, largest);
            set_counts(from_counts, lengths, piece);
            from.resize(lengths.iter().map(|length| piece(*length).len()).sum(), 0);
            let own = &to[piece(to.len())];
            let displacements = displacements(from_counts);
            let mut parts = PartitionMut::new(&mut from[..], &from_counts[..], &displacements[..]);
            mpi::request::scope(|scope| {
                let world = &self.waiting.world;
                let request = world.immediate_all_gather_varcount_into(scope, own, &mut parts);
                self.waiting.wait(request, self.largest);
            });
            let (mut first, mut rest) = (0, &from[..]);
            for length in &*lengths {
                let (part, behind) = rest.split_at(piece(*length).len());
                let at = first + piece(*length).start;
                bytes[at..at + part.len()].copy_from_slice(part);
                (first, rest) = (first + length, behind);
            }
        }
    }

    fn copy(&mut self, parcel: &mut Parcel) {
        let Parcel { bytes, root, .. } = parcel;
        let length = self.frames.lengths().nth(*root).unwrap_or(0);
        if length <= 8 * LOAD {
            bytes.clear();
            self.frames.loads().nth(*root).into_iter().for_each(|load| unpack(load, length, bytes));
            return;
        }
        bytes.resize(length, 0);
        let of_root = self.waiting.world.process_at_rank(count(*root));
        for chunk in bytes.chunks_mut(self.largest) {
            let length = chunk.len();
            mpi::request::scope(|scope| {
                self.waiting.wait(of_root.immediate_broadcast_into(scope, chunk), length);
            });
        }
    }

    /// Every rank gets its run of every other, and adds them: each number is sent once. The library has no
    /// reduce-scatter of runs that differ in length; that of runs of one length sends more.
    fn sum_scatter(&mut self, parcel: &mut Parcel) {
        let Parcel { numbers, lengths, .. } = parcel;
        let own = lengths.get(self.rank).copied().unwrap_or(0);
        if numbers.len() <= LOAD {
            self.reduce_loads(numbers, u64::wrapping_add);
            let first = lengths.iter().take(self.rank).sum::<usize>();
            numbers.copy_within(first..first + own, 0);
            numbers.truncate(own);
            return;
        }
        let mut sums = vec![0_u64; own];
        let (from, longest) = (vec![own; self.size], lengths.iter().copied().max().unwrap_or(0));
        let largest = self.largest_piece();
        self.waiting.in_pieces(
            &mut self.numbers,
            (numbers, lengths),
            (&from, longest),
            largest,
            |_, at, part| {
                sums[at..].iter_mut().zip(part).for_each(|(sum, n)| *sum = sum.wrapping_add(*n));
            },
        );
        *numbers = sums;
    }

    /// The lengths go first. The runs are then sent and received where they are, in memory of the exchange
    /// before.
    fn exchange(&mut self, parcel: &mut Parcel) {
        let (world, me, largest) = (&self.waiting.world, self.rank, self.largest);
        let lengths: Vec<u64> = parcel.runs.iter().map(|run| run.len() as u64).collect();
        let mut from_lengths = vec![0; self.size];
        mpi::request::scope(|scope| {
            let request = world.immediate_all_to_all_into(scope, &lengths[..], &mut from_lengths[..]);
            self.waiting.wait(request, 0);
        });
        let mut from = std::mem::take(&mut self.free);
        from.resize_with(self.size, Vec::new);
        for (rank, (run, length)) in from.iter_mut().zip(from_lengths).enumerate() {
            // The run of this rank is not sent.
            run.resize(if rank == me { 0 } else { word(length) }, 0);
        }
        from[me] = std::mem::take(&mut parcel.runs[me]);
        let [bytes, sent] = [&from, &parcel.runs].map(|runs| runs.iter().map(Vec::len).sum::<usize>());
        mpi::request::scope(|scope| {
            let mut requests = Vec::new();
            for (rank, run) in from.iter_mut().enumerate().filter(|(rank, _)| *rank != me) {
                let other = world.process_at_rank(count(rank));
                let pieces = run.chunks_mut(largest);
                requests.extend(pieces.map(|piece| other.immediate_receive_into(scope, piece)));
            }
            for (rank, run) in parcel.runs.iter().enumerate() {
                let other = world.process_at_rank(count(rank));
                requests.extend(run.chunks(largest).map(|piece| other.immediate_send(scope, piece)));
            }
            self.waiting.wait_for_all(requests, bytes.max(sent));
        });
        let sent = std::mem::replace(&mut parcel.runs, from);
        if sent.iter().map(Vec::capacity).sum::<usize>() <= KEPT {
            self.free = sent;
        }
    }

    /// What a rank may send to another in a message, so that it sends and receives at most `largest`.
    fn largest_piece(&self) -> usize {
        (self.largest / self.size.max(1)).max(1)
    }
}

impl Waiting {
    /// Sends a run to each rank, and takes what each has sent, piece by piece. `longest` is the longest run
    /// of all ranks.
    fn in_pieces<T: Equivalence + Copy + Default>(
        &self,
        staging: &mut Staging<T>,
        (runs, to_lengths): (&[T], &[usize]),
        (from_lengths, longest): (&[usize], usize),
        largest: usize,
        mut take: impl FnMut(usize, usize, &[T]),
    ) {
        let Staging { to, from, to_counts, from_counts } = staging;
        for begin in (0..longest).step_by(largest) {
            let piece = |length: usize| piece(length, begin, largest);
            to.clear();
            let mut rest = runs;
            for length in to_lengths {
                let (run, behind) = rest.split_at(*length);
                to.extend_from_slice(&run[piece(*length)]);
                rest = behind;
            }
            from.resize(from_lengths.iter().map(|length| piece(*length).len()).sum(), T::default());
            set_counts(to_counts, to_lengths, piece);
            set_counts(from_counts, from_lengths, piece);
            let bytes = size_of_val(&to[..]).max(size_of_val(&from[..]));
            let (to_at, from_at) = (displacements(to_counts), displacements(from_counts));
            let sent = Partition::new(&to[..], &to_counts[..], &to_at[..]);
            let mut received = PartitionMut::new(&mut from[..], &from_counts[..], &from_at[..]);
            mpi::request::scope(|scope| {
                let request = self.world.immediate_all_to_all_varcount_into(scope, &sent, &mut received);
                self.wait(request, bytes);
            });
            let mut rest = &from[..];
            for (rank, length) in from_lengths.iter().enumerate() {
                let (part, behind) = rest.split_at(piece(*length).len());
                if !part.is_empty() {
                    take(rank, begin, part);
                }
                rest = behind;
            }
        }
    }

    /// Waits for a message of so many bytes.
    ///
    /// MPI goes on with a message only while it is asked about it, so a long one is asked about without sleep
    /// for as long as a slow network would take.
    fn wait<'a, D: ?Sized, S: Scope<'a>>(&self, request: Request<'a, D, S>, bytes: usize) {
        self.wait_for_all(vec![request], bytes);
    }

    /// Waits for messages of so many bytes in all.
    fn wait_for_all<'a, D: ?Sized, S: Scope<'a>>(&self, mut requests: Vec<Request<'a, D, S>>, bytes: usize) {
        let begun = Instant::now();
        let awake = AWAKE + Duration::from_nanos(2 * bytes as u64);
        loop {
            requests = requests.into_iter().filter_map(|request| request.test().err()).collect();
            if requests.is_empty() {
                return;
            }
            let waited = begun.elapsed();
            if waited < awake {
                thread::yield_now();
            } else if waited < self.limit {
                thread::sleep((waited / 16).min(SLEEP));
            } else {
                self.give_up();
            }
        }
    }

    /// The end of this thread's work: the buffers of a message that is not over stay where they are.
    fn give_up(&self) -> ! {
        // Nobody is there to hear it where the process is about to end.
        let _ = self.outcomes.send(Err(RankError::TimedOut { seconds: self.limit.as_secs() }));
        loop {
            thread::park();
        }
    }
}

/// The part of a run that goes in the message that begins at `begin` of the longest.
fn piece(length: usize, begin: usize, largest: usize) -> Range<usize> {
    let begin = begin.min(length);
    begin..length.min(begin + largest)
}

fn set_counts(counts: &mut Vec<Count>, lengths: &[usize], piece: impl Fn(usize) -> Range<usize>) {
    counts.clear();
    counts.extend(lengths.iter().map(|length| count(piece(*length).len())));
}

fn displacements(counts: &[Count]) -> Vec<Count> {
    let sum = |sum: &mut Count, count: &Count| {
        let first = *sum;
        *sum += count;
        Some(first)
    };
    counts.iter().scan(0, sum).collect()
}

/// As MPI counts; messages are cut so that they are not longer.
fn count(n: usize) -> Count {
    Count::try_from(n).unwrap_or(Count::MAX)
}

fn pack(bytes: &[u8], words: &mut [u64]) {
    for (word, chunk) in words.iter_mut().zip(bytes.chunks(8)) {
        let mut padded = [0; 8];
        padded[..chunk.len()].copy_from_slice(chunk);
        *word = u64::from_le_bytes(padded);
    }
}

fn unpack(words: &[u64], length: usize, bytes: &mut Vec<u8>) {
    bytes.extend(words.iter().flat_map(|word| word.to_le_bytes()).take(length));
}
