//! What a training is sure to take of the memory, and what the machine has left: a training that cannot fit
//! is refused before it, and not ended by the system in the middle.

use crate::arguments::Train;
use crate::failure::Failure;
use off_policy::Log;
use std::fs;

/// Bytes for each row and action that a training has on any path: a score and its gradient.
const OF_A_PAIR: u64 = 16;
/// Of a value of the contexts: its copy beside the rows that judge.
const OF_A_VALUE: u64 = 8;
/// The least share of the rows that is learnt from, in tenths, where the options name none.
const LEARNT: u64 = 7;

/// Refuses a training whose arrays are larger than what is left of the memory.
///
/// The arrays are a part of what it takes, so a training that is not refused may still be too large. Where
/// the system does not say what is left, nothing is refused.
pub(super) fn check(file: &str, log: &Log, asked: &Train) -> Result<(), Failure> {
    let count = |number: usize| number as u64;
    let pairs = match log.action_sets() {
        None => count(log.len()).saturating_mul(count(log.actions())),
        Some(_) => (0..log.len()).map(|i| count(log.on_offer(i).iter().count())).sum(),
    };
    let whole = pairs
        .saturating_mul(OF_A_PAIR)
        .saturating_add(count(log.contexts().stored_values()).saturating_mul(OF_A_VALUE));
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a share in (0, 1), in tenths"
    )]
    let tenths = asked.holdout.map_or(LEARNT, |share| ((1.0 - share) * 10.0).clamp(0.0, 10.0) as u64);
    // A column may say that nearly all rows judge.
    let tenths = if asked.validation.is_some() { 0 } else { tenths };
    let needed = whole / 10 * tenths;
    match left() {
        Some(left) if needed > left => Err(Failure::Memory {
            file: file.to_owned(),
            what: format!("{} rows and {} actions", log.len(), log.actions()),
            needed: megabytes(needed),
            left: megabytes(left),
        }),
        _ => Ok(()),
    }
}

fn megabytes(bytes: u64) -> u64 {
    bytes.div_ceil(1_000_000)
}

/// The bytes that this process may still take: what the machine has, with its swap, and the limits of the
/// process and of its group. `None` where the system has no `/proc`.
fn left() -> Option<u64> {
    let read = |path: &str| fs::read_to_string(path).ok();
    let machine = of_machine(&read("/proc/meminfo")?);
    let limit = read("/proc/self/limits").and_then(|limits| of_limits(&limits, &read("/proc/self/status")?));
    // The second version of control groups; an older one has no folder of this kind.
    let group = read("/proc/self/cgroup").and_then(|groups| {
        let path = groups.lines().find_map(|line| line.strip_prefix("0::"))?.to_owned();
        let read = |name: &str| read(&format!("/sys/fs/cgroup{path}/{name}"))?.trim().parse::<u64>().ok();
        // What the system may give back is counted as taken there.
        Some(read("memory.max")?.saturating_sub(read("memory.current")?).saturating_add(cached(&path)))
    });
    [machine, limit, group].into_iter().flatten().min()
}

/// The bytes of files that a group's memory holds and may drop.
fn cached(group: &str) -> u64 {
    let stated = fs::read_to_string(format!("/sys/fs/cgroup{group}/memory.stat")).unwrap_or_default();
    let of = |name: &str| stated.lines().find_map(|line| line.strip_prefix(name)?.trim().parse::<u64>().ok());
    ["active_file ", "inactive_file "].into_iter().filter_map(of).sum()
}

/// `MemAvailable` and `SwapFree`, which are in kibibytes.
fn of_machine(meminfo: &str) -> Option<u64> {
    Some(kibibytes(meminfo, "MemAvailable:")? + kibibytes(meminfo, "SwapFree:").unwrap_or(0))
}

/// What the limit of the address space leaves; `None` without a limit.
fn of_limits(limits: &str, status: &str) -> Option<u64> {
    let line = limits.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    let limit: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(limit.saturating_sub(kibibytes(status, "VmSize:")?))
}

/// The bytes of a line like `MemAvailable:   20480 kB`.
fn kibibytes(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse::<u64>().ok()?.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_system_says_is_read() {
        let meminfo =
            "MemTotal:       24000 kB\nMemAvailable:   2000 kB\nSwapTotal: 9 kB\nSwapFree:  100 kB\n";
        assert_eq!(of_machine(meminfo), Some(2100 * 1024));
        assert_eq!(of_machine("MemTotal: 1 kB\n"), None);
        let limits = |soft: &str| {
            format!("Limit  Soft Limit  Hard Limit  Units\nMax address space {soft} unlimited bytes\n")
        };
        let status = "Name:\tx\nVmPeak:\t 900 kB\nVmSize:\t 300 kB\n";
        assert_eq!(of_limits(&limits("1024000"), status), Some(1_024_000 - 300 * 1024));
        assert_eq!(of_limits(&limits("1024"), status), Some(0));
        assert_eq!(of_limits(&limits("unlimited"), status), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_process_has_some_left() {
        assert!(left().is_some_and(|bytes| bytes > 1 << 20));
    }
}
