//! Downloads from a server on the loopback interface that gives prepared answers.

mod bad_servers;

use super::*;
use datasets::{ClassificationName, DataError, Home, Name};
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

/// SHA-256 of [`content`].
const SHA256: &str = "4c207598af7a20db0e3334dd044399a40e467cb81b37f7ba05a4f76dcbd8fd59";

fn content() -> Vec<u8> {
    b"0123456789".repeat(1_000)
}

const FILE: OfficialFile = OfficialFile {
    set: Set::Table(Name::Letter),
    name: "letters.data",
    home: Home::Uci { number: 0 },
    download: "letters/letters.data",
    sha256: Some(SHA256),
    bytes: Some(10_000),
};

fn answer(status: &str, headers: &str, body: &[u8]) -> Vec<u8> {
    let mut answer = format!("HTTP/1.1 {status}\r\nConnection: close\r\n{headers}\r\n").into_bytes();
    answer.extend(body);
    answer
}

fn whole(body: &[u8]) -> Vec<u8> {
    answer("200 OK", &format!("Content-Length: {}\r\n", body.len()), body)
}

fn rest(body: &[u8], from: usize) -> Vec<u8> {
    let headers = format!(
        "Content-Length: {}\r\nContent-Range: bytes {from}-{}/{}\r\n",
        body.len() - from,
        body.len() - 1,
        body.len()
    );
    answer("206 Partial Content", &headers, &body[from..])
}

/// A server's action on a connection after it has read the request.
type Action = Box<dyn FnOnce(&mut TcpStream) + Send>;

/// Sends an answer. The client may close the connection early.
fn saying(answer: Vec<u8>) -> Action {
    Box::new(move |connection| drop(connection.write_all(&answer)))
}

/// Serves one connection per action; the receiver gets each request's head, in lower case. The server ends
/// after the last action, or after ten seconds without a connection.
fn serve(actions: Vec<Action>) -> (String, Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let home = format!("http://{}/home/", listener.local_addr().unwrap());
    let (sender, requests) = channel();
    thread::spawn(move || {
        for action in actions {
            let Some(mut connection) = accept(&listener) else { return };
            let lines = BufReader::new(connection.try_clone().unwrap()).lines().map_while(Result::ok);
            let head: Vec<String> = lines.take_while(|line| !line.is_empty()).collect();
            sender.send(head.join("\n").to_lowercase()).unwrap();
            action(&mut connection);
        }
    });
    (home, requests)
}

fn accept(listener: &TcpListener) -> Option<TcpStream> {
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(10) {
        if let Ok((connection, _)) = listener.accept() {
            connection.set_nonblocking(false).unwrap();
            connection.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
            connection.set_write_timeout(Some(Duration::from_secs(10))).unwrap();
            return Some(connection);
        }
        thread::sleep(Duration::from_millis(1));
    }
    None
}

#[derive(Debug)]
struct Outcome {
    result: Result<Table, FetchError>,
    requests: Vec<String>,
    /// The files in the folder afterwards, sorted.
    names: Vec<String>,
}

/// Fetches a file into a folder from a server with these answers.
fn fetch_from(folder: &Path, file: OfficialFile, answers: Vec<Vec<u8>>) -> Outcome {
    fetch_within(Limits::default(), folder, file, answers.into_iter().map(saying).collect())
}

/// The same from a server with any actions.
fn fetch_within(limits: Limits, folder: &Path, file: OfficialFile, actions: Vec<Action>) -> Outcome {
    let (home, requests) = serve(actions);
    let directory = folder.to_owned();
    let options = FetchOptions { directory, sets: vec![file.set], home: Some(home), progress: false, limits };
    let result = fetch_with(&limits.agent(false), &options, &[file]);
    let entries =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = entries.collect();
    names.sort();
    Outcome { result, requests: requests.try_iter().collect(), names }
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

#[test]
fn a_file_is_fetched_once() {
    let folder = folder();
    let first = fetch_from(folder.path(), FILE, vec![whole(&content())]);
    assert!(first.result.unwrap().to_string().contains("fetched"));
    assert_eq!(first.names, ["letters.data"]);
    assert_eq!(fs::read(folder.path().join("letters.data")).unwrap(), content());
    assert!(first.requests[0].starts_with("get /home/letters/letters.data "));
    assert!(!first.requests[0].contains("range:"));
    let second = fetch_from(folder.path(), FILE, vec![]);
    assert!(second.result.unwrap().to_string().contains("already here"));
    assert!(second.requests.is_empty());
}

#[test]
fn a_broken_download_is_continued() {
    let folder = folder();
    let cut = answer("200 OK", "Content-Length: 10000\r\n", &content()[..4_000]);
    let first = fetch_from(folder.path(), FILE, vec![cut]);
    assert!(
        matches!(first.result, Err(FetchError::Interrupted { received: 4_000, .. })),
        "{:?}",
        first.result
    );
    assert_eq!(first.names, ["letters.data.part"]);
    let second = fetch_from(folder.path(), FILE, vec![rest(&content(), 4_000)]);
    second.result.unwrap();
    assert!(second.requests[0].contains("range: bytes=4000-"));
    assert_eq!(second.names, ["letters.data"]);
    assert_eq!(fs::read(folder.path().join("letters.data")).unwrap(), content());
}

#[test]
fn a_server_without_ranges_sends_the_file_again() {
    let folder = folder();
    fs::write(folder.path().join("letters.data.part"), &content()[..4_000]).unwrap();
    let outcome = fetch_from(folder.path(), FILE, vec![whole(&content())]);
    outcome.result.unwrap();
    assert_eq!(outcome.names, ["letters.data"]);
}

#[test]
fn a_complete_part_needs_no_more_bytes_and_an_overlong_part_starts_again() {
    let unsatisfiable =
        || answer("416 Range Not Satisfiable", "Content-Range: bytes */10000\r\nContent-Length: 0\r\n", b"");
    let folder = folder();
    let part = folder.path().join("letters.data.part");
    fs::write(&part, content()).unwrap();
    let outcome = fetch_from(folder.path(), FILE, vec![unsatisfiable()]);
    outcome.result.unwrap();
    assert_eq!(outcome.names, ["letters.data"]);

    fs::remove_file(folder.path().join("letters.data")).unwrap();
    fs::write(&part, [content(), content()].concat()).unwrap();
    let outcome = fetch_from(folder.path(), FILE, vec![unsatisfiable(), whole(&content())]);
    outcome.result.unwrap();
    assert_eq!((outcome.requests.len(), outcome.names), (2, vec!["letters.data".to_owned()]));
}

#[test]
fn an_unrequested_range_is_not_appended() {
    let folder = folder();
    fs::write(folder.path().join("letters.data.part"), &content()[..4_000]).unwrap();
    let outcome = fetch_from(folder.path(), FILE, vec![rest(&content(), 3_000), whole(&content())]);
    outcome.result.unwrap();
    assert_eq!((outcome.requests.len(), outcome.names), (2, vec!["letters.data".to_owned()]));
    assert!(!outcome.requests[1].contains("range:"));
}

#[test]
fn the_part_of_another_version_is_replaced_by_one_more_download() {
    let folder = folder();
    fs::write(folder.path().join("letters.data.part"), b"another version").unwrap();
    let outcome = fetch_from(folder.path(), FILE, vec![rest(&content(), 15), whole(&content())]);
    outcome.result.unwrap();
    assert_eq!((outcome.requests.len(), outcome.names), (2, vec!["letters.data".to_owned()]));
}

#[test]
fn wrong_content_is_refused_and_leaves_nothing() {
    let folder = folder();
    let outcome = fetch_from(folder.path(), FILE, vec![whole(b"not found, but politely")]);
    let wrong = matches!(outcome.result, Err(FetchError::Content(DataError::WrongChecksum { .. })));
    assert!(wrong, "{:?}", outcome.result);
    assert!(outcome.names.is_empty());
}

#[test]
fn a_refusal_of_the_server_is_passed_on() {
    let folder = folder();
    let outcome =
        fetch_from(folder.path(), FILE, vec![answer("404 Not Found", "Content-Length: 0\r\n", b"")]);
    assert!(matches!(outcome.result, Err(FetchError::Status { status: 404, .. })), "{:?}", outcome.result);
    assert!(outcome.names.is_empty());
}

#[test]
fn an_existing_file_with_other_content_is_left_alone() {
    let folder = folder();
    fs::write(folder.path().join("letters.data"), b"mine").unwrap();
    let outcome = fetch_from(folder.path(), FILE, vec![]);
    assert!(matches!(outcome.result, Err(FetchError::Content(DataError::WrongChecksum { .. }))));
    assert_eq!(fs::read(folder.path().join("letters.data")).unwrap(), b"mine");
}

#[test]
fn a_compressed_file_is_checked_by_the_sum_of_its_content() {
    let folder = folder();
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(&content()).unwrap();
    let file = OfficialFile { download: "letters/letters.data.gz", ..FILE };
    let outcome = fetch_from(folder.path(), file, vec![whole(&encoder.finish().unwrap())]);
    outcome.result.unwrap();
    assert_eq!(outcome.names, ["letters.data.gz"]);
}

/// Made with the `zipfile` module of Python: four times the line `patientId,value0,reference`.
const ARCHIVE: &[u8] =
    b"PK\x03\x04\x14\0\0\0\x08\0\0\0\x5c?y\x9b\x86\xa5 \0\0\0l\0\0\0\x1b\0\0\0slice_localization_d\
    ata.csv+H,\xc9L\xcd+\xf1L\xd1)K\xcc)M5\xd0)JMK-J\xcdKN\xe5*\xa0\xb6\x14\0PK\x01\x02\x14\x03\
    \x14\0\0\0\x08\0\0\0\x5c?y\x9b\x86\xa5 \0\0\0l\0\0\0\x1b\0\0\0\0\0\0\0\0\0\0\0\x80\x01\0\0\0\
    \0slice_localization_data.csvPK\x05\x06\0\0\0\0\x01\0\x01\0I\0\0\0Y\0\0\0\0\0";

#[test]
fn an_archive_is_unpacked_and_a_damaged_one_leaves_nothing() {
    let slice = OfficialFile::of(Name::Slice).next().copied().unwrap();
    let folder = folder();
    let outcome = fetch_from(folder.path(), slice, vec![whole(ARCHIVE)]);
    outcome.result.unwrap();
    assert_eq!(outcome.names, ["slice_localization_data.csv"]);
    let unpacked = fs::read_to_string(folder.path().join("slice_localization_data.csv")).unwrap();
    assert_eq!(unpacked, "patientId,value0,reference\n".repeat(4));

    fs::remove_file(folder.path().join("slice_localization_data.csv")).unwrap();
    let outcome = fetch_from(folder.path(), slice, vec![whole(&ARCHIVE[..ARCHIVE.len() - 30])]);
    assert!(
        matches!(outcome.result, Err(FetchError::Content(DataError::Archive { .. }))),
        "{:?}",
        outcome.result
    );
    assert!(outcome.names.is_empty());
}

#[test]
fn a_file_with_folders_in_its_name_is_put_into_them() {
    let folder = folder();
    let file = OfficialFile { set: Set::OpenBandit, name: "obd/men/letters.data", ..FILE };
    let outcome = fetch_from(folder.path(), file, vec![whole(&content())]);
    outcome.result.unwrap();
    assert_eq!(outcome.names, ["obd"]);
    assert_eq!(file.locate(folder.path()), Some(folder.path().join("obd/men/letters.data")));
    assert!(outcome.requests[0].starts_with("get /home/letters/letters.data "));
}

#[test]
fn a_file_without_an_address_is_left_to_the_user() {
    let folder = folder();
    let scene = OfficialFile::of(ClassificationName::Scene).next().copied().unwrap();
    let (directory, sets) = (folder.path().to_owned(), vec![scene.set]);
    let limits = Limits::default();
    let options = FetchOptions { directory, sets, home: None, progress: false, limits };
    let refused = fetch_with(&limits.agent(false), &options, &[scene]).unwrap_err();
    assert!(matches!(refused, FetchError::ByHand { file: "scene.arff", home: Home::Mulan, .. }), "{refused}");
    assert!(refused.to_string().contains("by hand"));
    fs::write(folder.path().join("scene.arff"), "mine").unwrap();
    assert!(matches!(
        fetch_with(&limits.agent(false), &options, &[scene]),
        Err(FetchError::Content(DataError::WrongChecksum { .. }))
    ));
}
