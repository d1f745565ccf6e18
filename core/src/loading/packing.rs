//! Packing a pipeline into one file.

use std::path::Path;

use super::language::{ANY, read_vocab};
use super::plan::LoadingPlan;
use super::selection::LoadOptions;
use crate::Result;
use crate::pipeline_files::{PipelineFiles, SAVE_NUMBER, VOCAB_IMAGE, write_pack};
use crate::tokenizer::lang;
use crate::vocab::Getters;
use crate::vocab::image::VocabImageBuilder;

/// The files that the image of the vocab replaces.
const IN_IMAGE: [&str; 5] =
    ["vocab/strings.json", "vocab/vectors", "vocab/key2row", "vocab/keys", "vocab/vectors.cfg"];

/// Packs the files of a pipeline into one file that [`load`](super::load) takes. Its strings and
/// vectors become a vocab image, which is memory-mapped as the networks are: loading does not read
/// them, and processes share them. Memory: twice the size of the vectors.
///
/// # Errors
///
/// `save-mixed`, `save-replaced` and the others of [`load`](super::load) for the configuration and
/// the vocab; those of [`write_pack`].
pub fn pack(files: &PipelineFiles, path: &Path) -> Result<()> {
    let options = LoadOptions::default();
    let plan = LoadingPlan::read(files, &options)?;
    let has_rules = lang::languages().any(|code| code == plan.lang);
    let code = if has_rules { plan.lang.as_str() } else { ANY };
    let vocab = read_vocab(files, Getters::native(code), &options)?;
    let mut builder = VocabImageBuilder::new(&vocab.attrs());
    for (_, string) in vocab.strings().permanent_strings() {
        builder.add_string(string)?;
    }
    if let Some(vectors) = vocab.vectors() {
        builder = builder.with_vectors(&vectors)?;
    }
    let image = builder.finish()?;

    let names = files.names()?;
    let components = plan.components.iter().map(|component| component.name.as_str());
    files.check_parts(components.chain(["vocab"]))?;
    let mut parts = vec![(VOCAB_IMAGE, image.into())];
    for name in &names {
        let is_number = name.rsplit('/').next() == Some(SAVE_NUMBER);
        if name != VOCAB_IMAGE && !IN_IMAGE.contains(&name.as_str()) && !is_number {
            parts.push((name.as_str(), files.read(name)?));
        }
    }
    files.check_current()?;
    write_pack(path, &parts)
}
