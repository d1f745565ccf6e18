//! A record batch of a file, validated before Arrow's reader decodes it.
//!
//! That reader validates the arrays, but trusts that a message has as many buffers as its columns
//! need and that they lie within it.

use std::sync::OnceLock;

use arrow_array::RecordBatch;
use arrow_buffer::Buffer;
use arrow_ipc::reader::FileDecoder;
use arrow_ipc::{Block, CompressionType, MetadataVersion};
use arrow_schema::{DataType, Field, SchemaRef};
use lexpool::Result;
use lexpool::codes;

use super::batch_docs::BatchDocs;
use super::errors::invalid_at;
use super::manifest::BatchEntry;

/// A batch, decoded and validated at its first use.
pub(super) struct Batch {
    pub(super) block: Block,
    /// The footer's entry.
    pub(super) entry: BatchEntry,
    decoded: OnceLock<RecordBatch>,
    /// Set once the checksum was compared.
    pub(super) checksum_ok: OnceLock<()>,
    /// Set once the documents were validated.
    pub(super) docs: OnceLock<BatchDocs>,
}

impl Batch {
    /// Creates the batch of a block whose bounds were checked.
    pub(super) fn new(block: Block, entry: BatchEntry) -> Batch {
        Batch {
            block,
            entry,
            decoded: OnceLock::new(),
            checksum_ok: OnceLock::new(),
            docs: OnceLock::new(),
        }
    }

    pub(super) fn at(&self) -> usize {
        usize::try_from(self.block.offset()).unwrap_or(usize::MAX)
    }

    pub(super) fn len(&self) -> usize {
        let len = self.block.bodyLength() + i64::from(self.block.metaDataLength());
        usize::try_from(len).unwrap_or(usize::MAX)
    }

    /// Returns the columns, which borrow the memory of the file. Cost: the first call passes over
    /// offsets and strings, later calls are free.
    pub(super) fn columns(&self, file: &Buffer, schema: &SchemaRef) -> Result<&RecordBatch> {
        if let Some(batch) = self.decoded.get() {
            return Ok(batch);
        }
        let bytes = file.slice_with_length(self.at(), self.len());
        validate(&bytes, &self.block, schema).map_err(|text| self.broken(&text))?;
        let decoder = FileDecoder::new(SchemaRef::clone(schema), MetadataVersion::V5)
            .with_require_alignment(true);
        let batch = decoder.read_record_batch(&self.block, &bytes);
        let batch = batch.map_err(|error| self.broken(&error.to_string()))?;
        let batch = batch.ok_or_else(|| self.broken("the message is not a record batch"))?;
        if batch.num_rows() != self.entry.docs {
            let (rows, docs) = (batch.num_rows(), self.entry.docs);
            return Err(self.broken(&format!("it has {rows} rows, expected {docs}")));
        }
        Ok(self.decoded.get_or_init(|| batch))
    }

    fn broken(&self, text: &str) -> lexpool::Error {
        invalid_at(codes::CORPUS_BATCH, self.at(), format!("invalid batch: {text}"))
    }
}

/// Bytes before the header of a message: a marker, and the length of the header.
const PREFIX: usize = 8;

/// Limit of LZ4's expansion of one byte.
const MAX_PER_BYTE: i64 = 256;

/// Validates a message: its header, the number of its buffers, and their bounds.
fn validate(bytes: &[u8], block: &Block, schema: &SchemaRef) -> Result<(), String> {
    let header = usize::try_from(block.metaDataLength()).unwrap_or(usize::MAX);
    let (Some(header), body) = (bytes.get(PREFIX..header), block.bodyLength()) else {
        return Err(format!("invalid message header ({header} bytes)"));
    };
    let marker = bytes[..4] == [0xff; 4];
    let len = u32::from_le_bytes(bytes[4..8].try_into().expect("four bytes")) as usize;
    if !marker || len > header.len() {
        return Err(format!("invalid start of the message: {:02x?}", &bytes[..8]));
    }
    let message = arrow_ipc::root_as_message(&header[..len])
        .map_err(|error| format!("invalid message header: {error}"))?;
    if message.version() != MetadataVersion::V5 {
        return Err(format!("metadata version {:?}, expected V5", message.version()));
    }
    let batch = message.header_as_record_batch().ok_or("the message is not a record batch")?;
    if batch.variadicBufferCounts().is_some_and(|counts| !counts.is_empty()) {
        return Err("it has views, which a corpus does not use".to_owned());
    }
    let is_packed = match batch.compression() {
        None => false,
        Some(with) if with.codec() == CompressionType::LZ4_FRAME => true,
        Some(with) => {
            return Err(format!("it is compressed with {:?}; expected LZ4_FRAME", with.codec()));
        }
    };
    let (nodes, buffers) = (batch.nodes().ok_or("no nodes")?, batch.buffers().ok_or("no buffers")?);
    let mut needed = BatchLayout::default();
    schema.fields().iter().for_each(|field| needed.add(field));
    if (nodes.len(), buffers.len()) != (needed.nodes.len(), needed.widths.len()) {
        return Err(format!(
            "{} nodes and {} buffers; the columns need {} and {}",
            nodes.len(),
            buffers.len(),
            needed.nodes.len(),
            needed.widths.len()
        ));
    }
    let mut limit = body;
    let body_at = bytes.len() - usize::try_from(body).unwrap_or(bytes.len());
    let mut sizes = Vec::with_capacity(buffers.len());
    for (buffer, width) in buffers.iter().zip(needed.widths) {
        let (at, len) = (buffer.offset(), buffer.length());
        let end = at.checked_add(len).filter(|end| at >= 0 && len >= 0 && *end <= body);
        if end.is_none() || at % 8 != 0 {
            return Err(format!(
                "a buffer of {len} bytes at {at} does not fit into the {body} bytes of the body"
            ));
        }
        let size =
            if is_packed && len > 0 { unpacked_size(&bytes[body_at..], at, len)? } else { len };
        if size % width != 0 {
            return Err(format!("a buffer of {size} bytes, which is not a multiple of {width}"));
        }
        limit = limit.max(size);
        sizes.push(size);
    }
    for (node, (first, is_bool)) in nodes.iter().zip(needed.nodes) {
        // A value takes at least one bit.
        if !(0..=limit.saturating_mul(8)).contains(&node.length())
            || !(0..=node.length()).contains(&node.null_count())
        {
            return Err(format!("{} values cannot fit into {body} bytes", node.length()));
        }
        let bits = (node.null_count() > 0).then_some(first).into_iter();
        for buffer in bits.chain(is_bool.then_some(first + 1)) {
            if sizes[buffer] < (node.length() / 8 + i64::from(node.length() % 8 > 0)) {
                let (bits, size) = (node.length(), sizes[buffer]);
                return Err(format!("{bits} bits cannot fit into a buffer of {size} bytes"));
            }
        }
    }
    Ok(())
}

/// Returns the uncompressed size that a compressed buffer announces, if it is possible.
fn unpacked_size(body: &[u8], at: i64, len: i64) -> Result<i64, String> {
    let prefix = usize::try_from(at).ok().and_then(|at| body.get(at..)?.first_chunk::<8>());
    let size = prefix.filter(|_| len >= 8).map(|prefix| i64::from_le_bytes(*prefix));
    match size {
        Some(-1) => Ok(len - 8),
        Some(size) if (0..=len.saturating_mul(MAX_PER_BYTE)).contains(&size) => Ok(size),
        _ => Err(format!("a compressed buffer of {len} bytes announces {size:?} bytes")),
    }
}

/// Nodes and buffers that a message of some columns consists of.
#[derive(Default)]
struct BatchLayout {
    /// For each node, its first buffer, and `true` if its second buffer is a bitmap too.
    nodes: Vec<(usize, bool)>,
    /// For each buffer, the bytes per item.
    widths: Vec<i64>,
}

impl BatchLayout {
    fn add(&mut self, field: &Field) {
        self.nodes.push((self.widths.len(), *field.data_type() == DataType::Boolean));
        self.widths.push(1);
        match field.data_type() {
            DataType::Struct(fields) => fields.iter().for_each(|field| self.add(field)),
            DataType::List(item) => {
                self.widths.push(4);
                self.add(item);
            }
            DataType::LargeList(item) => {
                self.widths.push(8);
                self.add(item);
            }
            DataType::Utf8 | DataType::Binary => self.widths.extend([4, 1]),
            DataType::LargeUtf8 | DataType::LargeBinary => self.widths.extend([8, 1]),
            other => {
                let width = other.primitive_width().unwrap_or(1);
                self.widths.push(i64::try_from(width).unwrap_or(1));
            }
        }
    }
}
