//! Safe code cannot say of a type what makes a call unsound: it does not compile.

#[test]
fn safe_code_cannot_implement_the_traits_that_memory_is_lent_by() {
    // TRYBUILD=overwrite writes down what a newer compiler words otherwise.
    trybuild::TestCases::new().compile_fail("tests/compile_fail/*.rs");
}
