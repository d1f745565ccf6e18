//! Saved pipelines with one file replaced: refused, or loaded and run.
//!
//! The first two bytes select the pipeline of `tests/files/pipelines` and the file; the rest is the
//! content of that file. If it is empty the file is missing.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::AtomicBool;

use lexpool::loading::{LoadOptions, load_files};
use lexpool::pipeline_files::PipelineFiles;
use lexpool::tokenizer::Text;

use crate::converters::check;

const NAMES: [&str; 5] = ["layers", "merges", "networks", "other_language", "rules"];

/// The files of a pipeline, by their names.
type Files = BTreeMap<String, Vec<u8>>;

pub(crate) fn run(bytes: &[u8]) {
    let [pipeline, file, content @ ..] = bytes else { return };
    let pipelines = pipelines();
    let base = &pipelines[usize::from(*pipeline) % pipelines.len()];
    let replaced = base.keys().nth(usize::from(*file) % base.len()).expect("a file");
    let mut files = base.clone();
    if content.is_empty() {
        files.remove(replaced);
    } else {
        files.insert(replaced.clone(), content.to_vec());
    }
    let files = files.into_iter().map(|(name, bytes)| (name, bytes.into()));
    let Ok(nlp) = load_files(&PipelineFiles::from_parts(files), &LoadOptions::default()) else {
        return;
    };
    for text in ["Some company, 10 companies in New York.", ""] {
        let made = nlp.pipeline.annotate(Text::Owned(text.to_owned()), &AtomicBool::new(false));
        if let Ok(made) = made {
            check(&made.doc);
        }
    }
}

/// Each file of each pipeline in its own place.
pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let number = |at: usize| u8::try_from(at).expect("a few files");
    let pipelines = pipelines().iter().enumerate();
    let seeds = pipelines.flat_map(|(pipeline, files)| {
        files.values().enumerate().map(move |(file, content)| {
            [&[number(pipeline), number(file)], content.as_slice()].concat()
        })
    });
    seeds.collect()
}

/// The pipelines, read once.
fn pipelines() -> &'static [Files] {
    static FILES: OnceLock<Vec<Files>> = OnceLock::new();
    FILES.get_or_init(|| {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../files/pipelines");
        NAMES.iter().map(|name| files(&folder.join(name))).collect()
    })
}

/// Reads the files of a folder; `expected.json` is not the pipeline's.
fn files(root: &Path) -> Files {
    let (mut files, mut folders) = (Files::new(), vec![PathBuf::new()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(root.join(&folder)).expect("a folder of the repository") {
            let name = folder.join(entry.expect("a file of the repository").file_name());
            if root.join(&name).is_dir() {
                folders.push(name);
            } else if !name.ends_with("expected.json") {
                let bytes = fs::read(root.join(&name)).expect("a file of the repository");
                let name = name.to_str().expect("a name in ASCII").replace('\\', "/");
                files.insert(name, bytes);
            }
        }
    }
    files
}
