//! The examples of an epoch: all of a corpus in memory, or a window of a stream.

use std::collections::VecDeque;

use lexpool::Result;
use lexpool::tokenizer::Tokenizer;

use super::corpus_reader::CorpusReader;
use super::example::Example;
use super::example_maker::StreamItem;
use super::example_stream::{ExampleStream, check_faults};

/// The examples that a training learns from, by their positions in the present epoch.
pub(crate) enum EpochExamples<'a> {
    /// All examples of the corpus, and their order.
    Whole { examples: Vec<Example>, order: Vec<usize> },
    /// Examples of a corpus in the order of its files.
    Window(ExampleWindow<'a>),
}

/// The examples of a stream that are in memory: each from when it is first asked for until it is
/// released.
pub(crate) struct ExampleWindow<'a> {
    reader: &'a CorpusReader,
    tokenizer: &'a Tokenizer,
    stream: Option<Box<ExampleStream<'a>>>,
    examples: Window<Example>,
}

/// The items of a stream that are in memory, by their positions in the stream.
pub struct Window<T> {
    /// The position of the first item of the window.
    first: usize,
    items: VecDeque<T>,
}

impl<T> Default for Window<T> {
    fn default() -> Window<T> {
        Window { first: 0, items: VecDeque::new() }
    }
}

impl<T> Window<T> {
    /// Returns the position behind the last item.
    pub fn end(&self) -> usize {
        self.first + self.items.len()
    }

    /// Adds the next item.
    pub fn push(&mut self, item: T) {
        self.items.push_back(item);
    }

    /// Returns the item at a position; `None` if it is not in the window.
    pub fn get(&self, at: usize) -> Option<&T> {
        self.items.get(at.checked_sub(self.first)?)
    }

    /// Returns the items.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &T> {
        self.items.iter()
    }

    /// Releases the items before a position.
    pub fn release_before(&mut self, at: usize) {
        let n = at.saturating_sub(self.first).min(self.items.len());
        self.items.drain(..n);
        self.first += n;
    }
}

impl ExampleWindow<'_> {
    fn begin(&mut self, epoch: usize) -> Result<()> {
        self.stream = Some(Box::new(self.reader.stream(self.tokenizer, epoch)?));
        self.examples = Window::default();
        Ok(())
    }

    /// Reads up to a position. Returns `false` if the stream ends before it.
    fn read_to(&mut self, at: usize) -> Result<bool> {
        let Some(stream) = &mut self.stream else { return Ok(false) };
        while at >= self.examples.end() {
            match stream.next()? {
                Some(StreamItem::Example(example)) => self.examples.push(example),
                Some(StreamItem::Fault(fault)) => check_faults(&[fault])?,
                None => return Ok(false),
            }
        }
        Ok(true)
    }
}

impl<'a> EpochExamples<'a> {
    /// Reads a corpus anew in each epoch.
    pub(crate) fn window(reader: &'a CorpusReader, tokenizer: &'a Tokenizer) -> EpochExamples<'a> {
        let examples = Window::default();
        EpochExamples::Window(ExampleWindow { reader, tokenizer, stream: None, examples })
    }

    /// Begins an epoch. `new_order` is the order of the examples of a whole corpus.
    ///
    /// # Errors
    ///
    /// Those of finding the files.
    pub(crate) fn begin(&mut self, epoch: usize, new_order: &[usize]) -> Result<()> {
        match self {
            EpochExamples::Whole { order, .. } => {
                new_order.clone_into(order);
                Ok(())
            }
            EpochExamples::Window(window) => window.begin(epoch),
        }
    }

    /// Returns the number of words of the example at a position, which is read if it is the next
    /// one of a stream; `None` behind the last one.
    ///
    /// # Errors
    ///
    /// Those of reading the corpus; `training-corpus` for a document that cannot be used.
    pub(crate) fn length(&mut self, at: usize) -> Result<Option<usize>> {
        if let EpochExamples::Window(window) = self {
            if !window.read_to(at)? {
                return Ok(None);
            }
        }
        Ok(self.get(at).map(|example| example.predicted().len()))
    }

    /// Returns the example at a position; `None` if it was not read or is released.
    pub(crate) fn get(&self, at: usize) -> Option<&Example> {
        match self {
            EpochExamples::Whole { examples, order } => examples.get(*order.get(at)?),
            EpochExamples::Window(window) => window.examples.get(at),
        }
    }

    /// Releases the examples of a stream before a position.
    pub(crate) fn release_before(&mut self, at: usize) {
        if let EpochExamples::Window(window) = self {
            window.examples.release_before(at);
        }
    }
}
