//! `segment.*`: segmenters by name, without a tokenizer.

use std::path::Path;
use std::sync::Arc;

use lexpool::Result;
use lexpool::segment::{Segment, SegmentBuffer, Whitespace};
use lexpool::strings::chars;
use lexpool::tokenizer::segmenters;
use lexpool_plugin::{Class, Object, class};

use super::super::hooks::go_on;
use super::super::{Batch, op};

/// An open segmenter.
struct Segmenter(Arc<dyn Segment>);

impl Class for Segmenter {
    const KEY: &'static str = "segment.Segmenter";
}

pub(super) fn declare(ops: &mut Batch) {
    op!(
        *ops,
        "segment.names"() =
            || -> Vec<String> { segmenters::NAMES.iter().map(|name| (*name).to_owned()).collect() },
        "The names of the segmenters that segment.open takes."
    );
    op!(
        *ops,
        "segment.open"(name, data = None) = open,
        "Opens a segmenter, which cuts texts of languages without spaces into words.\n\nname: \
         jieba or pkuseg for Chinese, sudachi for Japanese, mecab for Korean, newmm for Thai. \
         data: the path of its data, as for Tokenizer.with_segmenter; only newmm has data of its \
         own. Raises ValueError \
         segmenter-data for an unknown name or missing data, segment-dictionary for damaged data; \
         OSError for files that cannot be read.",
        gil = release
    );
    class!(*ops, Segmenter, "A segmenter with its data, which any number of threads may use.", {
        fixed name = |segmenter: &Segmenter| segmenter.0.name().to_owned(),
            "The name, such as newmm.";
        fn cut(text) = |segmenter: &Segmenter, text: &str| cut(&*segmenter.0, text),
            "The words of a text, in order. Whitespace is left out, except for newmm, of which \
             it is a word.",
            gil = by_size(64);
    });
}

fn open(name: &str, data: Option<&str>) -> Result<Object<Segmenter>> {
    Ok(Object::new(Segmenter(segmenters::open(name, data.map(Path::new))?)))
}

fn cut(segmenter: &dyn Segment, text: &str) -> Result<Vec<String>> {
    let mut buffer = SegmentBuffer::default();
    buffer.cut(segmenter, text, &mut go_on)?;
    let keeps_spaces = segmenter.whitespace() == Whitespace::Tokens;
    let words = buffer.iter().map(|segment| &text[segment.range()]);
    let words = words.filter(|word| keeps_spaces || !word.chars().all(chars::is_space));
    Ok(words.map(str::to_owned).collect())
}
