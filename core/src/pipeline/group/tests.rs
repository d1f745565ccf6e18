use std::sync::Arc;
use std::sync::Mutex;

use super::*;
use crate::pipeline::{Component, annotate_all};
use crate::tokenizer::Tokenizer;

/// Notes the number of documents that it saw together; cannot predict for a document with "fail",
/// and panics for one with "panic".
#[derive(Default)]
struct Grouped {
    sizes: Mutex<Vec<usize>>,
}

impl Component for Grouped {
    fn apply(&self, doc: &mut Doc, groups: &mut Groups) -> Result<()> {
        let annotations = self.predict(&[doc])?;
        for annotate in annotations {
            annotate(doc, groups, &mut Notes::new())?;
        }
        Ok(())
    }

    fn prefers_groups(&self) -> bool {
        true
    }

    fn predict<'a>(&'a self, docs: &[&Doc]) -> Result<Vec<Annotation<'a>>> {
        for doc in docs {
            assert!(!doc.text().contains("panic"), "told to panic");
            if doc.text().contains("fail") {
                return Err(Error::value(crate::Code::new("E000"), "told to fail"));
            }
        }
        self.sizes.lock().unwrap().push(docs.len());
        let annotation = |len: usize| -> Annotation<'a> {
            Box::new(move |doc, _, notes| {
                notes.cats.push(("tokens".into(), 1.0));
                assert_eq!(doc.len(), len);
                Ok(())
            })
        };
        Ok(docs.iter().map(|doc| annotation(doc.len())).collect())
    }
}

fn annotated(texts: &[String]) -> (Vec<Option<String>>, Vec<usize>) {
    let tokenizer = Tokenizer::blank("en").unwrap();
    let mut docs: Vec<Doc> = texts.iter().map(|text| tokenizer.tokenize(text).unwrap()).collect();
    let component = Arc::new(Grouped::default());
    let step = Step { name: "grouped".to_owned(), component: Arc::clone(&component) as _ };
    let mut items: Vec<_> =
        docs.iter_mut().map(|doc| PipelineDoc::new(doc, Groups::new())).collect();
    annotate_all(&[step], &mut items, 1, &mut || Ok(())).unwrap();
    let codes = items.iter().map(|item| {
        let failed = item.result.as_ref().unwrap().as_ref().err();
        failed.map(|(_, error)| error.code().to_owned())
    });
    let codes = codes.collect();
    let sizes = component.sizes.lock().unwrap().clone();
    (codes, sizes)
}

fn texts(len: usize, change: impl Fn(usize) -> &'static str) -> Vec<String> {
    (0..len).map(|at| format!("one two three four five {}", change(at))).collect()
}

#[test]
fn short_documents_are_predicted_together_and_a_long_one_alone() {
    let mut all = texts(200, |_| "six");
    all.insert(0, "word ".repeat(2 * GROUP_TOKENS));
    let (codes, sizes) = annotated(&all);
    assert!(codes.iter().all(Option::is_none));
    assert_eq!(sizes, [1, 86, 86, 28]);
}

#[test]
fn a_document_that_fails_or_panics_does_not_affect_its_group() {
    let change = |at| match at {
        3 => "fail",
        5 => "panic",
        _ => "six",
    };
    let (codes, sizes) = annotated(&texts(8, change));
    let expected = |at| match at {
        3 => Some("E000".to_owned()),
        5 => Some("component-panic".to_owned()),
        _ => None,
    };
    assert_eq!(codes, (0..8).map(expected).collect::<Vec<_>>());
    assert_eq!(sizes, [1; 6]);
}
