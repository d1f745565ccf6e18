//! The inputs of a training, by which a paused training is told from others.

use std::path::Path;

use lexpool::codes;
use lexpool::config::{Difference, Section, Value, differences};
use lexpool::msgpack::{Reader, Writer};
use lexpool::{Error, Result};

use super::plan::{Part, TrainingPlan};
use crate::components::knowledge;

/// The configuration and the files that the result of a training depends on.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TrainingOrigin {
    /// The version of lexpool, whose sums may be other ones in another version.
    version: String,
    /// The configuration without references, as JSON, but for the keys of [`FREE`].
    config: String,
    files: Vec<FileSum>,
}

/// The size and the checksum of the files of one purpose.
#[derive(Clone, Debug, PartialEq)]
struct FileSum {
    purpose: String,
    bytes: u64,
    checksum: u32,
}

/// Keys that change when a training ends or what it shows, and none of its steps.
const FREE: [&str; 4] =
    ["training.logger", "training.max_steps", "training.patience", "training.gpu_allocator"];
/// Sections whose values act only where others refer to them.
const REFERRED: [&str; 2] = ["paths", "system"];
/// The most differences that a message lists.
const MAX_DIFFERENCES: usize = 20;

impl TrainingOrigin {
    /// Finds what a plan depends on. Cost: reads the files of the corpora once.
    ///
    /// # Errors
    ///
    /// Those of reading the files.
    pub(crate) fn of(plan: &TrainingPlan) -> Result<TrainingOrigin> {
        let mut files = vec![
            sum_of("the training corpus", &plan.train.files()?)?,
            sum_of("the corpus to evaluate with", &plan.dev.files()?)?,
        ];
        for name in [&plan.settings.train_corpus, &plan.settings.dev_corpus] {
            let Some(corpus) = plan.resolved.section(name) else { continue };
            for (key, value) in corpus.iter() {
                add_named_files(&mut files, &format!("{name}.{key}"), value)?;
            }
        }
        if let Some(folder) = &plan.initialize.vectors {
            let parts = ["vectors", "key2row"].map(|name| folder.join("vocab").join(name));
            let parts: Vec<_> = parts.into_iter().filter(|path| path.is_file()).collect();
            files.push(sum_of("the word vectors", &parts)?);
        }
        for (name, section) in plan.initialize.components.iter() {
            let labels = section.as_section().and_then(|own| own.get("labels")?.as_section());
            let reader = labels.filter(|labels| labels.contains("@readers"));
            let path = reader.and_then(|reader| reader.get("path")?.as_text()).map(Path::new);
            // An optional file may be missing.
            if let Some(path) = path.filter(|path| path.exists()) {
                files.push(sum_of(&format!("the labels of the component {name:?}"), &[path])?);
            }
            if let Some(folder) = section.as_section().and_then(knowledge::folder) {
                let parts = ["contents", "strings.json"].map(|file| folder.join(file));
                let purpose = format!("the knowledge base of the component {name:?}");
                files.push(sum_of(&purpose, &parts)?);
            }
        }
        for component in &plan.components {
            let source = match &component.part {
                Part::Fixed(source) => source,
                Part::Trained(_) => match &component.origin {
                    Some(source) => source,
                    None => continue,
                },
            };
            let (mut bytes, mut checksum) = (0, crc32fast::Hasher::new());
            for (name, contents) in &source.files {
                checksum.update(name.as_bytes());
                checksum.update(contents);
                bytes += contents.len() as u64;
            }
            let purpose = format!("the files of the component {:?}", component.name);
            files.push(FileSum { purpose, bytes, checksum: checksum.finalize() });
        }
        let mut config = plan.resolved.root().clone();
        for name in REFERRED {
            config.set(name, Value::Null);
        }
        for name in FREE {
            set_null(&mut config, name);
        }
        // Any number of epochs ends a training, but a stream (-1) is not shuffled.
        if let Some(Value::Section(training)) = config.get_mut("training") {
            training.set("max_epochs", plan.settings.max_epochs.min(0));
        }
        // Corpora are told apart by their contents.
        for name in [&plan.settings.train_corpus, &plan.settings.dev_corpus] {
            set_null(&mut config, &format!("{name}.path"));
        }
        let config = Value::Section(config).to_json();
        let version = env!("CARGO_PKG_VERSION").to_owned();
        Ok(TrainingOrigin { version, config, files })
    }

    #[cfg(test)]
    pub(crate) fn for_tests() -> TrainingOrigin {
        let file = FileSum { purpose: "a corpus".to_owned(), bytes: 1 << 40, checksum: u32::MAX };
        TrainingOrigin { version: "1".to_owned(), config: "{}".to_owned(), files: vec![file] }
    }

    /// Checks that a saved training is this one.
    ///
    /// # Errors
    ///
    /// `state-different` with all differences.
    pub(crate) fn check(&self, saved: &TrainingOrigin) -> Result<()> {
        let mut found = Vec::new();
        if self.version != saved.version {
            found.push(format!("lexpool is {}; there it was {}", self.version, saved.version));
        }
        let section = |json: &str| {
            let value = Value::from_json(json).ok();
            value.as_ref().and_then(Value::as_section).cloned().unwrap_or_default()
        };
        for Difference { section, key, first, second } in
            differences(&section(&self.config), &section(&saved.config))
        {
            let json = |value: Option<Value>| value.unwrap_or(Value::Null).to_json();
            let (own, saved) = (json(first), json(second));
            found.push(format!("[{section}] {key:?} is {own}; there it was {saved}"));
        }
        for own in &self.files {
            match saved.files.iter().find(|other| other.purpose == own.purpose) {
                None => found.push(format!("{}: there it was missing", own.purpose)),
                Some(other) if other != own => {
                    found.push(format!("{}: other contents", own.purpose));
                }
                Some(_) => {}
            }
        }
        for other in &saved.files {
            if self.files.iter().all(|own| own.purpose != other.purpose) {
                found.push(format!("{}: there it was given", other.purpose));
            }
        }
        if found.is_empty() {
            return Ok(());
        }
        let mut text = "the training was begun with other inputs".to_owned();
        for difference in found.iter().take(MAX_DIFFERENCES) {
            text.push_str("\n  ");
            text.push_str(difference);
        }
        if found.len() > MAX_DIFFERENCES {
            text.push_str("\n  ...");
        }
        Err(Error::value(codes::STATE_DIFFERENT, text))
    }

    /// Appends the origin to a message.
    ///
    /// # Errors
    ///
    /// Those of [`Writer`].
    pub(crate) fn write(&self, out: &mut Writer) -> Result<()> {
        out.str(&self.version)?;
        out.str(&self.config)?;
        out.array(self.files.len())?;
        for file in &self.files {
            out.str(&file.purpose)?;
            out.uint(file.bytes);
            out.uint(u64::from(file.checksum));
        }
        Ok(())
    }

    /// Reads what [`write`](TrainingOrigin::write) has appended.
    ///
    /// # Errors
    ///
    /// Those of [`Reader::item`]; `state-content` for a checksum of more than 32 bits.
    pub(crate) fn read(reader: &mut Reader<'_>) -> Result<TrainingOrigin> {
        let (version, config) = (reader.str()?.to_owned(), reader.str()?.to_owned());
        let n_files = reader.array()?;
        let file = |_| {
            let (purpose, bytes) = (reader.str()?.to_owned(), reader.uint()?);
            let checksum = u32::try_from(reader.uint()?);
            let checksum =
                checksum.map_err(|_| crate::run::progress::wrong("a checksum", "32 bits"))?;
            Ok(FileSum { purpose, bytes, checksum })
        };
        let files = (0..n_files).map(file).collect::<Result<Vec<_>>>()?;
        Ok(TrainingOrigin { version, config, files })
    }
}

/// Adds the files that readers name in a value of the configuration, such as that of the variants
/// of an augmenter. `name` is the dotted name of the value.
fn add_named_files(files: &mut Vec<FileSum>, name: &str, value: &Value) -> Result<()> {
    let Some(section) = value.as_section() else { return Ok(()) };
    let path = section.get("path").filter(|_| section.contains("@readers"));
    if let Some(path) = path.and_then(Value::as_text).map(Path::new).filter(|path| path.is_file()) {
        files.push(sum_of(&format!("the file of [{name}]"), &[path])?);
    }
    for (key, value) in section.iter() {
        add_named_files(files, &format!("{name}.{key}"), value)?;
    }
    Ok(())
}

/// Sets a value to null if its section is there.
fn set_null(root: &mut Section, name: &str) {
    let Some((parents, key)) = name.rsplit_once('.') else { return root.set(name, Value::Null) };
    let mut section = root;
    for part in parents.split('.') {
        let Some(Value::Section(inner)) = section.get_mut(part) else { return };
        section = inner;
    }
    section.set(key, Value::Null);
}

fn sum_of(purpose: &str, paths: &[impl AsRef<Path>]) -> Result<FileSum> {
    use std::io::Read as _;

    let (mut total, mut checksum) = (0, crc32fast::Hasher::new());
    let mut part = vec![0; 1 << 16];
    for path in paths {
        let path = path.as_ref();
        let failed = |error| Error::io("read", path, error);
        let mut file = std::fs::File::open(path).map_err(failed)?;
        let mut length = 0;
        loop {
            let read = file.read(&mut part).map_err(failed)?;
            if read == 0 {
                break;
            }
            checksum.update(&part[..read]);
            length += read as u64;
        }
        // So that files do not count as one whose parts they are.
        checksum.update(&u64::to_le_bytes(length));
        total += length;
    }
    Ok(FileSum { purpose: purpose.to_owned(), bytes: total, checksum: checksum.finalize() })
}
