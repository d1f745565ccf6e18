use proptest::prelude::*;

use super::*;
use crate::container::NewSection;

const PARTS: [(&str, &[u8]); 4] =
    [("config.cfg", b"[nlp]"), ("ner/cfg", b"{}"), ("ner/model", &[7; 200]), ("nerd", b"")];

fn packed() -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("p");
    write_pack(&path, &PARTS).unwrap();
    fs::read(path).unwrap()
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
        (&b""[..], codes::CONTAINER_TRUNCATED),
        (b"[nlp]\n", codes::CONTAINER_KIND),
        (b"lexpool\0vocab", codes::CONTAINER_KIND),
        (b"lexpool\0pipeline", codes::CONTAINER_TRUNCATED),
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
fn a_section_that_leads_elsewhere_is_refused() {
    for name in ["/etc/passwd", "a/../../b", "a//b", ".", "a\\b", "a\0b"] {
        let bytes = pack::KIND.to_bytes(&[NewSection::new(name, b"1")]).unwrap();
        let error = PipelineFiles::from_bytes(bytes).map(|_| ()).unwrap_err();
        assert_eq!(error.code(), codes::PACK_NAME.as_str(), "{name}");
        assert!(error.message().contains("a relative path"), "{error}");
    }
}

#[test]
fn names_that_a_file_cannot_have_are_not_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("p");
    for (names, code) in [
        (&["../a"][..], codes::PACK_NAME),
        (&["a", "b", "a"], codes::CONTAINER_TABLE),
        (&["/a"], codes::PACK_NAME),
        (&["a//b"], codes::PACK_NAME),
    ] {
        let parts: Vec<_> = names.iter().map(|name| (*name, b"")).collect();
        assert_eq!(write_pack(&path, &parts).unwrap_err().code(), code.as_str());
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
                    Err(error) => prop_assert_eq!(error.code(), codes::CONTAINER_CHECKSUM.as_str()),
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
    for other in
        [&bytes[1..], &bytes[..pack::KIND.magic().len() - 1], b"", b"[nlp]\nlang = \"en\"\n"]
    {
        std::fs::write(&path, other).unwrap();
        assert!(!is_packed_file(&path).unwrap(), "{other:?}");
    }
    assert_eq!(is_packed_file(&folder.path().join("none")).unwrap_err().code(), "file-not-found");
}
