use std::ffi::c_char;
use std::ptr;

use lexpool::strings::StrId;
use lexpool::tokenizer::Tokenizer;
use lexpool::tokens::Doc;
use lexpool::vocab::{Getters, Vocab};
use lexpool_structs::{ABI_VERSION, AttrId, SpacyTokenC, SyntaxC, TagC, TokenC};

use super::*;

const API: Api = Api::new(
    Host { doc_open: no_doc, vocab_open: no_vocab, doc_spacy: no_tokens, doc_length: no_length },
    &crate::HOST,
);

unsafe extern "C" fn no_doc(_: *mut c_void, _: *mut DocC, _: u32) -> c_int {
    -1
}

unsafe extern "C" fn no_vocab(_: *mut c_void) -> *const VocabC {
    ptr::null()
}

unsafe extern "C" fn no_tokens(_: *mut c_void, _: *mut i32) -> *mut SpacyTokenC {
    ptr::null_mut()
}

unsafe extern "C" fn no_length(_: *mut c_void) -> i32 {
    -1
}

fn hello() -> Doc {
    let vocab = Vocab::new(Getters::native("en")).unwrap();
    Doc::from_words(&vocab, &[("hello", true), ("world", true)]).unwrap()
}

/// The results of both look-ups.
fn found(doc: &DocC, at: i32) -> (i32, i32) {
    // SAFETY: `doc` is a whole struct, of a document that lives.
    unsafe { ((API.token_by_start)(doc, at), (API.token_by_end)(doc, at)) }
}

fn attr(doc: &DocC, i: i32, attr: AttrId) -> u64 {
    // SAFETY: as above.
    unsafe { (API.token_get_attr)(doc, i, attr.number()) }
}

#[test]
fn tokens_are_found_by_their_first_and_last_characters() {
    let doc = hello();
    let open = open_doc(&doc);
    assert_eq!(open.text_chars, 11);
    let starts: Vec<_> = (-1..14).map(|at| found(&open, at).0).collect();
    assert_eq!(starts, [-1, 0, -1, -1, -1, -1, -1, 1, -1, -1, -1, -1, -1, -1, -1]);
    let ends: Vec<_> = (-1..14).map(|at| found(&open, at).1).collect();
    assert_eq!(ends, [-1, -1, -1, -1, -1, -1, 0, -1, -1, -1, -1, -1, 1, -1, -1]);
    for at in [i32::MIN, i32::MAX] {
        assert_eq!(found(&open, at), (-1, -1));
    }
}

#[test]
fn every_attribute_is_that_of_the_token() {
    let tokenizer = Tokenizer::blank("en").unwrap();
    let mut doc = tokenizer.tokenize("I don't know, na\u{ef}vely: 3 \u{1f60a} cost $5.").unwrap();
    for round in 0..2 {
        let open = open_doc(&doc);
        for token in doc.iter() {
            let i = i32::try_from(token.i()).unwrap();
            for number in 0..500 {
                let id = AttrId::new(number);
                assert_eq!(attr(&open, i, id), token.attr(id), "{token:?} {number} {round}");
            }
        }
        doc.attrs_mut().set(1, AttrId::NORM, 77).unwrap();
        doc.attrs_mut().set(2, AttrId::LEMMA, 78).unwrap();
        doc.attrs_mut().set(2, AttrId::ENT_TYPE, 79).unwrap();
        doc.attrs_mut().set(2, AttrId::SENT_START, 1).unwrap();
        doc.tree_mut().set_head(2, 0).unwrap();
    }
    assert_eq!(attr(&open_doc(&doc), -1, AttrId::ORTH), 0);
    assert_eq!(attr(&open_doc(&doc), i32::MAX, AttrId::ORTH), 0);
}

#[test]
fn what_is_opened_wrong_is_refused() {
    let doc = hello();
    let open = open_doc(&doc);
    let wrong = [
        DocC { size: open.size - 1, ..open },
        DocC { size: 0, ..open },
        DocC { abi: ABI_VERSION + 1, ..open },
        DocC { length: -1, ..open },
        DocC { length: i32::MIN, ..open },
        DocC { tokens: ptr::null(), ..open },
        DocC { tokens: ptr::without_provenance(1), ..open },
        DocC { tags: ptr::without_provenance(4), ..open },
    ];
    for wrong in wrong {
        assert_eq!(found(&wrong, 6), (-1, -1));
        assert_eq!(attr(&wrong, 1, AttrId::IDX), 0);
    }
    // SAFETY: null is checked for.
    unsafe {
        assert_eq!((API.token_by_start)(ptr::null(), 0), -1);
        assert_eq!((API.token_by_end)(ptr::null(), 0), -1);
        assert_eq!((API.token_get_attr)(ptr::null(), 0, 65), 0);
        assert_eq!((API.token_set_attr)(ptr::null_mut(), 0, 75, 1), -1);
        assert_eq!((API.lexeme_get_attr)(ptr::null(), 65), 0);
        assert_eq!((API.check_flag)(ptr::null(), 1), 0);
        assert_eq!((API.set_children_from_heads)(ptr::null_mut(), ptr::null_mut(), 0, 2), -1);
    }
    let later = DocC { size: open.size + 8, ..open };
    assert_eq!(found(&later, 6), (1, -1));
    let empty = DocC { length: 0, tokens: ptr::null(), ..open };
    assert_eq!(found(&empty, 0), (-1, -1));
}

#[test]
fn arrays_without_a_vocab_have_the_attributes_of_records_alone() {
    let tokens = [TokenC { lex: u32::MAX, facts: !0, ..TokenC::default() }];
    let doc = hello();
    let alone = DocC { tokens: tokens.as_ptr(), length: 1, scope: ptr::null(), ..open_doc(&doc) };
    assert_eq!(attr(&alone, 0, AttrId::ORTH), 0);
    assert_eq!(attr(&alone, 0, AttrId::NORM), 0);
    assert_eq!(attr(&alone, 0, AttrId::SPACY), 1);
    // A vocab that has no such lexeme says nothing of it either.
    let foreign = DocC { tokens: tokens.as_ptr(), length: 1, ..open_doc(&doc) };
    assert_eq!(attr(&foreign, 0, AttrId::ORTH), 0);
}

#[test]
fn an_attribute_is_set_where_it_can_be() {
    let mut tokens = [TokenC::default(); 2];
    let mut tags = [TagC::default(); 2];
    let mut syntax = [SyntaxC::default(); 2];
    let mut doc = DocMutC {
        size: size_of_u32::<DocMutC>(),
        abi: ABI_VERSION,
        tokens: tokens.as_mut_ptr(),
        length: 2,
        reserved: 0,
        tags: tags.as_mut_ptr(),
        syntax: syntax.as_mut_ptr(),
        entities: ptr::null_mut(),
    };
    let cases = [
        (0, AttrId::TAG, 5, 0),
        (1, AttrId::HEAD, u64::MAX, 0),
        (1, AttrId::SENT_START, u64::MAX, 0),
        (1, AttrId::ENT_IOB, 3, 0),
        (1, AttrId::HEAD, 1, -1),
        (1, AttrId::ENT_IOB, 4, -1),
        (1, AttrId::POS, 1, -1),
        (1, AttrId::ENT_TYPE, 1, -1),
        (1, AttrId::ORTH, 1, -1),
        (2, AttrId::TAG, 1, -1),
        (-1, AttrId::TAG, 1, -1),
    ];
    for (i, attr, value, expected) in cases {
        // SAFETY: the arrays are two long and nobody else's.
        let done = unsafe { (API.token_set_attr)(&raw mut doc, i, attr.number(), value) };
        assert_eq!(done, expected, "{i} {attr:?} {value}");
    }
    assert_eq!((tags[0].tag, syntax[1].head), (5, -1));
    assert_eq!((tokens[1].sent_start(), tokens[1].ent_iob()), (-1, 3));
}

#[test]
fn children_are_counted_from_heads_inside_of_the_range_only() {
    let mut tokens = [TokenC::default(); 3];
    let mut syntax = [1, 0, -1].map(|head| SyntaxC { head, dep: 7, ..SyntaxC::default() });
    let before = syntax;
    let mut count = |syntax: &mut [SyntaxC], start, end| {
        // SAFETY: the arrays are three long and nobody else's.
        unsafe {
            (API.set_children_from_heads)(tokens.as_mut_ptr(), syntax.as_mut_ptr(), start, end)
        }
    };
    for (start, end) in [(0, 1), (2, 3), (2, 1), (-1, 2), (0, -1)] {
        assert_eq!(count(&mut syntax, start, end), -1);
        assert_eq!(syntax, before);
    }
    assert_eq!(count(&mut syntax, 1, 1), 0);
    assert_eq!(count(&mut syntax, 0, 3), 0);
    assert_eq!((syntax[1].l_kids, syntax[1].r_kids, syntax[1].r_edge), (1, 1, 2));
    assert_eq!(tokens.map(|token| token.sent_start()), [1, -1, -1]);
}

#[test]
fn children_of_tokens_in_spacys_layout_are_counted_too() {
    let mut tokens = [SpacyTokenC::default(); 3];
    for (token, head) in tokens.iter_mut().zip([1, 0, -1]) {
        (token.head, token.dep) = (head, 9);
    }
    let mut count = |start, end| {
        // SAFETY: the array is three long and nobody else's.
        unsafe { (API.spacy_set_children_from_heads)(tokens.as_mut_ptr(), start, end) }
    };
    for (start, end) in [(0, 1), (2, 3), (2, 1), (-1, 2), (0, -1)] {
        assert_eq!(count(start, end), -1);
    }
    assert_eq!(count(0, 3), 0);
    assert_eq!((tokens[1].l_kids, tokens[1].r_kids, tokens[1].r_edge), (1, 1, 2));
    assert_eq!(tokens.map(|token| token.sent_start), [1, -1, -1]);
    // SAFETY: K2: null stands for an absent array.
    assert_eq!(unsafe { (API.spacy_set_children_from_heads)(ptr::null_mut(), 0, 1) }, -1);
}

#[test]
fn a_vocab_gives_lexemes_that_outlive_a_zone() {
    let vocab = Vocab::new(Getters::native("en")).unwrap();
    let open = open_vocab(&vocab);
    let get = |word: &[u8]| {
        // SAFETY: the vocab lives, and the bytes are there.
        unsafe { (API.vocab_get)(open, word.as_ptr().cast::<c_char>(), word.len()) }
    };
    // SAFETY: the vocab lives.
    let by_orth = |orth: StrId| unsafe { (API.vocab_get_by_orth)(open, orth.get()) };
    vocab.open_zone().unwrap();
    let in_zone = vocab.lexeme("fleeting").unwrap();
    let known = by_orth(in_zone.orth());
    let apple = get(b"Apple");
    drop(in_zone);
    vocab.close_zone().unwrap();
    // SAFETY: lexemes that are entered for good.
    unsafe {
        assert_eq!((API.lexeme_get_attr)(apple, AttrId::LENGTH.number()), 5);
        assert_eq!((API.check_flag)(apple, AttrId::IS_TITLE.number()), 1);
        assert_eq!((API.check_flag)(apple, 64), 0);
        assert_eq!((API.lexeme_get_attr)(known, AttrId::LENGTH.number()), 8);
    }
    assert_eq!(get(b"Apple"), apple);
    assert_eq!(by_orth(StrId::of("Apple")), apple);
    assert_eq!(get(b""), by_orth(StrId::EMPTY));
    assert!(!get(b"").is_null());
    assert!(get(b"\xff").is_null());
    assert!(by_orth(StrId::new(12_345)).is_null());
    // SAFETY: null is checked for, and so is a length that no memory has.
    unsafe {
        assert!((API.vocab_get)(ptr::null(), c"a".as_ptr(), 1).is_null());
        assert!((API.vocab_get)(open, ptr::null(), 1).is_null());
        assert!((API.vocab_get)(open, c"a".as_ptr(), usize::MAX).is_null());
        assert!((API.vocab_get_by_orth)(ptr::null(), 0).is_null());
    }
}
