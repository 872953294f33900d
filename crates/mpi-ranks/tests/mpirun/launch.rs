//! The start of this program as ranks.

use std::env;
use std::fmt::Display;
use std::fs::File;
use std::io::{Read, Seek};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

pub(crate) const RANKS: [usize; 4] = [1, 2, 3, 7];
/// No case takes a tenth of it on an idle machine.
const LIMIT: Duration = Duration::from_secs(120);

/// A case, to be run by so many ranks.
#[must_use]
pub(crate) struct Launch {
    command: Command,
    what: String,
}

/// How it ended.
pub(crate) struct End {
    pub(crate) is_success: bool,
    pub(crate) took: Duration,
    /// What the ranks and mpirun have printed.
    pub(crate) text: String,
}

impl Launch {
    pub(crate) fn of(case: &str, ranks: usize) -> Self {
        let mut command = Command::new("mpirun");
        command.args(["-n", &ranks.to_string()]).arg(env::current_exe().unwrap());
        Self { command, what: format!("{case} on {ranks} ranks") }.of_case(case, ranks)
    }

    /// Without mpirun.
    pub(crate) fn alone(case: &str) -> Self {
        let command = Command::new(env::current_exe().unwrap());
        Self { command, what: format!("{case} alone") }.of_case(case, 1)
    }

    fn of_case(mut self, case: &str, ranks: usize) -> Self {
        self.command.args(["--exact", "rank", "--nocapture", "--test-threads", "1"]);
        self.command.env("CASE", case).env("RANKS", ranks.to_string());
        // Open MPI refuses these two unless told otherwise: the user of a container, and few cores.
        for name in
            ["OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "OMPI_MCA_rmaps_base_oversubscribe"]
        {
            self.command.env(name, "1");
        }
        self
    }

    /// A setting of the case, which it reads by [`setting`].
    pub(crate) fn with(mut self, name: &str, value: impl Display) -> Self {
        self.command.env(name, value.to_string());
        self.what += &format!(", {name} {value}");
        self
    }

    pub(crate) fn run(mut self) -> End {
        let (mut text, begun) = (String::new(), Instant::now());
        let mut output = tempfile::tempfile().unwrap();
        let stream = |file: &File| Stdio::from(file.try_clone().unwrap());
        self.command.stdin(Stdio::null()).stdout(stream(&output)).stderr(stream(&output));
        let mut mpirun = self.command.spawn().expect("mpirun, which these tests are for, does not start");
        let status = loop {
            if let Some(status) = mpirun.try_wait().unwrap() {
                break status;
            }
            if begun.elapsed() > LIMIT {
                mpirun.kill().unwrap();
                mpirun.wait().unwrap();
                panic!("{} has not ended after {LIMIT:?}", self.what);
            }
            sleep(Duration::from_millis(5));
        };
        output.rewind().unwrap();
        output.read_to_string(&mut text).unwrap();
        End { is_success: status.success(), took: begun.elapsed(), text }
    }

    /// Runs it, and sees every rank pass.
    pub(crate) fn succeed(self) {
        let (what, ranks) = (self.what.clone(), setting_of(&self.command, "RANKS"));
        let end = self.run();
        let passed = end.text.matches("1 passed").count();
        assert!(end.is_success && passed == ranks, "{what}: {passed} ranks passed\n{}", end.text);
    }
}

fn setting_of(command: &Command, name: &str) -> usize {
    let value = command.get_envs().find(|(key, _)| *key == name).and_then(|(_, value)| value);
    value.and_then(|value| value.to_str()?.parse().ok()).unwrap()
}

/// What [`Launch::with`] has set.
pub(crate) fn setting<T: std::str::FromStr>(name: &str) -> Option<T> {
    env::var(name).ok()?.parse().ok()
}
