//! The largest memory of this process, where the system tells it: on Linux.

use std::fs;

/// Forgets the largest memory so far; whether the system can.
pub(crate) fn forget_peak() -> bool {
    fs::write("/proc/self/clear_refs", "5").is_ok()
}

/// The largest resident memory since it was forgotten, in bytes.
pub(crate) fn peak() -> Option<u64> {
    of_status(&fs::read_to_string("/proc/self/status").ok()?)
}

/// The line `VmHWM:    1234 kB`.
fn of_status(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_of_the_peak_is_in_kibibytes() {
        let status = "Name:\tocoboost\nVmPeak:\t 9 kB\nVmHWM:\t   12 kB\nVmRSS:\t 3 kB\n";
        assert_eq!(of_status(status), Some(12 * 1024));
        assert_eq!(of_status("VmRSS:\t 3 kB\n"), None);
        assert_eq!(of_status("VmHWM:\t many kB\n"), None);
    }

    /// Tests side by side forget the peak, too, but not while the allocation stands.
    #[test]
    #[cfg(target_os = "linux")]
    fn a_large_allocation_is_seen_until_it_is_forgotten() {
        let large = vec![1_u8; 256 << 20];
        assert!(large.iter().step_by(4096).all(|byte| *byte == 1));
        let high = peak().unwrap();
        assert!(high >= 256 << 20, "{high}");
        drop(large);
        if forget_peak() {
            let low = peak().unwrap();
            assert!(low + (128 << 20) < high, "{high}, then {low}");
        }
    }
}
