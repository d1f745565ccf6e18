//! The arguments of `lexpool explain`.

use clap::Args as ClapArgs;
use lexpool::codes::{self, Entry};

pub(super) const EXPLAIN_HELP: &str = "\
Examples:
  lexpool explain E030
      The meaning of an error's code, the Python exceptions that carry it, and what to do.
  lexpool explain
      All codes, one in a line.
  lexpool explain --json | jq -r '.[] | select(.raised[0] == \"OSError\").code'";

#[derive(ClapArgs)]
pub(crate) struct Explain {
    /// A code as messages have it in brackets, such as E030 or file-not-found. [default: all]
    #[arg(value_name = "CODE", value_parser = entry)]
    pub(crate) codes: Vec<&'static Entry>,
    /// Print JSON: a list of objects with code, raised, form and remedy.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Finds a code in any case, with or without its brackets.
fn entry(given: &str) -> Result<&'static Entry, String> {
    let code = given.trim().trim_start_matches('[').trim_end_matches(']');
    let forms = [code.to_owned(), code.to_uppercase(), code.to_lowercase()];
    if let Some(entry) = forms.iter().find_map(|code| codes::find(code)) {
        return Ok(entry);
    }
    let near = codes::nearest(code);
    Err(if near.is_empty() {
        "no error has this code; `lexpool explain` lists all codes".to_owned()
    } else {
        format!("no error has this code; similar codes: {}", near.join(", "))
    })
}
