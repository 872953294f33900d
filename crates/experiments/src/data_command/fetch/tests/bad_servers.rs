//! Servers that stall, send slowly, announce wrong lengths, never end, send gzip bombs, or redirect in
//! circles.

use super::*;
use datasets::ArchiveProblem;

/// Long enough for a loaded machine, short enough for a test.
const SOON: Duration = Duration::from_millis(500);

fn patient() -> Limits {
    Limits { stall: Duration::from_secs(8), overall: Duration::from_secs(8), ..Limits::default() }
}

fn hurried() -> Limits {
    Limits { overall: SOON, ..patient() }
}

fn easily_bored() -> Limits {
    Limits { stall: SOON, ..patient() }
}

/// Sends this, and nothing more until the client closes the connection.
fn stalling_after(answer: Vec<u8>) -> Action {
    Box::new(move |connection| {
        let _ = connection.write_all(&answer);
        let _ = connection.read(&mut [0; 16]);
    })
}

/// Sends this byte by byte, for at most five seconds.
fn trickling(answer: Vec<u8>) -> Action {
    Box::new(move |connection| {
        for byte in answer.into_iter().take(500) {
            if connection.write_all(&[byte]).is_err() {
                return;
            }
            thread::sleep(Duration::from_millis(10));
        }
    })
}

/// Sends the first, then the second again and again until the client closes the connection, for at most five
/// seconds.
fn endless(head: Vec<u8>, body: Vec<u8>) -> Action {
    Box::new(move |connection| {
        let start = Instant::now();
        let mut said = connection.write_all(&head);
        while said.is_ok() && start.elapsed() < Duration::from_secs(5) {
            said = connection.write_all(&body);
        }
    })
}

fn fetch_file_within(limits: Limits, actions: Vec<Action>) -> (Outcome, tempfile::TempDir) {
    let folder = folder();
    let outcome = fetch_within(limits, folder.path(), FILE, actions);
    (outcome, folder)
}

fn timed_out(outcome: &Outcome, waited_for: Wait, after: Duration) -> u64 {
    match &outcome.result {
        Err(error @ FetchError::TimedOut { url, wait, limit, received }) => {
            assert_eq!((*wait, *limit), (waited_for, after));
            assert!(
                error.to_string().contains("letters.data") && error.to_string().contains("0.5 s"),
                "{error}"
            );
            assert!(url.ends_with("/home/letters/letters.data"));
            *received
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_silent_server_times_out() {
    let (outcome, _folder) = fetch_file_within(easily_bored(), vec![stalling_after(Vec::new())]);
    assert_eq!(timed_out(&outcome, Wait::NextBytes, SOON), 0);
    assert!(outcome.names.is_empty());
}

#[test]
fn bytes_before_a_stall_are_kept_and_continued() {
    let begun = answer("200 OK", "Content-Length: 10000\r\n", &content()[..4_000]);
    let (outcome, folder) = fetch_file_within(easily_bored(), vec![stalling_after(begun)]);
    assert_eq!(timed_out(&outcome, Wait::NextBytes, SOON), 4_000);
    assert_eq!(outcome.names, ["letters.data.part"]);
    let second = fetch_from(folder.path(), FILE, vec![rest(&content(), 4_000)]);
    second.result.unwrap();
    assert!(second.requests[0].contains("range: bytes=4000-"));
    assert_eq!(second.names, ["letters.data"]);
}

#[test]
fn a_slow_download_ends_at_the_overall_limit() {
    let (outcome, _folder) = fetch_file_within(hurried(), vec![trickling(whole(&content()))]);
    timed_out(&outcome, Wait::Answer, SOON);
    let mut begun = vec![b' '; 10];
    begun.splice(0..0, answer("200 OK", "Content-Length: 10000\r\n", b""));
    let trickle: Action = Box::new(move |connection| {
        let _ = connection.write_all(&begun);
        trickling(content())(connection);
    });
    let (outcome, folder) = fetch_file_within(hurried(), vec![trickle]);
    let received = timed_out(&outcome, Wait::Answer, SOON);
    assert!((10..500).contains(&received), "{received}");
    assert_eq!(fs::metadata(folder.path().join("letters.data.part")).unwrap().len(), received);
}

fn too_large(outcome: &Outcome, limit: u64) -> u64 {
    match &outcome.result {
        Err(error @ FetchError::TooLarge { limit: most, got, .. }) => {
            assert_eq!(*most, limit);
            for part in ["letters.data".to_owned(), limit.to_string(), got.to_string()] {
                assert!(error.to_string().contains(&part), "{error}");
            }
            assert!(outcome.names.is_empty(), "{:?}", outcome.names);
            *got
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_length_that_is_not_the_files_is_refused() {
    // An announced length above the file's: no byte is read.
    let long = answer("200 OK", "Content-Length: 10001\r\n", b"");
    let (outcome, _folder) = fetch_file_within(easily_bored(), vec![stalling_after(long)]);
    assert_eq!(too_large(&outcome, 10_000), 10_001);
    for length in [u64::MAX, u64::MAX - 3_000] {
        let huge = answer("200 OK", &format!("Content-Length: {length}\r\n"), b"");
        let (outcome, _folder) = fetch_file_within(easily_bored(), vec![stalling_after(huge)]);
        assert_eq!(too_large(&outcome, 10_000), length);
    }
    // An announced length above the received bytes: these bytes are kept.
    let cut = answer("200 OK", "Content-Length: 10000\r\n", &content()[..9_999]);
    let (outcome, _folder) = fetch_file_within(patient(), vec![saying(cut)]);
    assert!(matches!(outcome.result, Err(FetchError::Interrupted { received: 9_999, .. })), "{outcome:?}");
    // An announced length below the file's: another file.
    let short = answer("200 OK", "Content-Length: 4000\r\n", &content());
    let (outcome, _folder) = fetch_file_within(patient(), vec![saying(short)]);
    let wrong = matches!(outcome.result, Err(FetchError::Content(DataError::WrongChecksum { .. })));
    assert!(wrong && outcome.names.is_empty(), "{outcome:?}");
}

#[test]
fn a_body_without_end_is_cut_at_the_size_of_the_file() {
    let closing = || endless(answer("200 OK", "", b""), vec![b'0'; 1 << 14]);
    let chunk = [b"4000\r\n".to_vec(), vec![b'0'; 1 << 14], b"\r\n".to_vec()].concat();
    let chunked = endless(answer("200 OK", "Transfer-Encoding: chunked\r\n", b""), chunk);
    for action in [closing(), chunked] {
        let (outcome, _folder) = fetch_file_within(patient(), vec![action]);
        let got = too_large(&outcome, 10_000);
        assert!((10_001..40_000).contains(&got), "{got}");
    }
    // The same after an earlier part; then the whole file is requested once.
    let folder = folder();
    fs::write(folder.path().join("letters.data.part"), &content()[..4_000]).unwrap();
    let head = answer("206 Partial Content", "Content-Range: bytes 4000-\r\n", b"");
    let behind = endless(head, vec![b'0'; 1 << 14]);
    let outcome = fetch_within(patient(), folder.path(), FILE, vec![behind, closing()]);
    too_large(&outcome, 10_000);
    assert_eq!(outcome.requests.len(), 2);
}

#[test]
fn a_file_of_unknown_size_has_the_stated_limits() {
    let slice = OfficialFile::of(Name::Slice).next().copied().unwrap();
    let fetch = |limits, archive: &[u8]| {
        let folder = folder();
        fetch_within(limits, folder.path(), slice, vec![saying(whole(archive))])
    };
    let size = ARCHIVE.len() as u64;
    let outcome = fetch(Limits { download: size - 1, ..patient() }, ARCHIVE);
    let refused = matches!(outcome.result, Err(FetchError::TooLarge { got, .. }) if got == size);
    assert!(refused && outcome.names.is_empty(), "{outcome:?}");
    assert!(fetch(Limits { download: size, unpacked: 108, ..patient() }, ARCHIVE).result.is_ok());

    let problem = |outcome: Outcome| match outcome.result {
        Err(FetchError::Content(DataError::Archive { problem, .. })) if outcome.names.is_empty() => problem,
        other => panic!("{other:?} {:?}", outcome.names),
    };
    let bomb = fetch(Limits { unpacked: 107, ..patient() }, ARCHIVE);
    assert_eq!(problem(bomb), ArchiveProblem::TooLarge { limit: 107, got: 108 });
    let mut lying = ARCHIVE.to_vec();
    let directory = lying.windows(4).position(|bytes| bytes == b"PK\x01\x02").unwrap();
    lying[directory + 24] = 50;
    let bomb = fetch(Limits { unpacked: 107, ..patient() }, &lying);
    assert_eq!(problem(bomb), ArchiveProblem::WrongSize { expected: 50, got: 51 });
    assert_eq!(problem(fetch(patient(), &content())), ArchiveProblem::Malformed);
}

#[test]
fn a_gzip_bomb_is_unpacked_to_the_size_of_the_file_and_no_further() {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(&content()).unwrap();
    encoder.write_all(&vec![0; 30_000_000]).unwrap();
    let bomb = encoder.finish().unwrap();
    let file = OfficialFile { download: "letters/letters.data.gz", ..FILE };
    assert!((10_000..patient().of_download(&file)).contains(&(bomb.len() as u64)), "{}", bomb.len());
    let folder = folder();
    let outcome = fetch_within(patient(), folder.path(), file, vec![saying(whole(&bomb))]);
    let refused =
        matches!(outcome.result, Err(FetchError::Content(DataError::TooLarge { limit: 10_000, .. })));
    assert!(refused && outcome.names.is_empty(), "{outcome:?}");
}

#[test]
fn redirections_in_a_circle_end() {
    let circle = || answer("302 Found", "Location: /home/letters/letters.data\r\nContent-Length: 0\r\n", b"");
    let (outcome, _folder) = fetch_file_within(patient(), (0..40).map(|_| saying(circle())).collect());
    assert!(matches!(outcome.result, Err(FetchError::Request { .. })), "{outcome:?}");
    assert!(outcome.requests.len() <= 12 && outcome.names.is_empty(), "{outcome:?}");
    // An endless body before the redirection.
    let head = answer("302 Found", "Location: /home/letters/letters.data\r\n", b"");
    let (outcome, _folder) = fetch_file_within(hurried(), vec![endless(head, vec![b'0'; 1 << 14])]);
    timed_out(&outcome, Wait::Answer, SOON);
    assert!(outcome.names.is_empty());
}

#[test]
fn a_server_that_always_sends_parts_is_not_asked_forever() {
    let part = || saying(rest(&content(), 3_000));
    let folder = folder();
    fs::write(folder.path().join("letters.data.part"), &content()[..4_000]).unwrap();
    let outcome = fetch_within(patient(), folder.path(), FILE, (0..20).map(|_| part()).collect());
    assert!(matches!(outcome.result, Err(FetchError::Status { status: 206, .. })), "{outcome:?}");
    assert_eq!(outcome.requests.len(), 2);
}

#[test]
fn an_existing_file_survives_any_server() {
    let folder = folder();
    fs::write(folder.path().join("letters.data"), content()).unwrap();
    let other = OfficialFile { name: "others.data", download: "others.data", ..FILE };
    let (home, _requests) = serve(vec![endless(answer("200 OK", "", b""), vec![b'0'; 1 << 14])]);
    let (directory, limits) = (folder.path().to_owned(), patient());
    let options = FetchOptions { directory, sets: vec![FILE.set], home: Some(home), progress: false, limits };
    let refused = fetch_with(&limits.agent(false), &options, &[FILE, other]);
    assert!(matches!(refused, Err(FetchError::TooLarge { .. })), "{refused:?}");
    assert_eq!(fs::read(folder.path().join("letters.data")).unwrap(), content());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn every_wait_has_its_limit() {
    let limits = Limits::default();
    let agent = limits.agent(false);
    let (config, timeouts) = (agent.config(), agent.config().timeouts());
    assert_eq!((timeouts.resolve, timeouts.connect), (Some(limits.connect), Some(limits.connect)));
    assert_eq!((timeouts.global, config.timeout_per_read()), (Some(limits.overall), Some(limits.stall)));
    assert_eq!(config.timeout_per_write(), Some(limits.stall));
    for file in OfficialFile::ALL {
        assert!((1..=limits.download).contains(&limits.of_download(&file)), "{}", file.name);
        assert!((1..=limits.unpacked).contains(&limits.of_content(&file)), "{}", file.name);
    }
}
