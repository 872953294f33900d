//! `bench`: cargo's benchmarks, the table beside the peers, and counts of instructions.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::process::{Command, Stdio};

use crate::cargo::{Failure, cargo, finish, hand_over, line, root, target, tool};

/// The kept counts of instructions, from the workspace root.
const KEPT: &str = "benches/instructions.txt";
/// A count may grow by this part.
const MARGIN: f64 = 0.03;

/// A kind of benchmark with its arguments.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Bench {
    /// `cargo bench` of the benchmark package.
    Cargo(Vec<OsString>),
    /// Every workload beside its peers.
    Peers(Vec<OsString>),
    /// Instructions of small fixed rounds.
    Instructions { write: bool },
}

pub(crate) fn run(bench: &Bench) -> Result<u8, Failure> {
    match bench {
        Bench::Cargo(arguments) => finish(cargo(["bench", "-p", "benches"]).args(arguments)),
        Bench::Peers(arguments) => hand_over(&mut peers(arguments)),
        Bench::Instructions { write } => instructions(*write),
    }
}

/// The program that makes the environment of the peers, builds ours and plays the workloads.
fn peers(arguments: &[OsString]) -> Command {
    let mut command = tool("python3");
    command.arg("benches/peers/run.py").args(arguments);
    command
}

/// Counts every piece of `benches/examples/instruction_count.rs`, and compares with the kept counts or keeps
/// the new ones.
fn instructions(write: bool) -> Result<u8, Failure> {
    let mut build =
        cargo(["build", "--quiet", "--release", "-p", "benches", "--example", "instruction_count"]);
    // An incremental build divides a crate differently, and makes other code.
    let code = finish(build.env("CARGO_INCREMENTAL", "0"))?;
    if code != 0 {
        return Ok(code);
    }
    if tool("valgrind").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_err() {
        println!("missing: valgrind is not installed, so no instruction was counted");
        return Ok(0);
    }
    let program = target().join("release/examples/instruction_count");
    let mut found = Counts { compiler: output(tool("rustc").arg("--version"))?.0, pieces: BTreeMap::new() };
    for name in output(&mut tool(&program))?.0.lines() {
        let mut command = tool("valgrind");
        command.args(["--tool=callgrind", "--callgrind-out-file=/dev/null", "--collect-atstart=no"]);
        command.arg("--toggle-collect=instruction_count::counted*").arg(&program).arg(name);
        let typed = line(&command);
        let (_, said) = output(&mut command)?;
        let Some(count) = collected(&said).filter(|count| *count > 0) else {
            eprintln!("xtask: no count of instructions in the output of `{typed}`:\n{said}");
            return Ok(1);
        };
        found.pieces.insert(name.to_owned(), count);
    }
    let path = root().join(KEPT);
    if write {
        std::fs::write(&path, found.text()).map_err(|source| Failure::Write { source })?;
        print!("{}", found.text());
        return Ok(0);
    }
    let kept = std::fs::read_to_string(&path).map_err(|source| Failure::Read { path, source })?;
    let (text, has_grown) = compare(&Counts::read(&kept), &found);
    println!("{text}");
    Ok(u8::from(has_grown))
}

/// What a program writes to its two streams.
fn output(command: &mut Command) -> Result<(String, String), Failure> {
    let done = command.output().map_err(|source| Failure::Process { command: line(command), source })?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    Ok((text(&done.stdout), text(&done.stderr)))
}

/// The number in callgrind's line `==1== Collected : 1234`.
fn collected(said: &str) -> Option<u64> {
    let line = said.lines().find_map(|line| line.split_once("Collected : "))?.1;
    line.trim().parse().ok()
}

/// Counts with the compiler that they are of.
#[derive(Debug, Default, PartialEq, Eq)]
struct Counts {
    compiler: String,
    pieces: BTreeMap<String, u64>,
}

impl Counts {
    /// A line `# compiler`, and a line `name count` a piece.
    fn read(text: &str) -> Self {
        let mut found = Self::default();
        for line in text.lines() {
            if let Some(compiler) = line.strip_prefix("# ") {
                compiler.clone_into(&mut found.compiler);
            } else if let Some((name, count)) = line.split_once(' ')
                && let Ok(count) = count.trim().parse()
            {
                found.pieces.insert(name.to_owned(), count);
            }
        }
        found
    }

    fn text(&self) -> String {
        let lines = self.pieces.iter().map(|(name, count)| format!("{name} {count}\n"));
        format!("# {}\n{}", self.compiler, lines.collect::<String>())
    }
}

/// A line a piece, and whether one has grown by more than the margin. Another compiler makes other code: then
/// nothing counts as grown.
#[allow(clippy::cast_precision_loss, reason = "counts are far below 2⁵³")]
fn compare(kept: &Counts, found: &Counts) -> (String, bool) {
    let (mut lines, mut has_grown) = (Vec::new(), false);
    for (name, count) in &found.pieces {
        let Some(before) = kept.pieces.get(name) else {
            lines.push(format!("new    {name}: {count}, with no kept count"));
            continue;
        };
        let (now, before) = (*count as f64, *before as f64);
        let (grown, change) = (now > before * (1.0 + MARGIN), now / before - 1.0);
        has_grown |= grown;
        let verdict = if grown { "GROWN" } else { "fine " };
        lines
            .push(format!("{verdict}  {name}: {count} instructions, kept {before}, {:+.2}%", 100.0 * change));
    }
    for name in kept.pieces.keys().filter(|name| !found.pieces.contains_key(*name)) {
        lines.push(format!("gone   {name}"));
    }
    if kept.compiler != found.compiler {
        lines.push(format!(
            "warning: the kept counts are of {}, these of {}; a growth is no failure",
            kept.compiler, found.compiler
        ));
        has_grown = false;
    } else if has_grown {
        lines.push(format!(
            "more than {:.0}% more instructions; if that is intended: cargo xtask bench --instructions --write",
            100.0 * MARGIN
        ));
    }
    (lines.join("\n"), has_grown)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(compiler: &str, pieces: &[(&str, u64)]) -> Counts {
        let pieces = pieces.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect();
        Counts { compiler: compiler.to_owned(), pieces }
    }

    #[test]
    fn the_peers_are_played_by_one_program_with_the_arguments_untouched() {
        let command = peers(&["--only", "stumps", "--json", "a.json"].map(OsString::from));
        assert_eq!(line(&command), "python3 benches/peers/run.py --only stumps --json a.json");
        assert!(root().join("benches/peers/run.py").is_file());
    }

    /// The tests of the program behind `--peers` need no peer and no network.
    #[test]
    fn the_program_of_the_peers_passes_its_own_tests() {
        let mut command = tool("python3");
        let folder = root().join("benches/peers");
        match command.args(["-B", "-m", "unittest", "-q"]).current_dir(folder).output() {
            Err(_) => println!("REDUCED the_program_of_the_peers_passes_its_own_tests: there is no python3"),
            Ok(done) => assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr)),
        }
    }

    #[test]
    fn counts_are_written_and_read() {
        let found = counts("rustc 1.95.0", &[("a-round", 123), ("projection", 4_000_000_000)]);
        assert_eq!(found.text(), "# rustc 1.95.0\na-round 123\nprojection 4000000000\n");
        assert_eq!(Counts::read(&found.text()), found);
        assert_eq!(collected("==7== \n==7== Collected : 81293\n"), Some(81293));
        assert_eq!(collected("==7== Collected : many"), None);
    }

    #[test]
    fn a_piece_may_grow_by_the_margin_and_no_more() {
        let kept = counts("rustc 1", &[("a", 1000), ("b", 1000)]);
        let grown = |a, b| compare(&kept, &counts("rustc 1", &[("a", a), ("b", b)])).1;
        assert!(!grown(1000, 1000));
        assert!(!grown(1030, 500));
        assert!(grown(1031, 500));
        assert!(grown(1, 1200));
    }

    #[test]
    fn another_compiler_only_warns() {
        let kept = counts("rustc 1", &[("a", 1000)]);
        let (text, has_grown) = compare(&kept, &counts("rustc 2", &[("a", 2000)]));
        assert!(!has_grown);
        assert!(text.contains("GROWN  a") && text.contains("warning"), "{text}");
    }

    #[test]
    fn a_new_piece_and_a_lost_one_are_named() {
        let (text, has_grown) = compare(&counts("rustc 1", &[("a", 1)]), &counts("rustc 1", &[("b", 1)]));
        assert!(!has_grown);
        assert!(text.contains("new    b") && text.contains("gone   a"), "{text}");
    }

    /// The file in the repository has every piece of the program.
    #[test]
    fn the_kept_counts_are_of_the_pieces_of_the_program() {
        let read = |path: &str| std::fs::read_to_string(root().join(path)).unwrap();
        let (kept, program) = (Counts::read(&read(KEPT)), read("benches/examples/instruction_count.rs"));
        assert!(kept.compiler.starts_with("rustc "), "{}", kept.compiler);
        assert!(kept.pieces.len() >= 4);
        for name in kept.pieces.keys() {
            assert!(program.contains(&format!("(\"{name}\"")), "{name}");
        }
    }
}
