//! A wrapper of records that are written, which does not say so.

use lexpool_plugin::structs::TokenC;
use lexpool_plugin::{Arg, Type, Value};

struct Tokens<'a>(&'a mut [TokenC]);

impl Arg for Tokens<'static> {
    type Out<'a> = Tokens<'a>;

    const WRITES: bool = false;

    fn ty() -> Type {
        <&'static mut [TokenC] as Arg>::ty()
    }

    fn from_value(value: Value<'_>) -> Option<Tokens<'_>> {
        <&'static mut [TokenC] as Arg>::from_value(value).map(Tokens)
    }
}

fn main() {}
