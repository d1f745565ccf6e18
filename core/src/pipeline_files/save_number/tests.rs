//! Tests of folders whose parts are of one save or of several.

use super::*;
use crate::pipeline_files::PipelineFiles;

/// Writes a pipeline with a text in each of its files.
fn save(folder: &Path, text: &str) {
    let parts = ["vocab", "tagger", "absent"].map(str::to_owned);
    let fill = |folder: &Path| {
        for name in ["config.cfg", "vocab/strings.json", "tagger/model", "of_user/model"] {
            let file = folder.join(name);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            write_new(&file, text.as_bytes()).unwrap();
        }
        Ok(())
    };
    write_pipeline(folder, &parts, fill).unwrap();
}

#[test]
fn the_number_follows_from_the_contents_and_is_in_the_parts_of_lexpool() {
    let parent = tempfile::tempdir().unwrap();
    let numbers = ["one", "one", "two"].map(|text| {
        let folder = parent.path().join(text);
        save(&folder, text);
        let number = SaveNumber::read(&folder).unwrap();
        for (part, expected) in
            [("vocab", Some(&number)), ("tagger", Some(&number)), ("of_user", None)]
        {
            assert_eq!(SaveNumber::read(&folder.join(part)).as_ref(), expected, "{part}");
        }
        assert!(!folder.join("absent").exists());
        number
    });
    assert!(numbers[0] == numbers[1] && numbers[1] != numbers[2]);
}

#[test]
fn files_in_memory_get_the_number_that_they_have_in_a_folder() {
    let parent = tempfile::tempdir().unwrap();
    save(parent.path().join("model").as_path(), "one");
    let names = ["config.cfg", "vocab/strings.json", "tagger/model", "of_user/model"];
    let mut files: Vec<(String, Bytes)> =
        names.iter().map(|name| ((*name).to_owned(), Bytes::from_static(b"one"))).collect();
    add_numbers(&mut files);
    let number = fs::read(parent.path().join("model").join(SAVE_NUMBER)).unwrap();
    let places: Vec<&str> = files
        .iter()
        .filter(|(_, bytes)| **bytes == number)
        .map(|(name, _)| name.as_str())
        .collect();
    let folders = ["vocab", "tagger", "of_user"].map(|folder| format!("{folder}/{SAVE_NUMBER}"));
    assert_eq!(places, [&folders[0], &folders[1], &folders[2], SAVE_NUMBER]);
}

#[test]
fn parts_of_another_save_are_refused_unless_the_folder_has_no_number() {
    let parent = tempfile::tempdir().unwrap();
    let at = |name: &str| parent.path().join(name);
    save(&at("one"), "one");
    save(&at("two"), "two");
    let copied = format!("tagger/{SAVE_NUMBER}");
    fs::write(at("one").join(&copied), fs::read(at("two").join(&copied)).unwrap()).unwrap();
    let files = PipelineFiles::open(&at("one")).unwrap();
    files.check_parts(["vocab", "of_user", "absent"]).unwrap();
    let error = files.check_parts(["vocab", "tagger"]).unwrap_err();
    assert_eq!(error.code(), "save-mixed");
    assert!(error.message().contains("\"tagger\"") && error.message().contains(SAVE_NUMBER));
    for contents in [Some(""), Some(" \n"), None] {
        match contents {
            Some(text) => fs::write(at("one").join(SAVE_NUMBER), text).unwrap(),
            None => fs::remove_file(at("one").join(SAVE_NUMBER)).unwrap(),
        }
        PipelineFiles::open(&at("one")).unwrap().check_parts(["vocab", "tagger"]).unwrap();
    }
}

#[test]
fn a_folder_that_is_replaced_while_it_is_read_is_noticed_even_by_an_equal_one() {
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("model");
    save(&folder, "one");
    let reading = ReadFolder::open(&folder);
    reading.check_current().unwrap();
    save(&folder, "two");
    if cfg!(unix) {
        save(&folder, "one");
    }
    assert_eq!(reading.check_current().unwrap_err().code(), "save-replaced");
    assert!(!reading.is_current() && ReadFolder::open(&folder).is_current());
}

#[test]
fn a_part_that_is_left_out_takes_the_number_of_the_save() {
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("model");
    save(&folder, "one");
    let fill = |folder: &Path| {
        write_new(&folder.join("config.cfg"), b"two").unwrap();
        Ok(())
    };
    write_pipeline(&folder, &["vocab", "tagger"].map(str::to_owned), fill).unwrap();
    let reading = ReadFolder::open(&folder);
    reading.check_parts(["vocab", "tagger"]).unwrap();
    assert_eq!(fs::read(folder.join("vocab/strings.json")).unwrap(), b"one");
    assert_eq!(SaveNumber::read(&folder.join("tagger")), SaveNumber::read(&folder));
}
