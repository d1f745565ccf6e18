//! Copies of misaligned arrays of other libraries.
//!
//! The C data interface recommends aligned buffers without requiring them, and arrays received from
//! another process often have others. `arrow` reads the offsets of an imported array through
//! aligned pointers, so buffers that it reads in this way are copied if they are misaligned; all
//! others are kept.
//!
//! # Safety
//!
//! - `A1`: the array and its type are valid and agree, as the caller guarantees.
//! - `A2`: the children and the dictionary of a valid array are valid arrays of the types below its
//!   own.
//! - `A3`: a [`RebuiltArray`] owns everything that its structs point to, and is dropped once, by
//!   [`release`].

use std::ffi::c_void;

use arrow_schema::DataType;

use super::c::FFI_ArrowArray;

/// Returns the array itself, or a copy of it whose offsets are aligned.
///
/// # Safety
///
/// The array must be valid and of this type (A1).
pub(super) unsafe fn aligned(array: FFI_ArrowArray, kind: &DataType) -> FFI_ArrowArray {
    // SAFETY: A1.
    if unsafe { is_aligned(&array, kind) } {
        return array;
    }
    let mut rebuilt = RebuiltArray::default();
    // SAFETY: A1.
    let mut top = unsafe { copy(&array, kind, &mut rebuilt) };
    rebuilt.original = Some(array);
    top.private_data = Box::into_raw(Box::new(rebuilt)).cast();
    top.release = Some(release);
    top
}

/// Owner of everything that the structs of a rebuilt array point to.
#[derive(Default)]
struct RebuiltArray {
    original: Option<FFI_ArrowArray>,
    copies: Vec<Vec<u64>>,
    buffers: Vec<Box<[*const c_void]>>,
    children: Vec<Box<[*mut FFI_ArrowArray]>>,
    /// From `Box::into_raw`, freed on drop.
    nodes: Vec<*mut FFI_ArrowArray>,
}

impl RebuiltArray {
    /// Allocates a child struct, which is freed with its parent.
    fn node(&mut self, node: FFI_ArrowArray) -> *mut FFI_ArrowArray {
        let node = Box::into_raw(Box::new(node));
        self.nodes.push(node);
        node
    }
}

impl Drop for RebuiltArray {
    fn drop(&mut self) {
        for node in self.nodes.drain(..) {
            // SAFETY: A3: from `Box::into_raw` in `node`, and the array is released.
            drop(unsafe { Box::from_raw(node) });
        }
    }
}

unsafe extern "C" fn release(array: *mut FFI_ArrowArray) {
    // SAFETY: A3: called once, with an array made by `aligned`.
    let array = unsafe { &mut *array };
    array.release = None;
    // SAFETY: A3: `aligned` stored the box.
    drop(unsafe { Box::from_raw(array.private_data.cast::<RebuiltArray>()) });
}

/// Returns the buffer that is read while an array is imported: its number, the bytes read of it,
/// and their alignment.
fn imported_buffer(array: &FFI_ArrowArray, kind: &DataType) -> Option<(usize, usize, usize)> {
    let offsets = |size: usize| {
        let bytes = (array.len() + array.offset() + 1) * size;
        (!array.is_empty() && array.num_buffers() > 1).then_some((1, bytes, size))
    };
    match kind {
        DataType::Utf8 | DataType::Binary => offsets(4),
        DataType::LargeUtf8 | DataType::LargeBinary => offsets(8),
        // The last buffer has the lengths of the data buffers between the second buffer and itself.
        DataType::Utf8View | DataType::BinaryView => {
            let lengths = array.num_buffers().checked_sub(3).filter(|lengths| *lengths > 0)?;
            Some((lengths + 2, lengths * 8, 8))
        }
        _ => None,
    }
}

/// Returns the types of the children of a type.
fn kinds_below(kind: &DataType) -> Vec<&DataType> {
    match kind {
        DataType::List(field)
        | DataType::FixedSizeList(field, _)
        | DataType::LargeList(field)
        | DataType::ListView(field)
        | DataType::LargeListView(field)
        | DataType::Map(field, _) => vec![field.data_type()],
        DataType::Struct(fields) => fields.iter().map(|field| field.data_type()).collect(),
        DataType::Union(fields, _) => fields.iter().map(|(_, field)| field.data_type()).collect(),
        DataType::RunEndEncoded(ends, values) => vec![ends.data_type(), values.data_type()],
        _ => Vec::new(),
    }
}

/// Returns `true` if the buffers read during the import are aligned, here and in all children.
///
/// # Safety
///
/// A1.
unsafe fn is_aligned(array: &FFI_ArrowArray, kind: &DataType) -> bool {
    if let Some((number, _, align)) = imported_buffer(array, kind) {
        if array.buffer(number).align_offset(align) != 0 {
            return false;
        }
    }
    let below = kinds_below(kind);
    let children = below.iter().take(array.num_children()).enumerate();
    // SAFETY: A2.
    let children = children.map(|(i, kind)| unsafe { is_aligned(array.child(i), kind) });
    let dictionary = match (array.dictionary(), kind) {
        // SAFETY: A2.
        (Some(values), DataType::Dictionary(_, kind)) => unsafe { is_aligned(values, kind) },
        _ => true,
    };
    dictionary && children.into_iter().all(|is_aligned| is_aligned)
}

/// Copies the structs of an array and its children, and the misaligned buffers, without a release
/// callback.
///
/// # Safety
///
/// A1.
unsafe fn copy(
    array: &FFI_ArrowArray,
    kind: &DataType,
    rebuilt: &mut RebuiltArray,
) -> FFI_ArrowArray {
    let buffers = (0..array.num_buffers()).map(|i| array.buffer(i).cast::<c_void>());
    let mut buffers: Box<[_]> = buffers.collect();
    if let Some((number, bytes, align)) = imported_buffer(array, kind) {
        let values = array.buffer(number);
        if values.align_offset(align) != 0 {
            let mut copy = vec![0_u64; bytes.div_ceil(8)];
            let bytes_of_copy: &mut [u8] = bytemuck::cast_slice_mut(&mut copy);
            // SAFETY: A1: a valid array of this type has that many bytes in this buffer.
            bytes_of_copy[..bytes]
                .copy_from_slice(unsafe { std::slice::from_raw_parts(values, bytes) });
            buffers[number] = copy.as_ptr().cast();
            rebuilt.copies.push(copy);
        }
    }
    let below = kinds_below(kind);
    let mut children = Vec::with_capacity(array.num_children());
    for i in 0..array.num_children() {
        // Surplus children are rejected by the import.
        let kind = below.get(i).copied().unwrap_or(&DataType::Null);
        // SAFETY: A2.
        let child = unsafe { copy(array.child(i), kind, rebuilt) };
        children.push(rebuilt.node(child));
    }
    let mut children = children.into_boxed_slice();
    let dictionary = array.dictionary().map_or(std::ptr::null_mut(), |values| {
        let kind = match kind {
            DataType::Dictionary(_, values) => values,
            _ => &DataType::Null,
        };
        // SAFETY: A2.
        let values = unsafe { copy(values, kind, rebuilt) };
        rebuilt.node(values)
    });
    let copied = FFI_ArrowArray {
        length: array.length,
        null_count: array.null_count,
        offset: array.offset,
        n_buffers: array.n_buffers,
        n_children: array.n_children,
        buffers: buffers.as_mut_ptr(),
        children: children.as_mut_ptr(),
        dictionary,
        release: None,
        private_data: std::ptr::null_mut(),
    };
    // Moving a box does not move its content.
    rebuilt.buffers.push(buffers);
    rebuilt.children.push(children);
    copied
}
