//! What a training is sure to take of the memory, and what the machine has left: a training that cannot fit
//! is refused before it, and not ended by the system in the middle.

use crate::arguments::Train;
use crate::failure::Failure;
use off_policy::Log;
use std::fs;

/// Bytes for each row and action that a training has on any path: a score.
const OF_A_PAIR: u64 = 8;
/// The least share of the rows that is learnt from, in tenths, where the options name none.
const LEARNT: u64 = 7;

/// Refuses a training whose scores alone are larger than what is left of the memory.
///
/// They are a part of what it takes, so a training that is not refused may still be too large. Where the
/// system does not say what is left, nothing is refused; nor where a column says which rows judge, since that
/// may be nearly all of them. Of several ranks, each asks for its own rows.
pub(super) fn check(file: &str, log: &Log, asked: &Train) -> Result<(), Failure> {
    if asked.validation.is_some() || asked.columns.time.is_some() || asked.groups.is_some() {
        return Ok(());
    }
    let count = |number: usize| number as u64;
    let pairs = match log.action_sets() {
        None => count(log.len()).saturating_mul(count(log.actions())),
        Some(_) => (0..log.len()).map(|i| count(log.on_offer(i).iter().count())).sum(),
    };
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a share in (0, 1), in tenths"
    )]
    let tenths = asked.holdout.map_or(LEARNT, |share| ((1.0 - share) * 10.0).clamp(0.0, 10.0) as u64);
    let needed = pairs.saturating_mul(OF_A_PAIR) / 10 * tenths;
    match left() {
        Some(left) if needed > left => Err(Failure::Memory {
            file: file.to_owned(),
            what: format!("{} rows and {} actions", log.len(), log.actions()),
            needed: needed.div_ceil(MEGABYTE),
            left: left / MEGABYTE,
        }),
        _ => Ok(()),
    }
}

const MEGABYTE: u64 = 1_000_000;

/// The bytes that this process may still take: what the machine has, with its swap, and the limits of the
/// process and of its group. `None` where the system has no `/proc`.
fn left() -> Option<u64> {
    let read = |path: &str| fs::read_to_string(path).ok();
    let stated = read("/proc/meminfo")?;
    let (machine, swap) = (of_machine(&stated), kibibytes(&stated, "SwapFree:").unwrap_or(0));
    let limit = read("/proc/self/limits").and_then(|limits| of_limits(&limits, &read("/proc/self/status")?));
    let group = read("/proc/self/cgroup").and_then(|groups| {
        // The second version of control groups; an older one has no line of this kind.
        let path = groups.lines().find_map(|line| line.strip_prefix("0::"))?.to_owned();
        of_group(|name| read(&format!("/sys/fs/cgroup{path}/{name}")), swap)
    });
    [machine, limit, group].into_iter().flatten().min()
}

/// What the limit of a control group leaves, with its swap and with what the system may give back; `None`
/// without a limit.
fn of_group(read: impl Fn(&str) -> Option<String>, swap_of_machine: u64) -> Option<u64> {
    let number = |name: &str| read(name)?.trim().parse::<u64>().ok();
    let left = number("memory.max")?.saturating_sub(number("memory.current")?);
    let stated = read("memory.stat").unwrap_or_default();
    let of = |name: &str| stated.lines().find_map(|line| line.strip_prefix(name)?.trim().parse::<u64>().ok());
    let kept: u64 = ["active_file ", "inactive_file ", "slab_reclaimable "].into_iter().filter_map(of).sum();
    // Without a number there, the group may take all of the machine's.
    let swap = number("memory.swap.max")
        .map_or(swap_of_machine, |most| most.saturating_sub(number("memory.swap.current").unwrap_or(0)));
    Some(left.saturating_add(kept).saturating_add(swap.min(swap_of_machine)))
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

    #[test]
    fn a_group_has_what_it_may_swap_and_give_back() {
        let group = |most: &'static str, swap: &'static str| {
            move |name: &str| {
                let text = match name {
                    "memory.max" => most,
                    "memory.current" => "700\n",
                    "memory.swap.max" => swap,
                    "memory.swap.current" => "10\n",
                    "memory.stat" => "anon 500\nactive_file 20\ninactive_file 30\nslab_reclaimable 4\n",
                    _ => return None,
                };
                Some(text.to_owned())
            }
        };
        assert_eq!(of_group(group("1000\n", "0\n"), 90), Some(354));
        assert_eq!(of_group(group("1000\n", "50\n"), 90), Some(394));
        assert_eq!(of_group(group("1000\n", "max\n"), 90), Some(444));
        assert_eq!(of_group(group("600\n", "0\n"), 90), Some(54));
        assert_eq!(of_group(group("max\n", "max\n"), 90), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_process_has_some_left() {
        assert!(left().is_some_and(|bytes| bytes > 1 << 20));
    }
}
