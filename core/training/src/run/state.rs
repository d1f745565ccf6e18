//! The file of a training that is paused: its place, its weights, and what it was made of.
//!
//! It is a [container](lexpool::container) with one section, `message`: the origin, the place, the
//! optimizer, the strings and the components as a message of `MessagePack`.

use std::borrow::Cow;
use std::path::Path;

use lexpool::container::{Container, Kind, NewSection};
use lexpool::escape::shown;
use lexpool::files::{AtomicFile, Links};
use lexpool::msgpack::{Reader, Writer};
use lexpool::strings::JsonLayout;
use lexpool::{Error, Result};
use lexpool_nn::learn::{Optimizer, Parameters};

use super::origin::TrainingOrigin;
use super::pipeline::TrainingPipeline;
use super::plan::Part;
use super::progress::{Progress, wrong};

/// The name of the file in the folder of a training.
pub const STATE: &str = "state";

const KIND: Kind = Kind::new("training", 1, "paused training");
const MESSAGE: &str = "message";

/// Writes the state of a training, which replaces an old one as a whole.
///
/// # Errors
///
/// `msgpack-size` for weights of 4 GiB or more in a component; those of writing.
pub(crate) fn write(
    path: &Path,
    origin: &TrainingOrigin,
    progress: &Progress,
    optimizer: &Optimizer,
    pipeline: &mut TrainingPipeline,
) -> Result<()> {
    let mut components = Vec::new();
    for component in &mut pipeline.components {
        let Part::Trained(trained) = &mut component.part else { continue };
        let progress = Cow::Owned(trained.progress()?);
        let learned = trained.learned().map(|learned| learned.parameters);
        let parameters = learned.map(Parameters::state_parts).transpose()?.unwrap_or_default();
        components.push(SavedComponent { name: &component.name, progress, parameters });
    }
    let strings = pipeline.tokenizer.vocab().strings().to_json(JsonLayout::Lines);
    let state = SavedState {
        origin: Cow::Borrowed(origin),
        progress: Cow::Borrowed(progress),
        optimizer: &optimizer.to_bytes()?,
        strings: &strings,
        components,
    };
    let message = state.message_parts()?;
    let mut file = AtomicFile::create(path, Links::Replaced)?;
    KIND.write(&[section(&message)], &mut |part| file.put(part, &|| Ok(())))?;
    file.commit()
}

/// Returns the section of a message that is given in parts.
fn section<'a>(message: &'a [Cow<'_, [u8]>]) -> NewSection<'a> {
    NewSection::of_parts(MESSAGE, message.iter().map(|part| &**part).collect())
}

/// The contents of a state. `P` are the parameters of a component: their bytes, or to be written
/// parts of them, so that large arrays are not copied.
pub(crate) struct SavedState<'a, P = &'a [u8]> {
    pub(crate) origin: Cow<'a, TrainingOrigin>,
    pub(crate) progress: Cow<'a, Progress>,
    optimizer: &'a [u8],
    strings: &'a str,
    components: Vec<SavedComponent<'a, P>>,
}

struct SavedComponent<'a, P> {
    name: &'a str,
    progress: Cow<'a, [u8]>,
    parameters: P,
}

impl<'a> SavedState<'a, Vec<Cow<'a, [u8]>>> {
    fn message_parts(self) -> Result<Vec<Cow<'a, [u8]>>> {
        let mut parts = Vec::new();
        let mut out = Writer::new();
        out.array(5)?;
        self.origin.write(&mut out)?;
        self.progress.write(&mut out)?;
        out.bytes(self.optimizer)?;
        out.str(self.strings)?;
        out.array(self.components.len())?;
        for SavedComponent { name, progress, parameters } in self.components {
            out.array(3)?;
            out.str(name)?;
            out.bytes(&progress)?;
            out.bytes_header(parameters.iter().map(|part| part.len()).sum())?;
            parts.push(Cow::Owned(std::mem::take(&mut out).into_bytes()));
            parts.extend(parameters);
        }
        parts.push(Cow::Owned(out.into_bytes()));
        Ok(parts)
    }
}

impl<'a> SavedState<'a> {
    /// Reads the bytes of a file.
    ///
    /// # Errors
    ///
    /// `state-content` and those of [`Reader::item`] for contents that are wrong although the
    /// checksum is right; those of [`Container`].
    pub(crate) fn read(bytes: &'a [u8]) -> Result<SavedState<'a>> {
        let container = Container::read(&KIND, bytes)?;
        container.verify(bytes)?;
        let [message] = container.exactly([(MESSAGE, 1)])?;
        let mut reader = Reader::new(message.bytes(bytes));
        if reader.array()? != 5 {
            return Err(wrong("the number of parts", "5"));
        }
        let origin = Cow::Owned(TrainingOrigin::read(&mut reader)?);
        let progress = Cow::Owned(Progress::read(&mut reader)?);
        let (optimizer, strings) = (reader.bytes()?, reader.str()?);
        let n_components = reader.array()?;
        let component = |_| {
            if reader.array()? != 3 {
                return Err(wrong("a component", "3 parts"));
            }
            let name = reader.str()?;
            let progress = Cow::Borrowed(reader.bytes()?);
            Ok(SavedComponent { name, progress, parameters: reader.bytes()? })
        };
        let components = (0..n_components).map(component).collect::<Result<Vec<_>>>()?;
        reader.finish()?;
        Ok(SavedState { origin, progress, optimizer, strings, components })
    }

    /// Gives a pipeline and an optimizer that were made anew what they had.
    ///
    /// # Errors
    ///
    /// `state-content` for the state of another pipeline; those of the components.
    pub(crate) fn restore(
        &self,
        pipeline: &mut TrainingPipeline,
        optimizer: &mut Optimizer,
    ) -> Result<()> {
        pipeline.tokenizer.vocab().strings().add_json(self.strings.as_bytes())?;
        optimizer.read_bytes(self.optimizer)?;
        let mut saved = self.components.iter();
        for component in &mut pipeline.components {
            let Part::Trained(trained) = &mut component.part else { continue };
            let own = saved.next().filter(|saved| saved.name == component.name);
            let own = own.ok_or_else(|| wrong("the list of components", "those that learn"))?;
            let in_component =
                |error: Error| error.context(format_args!("component {:?}", component.name));
            trained.resume(&own.progress).map_err(in_component)?;
            if let Some(learned) = trained.learned() {
                learned.parameters.read_state(own.parameters).map_err(in_component)?;
                learned.gradients.resume(learned.parameters);
            }
        }
        if saved.next().is_some() {
            return Err(wrong("the list of components", "those that learn"));
        }
        Ok(())
    }
}

/// Reads the bytes of the file of a training.
///
/// # Errors
///
/// `file-not-found`, `file-permission`, `file-io`.
pub(crate) fn read_bytes(path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path).map_err(|error| Error::io("read", path, error))
}

/// Adds the path of a state to an error.
pub(crate) fn in_file(path: &Path) -> impl Fn(Error) -> Error + '_ {
    move |error| error.context(shown(path))
}

#[cfg(test)]
mod tests {
    use lexpool::config::{Section, Value};

    use super::*;

    /// Returns the message of a state without components.
    fn small() -> Vec<u8> {
        let (origin, progress, message) = saved(3);
        let bytes = file(&message);
        let read = SavedState::read(&bytes).unwrap();
        assert_eq!((&*read.origin, &*read.progress), (&origin, &progress));
        assert_eq!((read.components[0].name, read.components[0].parameters), ("ner", &b"abc"[..]));
        message
    }

    /// Returns the parts of a state after some steps, and its message.
    fn saved(steps: usize) -> (TrainingOrigin, Progress, Vec<u8>) {
        let mut figures = Section::default();
        figures.set("tag_acc", Value::Float(0.1 + 0.2));
        let mut progress = Progress::start(7, 5, vec![("ner".to_owned(), 0.5)]);
        progress.random.shuffle(&mut progress.order);
        progress.steps = steps;
        progress.batches = 2;
        progress.epoch = 1;
        progress.sizes = 4;
        progress.results = vec![(0.25, 0), (f64::MIN_POSITIVE, 2)];
        progress.performance = Some(figures);
        let origin = TrainingOrigin::for_tests();
        let state = SavedState {
            origin: Cow::Borrowed(&origin),
            progress: Cow::Borrowed(&progress),
            optimizer: b"\x01\x02",
            strings: "[]",
            components: vec![SavedComponent {
                name: "ner",
                progress: Cow::Borrowed(b""),
                parameters: vec![Cow::Borrowed(&b"a"[..]), Cow::Borrowed(b"bc")],
            }],
        };
        let message = state.message_parts().unwrap().concat();
        (origin, progress, message)
    }

    #[cfg(target_pointer_width = "64")]
    #[test]
    fn more_steps_than_masks_can_count_are_refused() {
        let (.., message) = saved(1 << 32);
        assert_eq!(code(&file(&message)), "number-limit");
    }

    /// Returns the bytes of a file.
    fn file(message: &[u8]) -> Vec<u8> {
        KIND.to_bytes(&[NewSection::new(MESSAGE, message)]).unwrap()
    }

    fn code(bytes: &[u8]) -> &'static str {
        SavedState::read(bytes).map(drop).unwrap_err().code()
    }

    #[test]
    fn a_state_with_any_bit_flipped_or_any_byte_less_is_refused() {
        let mut bytes = file(&small());
        for at in 0..bytes.len() {
            for bit in 0..8 {
                bytes[at] ^= 1 << bit;
                assert!(code(&bytes).starts_with("container-"), "byte {at}, bit {bit}");
                bytes[at] ^= 1 << bit;
            }
            assert_eq!(code(&bytes[..at]), "container-truncated");
        }
    }

    #[test]
    fn wrong_contents_under_a_right_checksum_are_errors() {
        let message = small();
        for length in 0..message.len() {
            let code = code(&file(&message[..length]));
            assert!(code.starts_with("msgpack-"), "{length}: {code}");
        }
        let mut changed = message.clone();
        for at in 0..message.len() {
            for value in [0, 0x7f, 0x90, 0xc0, 0xc6, 0xcb, 0xcf, 0xdd, 0xff] {
                changed[at] = value;
                // Some bytes are numbers, of which any will do.
                drop(SavedState::read(&file(&changed)));
            }
            changed[at] = message[at];
        }
    }
}
