//! The exports of the module: memory for an input, calls, and the address of the answer.
//!
//! Holds unsafe code: functions without mangled names. A module has one thread, so one session and
//! one buffer each way are enough. A page writes an input at what [`lexpool_input`] gives, calls,
//! and reads as many bytes as the call says at [`lexpool_output`]; each call ends what was lent
//! before.

use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::Value;

use crate::layouts;
use crate::session::{Answer, Session, failure};

/// The longest input, in bytes: a pipeline's file. Longer ones are refused before room is made for
/// them.
pub const LONGEST: usize = 1 << 23;

static PAGE: Mutex<Page> =
    Mutex::new(Page { session: None, input: Vec::new(), output: String::new() });

struct Page {
    session: Option<Session>,
    input: Vec<u8>,
    output: String,
}

/// Makes room for an input of `len` bytes and gives its address; null where it would be too long.
#[unsafe(no_mangle)]
pub extern "C" fn lexpool_input(len: usize) -> *mut u8 {
    if len > LONGEST {
        return std::ptr::null_mut();
    }
    let input = &mut page().input;
    input.clear();
    input.resize(len, 0);
    input.as_mut_ptr()
}

/// Returns the address of the answer of the last call.
#[unsafe(no_mangle)]
pub extern "C" fn lexpool_output() -> *const u8 {
    page().output.as_ptr()
}

/// Answers with the tokens of the input, a text. Gives the length of the answer in bytes.
#[unsafe(no_mangle)]
pub extern "C" fn lexpool_tokenize() -> usize {
    answer(Session::tokenize)
}

/// Uses the rules of the language whose code is the input for further texts, and answers with its
/// name.
#[unsafe(no_mangle)]
pub extern "C" fn lexpool_language() -> usize {
    answer(Session::set_language)
}

/// Answers with what the input, a pattern, finds in the last text.
#[unsafe(no_mangle)]
pub extern "C" fn lexpool_find() -> usize {
    answer(Session::find)
}

/// Loads the input, the file of a trained pipeline, and answers with its description.
#[unsafe(no_mangle)]
pub extern "C" fn lexpool_load() -> usize {
    let mut page = page();
    let file = std::mem::take(&mut page.input);
    let answer = session(&mut page.session).and_then(|session| session.load(file));
    put(&mut page, &answer.unwrap_or_else(|failure| failure))
}

/// Answers with the annotation of the input, a text, by the pipeline that was loaded.
#[unsafe(no_mangle)]
pub extern "C" fn lexpool_annotate() -> usize {
    answer(Session::annotate)
}

/// Answers with a drawing of the tree of the sentence of the annotated text whose number, from 0,
/// is the input.
#[unsafe(no_mangle)]
pub extern "C" fn lexpool_tree() -> usize {
    answer(|session, number| session.tree(number))
}

/// Answers with the layouts of the records, without an input.
#[unsafe(no_mangle)]
pub extern "C" fn lexpool_records() -> usize {
    put(&mut page(), &layouts::records())
}

/// Answers with the versions of lexpool and of its records, without an input.
#[unsafe(no_mangle)]
pub extern "C" fn lexpool_version() -> usize {
    put(&mut page(), &layouts::version())
}

fn answer(call: impl FnOnce(&mut Session, &str) -> Answer) -> usize {
    let mut page = page();
    let input = std::mem::take(&mut page.input);
    let answer = match std::str::from_utf8(&input) {
        Ok(input) => session(&mut page.session).and_then(|session| call(session, input)),
        Err(error) => Err(failure("not-utf8", &format!("the input is not UTF-8: {error}"))),
    };
    page.input = input;
    put(&mut page, &answer.unwrap_or_else(|failure| failure))
}

fn session(session: &mut Option<Session>) -> Result<&mut Session, Value> {
    match session {
        Some(session) => Ok(session),
        none => Ok(none.insert(Session::new()?)),
    }
}

fn put(page: &mut Page, answer: &Value) -> usize {
    page.output = answer.to_string();
    page.output.len()
}

fn page() -> MutexGuard<'static, Page> {
    PAGE.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(input: &[u8], call: extern "C" fn() -> usize) -> Value {
        assert!(!lexpool_input(input.len()).is_null());
        page().input.copy_from_slice(input);
        let len = call();
        let page = page();
        assert_eq!(page.output.len(), len);
        serde_json::from_str(&page.output).unwrap()
    }

    #[test]
    fn what_is_written_is_answered_in_json_whatever_it_is() {
        let tokens = written(b"Hello, world", lexpool_tokenize);
        assert_eq!(tokens["tokens"].as_array().map(Vec::len), Some(3));
        let found = written(br#"[{"IS_PUNCT": true}]"#, lexpool_find);
        assert_eq!(found["matches"][0]["start"], 1);
        assert_eq!(written(b"\xff", lexpool_tokenize)["error"]["code"], "not-utf8");
        assert_eq!(written(b"de", lexpool_language)["name"], "German");
        assert_eq!(written(b"en", lexpool_language)["name"], "English");
        assert_eq!(written(b"", lexpool_version)["version"], env!("CARGO_PKG_VERSION"));
        assert_eq!(written(b"", lexpool_records)["records"][1]["name"], "TokenC");
        assert!(lexpool_input(LONGEST + 1).is_null());
        assert_eq!(written(b"a b", lexpool_annotate)["error"]["code"], "no-pipeline");
        assert_eq!(written(b"0", lexpool_tree)["error"]["code"], "no-pipeline");
        let pipeline = include_bytes!("../../public/playground.lexpool");
        assert_eq!(written(pipeline, lexpool_load)["name"], "playground");
        let annotated = written(b"Dogs run.", lexpool_annotate);
        assert_eq!(annotated["tokens"][2]["tag"], ".");
        assert!(written(b"0", lexpool_tree)["svg"].as_str().unwrap().starts_with("<svg"));
        // After a damaged file, the pipeline from before still runs.
        assert!(written(b"\xff\x00", lexpool_load)["error"]["code"].is_string());
        assert_eq!(written(b"Dogs run.", lexpool_annotate), annotated);
    }
}
