//! Folders of data: the order of the search, incomplete sets, wrong content, archives.

mod reduced;

use datasets::{
    ArchiveProblem, DataError, Name, OfficialFile, Provenance, SearchPath, StandIn, load,
    unpack_single_member, verify,
};
use std::fs;
use std::io::Write as _;
use std::path::Path;
use tempfile::TempDir;

const STAND_IN: StandIn = StandIn { seed: 3, rows: Some(10) };

#[test]
fn folders_are_searched_in_order_and_parts_of_a_set_are_refused() {
    let root = TempDir::new().unwrap();
    let folder = |name: &str| root.path().join(name);
    let repository = "workspace/crates/datasets/data";
    for name in ["asked", "environment", "workspace/data", "shared/data", repository] {
        fs::create_dir_all(folder(name)).unwrap();
        fs::write(folder(name).join("letter-recognition.data.gz"), "").unwrap();
    }
    let environment = |name: &str| (name == "OCO_DATA").then(|| folder("environment").into_os_string());
    let asked = folder("asked");
    let search = SearchPath::new(Some(&asked), environment, &folder("workspace")).unwrap();
    for name in ["asked", "environment", "workspace/data", "workspace/../shared/data", repository] {
        let found = search.locate(Name::Letter).unwrap().unwrap();
        assert_eq!(found, [folder(name).join("letter-recognition.data.gz")]);
        fs::remove_file(&found[0]).unwrap();
    }
    assert_eq!(search.locate(Name::Letter).unwrap(), None);

    // The plain file goes before the compressed one, and a set needs all its files from one folder.
    fs::write(folder("environment").join("adult.data"), "").unwrap();
    fs::write(folder("environment").join("adult.data.gz"), "").unwrap();
    assert!(matches!(search.locate(Name::Adult), Err(DataError::Incomplete { missing: "adult.test", .. })));
    fs::write(folder("environment").join("adult.test"), "").unwrap();
    let found = search.locate(Name::Adult).unwrap().unwrap();
    assert_eq!(found, ["adult.data", "adult.test"].map(|name| folder("environment").join(name)));

    let misspelt = folder("askde");
    let refused = SearchPath::new(Some(&misspelt), |_| None, root.path());
    assert!(matches!(refused, Err(DataError::NoSuchDirectory { directory }) if directory == misspelt));
}

#[test]
fn a_file_that_differs_from_the_official_one_is_not_loaded() {
    let folder = TempDir::new().unwrap();
    // A root below the folder, so that nothing beside the folder is looked at.
    let search = SearchPath::new(Some(folder.path()), |_| None, &folder.path().join("root")).unwrap();
    assert_eq!(load(Name::Abalone, &search, STAND_IN).unwrap().provenance, Provenance::StandIn { seed: 3 });
    fs::write(folder.path().join("abalone.data"), "M,0.455,0.365,0.095,0.514,0.2245,0.101,0.15,15\n")
        .unwrap();
    assert!(matches!(load(Name::Abalone, &search, STAND_IN), Err(DataError::WrongChecksum { .. })));
    let report = verify(folder.path());
    let (file, found) = &report[0];
    assert_eq!(file.name, "abalone.data");
    assert!(matches!(found, Some(Err(DataError::WrongChecksum { .. }))));
    assert!(report[1..].iter().all(|(_, found)| found.is_none()));
}

/// A bomb under an official name is read to the official size, and not to its end.
#[test]
fn a_file_that_is_larger_than_the_official_one_is_not_read_to_its_end() {
    let folder = TempDir::new().unwrap();
    let abalone = OfficialFile::of(Name::Abalone).next().unwrap();
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(&vec![b'0'; 191_874]).unwrap();
    for (name, content) in
        [("abalone.data.gz", encoder.finish().unwrap()), ("abalone.data", vec![b'0'; 191_874])]
    {
        let path = folder.path().join(name);
        fs::write(&path, content).unwrap();
        let refused = abalone.verify(&path).unwrap_err();
        assert!(matches!(refused, DataError::TooLarge { limit: 191_873, .. }), "{refused}");
        assert!(refused.to_string().contains(name), "{refused}");
    }
}

#[test]
fn official_files_verify() {
    let search = SearchPath::from_environment(None).unwrap();
    let (here, absent): (Vec<_>, Vec<_>) = OfficialFile::ALL
        .into_iter()
        .map(|file| (file, search.find(&file)))
        .partition(|(_, path)| path.is_some());
    for (file, path) in here {
        let read = file.verify(&path.unwrap()).unwrap();
        assert!(file.bytes.is_none_or(|bytes| bytes == read.bytes), "{} bytes", read.bytes);
    }
    if !absent.is_empty() {
        let names: Vec<&str> = absent.iter().map(|(file, _)| file.name).collect();
        reduced::announce(&format!("no sum is checked of {}", names.join(", ")));
    }
}

/// What an archive says of its content: the unpacked size and the sum.
#[derive(Clone, Copy)]
struct Stated {
    size: u32,
    crc: u32,
}

/// A zip archive of one member, byte by byte as the format's description has it.
fn archive(name: &str, method: u16, packed: &[u8], stated: Stated, members: u16) -> Vec<u8> {
    let (name_length, packed_length) = (name.len().to_le_bytes(), packed.len().to_le_bytes());
    let mut local = b"PK\x03\x04\x14\0\0\0".to_vec();
    let mut central = b"PK\x01\x02\x14\0\x14\0\0\0".to_vec();
    for header in [&mut local, &mut central] {
        header.extend(method.to_le_bytes());
        header.extend([0; 4]);
        header.extend(stated.crc.to_le_bytes());
        header.extend(&packed_length[..4]);
        header.extend(stated.size.to_le_bytes());
        header.extend(&name_length[..2]);
    }
    local.extend(3u16.to_le_bytes());
    local.extend(name.as_bytes());
    local.extend(b"\x01\x02\x03");
    local.extend(packed);
    central.extend([0; 16]);
    central.extend(name.as_bytes());
    let directory = local.len().to_le_bytes();
    local.extend(central);
    local.extend(b"PK\x05\x06\0\0\0\0");
    local.extend(members.to_le_bytes());
    local.extend(members.to_le_bytes());
    local.extend([0; 4]);
    local.extend(&directory[..4]);
    local.extend(b"\x05\0hello");
    local
}

/// What is unpacked where a thousand bytes may be, and how much was written however it ended.
#[allow(clippy::unwrap_used, reason = "a test helper: a folder that cannot be written to fails the test")]
fn unpacked_and_written(archive: &[u8]) -> (Result<String, DataError>, usize) {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("archive.zip");
    fs::write(&path, archive).unwrap();
    let mut out = Vec::new();
    let size = unpack_single_member(Path::new(&path), "a.csv", 1_000, &mut out);
    let text = size.map(|size| {
        assert_eq!(size, out.len() as u64);
        String::from_utf8_lossy(&out).into_owned()
    });
    (text, out.len())
}

fn unpacked(archive: &[u8]) -> Result<String, DataError> {
    unpacked_and_written(archive).0
}

#[allow(clippy::unwrap_used, reason = "a test helper: writing to memory does not fail")]
fn deflated(content: &[u8]) -> Vec<u8> {
    let mut deflater = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::default());
    deflater.write_all(content).unwrap();
    deflater.finish().unwrap()
}

/// Both lies: a bomb that states its size, and one that states a harmless one.
#[test]
fn an_archive_is_not_unpacked_beyond_what_it_states_and_what_is_allowed() {
    let problem = |archive: &[u8]| match unpacked_and_written(archive) {
        (Err(DataError::Archive { problem, .. }), written) => (problem, written),
        other => panic!("{other:?}"),
    };
    let bomb = deflated(&vec![0; 10_000_000]);
    assert!(bomb.len() < 10_000);
    let honest = archive("a.csv", 8, &bomb, Stated { size: 10_000_000, crc: 1 }, 1);
    assert_eq!(problem(&honest), (ArchiveProblem::TooLarge { limit: 1_000, got: 10_000_000 }, 0));
    let just = archive("a.csv", 8, &bomb, Stated { size: 1_001, crc: 1 }, 1);
    assert_eq!(problem(&just), (ArchiveProblem::TooLarge { limit: 1_000, got: 1_001 }, 0));
    for size in [1_000, 10, 0] {
        let lying = archive("a.csv", 8, &bomb, Stated { size, crc: 1 }, 1);
        let (expected, got) = (u64::from(size), u64::from(size) + 1);
        assert_eq!(problem(&lying), (ArchiveProblem::WrongSize { expected, got }, size as usize + 1));
    }
    let short = archive("a.csv", 8, &deflated(b"short"), Stated { size: 6, crc: 1 }, 1);
    assert_eq!(problem(&short), (ArchiveProblem::WrongSize { expected: 6, got: 5 }, 5));
    let stored = archive("a.csv", 0, &[0; 2_000], Stated { size: 3, crc: 1 }, 1);
    assert_eq!(problem(&stored), (ArchiveProblem::WrongSize { expected: 3, got: 4 }, 4));
}

#[test]
fn the_single_member_of_an_archive_is_unpacked_and_checked() {
    let content = "1,2,3\n".repeat(100);
    let mut crc = flate2::Crc::new();
    crc.update(content.as_bytes());
    let crc = crc.sum();
    let deflated = deflated(content.as_bytes());
    let stated = Stated { size: 600, crc };

    let good = archive("a.csv", 8, &deflated, stated, 1);
    assert_eq!(unpacked(&good).unwrap(), content);
    assert_eq!(unpacked(&archive("a.csv", 0, content.as_bytes(), stated, 1)).unwrap(), content);
    let problem = |archive: &[u8]| match unpacked(archive) {
        Err(DataError::Archive { problem, .. }) => problem,
        other => panic!("{other:?}"),
    };
    assert_eq!(
        problem(&archive("a.csv", 8, &deflated, Stated { crc: 1, ..stated }, 1)),
        ArchiveProblem::WrongCrc { expected: 1, got: crc }
    );
    assert_eq!(problem(&archive("a.csv", 9, &deflated, stated, 1)), ArchiveProblem::Method { method: 9 });
    assert_eq!(problem(&archive("a.csv", 8, &deflated, stated, 2)), ArchiveProblem::Members { count: 2 });
    let other = ArchiveProblem::OtherMember { expected: "a.csv".to_owned(), got: "b.csv".to_owned() };
    assert_eq!(problem(&archive("b.csv", 8, &deflated, stated, 1)), other);
    for length in 0..good.len() - 27 {
        assert_eq!(problem(&good[..length]), ArchiveProblem::Malformed, "{length}");
    }
    for at in 0..good.len() {
        let mut damaged = good.clone();
        damaged[at] ^= 0x40;
        if let Ok(text) = unpacked(&damaged) {
            assert_eq!(text, content, "byte {at}");
        }
    }
}
