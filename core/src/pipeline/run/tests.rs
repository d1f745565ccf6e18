use crate::threads::{Job, Progress};
use std::sync::Mutex;
use std::sync::atomic::AtomicUsize;

use lexpool_structs::AttrId;

use super::*;
use crate::ErrorKind;
use crate::matcher::Rule;
use crate::pipeline::{Component, EntityRuler, MergeEntities, SpanFilter, SpanRuler, SpanRules};
use crate::tokens::SpanGroup;

/// Adds a span group named by the document's length; fails or panics if the text contains that
/// word.
struct Measure;

impl Component for Measure {
    fn apply(&self, doc: &mut Doc, groups: &mut Groups) -> Result<()> {
        if doc.text().contains("fail") {
            return Err(Error::value(crate::Code::new("E000"), "told to fail"));
        }
        assert!(!doc.text().contains("panic"), "told to panic");
        groups.insert(format!("{} long", doc.len()), SpanGroup::new(doc));
        Ok(())
    }
}

/// Counts documents.
#[derive(Default)]
struct Count(AtomicUsize);

impl Component for Count {
    fn apply(&self, _doc: &mut Doc, _groups: &mut Groups) -> Result<()> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }
}

fn step(name: &str, component: impl Component + 'static) -> Step {
    Step { name: name.to_owned(), component: Arc::new(component) }
}

fn measuring() -> Pipeline {
    let tokenizer = Arc::new(Tokenizer::blank("en").unwrap());
    let steps = vec![step("count", Count::default()), step("measure", Measure)];
    Pipeline::new(tokenizer, steps)
}

fn texts(some: &[&str]) -> Vec<Text> {
    some.iter().map(|text| Text::Owned((*text).to_owned())).collect()
}

const SOME: [&str; 5] = ["one", "two words", "now fail", "then a panic", "and five words , here"];

#[test]
fn documents_come_in_the_order_of_their_texts_on_any_number_of_threads() {
    let some: Vec<String> = (0..300).map(|i| format!("{i} {}", "w ".repeat(i * 37 % 90))).collect();
    for threads in [0, 1, 2, 5] {
        let texts = some.iter().map(|text| Text::Owned(text.clone())).collect();
        let done = measuring().annotate_texts(texts, threads, &AtomicBool::default()).unwrap();
        let given: Vec<&str> = done.iter().map(|made| made.as_ref().unwrap().doc.text()).collect();
        assert_eq!(given, some);
    }
}

#[test]
fn an_error_names_step_and_position_and_does_not_affect_other_documents() {
    for threads in [1, 3] {
        let stop = AtomicBool::default();
        let done = measuring().annotate_texts(texts(&SOME), threads, &stop).unwrap();
        assert!(done[1].as_ref().unwrap().groups.contains_key("2 long"));
        assert!(done[4].as_ref().unwrap().groups.contains_key("5 long"));
        let [failed, panicked] = [2, 3].map(|at| done[at].as_ref().err().unwrap());
        assert_eq!(failed.step, Some((1, "measure".to_owned())));
        assert_eq!((failed.position, failed.error.code()), (2, "E000"));
        assert_eq!(failed.annotated.as_ref().unwrap().doc.text(), "now fail");
        assert!(failed.annotated.as_ref().unwrap().groups.is_empty());
        assert_eq!((panicked.position, panicked.error.code()), (3, "component-panic"));
        assert!(panicked.error.message().contains("told to panic"));
    }
    let failed = measuring().annotate(texts(&["fail"]).remove(0), &AtomicBool::default());
    let text = failed.err().unwrap().into_error().to_string();
    assert_eq!(text, "[E000] document 0, component 'measure': told to fail");
}

#[test]
fn existing_documents_are_annotated_in_place() {
    let pipeline = measuring();
    for threads in [0, 1, 3] {
        let mut docs = SOME.map(|text| pipeline.tokenizer().tokenize(text).unwrap());
        let mut items: Vec<_> =
            docs.iter_mut().map(|doc| PipelineDoc::new(doc, Groups::new())).collect();
        annotate_all(pipeline.steps(), &mut items, threads, &mut || Ok(())).unwrap();
        let result = |at: usize| items[at].result.as_ref().unwrap();
        assert!(result(0).is_ok() && result(1).is_ok() && result(4).is_ok());
        assert_eq!(result(2).as_ref().unwrap_err().0, 1);
        assert_eq!(result(3).as_ref().unwrap_err().1.code(), "component-panic");
        assert!(items[4].groups.contains_key("5 long"));
    }
}

/// Sleeps for 10 ms for each document.
struct Slow;

impl Component for Slow {
    fn apply(&self, _doc: &mut Doc, _groups: &mut Groups) -> Result<()> {
        std::thread::sleep(std::time::Duration::from_millis(10));
        Ok(())
    }
}

#[test]
fn a_failing_watcher_ends_the_run_between_documents() {
    let tokenizer = Tokenizer::blank("en").unwrap();
    for threads in [1, 2] {
        let mut docs: Vec<Doc> = (0..200).map(|_| tokenizer.tokenize("a b").unwrap()).collect();
        let mut items: Vec<_> =
            docs.iter_mut().map(|doc| PipelineDoc::new(doc, Groups::new())).collect();
        let asked = Mutex::new(0);
        let mut watch = || {
            *asked.lock().unwrap() += 1;
            Err(Error::new(ErrorKind::Interrupted, crate::Code::new("stopped"), "by the test"))
        };
        let failed = annotate_all(&[step("slow", Slow)], &mut items, threads, &mut watch);
        assert_eq!(failed.unwrap_err().code(), "stopped");
        assert_eq!(*asked.lock().unwrap(), 1);
        let reached = items.iter().filter(|item| item.result.is_some()).count();
        assert!((1..150).contains(&reached), "{reached}");
    }
}

/// All results of a job, on which this thread works too.
fn results(job: &mut Job<Vec<AnnotationResult>>) -> Vec<AnnotationResult> {
    let mut results = Vec::new();
    loop {
        match job.next(std::time::Duration::from_millis(50)).unwrap() {
            Progress::Done(group) => results.extend(group),
            Progress::Working => drop(job.help().unwrap()),
            Progress::Ended => return results,
        }
    }
}

#[test]
fn a_dropped_job_is_stopped() {
    let counted = Arc::new(Count::default());
    let steps = vec![
        step("slow", Slow),
        Step { name: "count".to_owned(), component: Arc::clone(&counted) as Arc<dyn Component> },
    ];
    let pipeline = Pipeline::new(Arc::new(Tokenizer::blank("en").unwrap()), steps);
    let job = pipeline.submit(texts(&["a b"; 100]), 2).unwrap();
    drop(job);
    // The second job starts after the rest of the first one.
    let mut job = pipeline.submit(texts(&["a b"; 4]), 2).unwrap();
    let done = results(&mut job);
    assert_eq!(done.len(), 4);
    assert!(done.iter().all(Result::is_ok));
    assert!(counted.0.load(Ordering::Relaxed) < 60);
}

#[test]
fn a_pipeline_without_steps_returns_the_documents_of_its_tokenizer() {
    let tokenizer = Arc::new(Tokenizer::blank("en").unwrap());
    let pipeline = Pipeline::new(Arc::clone(&tokenizer), Vec::new());
    let mut job = pipeline.submit(texts(&SOME), 2).unwrap();
    let done = results(&mut job);
    for (made, text) in done.iter().zip(SOME) {
        let doc = &made.as_ref().unwrap().doc;
        assert_eq!(doc.tokens(), tokenizer.tokenize(text).unwrap().tokens());
    }
}

#[test]
fn groups_of_spans_follow_tokens_that_a_later_step_merges() {
    let tokenizer = Tokenizer::blank("en").unwrap();
    let rules =
        "{\"label\":\"GPE\",\"pattern\":\"New York\"}\n{\"label\":\"N\",\"pattern\":\"now\"}";
    let rules = Rule::read_jsonl(rules).unwrap();
    let rules = SpanRules::compile(&rules, &tokenizer, AttrId::ORTH).unwrap();
    let ruler = SpanRuler::new(rules.clone()).into_group("found", Some(SpanFilter::Longest));
    let steps = vec![
        step("ents", EntityRuler::new(rules, false)),
        step("spans", ruler.clone()),
        step("merge", MergeEntities),
        // Its filter is applied to a document with fewer tokens.
        step("again", ruler),
    ];
    let pipeline = Pipeline::new(Arc::new(tokenizer), steps);
    let text = texts(&["in New York it is now"]).remove(0);
    let AnnotatedDoc { doc, groups, .. } = pipeline.annotate(text, &AtomicBool::default()).unwrap();
    assert_eq!(doc.len(), 5);
    let found: Vec<_> = groups["found"].spans().iter().map(|span| (span.start, span.end)).collect();
    assert_eq!(found, [(1, 2), (4, 5), (1, 2), (4, 5)]);
}

#[test]
fn documents_of_a_stream_count_references_to_the_vocab_by_groups() {
    let tokenizer = Arc::new(Tokenizer::blank("en").unwrap());
    let pipeline = Pipeline::new(Arc::clone(&tokenizer), Vec::new());
    let before = Arc::strong_count(tokenizer.vocab());
    let texts = (0..10_000).map(|n| Text::Owned(format!("Text {n}, a short one.")));
    let mut job = pipeline.submit(texts.collect(), 2).unwrap();
    let mut groups = Vec::new();
    loop {
        match job.next(std::time::Duration::from_millis(50)).unwrap() {
            Progress::Done(group) => groups.push(group),
            Progress::Working => drop(job.help().unwrap()),
            Progress::Ended => break,
        }
    }
    drop(job);
    assert_eq!(groups.iter().map(Vec::len).sum::<usize>(), 10_000);
    assert!(groups.len() < 200, "{} groups", groups.len());
    // The pool may still hold the work of the job for a moment.
    assert!(Arc::strong_count(tokenizer.vocab()) - before <= groups.len() + 2);
    groups.clear();
}

#[test]
fn a_long_text_begins_a_group_of_its_own() {
    let long = "w ".repeat(MAX_HELP_BYTES);
    let mut given = texts(&["one", "two", &long, "three", "four"]).into_iter().peekable();
    let pipeline = measuring();
    let mut sizes = Vec::new();
    while given.peek().is_some() {
        sizes.push(pipeline.annotate_next(&mut given, &AtomicBool::default()).len());
    }
    assert_eq!(sizes, [2, 1, 2]);
    assert!(pipeline.annotate_next(&mut given, &AtomicBool::default()).is_empty());
}
