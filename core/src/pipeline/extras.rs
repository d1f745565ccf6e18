//! The results of components as files store them beside a document.

use super::component::Groups;
use super::group::PipelineDoc;
use super::notes::Notes;
use super::run::AnnotatedDoc;
use crate::Result;
use crate::formats::DocExtras;
use crate::formats::span_group::SpanGroup;
use crate::msgpack::Writer;

impl AnnotatedDoc {
    /// Returns the categories and the span groups with their scores, packed as files of documents
    /// have them. Values of ops are left out.
    ///
    /// ```
    /// use lexpool::msgpack::Value;
    /// use lexpool::pipeline::Pipeline;
    /// use lexpool::tokenizer::{Text, Tokenizer};
    ///
    /// let pipeline = Pipeline::new(Tokenizer::blank("en")?.into(), Vec::new());
    /// let text = Text::Owned("Hi.".to_owned());
    /// let mut annotated = pipeline.annotate(text, &Default::default()).map_err(|it| it.error)?;
    /// annotated.notes.cats.push(("GREETING".into(), 0.75));
    /// let cats = Value::from_bytes(&annotated.extras()?.cats)?;
    /// assert_eq!(cats.get("GREETING"), Some(&Value::Float(0.75)));
    /// # Ok::<(), lexpool::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// `msgpack-size` for values that are too long for the format.
    pub fn extras(&self) -> Result<DocExtras> {
        extras(&self.groups, &self.notes)
    }
}

impl PipelineDoc<'_> {
    /// Returns the categories and the span groups, as [`AnnotatedDoc::extras`] does.
    ///
    /// # Errors
    ///
    /// `msgpack-size` for values that are too long for the format.
    pub fn extras(&self) -> Result<DocExtras> {
        extras(&self.groups, &self.notes)
    }
}

fn extras(groups: &Groups, notes: &Notes) -> Result<DocExtras> {
    let (cats, span_groups) = (packed_cats(notes)?, packed_groups(groups, notes)?);
    Ok(DocExtras { cats, span_groups, user_data: None })
}

fn packed_cats(notes: &Notes) -> Result<Box<[u8]>> {
    let cats = notes.unique_cats();
    if cats.is_empty() {
        return Ok(Box::default());
    }
    let mut out = Writer::new();
    out.map(cats.len())?;
    for (label, score) in cats {
        out.str(label)?;
        out.float(score);
    }
    Ok(out.into_bytes().into())
}

fn packed_groups(groups: &Groups, notes: &Notes) -> Result<Box<[u8]>> {
    if groups.is_empty() {
        return Ok(Box::default());
    }
    let mut out = Writer::new();
    out.map(groups.len())?;
    for (name, group) in groups {
        let attrs = packed_scores(notes.scores_of(name))?;
        let spans = group.spans().to_vec();
        out.bytes(&SpanGroup { name, attrs: &attrs, spans }.to_bytes()?)?;
        out.array(1)?;
        out.str(name)?;
    }
    Ok(out.into_bytes().into())
}

/// Packs the attributes of a group.
fn packed_scores(scores: Option<&[f32]>) -> Result<Vec<u8>> {
    let mut out = Writer::new();
    out.map(usize::from(scores.is_some()))?;
    if let Some(scores) = scores {
        out.str("scores")?;
        out.float_array(&[scores.len()], scores)?;
    }
    Ok(out.into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokenizer::Tokenizer;

    #[test]
    fn a_document_without_results_has_no_extras() {
        let doc = Tokenizer::blank("en").unwrap().tokenize("Hi").unwrap();
        let annotated = AnnotatedDoc { doc, groups: Groups::new(), notes: Notes::new() };
        assert_eq!(annotated.extras().unwrap(), DocExtras::default());
    }
}
