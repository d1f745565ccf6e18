//! Arrays of other libraries whose offsets lie at odd addresses.
//!
//! Holds unsafe code: reads and rebuilds structs of Arrow's C data interface.
//!
//! The interface recommends aligned buffers and does not ask for them; what was sent from process to
//! process often has others. Taking an array over reads some of its numbers where they lie, as numbers
//! of an aligned address, which others must not be. So these are copied before; all else stays.

use std::ffi::c_void;

use arrow_schema::DataType;

use super::c::FFI_ArrowArray;

/// The array, or one of the same values whose numbers can be read.
///
/// # Safety
///
/// The array is valid and of this type.
pub(super) unsafe fn aligned(array: FFI_ArrowArray, kind: &DataType) -> FFI_ArrowArray {
    // SAFETY: valid, says the caller.
    if unsafe { is_aligned(&array, kind) } {
        return array;
    }
    let mut kept = Kept::default();
    // SAFETY: as before.
    let mut top = unsafe { copy(&array, kind, &mut kept) };
    kept.given = Some(array);
    top.private_data = Box::into_raw(Box::new(kept)).cast();
    top.release = Some(release);
    top
}

/// What the structs of a rebuilt array point to.
#[derive(Default)]
struct Kept {
    given: Option<FFI_ArrowArray>,
    copies: Vec<Vec<u64>>,
    buffers: Vec<Box<[*const c_void]>>,
    children: Vec<Box<[*mut FFI_ArrowArray]>>,
    /// Behind pointers from the time they are made to the end.
    nodes: Vec<*mut FFI_ArrowArray>,
}

impl Kept {
    /// A struct below another, which it is released with.
    fn node(&mut self, node: FFI_ArrowArray) -> *mut FFI_ArrowArray {
        let node = Box::into_raw(Box::new(node));
        self.nodes.push(node);
        node
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        for node in self.nodes.drain(..) {
            // SAFETY: from `into_raw` in `node`, and nobody looks at an array that is released.
            drop(unsafe { Box::from_raw(node) });
        }
    }
}

unsafe extern "C" fn release(array: *mut FFI_ArrowArray) {
    // SAFETY: called once, with an array made by `aligned`.
    let array = unsafe { &mut *array };
    array.release = None;
    // SAFETY: put there by `aligned`.
    drop(unsafe { Box::from_raw(array.private_data.cast::<Kept>()) });
}

/// The number of the buffer that is read while an array is taken over, how many bytes of it, and the
/// alignment that it needs.
fn read_in(array: &FFI_ArrowArray, kind: &DataType) -> Option<(usize, usize, usize)> {
    let offsets = |size: usize| {
        let bytes = (array.len() + array.offset() + 1) * size;
        (!array.is_empty() && array.num_buffers() > 1).then_some((1, bytes, size))
    };
    match kind {
        DataType::Utf8 | DataType::Binary => offsets(4),
        DataType::LargeUtf8 | DataType::LargeBinary => offsets(8),
        // The last buffer has the lengths of those between the second and itself.
        DataType::Utf8View | DataType::BinaryView => {
            let lengths = array.num_buffers().checked_sub(3).filter(|lengths| *lengths > 0)?;
            Some((lengths + 2, lengths * 8, 8))
        }
        _ => None,
    }
}

/// The types of the arrays below one of this type.
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

/// # Safety
///
/// As for [`aligned`].
unsafe fn is_aligned(array: &FFI_ArrowArray, kind: &DataType) -> bool {
    if let Some((number, _, align)) = read_in(array, kind) {
        if array.buffer(number).align_offset(align) != 0 {
            return false;
        }
    }
    let below = kinds_below(kind);
    let children = below.iter().take(array.num_children()).enumerate();
    // SAFETY: what lies below a valid array is valid, and of the types below its own.
    let children = children.map(|(i, kind)| unsafe { is_aligned(array.child(i), kind) });
    let dictionary = match (array.dictionary(), kind) {
        // SAFETY: as before.
        (Some(values), DataType::Dictionary(_, kind)) => unsafe { is_aligned(values, kind) },
        _ => true,
    };
    dictionary && children.into_iter().all(|is_aligned| is_aligned)
}

/// The struct of an array and all below it, without a release of its own.
///
/// # Safety
///
/// As for [`aligned`].
unsafe fn copy(array: &FFI_ArrowArray, kind: &DataType, kept: &mut Kept) -> FFI_ArrowArray {
    let buffers = (0..array.num_buffers()).map(|i| array.buffer(i).cast::<c_void>());
    let mut buffers: Box<[_]> = buffers.collect();
    if let Some((number, bytes, align)) = read_in(array, kind) {
        let given = array.buffer(number);
        if given.align_offset(align) != 0 {
            let mut copy = vec![0_u64; bytes.div_ceil(8)];
            let place: &mut [u8] = bytemuck::cast_slice_mut(&mut copy);
            // SAFETY: a valid array of this type has so many bytes there.
            place[..bytes].copy_from_slice(unsafe { std::slice::from_raw_parts(given, bytes) });
            buffers[number] = copy.as_ptr().cast();
            kept.copies.push(copy);
        }
    }
    let below = kinds_below(kind);
    let mut children = Vec::with_capacity(array.num_children());
    for i in 0..array.num_children() {
        // One too many is refused where the array is taken over.
        let kind = below.get(i).copied().unwrap_or(&DataType::Null);
        // SAFETY: what lies below a valid array is valid, and of the types below its own.
        let child = unsafe { copy(array.child(i), kind, kept) };
        children.push(kept.node(child));
    }
    let mut children = children.into_boxed_slice();
    let dictionary = array.dictionary().map_or(std::ptr::null_mut(), |values| {
        let kind = match kind {
            DataType::Dictionary(_, values) => values,
            _ => &DataType::Null,
        };
        // SAFETY: as before.
        let values = unsafe { copy(values, kind, kept) };
        kept.node(values)
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
    // Moving the boxes does not move what is in them.
    kept.buffers.push(buffers);
    kept.children.push(children);
    copied
}
