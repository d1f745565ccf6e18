//! A type of 4096 bytes that calls itself an item of 2.

use lexpool_plugin::{Dtype, Element};

#[derive(Clone, Copy)]
#[repr(C)]
struct Big([u8; 4096]);

// SAFETY: bytes without padding, of which any are a value.
unsafe impl bytemuck::Zeroable for Big {}
// SAFETY: as above.
unsafe impl bytemuck::Pod for Big {}

impl Element for Big {
    const DTYPE: Dtype = Dtype::U16;
}

fn main() {}
