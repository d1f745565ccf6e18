use proptest::prelude::*;

use super::*;

const PARTS: [(&str, &[u8]); 4] =
    [("config.cfg", b"[nlp]"), ("ner/cfg", b"{}"), ("ner/model", &[7; 200]), ("nerd", b"")];

fn packed() -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("p");
    write_pack(&path, &PARTS).unwrap();
    fs::read(path).unwrap()
}

/// Returns the bytes with another manifest, whose checksum is right.
fn with_manifest(manifest: &str) -> Vec<u8> {
    let mut bytes = packed();
    let start = usize::try_from(u64::from_le_bytes(bytes[16..24].try_into().unwrap())).unwrap();
    bytes.truncate(start);
    bytes.extend(manifest.as_bytes());
    bytes[24..32].copy_from_slice(&(manifest.len() as u64).to_le_bytes());
    let checksum = pack::checksum_of(&bytes[16..pack::HEADER], manifest.as_bytes());
    bytes[12..16].copy_from_slice(&checksum.to_le_bytes());
    bytes
}

fn error(bytes: Vec<u8>) -> Error {
    PipelineFiles::from_bytes(bytes).map(|_| ()).unwrap_err()
}

#[test]
fn a_folder_and_its_packed_file_have_the_same_files() {
    let folder = tempfile::tempdir().unwrap();
    let (tree, path) = (folder.path().join("tree"), folder.path().join("file"));
    for (name, bytes) in PARTS {
        fs::create_dir_all(tree.join(name).parent().unwrap()).unwrap();
        fs::write(tree.join(name), bytes).unwrap();
    }
    write_pack(&path, &PARTS).unwrap();
    let opened = [
        PipelineFiles::open(&tree).unwrap(),
        PipelineFiles::open(&path).unwrap(),
        PipelineFiles::from_bytes(fs::read(&path).unwrap()).unwrap(),
    ];
    for files in &opened {
        assert_eq!(files.names().unwrap(), PARTS.map(|(name, _)| name.to_owned()));
        for (name, bytes) in PARTS {
            assert!(files.contains(name) && !files.contains_folder(name));
            assert_eq!(files.read(name).unwrap(), bytes, "{name}");
            assert_eq!(files.size(name).unwrap(), bytes.len() as u64);
        }
        assert!(files.contains_folder("ner") && !files.contains("ner"));
        assert_eq!(files.size("ner").unwrap(), 202);
        assert_eq!(files.read("ner/moves").unwrap_err().code(), codes::FILE_NOT_FOUND.as_str());
        assert_eq!(files.read_optional("ner/moves").unwrap(), None);
        assert!(files.vocab(&OpenOptions::new()).unwrap().is_none());
    }
    assert_eq!(opened.map(|files| files.is_packed()), [false, true, true]);
}

#[test]
fn what_is_no_packed_file_is_refused_with_its_path() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.pipeline");
    for (bytes, code) in [
        (&b""[..], codes::PACK_MAGIC),
        (b"[nlp]\n", codes::PACK_MAGIC),
        (b"lexpipe\n", codes::PACK_TRUNCATED),
    ] {
        fs::write(&path, bytes).unwrap();
        let error = PipelineFiles::open(&path).map(|_| ()).unwrap_err();
        assert_eq!(error.code(), code.as_str());
        assert!(error.message().contains("x.pipeline"), "{error}");
    }
    let missing = PipelineFiles::open(&folder.path().join("none")).map(|_| ()).unwrap_err();
    assert_eq!(missing.code(), codes::E050.as_str());
}

#[test]
fn another_version_is_refused() {
    let mut bytes = packed();
    bytes[8] = 2;
    let error = error(bytes);
    assert_eq!(error.code(), codes::PACK_VERSION.as_str());
    assert!(error.message().contains("version 2"), "{error}");
}

#[test]
fn a_manifest_that_leads_elsewhere_is_refused() {
    let part = |name: &str, offset: u64, length: u64| {
        format!(r#"{{"name":"{name}","offset":{offset},"length":{length},"crc32":0}}"#)
    };
    for (parts, expected) in [
        (part("/etc/passwd", 64, 1), "a relative path"),
        (part("a/../../b", 64, 1), "a relative path"),
        (part("", 64, 1), "a relative path"),
        (part("a", 65, 1), "a multiple of 64"),
        (part("a", 0, 1), "a multiple of 64"),
        (part("a", 64, 1 << 40), "a multiple of 64"),
        (part("a", 64, u64::MAX), "a multiple of 64"),
        (format!("{},{}", part("a", 64, 10), part("b", 64, 1)), "a multiple of 64"),
        (format!("{},{}", part("a", 64, 10), part("a", 128, 1)), "repeats the name \"a\""),
        (r#"{"name":"a","offset":64,"length":1}"#.to_owned(), "no number \"crc32\""),
        (r#"{"name":"a","offset":-64,"length":1,"crc32":0}"#.to_owned(), "no number \"offset\""),
    ] {
        let error = error(with_manifest(&format!(r#"{{"parts":[{parts}]}}"#)));
        assert_eq!(error.code(), codes::PACK_MANIFEST.as_str(), "{parts}");
        assert!(error.message().contains(expected), "{error}");
    }
    for manifest in ["", "[]", "{\"parts\": 1}", "{"] {
        assert_eq!(error(with_manifest(manifest)).code(), codes::PACK_MANIFEST.as_str());
    }
}

#[test]
fn names_that_a_file_cannot_have_are_not_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("p");
    for parts in [&["../a"][..], &["a", "b", "a"], &["/a"], &["a//b"]] {
        let parts: Vec<_> = parts.iter().map(|name| (*name, b"")).collect();
        assert_eq!(write_pack(&path, &parts).unwrap_err().code(), codes::PACK_MANIFEST.as_str());
    }
    assert!(!path.exists());
}

proptest! {
    #[test]
    fn a_changed_or_cut_file_is_refused_or_has_its_parts(at in 0_usize..1024, flip in 1_u8.., cut in 0_usize..1024) {
        let mut bytes = packed();
        let at = at % bytes.len();
        bytes[at] ^= flip;
        bytes.truncate(bytes.len() - cut % 3 * (cut % bytes.len()) / 2);
        if let Ok(files) = PipelineFiles::from_bytes(bytes) {
            for (name, expected) in PARTS {
                match files.read(name) {
                    Ok(bytes) => prop_assert_eq!(bytes, expected),
                    Err(error) => prop_assert_eq!(error.code(), codes::PACK_CHECKSUM.as_str()),
                }
            }
        }
    }
}

#[test]
fn a_packed_file_is_told_from_others_by_how_it_begins() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a file");
    write_pack(&path, &[("config.cfg", "")]).unwrap();
    assert!(is_packed_file(&path).unwrap());
    let bytes = std::fs::read(&path).unwrap();
    for other in [&bytes[1..], &bytes[..pack::MAGIC.len() - 1], b"", b"[nlp]\nlang = \"en\"\n"] {
        std::fs::write(&path, other).unwrap();
        assert!(!is_packed_file(&path).unwrap(), "{other:?}");
    }
    assert_eq!(is_packed_file(&folder.path().join("none")).unwrap_err().code(), "file-not-found");
}
