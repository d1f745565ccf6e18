//! Values of the tokens of consecutive rows of a batch.

use std::ops::Range;
use std::sync::atomic::AtomicBool;

use lexpool::Result;
use lexpool::pipeline::Pipeline;
use lexpool::tokenizer::{Text, Tokenizer};
use lexpool::tokens::Doc;
use lexpool::vocab::LexemeField;
use lexpool_structs::{AttrId, TokenC};

use super::input::TextColumn;
use super::layout::{ColumnLayout, TokenItem};
use super::row_strings::RowStrings;
use super::row_tokens::{RowTokens, length};
use super::values::{AnnotationValues, TokenValues};
use crate::arrow::annotation::{self, CatRows};
use crate::arrow::packed_strings::PackedStrings;

/// Token values of consecutive rows, concatenated.
pub(super) struct TokenRows {
    /// Number of tokens of each row; `None` if the text is null.
    pub(super) rows: Vec<Option<u32>>,
    /// For each item of the layout, a value per token.
    pub(super) items: Vec<TokenValues>,
    /// Number of strings of each row, and the strings.
    pub(super) strings: Option<(Vec<u32>, PackedStrings)>,
    pub(super) cats: Option<CatRows>,
}

impl TokenRows {
    /// Tokenizes the texts of some rows.
    pub(super) fn of_tokenizer(
        tokenizer: &Tokenizer,
        layout: &ColumnLayout,
        texts: &TextColumn<'_>,
        rows: Range<usize>,
    ) -> Result<TokenRows> {
        let mut part = TokenRows::empty(layout, rows.len());
        let mut row_strings = RowStrings::default();
        let first = rows.start;
        let numbered_texts = rows.clone().filter_map(|row| Some((row, texts.get(row)?)));
        tokenizer.scan(numbered_texts, &mut |scanned| {
            part.skip_to(scanned.number - first);
            part.push(layout, RowTokens::of_text(&scanned), &mut row_strings);
            Ok(())
        })?;
        part.skip_to(rows.len());
        Ok(part)
    }

    /// Takes the texts of some rows through a pipeline, in groups of the size that networks prefer.
    /// The tokens are those of the documents, which components may have merged or split.
    pub(super) fn of_pipeline(
        pipeline: &Pipeline,
        layout: &ColumnLayout,
        texts: &TextColumn<'_>,
        rows: Range<usize>,
        stop: &AtomicBool,
    ) -> Result<TokenRows> {
        let mut part = TokenRows::empty(layout, rows.len());
        let mut row_strings = RowStrings::default();
        let first = rows.start;
        let numbered_texts = || rows.clone().filter_map(|row| Some((row, texts.get(row)?)));
        let mut numbers = numbered_texts().map(|(row, _)| row);
        let mut left = numbered_texts().map(|(_, text)| Text::Owned(text.to_owned())).peekable();
        loop {
            let group = pipeline.annotate_next(&mut left, stop);
            if group.is_empty() {
                break;
            }
            // The group comes first, since `zip` would take one more of the numbers.
            for (annotated, row) in group.into_iter().zip(numbers.by_ref()) {
                let annotated = annotated.map_err(|failed| match failed.step {
                    Some((_, name)) => {
                        failed.error.context(format_args!("text {row}, component {name:?}"))
                    }
                    None => failed.error.context(format_args!("text {row}")),
                })?;
                part.skip_to(row - first);
                part.push(layout, RowTokens::of_doc(&annotated.doc), &mut row_strings);
                if let Some(cats) = &mut part.cats {
                    cats.push(annotated.notes.unique_cats());
                }
            }
        }
        part.skip_to(rows.len());
        Ok(part)
    }

    fn empty(layout: &ColumnLayout, rows: usize) -> TokenRows {
        TokenRows {
            rows: Vec::with_capacity(rows),
            items: layout.items.iter().map(|item| empty_values(*item)).collect(),
            strings: layout.has_strings.then(Default::default),
            cats: layout.has_cats.then(CatRows::default),
        }
    }

    /// Concatenates the values of consecutive parts.
    pub(super) fn concatenated(parts: Vec<TokenRows>, layout: &ColumnLayout) -> TokenRows {
        let mut parts = parts.into_iter();
        let mut all = parts.next().unwrap_or_else(|| TokenRows::empty(layout, 0));
        for mut part in parts {
            all.rows.append(&mut part.rows);
            for (all, more) in all.items.iter_mut().zip(part.items) {
                all.append(more);
            }
            if let (Some((lens, chars)), Some((mut more, others))) =
                (&mut all.strings, part.strings)
            {
                lens.append(&mut more);
                chars.append(others);
            }
            if let (Some(all), Some(more)) = (&mut all.cats, part.cats) {
                all.append(more);
            }
        }
        all
    }

    /// Appends null rows up to a row.
    fn skip_to(&mut self, row: usize) {
        self.rows.resize(row, None);
        if let Some((lens, _)) = &mut self.strings {
            lens.resize(row, 0);
        }
        if let Some(cats) = &mut self.cats {
            cats.skip_to(row);
        }
    }

    fn push(&mut self, layout: &ColumnLayout, row: RowTokens<'_>, row_strings: &mut RowStrings) {
        let len = u32::try_from(row.tokens.len()).expect("fewer tokens than characters");
        self.rows.push(Some(len));
        for (item, values) in layout.items.iter().zip(&mut self.items) {
            match (values, row.doc) {
                (TokenValues::Annotation(values, valid), Some(doc)) => {
                    add_annotation(*item, values, valid, doc);
                }
                (values, _) => add(*item, values, row),
            }
        }
        if let Some((lens, strings)) = &mut self.strings {
            let before = strings.len();
            row_strings.add_row(layout, row, strings);
            lens.push(u32::try_from(strings.len() - before).expect("a few strings a token"));
        }
    }
}

fn empty_values(item: TokenItem) -> TokenValues {
    let annotation = match item {
        TokenItem::Start | TokenItem::End => return TokenValues::Short(Vec::new()),
        TokenItem::Space | TokenItem::Flag(_) => return TokenValues::Bits(Vec::new()),
        TokenItem::Number(_) => return TokenValues::Long(Vec::new()),
        TokenItem::Text(_) => return TokenValues::Strings(PackedStrings::default()),
        TokenItem::Id(_) => AnnotationValues::Long(Vec::new()),
        TokenItem::IdText(_) => AnnotationValues::Strings(PackedStrings::default()),
        TokenItem::Head => AnnotationValues::Short(Vec::new()),
        TokenItem::EntIob => AnnotationValues::Byte(Vec::new()),
        TokenItem::SentStart => AnnotationValues::Sign(Vec::new()),
    };
    TokenValues::Annotation(annotation, Vec::new())
}

/// Appends the values of an item for each token of a text.
fn add(item: TokenItem, values: &mut TokenValues, row: RowTokens<'_>) {
    let tokens = row.tokens;
    match (item, values) {
        (TokenItem::Start, TokenValues::Short(out)) => {
            out.extend(tokens.iter().map(|token| token.idx));
        }
        (TokenItem::End, TokenValues::Short(out)) => {
            let ends = tokens.iter().zip(row.cells());
            out.extend(ends.map(|(token, cell)| token.idx + length(cell)));
        }
        (TokenItem::Space, TokenValues::Bits(out)) => out.extend(tokens.iter().map(TokenC::spacy)),
        (TokenItem::Flag(attr), TokenValues::Bits(out)) => {
            out.extend(row.cells().map(|cell| cell.flag(attr)));
        }
        (TokenItem::Number(AttrId::NORM), TokenValues::Long(out)) => {
            out.extend((0..tokens.len()).map(|i| row.norm(i).get()));
        }
        (TokenItem::Number(attr), TokenValues::Long(out)) => {
            let field = LexemeField::of(attr).expect("the layout has attributes of words only");
            out.extend(row.cells().map(|cell| cell.field(field)));
        }
        (TokenItem::Text(AttrId::ORTH), TokenValues::Strings(out)) => {
            (0..tokens.len()).for_each(|i| out.push(row.word(i)));
        }
        (TokenItem::Text(attr), TokenValues::Strings(out)) => {
            (0..tokens.len()).for_each(|i| out.push(row.string(row.id(i, attr))));
        }
        _ => unreachable!("values are made for their item"),
    }
}

/// Appends the values of an item of annotation for each token of a document.
fn add_annotation(
    item: TokenItem,
    values: &mut AnnotationValues,
    valid: &mut Vec<bool>,
    doc: &Doc,
) {
    match (item, values) {
        (TokenItem::Id(attr), AnnotationValues::Long(out)) => {
            extend(out, valid, doc.iter().map(|token| annotation::id(&token, attr)));
        }
        (TokenItem::IdText(attr), AnnotationValues::Strings(out)) => {
            for token in doc.iter() {
                let string = annotation::string(&token, attr);
                valid.push(string.is_some());
                out.push(string.unwrap_or_default());
            }
        }
        (TokenItem::Head, AnnotationValues::Short(out)) => {
            extend(out, valid, doc.iter().map(|token| annotation::head(&token)));
        }
        (TokenItem::EntIob, AnnotationValues::Byte(out)) => {
            extend(out, valid, doc.iter().map(|token| annotation::ent_iob(&token)));
        }
        (TokenItem::SentStart, AnnotationValues::Sign(out)) => {
            extend(out, valid, annotation::sent_starts(doc));
        }
        _ => unreachable!("values are made for their item"),
    }
}

/// Appends values, with zero for unset ones.
fn extend<T: Default>(
    out: &mut Vec<T>,
    valid: &mut Vec<bool>,
    values: impl Iterator<Item = Option<T>>,
) {
    for value in values {
        valid.push(value.is_some());
        out.push(value.unwrap_or_default());
    }
}
