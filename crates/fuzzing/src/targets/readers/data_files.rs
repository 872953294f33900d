//! Files of data sets: tables, ARFF, IDX, compressed files and archives.

use super::{compressed, law, with_file};
use crate::target::{Format, Target};
use crate::verdict::{AnyError, Complaint};
use datasets::arff::{self, Arff};
use datasets::idx::{self, Idx};
use datasets::{
    CensusCoding, Classification, Contexts, DataError, Dataset, OfficialFile, abalone, adult, breast_cancer,
    census, covertype, fashion, ionosphere, letter, scene, slice, spambase, tmc, unpack_single_member,
};
use flate2::{Compression, CrcWriter, write::DeflateEncoder};
use rows::RowMatrix;
use std::io::{self, Write};
use std::path::Path;

fn finite(rows: &RowMatrix) -> Result<(), Complaint> {
    law("entries are finite", rows.iter().all(|row| row.values().iter().all(|x| x.is_finite())), "")
}

fn table(dataset: &Dataset) -> Result<(), Complaint> {
    finite(&dataset.features)?;
    law("a row has a target", dataset.features.len() == dataset.targets.len(), dataset.len())?;
    let names = dataset.feature_names.len();
    law("a column has a name", dataset.features.dimension() == names, names)
}

fn task(task: &Classification) -> Result<(), Complaint> {
    if let Contexts::Rows(rows) = &task.contexts {
        finite(rows)?;
    }
    law("a context has labels", task.contexts.len() == task.labels.len(), task.len())
}

fn arff_file(arff: &Arff) -> Result<(), Complaint> {
    finite(&arff.rows)?;
    law("a column is an attribute", arff.rows.dimension() == arff.attributes.len(), arff.attributes.len())
}

fn idx_file(idx: &Idx) -> Result<(), Complaint> {
    let entries: usize = idx.dimensions.iter().product();
    law("an array has as many bytes as entries", idx.bytes.len() == entries, idx.bytes.len())
}

/// A table as text, and compressed.
macro_rules! tables {
    ($($name:literal, $format:expr, $read:expr, $seeds:expr, $check:expr;)*) => {
        vec![$(with_file($name, $format, || $seeds, |path| {
            Ok(($read)(&[path.to_owned()])?)
        }, $check)),*]
    };
}

const ABALONE: &str = "M,0.455,0.365,0.095,0.514,0.2245,0.101,0.15,15\nF,0.5,0.4,0.1,0.5,0.2,0.1,0.1,9\n";
const ADULT: &str = "|1x3 Cross validator\n39, State-gov, 77516, Bachelors, 13, Never-married, Adm-clerical, Not-in-family, \
    White, Male, 2174, 0, 40, United-States, <=50K\n39, ?, 77516, Bachelors, 13, Never-married, Adm-clerical, \
    Not-in-family, White, Male, 2174, 0, 40, United-States, >50K.\n";
const CANCER: &str = "1000025,5,1,1,1,2,10,3,1,1,2\n1057013,8,4,5,1,2,?,7,3,1,4\n";
const LETTER: &str = "T,2,8,3,5,1,8,13,0,6,6,10,8,0,8,0,8\nI,5,12,3,7,2,10,5,5,4,13,3,9,2,8,4,10\n";
const CENSUS: &str = "73, Not in universe, 0, 0, High school graduate, 0, Not in universe, Widowed, Not in universe or children, \
    Not in universe, White, All other, Female, Not in universe, Not in universe, Not in labor force, 0, 0, 0, Nonfiler, \
    Not in universe, Not in universe, Other Rel 18+ ever marr not in subfamily, Other relative of householder, 1700.09, ?, \
    ?, ?, Not in universe under 1 year old, ?, 0, Not in universe, United-States, United-States, United-States, \
    Native- Born in the United States, 0, Not in universe, 2, 0, 95, - 50000.\n";

fn texts(text: &str) -> Result<Vec<Vec<u8>>, AnyError> {
    Ok(vec![text.into(), text.replace('\n', "\r\n").into()])
}

fn slice_text() -> String {
    let values: Vec<String> = (0..384).map(|k| format!("value{k}")).collect();
    format!(
        "patientId,{},reference\n7,{}-0.25,21.8\n8,{}1.5,30\n",
        values.join(","),
        "0.0,".repeat(383),
        "0.5,".repeat(383)
    )
}

fn covertype_text() -> String {
    let row = |class: u32| {
        format!(
            "2596,51,3,258,0,510,221,232,148,6279,{}1,{}{class}\n",
            "0,".repeat(3),
            "0,".repeat(39) + "1,"
        )
    };
    row(5) + &row(2)
}

const ARFF: &str = "% a comment\n@RELATION 'two words: -C 1'\n@Attribute \"it's 100%\" INTEGER\n@attribute 'b\\'s' { 0 , 1 } % b\n\
    @attribute plain Real\n@DATA\n% between\n1.5e1 , 1,\t-0.25 % last\n0,0,+3\n";
const SPARSE: &str = "@relation r\n@attribute a numeric\n@attribute b {0,1}\n@attribute c real\n@data\n{0 2.5, 1 1}\n{}\n{2 -1}\n";

/// A multi-label file of the Mulan collection, dense or sparse.
fn mulan(features: usize, name: fn(usize) -> String, kind: &str, classes: &[String], rows: &str) -> Vec<u8> {
    let mut text = "@relation r\n".to_owned();
    for k in 0..features {
        text += &format!("@attribute {} {kind}\n", name(k));
    }
    for class in classes {
        text += &format!("@attribute {class} {{0,1}}\n");
    }
    (text + "@data\n" + rows).into_bytes()
}

fn scene_file() -> Vec<u8> {
    let classes = scene::CLASSES.map(str::to_owned);
    let row = format!("{}1,0,0,0,1,0\n", "0.5,".repeat(294));
    mulan(294, |k| format!("Att{}", k + 1), "numeric", &classes, &row.repeat(2))
}

fn tmc_file() -> Vec<u8> {
    let classes: Vec<String> = (1..=22).map(|k| format!("class{k:02}")).collect();
    mulan(500, |k| format!("w{k}"), "{0,1}", &classes, "{3 1,17 1,501 1}\n{500 1,521 1}\n")
}

fn idx_bytes(dimensions: &[u32], bytes: &[u8]) -> Vec<u8> {
    let mut file = vec![0, 0, 8, u8::try_from(dimensions.len()).unwrap_or_default()];
    dimensions.iter().for_each(|d| file.extend(d.to_be_bytes()));
    file.extend_from_slice(bytes);
    file
}

/// A zip archive of one deflated member.
fn archive(content: &[u8], method: u16) -> Result<Vec<u8>, AnyError> {
    let mut sum = CrcWriter::new(io::sink());
    sum.write_all(content)?;
    let crc = sum.crc().sum();
    let packed = if method == 8 {
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(content)?;
        encoder.finish()?
    } else {
        content.to_vec()
    };
    let (size, length) = (u32::try_from(packed.len())?, u32::try_from(content.len())?);
    let mut shared = vec![20, 0, 0, 0];
    shared.extend(method.to_le_bytes());
    shared.extend([0; 4]);
    [crc, size, length].iter().for_each(|n| shared.extend(n.to_le_bytes()));
    shared.extend([6, 0, 0, 0]);
    let mut file = b"PK\x03\x04".to_vec();
    file.extend(&shared);
    file.extend(b"member");
    file.extend(&packed);
    let directory = file.len();
    file.extend(b"PK\x01\x02\x14\x00");
    file.extend(&shared);
    file.extend([0; 14]);
    file.extend(b"member");
    let size = u32::try_from(file.len() - directory)?;
    file.extend(b"PK\x05\x06\0\0\0\0\x01\0\x01\0");
    file.extend(size.to_le_bytes());
    file.extend(u32::try_from(directory)?.to_le_bytes());
    file.extend([0, 0]);
    Ok(file)
}

/// Text compressed in one member and in two, and a line of eight mebibytes.
fn gz() -> Result<Vec<Vec<u8>>, AnyError> {
    let whole = compressed(ABALONE.repeat(50).as_bytes())?;
    Ok(vec![whole.clone(), [whole.clone(), whole].concat()])
}

fn unpack(path: &Path) -> Result<(u64, Vec<u8>), AnyError> {
    let mut out = Vec::new();
    Ok((unpack_single_member(path, "member", 1 << 24, &mut out)?, out))
}

pub(super) fn all() -> Vec<Target> {
    let text = Format::Text;
    let mut list = tables![
        "datasets::abalone", text, abalone::read, texts(ABALONE), table;
        "datasets::adult", text, adult::read, texts(ADULT), table;
        "datasets::breast_cancer", text, breast_cancer::read, texts(CANCER), table;
        "datasets::letter", text, letter::read, texts(LETTER), table;
        "datasets::ionosphere", text, ionosphere::read, texts(&format!("{0}g\n{0}b\n", "-0.25,".repeat(34))), table;
        "datasets::spambase", text, spambase::read, texts(&format!("{}3.756,61,278,1\n", "0.5,".repeat(54))), table;
        "datasets::slice", text, slice::read, texts(&slice_text()), table;
        "datasets::slice, without patient", text, slice::read_without_patient, texts(&slice_text()), table;
        "datasets::covertype", text, covertype::read, texts(&covertype_text()), task;
        "datasets::scene", text, scene::read, Ok(vec![scene_file()]), task;
        "datasets::tmc", text, tmc::read, Ok(vec![tmc_file()]), task;
        "datasets::abalone, compressed", Format::Binary, abalone::read, gz(), table;
        "datasets::scene, compressed", Format::Binary, scene::read, Ok(vec![compressed(&scene_file())?]), task;
    ];
    list.push(with_file(
        "datasets::census",
        text,
        || texts(CENSUS),
        |path| Ok(census::read(&[path.to_owned()], CensusCoding::Described)?),
        table,
    ));
    list.push(with_file(
        "datasets::arff",
        text,
        || Ok(vec![ARFF.into(), SPARSE.into(), ARFF.replace('\n', "\r\n").into()]),
        |path| Ok(arff::read(path)?),
        arff_file,
    ));
    list.push(with_file(
        "datasets::idx, of rank 3",
        Format::Binary,
        || Ok(vec![idx_bytes(&[2, 3, 2], &[7; 12]), compressed(&idx_bytes(&[1, 1, 1], &[7]))?]),
        |path| Ok(idx::read(path, 3)?),
        idx_file,
    ));
    list.push(with_file(
        "datasets::idx, of rank 1",
        Format::Binary,
        || Ok(vec![idx_bytes(&[4], &[7; 4])]),
        |path| Ok(idx::read(path, 1)?),
        idx_file,
    ));
    list.push(with_file(
        "datasets::fashion, images",
        Format::Binary,
        || Ok(vec![idx_bytes(&[2, 28, 28], &[9; 2 * 784])]),
        |path| {
            let labels = path.with_extension("labels");
            std::fs::write(&labels, idx_bytes(&[2], &[3, 9]))?;
            Ok(fashion::read(&[path.to_owned(), labels.clone(), path.to_owned(), labels])?)
        },
        task,
    ));
    list.push(with_file(
        "datasets::unpack_single_member",
        Format::Binary,
        || Ok(vec![archive(ABALONE.as_bytes(), 8)?, archive(b"stored", 0)?, archive(&[0; 1 << 20], 8)?]),
        unpack,
        |(size, out)| law("a member has its size", *size == out.len() as u64, size),
    ));
    list.push(with_file(
        "datasets::OfficialFile::check",
        Format::Binary,
        || Ok(vec![ABALONE.into(), compressed(ABALONE.as_bytes())?]),
        |path| {
            // No mutated file is official: it must be read to its end and refused.
            let refusal = OfficialFile::ALL[0].verify(path).err().ok_or("an official file")?;
            match refusal {
                DataError::WrongChecksum { .. } => Ok(()),
                other => Err(other.into()),
            }
        },
        |()| Ok(()),
    ));
    list
}
