//! Fault injection: each step of each function of the core that saves a file fails in turn. The
//! command's are tested with it.

// Optimized builds have no faults to inject.
#![cfg(debug_assertions)]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use lexpool_structs::AttrId;

use lexpool::Result;
use lexpool::files::{AtomicFile, Links, Step, TemporaryFile, with_fault};
use lexpool::knowledge::KnowledgeBase;
use lexpool::matcher::PhraseMatcher;
use lexpool::pipeline_files::write_pack;
use lexpool::strings::StringStore;
use lexpool::tokenizer::Tokenizer;
use lexpool::tokens::Doc;
use lexpool::vectors::{VectorParts, Vectors};

/// The steps of replacing one file; `Write` stands for any number of writes.
const FILE: [Step; 5] = [Step::Create, Step::Write, Step::SyncFile, Step::Rename, Step::SyncFolder];

/// Saves state 0 (old) or 1 (new) into a folder.
type Save = Box<dyn Fn(&Path, usize) -> Result<()>>;

struct Saver {
    name: &'static str,
    steps: Vec<Step>,
    save: Save,
}

fn saver(
    name: &'static str,
    steps: impl Into<Vec<Step>>,
    save: impl Fn(&Path, usize) -> Result<()> + 'static,
) -> Saver {
    Saver { name, steps: steps.into(), save: Box::new(save) }
}

const TEXTS: [&str; 2] = ["So it goes.", "Call me Ishmael, some years ago."];

fn docs() -> [Doc; 2] {
    let tokenizer = Tokenizer::blank("en").unwrap();
    TEXTS.map(|text| tokenizer.tokenize(text).unwrap())
}

fn savers() -> Vec<Saver> {
    let vocabs = TEXTS.map(|text| {
        let tokenizer = Tokenizer::blank("en").unwrap();
        tokenizer.tokenize(text).unwrap();
        tokenizer.vocab().clone()
    });
    let vectors = [3, 4].map(|width| Vectors::with_shape(2, width).unwrap());
    let bases = TEXTS.map(|text| {
        let (mut base, strings) = (KnowledgeBase::new(1), StringStore::new());
        base.add_entity(text, 1.0, &[1.0]).unwrap();
        strings.add(text).unwrap();
        (base, strings)
    });
    let tokenizer = Tokenizer::blank("en").unwrap();
    let key = tokenizer.vocab().strings().add("KEY").unwrap();
    let phrases = TEXTS.map(|text| {
        let mut phrases = PhraseMatcher::new(AttrId::ORTH);
        phrases.add(key, &phrases.ids(&tokenizer.tokenize(text).unwrap()).unwrap()).unwrap();
        phrases
    });
    let sentences = docs();
    let savers = vec![
        saver("AtomicFile::write", FILE, |folder, state| {
            AtomicFile::write(&folder.join("out"), TEXTS[state].as_bytes(), Links::Followed)
        }),
        saver("AtomicFile::create, links replaced", FILE, |folder, state| {
            let mut file = AtomicFile::create(&folder.join("out"), Links::Replaced)?;
            file.put(TEXTS[state].as_bytes(), &|| Ok(()))?;
            file.commit()
        }),
        saver("Vocab::save", FILE, move |folder, state| vocabs[state].save(&folder.join("out"))),
        saver("Vectors::to_folder", [FILE; 3].concat(), move |folder, state| {
            vectors[state].to_folder(folder, VectorParts::default())
        }),
        saver("KnowledgeBase::save", [FILE; 2].concat(), move |folder, state| {
            bases[state].0.save(folder, &bases[state].1)
        }),
        saver("PhraseMatcher::save", FILE, move |folder, state| {
            phrases[state].save(&folder.join("out"), tokenizer.vocab())
        }),
        saver("write_pack", FILE, |folder, state| {
            write_pack(&folder.join("out"), &[("config.cfg", TEXTS[state]), ("meta.json", "{}")])
        }),
        saver("push_conllu", FILE, move |folder, state| {
            let mut lines = Vec::new();
            lexpool_io::corpus::push_conllu(&mut lines, &sentences[state], None, &[]);
            let mut file = AtomicFile::create(&folder.join("out"), Links::Followed)?;
            file.put(&lines, &|| Ok(()))?;
            file.commit()
        }),
    ];
    #[cfg(feature = "arrow")]
    let savers = savers.into_iter().chain(of_corpora()).collect();
    savers
}

#[cfg(feature = "arrow")]
fn of_corpora() -> [Saver; 3] {
    use std::io::Write;

    use lexpool_io::corpus::{Corpus, CorpusWriter, MappedWriter, merge};

    fn write<W: Write + Send>(out: W, doc: &Doc) -> Result<W> {
        let written = MappedWriter::new(out, doc.vocab()).and_then(|mut writer| {
            let piece = MappedWriter::<W>::piece(std::slice::from_ref(doc));
            writer.write(piece.map_err(std::io::Error::other)?)?;
            writer.finish()
        });
        written.map_err(|error| lexpool::Error::io("write to", Path::new("out"), error))
    }

    fn merged(corpora: &[Corpus], path: &Path) -> Result<()> {
        merge(corpora, AtomicFile::create(path, Links::Followed)?, path, false, &mut |_| Ok(()))?
            .commit()
    }

    let (first, second) = (docs(), docs());
    let corpora = docs().map(|doc| Corpus::from_bytes(write(Vec::new(), &doc).unwrap()).unwrap());
    [
        saver("MappedWriter", FILE, move |folder, state| {
            write(AtomicFile::create(&folder.join("out"), Links::Followed)?, &first[state])?
                .commit()
        }),
        saver("merge", FILE, move |folder, state| merged(&corpora[..=state], &folder.join("out"))),
        saver(
            "merge behind what is there",
            [&[Step::Create, Step::Write], &FILE[..]].concat(),
            move |folder, state| {
                let path = folder.join("out");
                if state == 0 {
                    return write(AtomicFile::create(&path, Links::Followed)?, &second[0])?
                        .commit();
                }
                let before = Corpus::open(&path)?;
                let scratch = write(TemporaryFile::beside(&path)?, &second[1])?;
                merged(&[before, Corpus::open(scratch.path())?], &path)
            },
        ),
    ]
}

fn contents(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let name = |path: &Path| path.file_name().unwrap().to_str().unwrap().to_owned();
    paths.map(|path| (name(&path), fs::read(&path).unwrap())).collect()
}

#[test]
fn whichever_step_of_a_saver_fails_each_file_is_whole_old_or_new_and_no_other_is_there() {
    for Saver { name, steps, save } in savers() {
        let (old, new) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        save(old.path(), 0).unwrap();
        save(new.path(), 0).unwrap();
        save(new.path(), 1).unwrap();
        let (old, new) = (contents(old.path()), contents(new.path()));
        assert!(old.keys().eq(new.keys()) && old != new, "{name}");
        let mut failed = Vec::new();
        for at in 0.. {
            let folder = tempfile::tempdir().unwrap();
            for (file, bytes) in &old {
                #[expect(clippy::disallowed_methods, reason = "files that a saver replaces")]
                fs::write(folder.path().join(file), bytes).unwrap();
            }
            let (saved, step) = with_fault(at, || save(folder.path(), 1));
            let found = contents(folder.path());
            let Some(step) = step else {
                saved.unwrap();
                assert!(found == new, "{name}");
                break;
            };
            assert_eq!(saved.unwrap_err().code(), "disk-full", "{name}, {step:?}");
            assert!(found.keys().eq(old.keys()), "{name}, {step:?}: {:?}", found.keys());
            for (file, bytes) in &found {
                assert!([&old[file], &new[file]].contains(&bytes), "{name}, {step:?}: {file}");
            }
            // The rename of a single file cannot be undone, and nothing before it shows.
            let shows = found != old;
            assert!(found.len() > 1 || shows == (step == Step::SyncFolder), "{name}, {step:?}");
            if failed.last() != Some(&step) || step != Step::Write {
                failed.push(step);
            }
        }
        assert_eq!(failed, steps, "{name}");
    }
}
