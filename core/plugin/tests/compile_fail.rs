//! Safe code cannot say of a type what makes a call unsound: it does not compile.

#[test]
fn safe_code_cannot_implement_the_traits_that_memory_is_lent_by() {
    // What a newer compiler words otherwise is written down anew by TRYBUILD=overwrite.
    trybuild::TestCases::new().compile_fail("tests/compile_fail/*.rs");
}
