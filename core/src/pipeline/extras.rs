//! The results of components as files store them beside a document.

use super::component::Groups;
use super::group::PipelineDoc;
use super::notes::Notes;
use super::run::AnnotatedDoc;
use crate::Result;
use crate::formats::span_group::SpanGroup;
use crate::formats::{DocExtras, float_array};
use crate::msgpack::Writer;

impl AnnotatedDoc {
    /// Returns the categories and the span groups with their scores, packed for
    /// [`DocBin`](crate::corpus::DocBin::piece_with), [`Jsonl`](crate::corpus::Jsonl::piece_with)
    /// and corpora. Values of ops are left out.
    ///
    /// ```
    /// use lexpool::corpus::Jsonl;
    /// use lexpool::pipeline::Pipeline;
    /// use lexpool::tokenizer::{Text, Tokenizer};
    ///
    /// let pipeline = Pipeline::new(Tokenizer::blank("en")?.into(), Vec::new());
    /// let text = Text::Owned("Hi.".to_owned());
    /// let mut annotated = pipeline.annotate(text, &Default::default()).map_err(|it| it.error)?;
    /// annotated.notes.cats.push(("GREETING".into(), 0.75));
    /// let row = (&annotated.doc, &annotated.extras()?);
    /// let line = String::from_utf8(Jsonl::<Vec<u8>>::piece_with([row])?).unwrap();
    /// assert!(line.starts_with(r#"{"text":"Hi.","cats":{"GREETING":0.75},"tokens":["#));
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
        float_array::pack(&mut out, &[scores.len()], scores)?;
    }
    Ok(out.into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::{AnnotatedDocBin, CorpusWriter, Jsonl};
    use crate::formats::span_group::{Bounds, read_groups};
    use crate::formats::{DocBin, float_array};
    use crate::pipeline::SpanScores;
    use crate::strings::StrId;
    use crate::tokenizer::Tokenizer;
    use crate::tokens::SpanGroup as Spans;

    fn annotated() -> AnnotatedDoc {
        let tokenizer = Tokenizer::blank("en").unwrap();
        let doc = tokenizer.tokenize("New York now").unwrap();
        let mut group = Spans::new(&doc);
        let label = doc.snapshot().add("GPE").unwrap();
        group.push(&doc, doc.span(0, 2).unwrap().record(label)).unwrap();
        group.push(&doc, doc.span(2, 3).unwrap().record(StrId::EMPTY)).unwrap();
        let mut groups = Groups::new();
        groups.insert("none".to_owned(), Spans::new(&doc));
        groups.insert("sc".to_owned(), group);
        let mut notes = Notes::new();
        notes.cats = vec![("b".into(), 0.5), ("a\"".into(), 1e-7), ("b".into(), 1.0)];
        notes.span_scores.push(SpanScores {
            group: "sc".to_owned(),
            scores: vec![0.25, 0.75],
            is_column: false,
        });
        AnnotatedDoc { doc, groups, notes }
    }

    #[test]
    fn a_docbin_has_the_categories_and_the_groups_with_their_scores() {
        let annotated = annotated();
        let rows = [(&annotated.doc, annotated.extras().unwrap())];
        let mut writer = AnnotatedDocBin::annotated(Vec::new());
        writer.write(AnnotatedDocBin::<Vec<u8>>::piece_with(rows).unwrap()).unwrap();
        let bin = DocBin::from_bytes(&writer.finish().unwrap()).unwrap();
        let extras = bin.extras(0).unwrap();
        assert_eq!(extras.cats, annotated.extras().unwrap().cats);
        let groups = read_groups(&extras.span_groups, Bounds { tokens: 3, chars: 12 }).unwrap();
        assert_eq!(groups[0].1.attrs, b"\x80");
        assert_eq!(groups[1].1.spans, annotated.groups["sc"].spans());
        let mut scores = Writer::new();
        float_array::pack(&mut scores, &[2], &[0.25, 0.75]).unwrap();
        assert!(groups[1].1.attrs.ends_with(scores.as_bytes()));
    }

    #[test]
    fn a_line_of_json_has_the_categories_and_the_groups() {
        let annotated = annotated();
        let line = Jsonl::<Vec<u8>>::piece_with([(&annotated.doc, &annotated.extras().unwrap())]);
        let line: serde_json::Value = serde_json::from_slice(&line.unwrap()).unwrap();
        assert_eq!(line["cats"], serde_json::json!({"b": 1.0, "a\"": 1e-7}));
        let spans = serde_json::json!({"none": [], "sc": [
            {"start": 0, "end": 8, "label": "GPE", "kb_id": ""},
            {"start": 9, "end": 12, "label": "", "kb_id": ""},
        ]});
        assert_eq!(line["spans"], spans);
    }

    #[test]
    fn a_document_without_results_has_no_extras() {
        let doc = Tokenizer::blank("en").unwrap().tokenize("Hi").unwrap();
        let annotated = AnnotatedDoc { doc, groups: Groups::new(), notes: Notes::new() };
        assert_eq!(annotated.extras().unwrap(), DocExtras::default());
    }
}
