//! The memory-mapped vocab from any bytes, opened with and without reading all of it.
//!
//! Each is read as it is, and with the right checksums, so that what was changed is read at all.

use std::sync::Arc;

use lexpool::strings::StrId;
use lexpool::vocab::image::VocabImageBuilder;
use lexpool::vocab::{OpenOptions, Verify, Vocab};

use crate::container::sealed;

pub(crate) fn run(bytes: &[u8]) {
    open(bytes);
    sealed(bytes).as_deref().map(open);
}

fn open(image: &[u8]) {
    for verify in [Verify::Header, Verify::Full] {
        if let Ok(vocab) = Vocab::from_image_bytes(image, &OpenOptions::new().verify(verify)) {
            read(&vocab, verify == Verify::Full);
        }
    }
}

pub(crate) fn seeds() -> Vec<Vec<u8>> {
    ["words.vocab", "vectors.vocab", "floret.vocab"].map(crate::file).to_vec()
}

/// Reads all kinds of contents, and adds to them. What is saved again is whole if the source was.
fn read(vocab: &Arc<Vocab>, is_whole: bool) {
    let mut texts: Vec<String> = ["new", "NOUN", "the"].map(str::to_owned).to_vec();
    let mut ids = vec![StrId::of("tea")];
    if let Some(image) = vocab.mapped() {
        for position in 0..image.strings().min(40) {
            ids.extend(image.id(position));
            texts.extend(image.string(position).map(str::to_owned));
        }
        drop((image.morphs().to_vec(), image.norms().to_vec(), image.meta().is_ok()));
    }
    for id in &ids {
        let _ = (vocab.contains(*id), vocab.lexeme_of(*id).map(|lexeme| lexeme.shape().len()));
    }
    let snapshot = vocab.snapshot();
    for ix in vocab.positions().take(40) {
        let lexeme = snapshot.lexeme(ix);
        let _ = (lexeme.text().len(), lexeme.norm().len(), lexeme.record());
    }
    for text in &texts {
        let _ = vocab.lexeme(text).map(|lexeme| lexeme.lower().len());
    }
    for analysis in vocab.morphology().iter() {
        let _ = analysis.features().len();
    }
    if let Some(vectors) = vocab.vectors() {
        let _ = vectors.floret_vector("coffee").len();
        for id in &ids {
            let _ = vectors.get(id.get()).map(<[f32]>::len);
        }
        let query = vec![1.0; vectors.rows().width()];
        let _ = vectors.most_similar(&query, 1, 1, 1);
    }
    if vocab.open_zone().is_ok() {
        let _ = vocab.lexeme("inside");
        vocab.close_zone().expect("the zone was opened");
    }
    if let Ok(bytes) = VocabImageBuilder::of(vocab).and_then(VocabImageBuilder::finish) {
        let verify = if is_whole { Verify::Full } else { Verify::Header };
        let again = Vocab::from_image_bytes(&bytes, &OpenOptions::new().verify(verify));
        again.expect("what was written can be read");
    }
}
