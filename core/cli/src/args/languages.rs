//! The arguments of `lexpool languages`, and the language of texts.

use clap::Args as ClapArgs;
use lexpool::tokenizer::lang;

pub(super) const LANGUAGES_HELP: &str = "\
Examples:
  lexpool languages
      All languages: code, name, and how many rules and words each has.
  lexpool languages de fra
      Some of them, by code or by an alias of ISO 639.
  lexpool languages --json | jq -r '.[] | select(.direction == \"rtl\").code'";

#[derive(ClapArgs)]
pub(crate) struct Languages {
    /// Codes or aliases, such as de, deu or ger. [default: all]
    #[arg(value_name = "CODE", value_parser = code)]
    pub(crate) codes: Vec<String>,
    /// Print JSON: a list of objects.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Returns the code of a language for a code or an alias.
pub(crate) fn code(given: &str) -> Result<String, String> {
    match lang::resolve(given) {
        Some(code) => Ok(code.to_owned()),
        None => Err(format!(
            "no language has this code; the nearest are {}; `lexpool languages` lists all",
            lang::nearest(given).join(", ")
        )),
    }
}
