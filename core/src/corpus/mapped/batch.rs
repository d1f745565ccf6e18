//! A record batch in a file, judged before Arrow's own reader sees it.
//!
//! That reader checks what arrays hold, but takes for granted that a message names as many buffers
//! as its columns need, and that they lie within it.

use std::sync::OnceLock;

use arrow_array::RecordBatch;
use arrow_buffer::Buffer;
use arrow_ipc::reader::FileDecoder;
use arrow_ipc::{Block, CompressionType, MetadataVersion};
use arrow_schema::{DataType, Field, SchemaRef};

use super::fault;
use super::footer::Written;
use crate::Result;

/// A batch of which only the place is known until someone asks.
pub(super) struct Batch {
    pub(super) block: Block,
    pub(super) written: Written,
    decoded: OnceLock<RecordBatch>,
    /// Set when its checksum has been compared.
    pub(super) summed: OnceLock<()>,
    /// Set when its documents have been judged.
    pub(super) judged: OnceLock<Docs>,
}

/// The documents of a batch that was judged; see [`super::check`].
pub(super) type Docs = super::docs::Docs;

impl Batch {
    /// A block of a footer that lies where it should.
    pub(super) fn new(block: Block, written: Written) -> Batch {
        Batch {
            block,
            written,
            decoded: OnceLock::new(),
            summed: OnceLock::new(),
            judged: OnceLock::new(),
        }
    }

    pub(super) fn at(&self) -> usize {
        usize::try_from(self.block.offset()).unwrap_or(usize::MAX)
    }

    pub(super) fn len(&self) -> usize {
        let len = self.block.bodyLength() + i64::from(self.block.metaDataLength());
        usize::try_from(len).unwrap_or(usize::MAX)
    }

    /// The columns, in the memory of the file. Cost: the first time a pass over offsets and strings,
    /// none after that.
    pub(super) fn columns(&self, file: &Buffer, schema: &SchemaRef) -> Result<&RecordBatch> {
        if let Some(batch) = self.decoded.get() {
            return Ok(batch);
        }
        let bytes = file.slice_with_length(self.at(), self.len());
        judge(&bytes, &self.block, schema).map_err(|text| self.broken(&text))?;
        let decoder = FileDecoder::new(SchemaRef::clone(schema), MetadataVersion::V5)
            .with_require_alignment(true);
        let batch = decoder.read_record_batch(&self.block, &bytes);
        let batch = batch.map_err(|error| self.broken(&error.to_string()))?;
        let batch = batch.ok_or_else(|| self.broken("it has no record batch"))?;
        if batch.num_rows() != self.written.docs {
            let (rows, docs) = (batch.num_rows(), self.written.docs);
            return Err(self.broken(&format!("it has {rows} rows, and should have {docs}")));
        }
        Ok(self.decoded.get_or_init(|| batch))
    }

    fn broken(&self, text: &str) -> crate::Error {
        fault("corpus-batch", self.at(), format!("the batch there is broken: {text}"))
    }
}

/// Bytes of a message before its header: a marker and the length of the header.
const PREFIX: usize = 8;

/// The most that LZ4 makes of a byte.
const MOST_PER_BYTE: i64 = 256;

fn judge(bytes: &[u8], block: &Block, schema: &SchemaRef) -> Result<(), String> {
    let header = usize::try_from(block.metaDataLength()).unwrap_or(usize::MAX);
    let (Some(header), body) = (bytes.get(PREFIX..header), block.bodyLength()) else {
        return Err(format!("its header of {header} bytes is no header"));
    };
    let marker = bytes[..4] == [0xff; 4];
    let len = u32::from_le_bytes(bytes[4..8].try_into().expect("four bytes")) as usize;
    if !marker || len > header.len() {
        return Err(format!("it begins with {:02x?}", &bytes[..8]));
    }
    let message = arrow_ipc::root_as_message(&header[..len])
        .map_err(|error| format!("its header: {error}"))?;
    if message.version() != MetadataVersion::V5 {
        return Err(format!("it is of Arrow's version {:?}", message.version()));
    }
    let batch = message.header_as_record_batch().ok_or("it is another message")?;
    if batch.variadicBufferCounts().is_some_and(|counts| !counts.is_empty()) {
        return Err("it has views".to_owned());
    }
    let is_packed = match batch.compression() {
        None => false,
        Some(with) if with.codec() == CompressionType::LZ4_FRAME => true,
        Some(with) => return Err(format!("it is compressed with {:?}", with.codec())),
    };
    let (nodes, buffers) = (batch.nodes().ok_or("no nodes")?, batch.buffers().ok_or("no buffers")?);
    let mut needed = Needed::default();
    schema.fields().iter().for_each(|field| needed.add(field));
    if (nodes.len(), buffers.len()) != (needed.nodes.len(), needed.widths.len()) {
        return Err(format!(
            "{} nodes and {} buffers; its columns need {} and {}",
            nodes.len(),
            buffers.len(),
            needed.nodes.len(),
            needed.widths.len()
        ));
    }
    let mut most = body;
    let body_at = bytes.len() - usize::try_from(body).unwrap_or(bytes.len());
    let mut sizes = Vec::with_capacity(buffers.len());
    for (buffer, width) in buffers.iter().zip(needed.widths) {
        let (at, len) = (buffer.offset(), buffer.length());
        let end = at.checked_add(len).filter(|end| at >= 0 && len >= 0 && *end <= body);
        if end.is_none() || at % 8 != 0 {
            return Err(format!("a buffer of {len} bytes at {at} of {body}"));
        }
        let size = if is_packed && len > 0 { unpacked(&bytes[body_at..], at, len)? } else { len };
        if size % width != 0 {
            return Err(format!("a buffer of {size} bytes, of items of {width}"));
        }
        most = most.max(size);
        sizes.push(size);
    }
    for (node, (first, is_bool)) in nodes.iter().zip(needed.nodes) {
        // A value takes a bit at least.
        if !(0..=most.saturating_mul(8)).contains(&node.length())
            || !(0..=node.length()).contains(&node.null_count())
        {
            return Err(format!("a column of {} values in {body} bytes", node.length()));
        }
        let bits = (node.null_count() > 0).then_some(first).into_iter();
        for buffer in bits.chain(is_bool.then_some(first + 1)) {
            if sizes[buffer] < (node.length() / 8 + i64::from(node.length() % 8 > 0)) {
                let (bits, size) = (node.length(), sizes[buffer]);
                return Err(format!("{bits} bits in a buffer of {size} bytes"));
            }
        }
    }
    Ok(())
}

/// How large a compressed buffer says that it is, if that is possible.
fn unpacked(body: &[u8], at: i64, len: i64) -> Result<i64, String> {
    let prefix = usize::try_from(at).ok().and_then(|at| body.get(at..)?.first_chunk::<8>());
    let size = prefix.filter(|_| len >= 8).map(|prefix| i64::from_le_bytes(*prefix));
    match size {
        Some(-1) => Ok(len - 8),
        Some(size) if (0..=len.saturating_mul(MOST_PER_BYTE)).contains(&size) => Ok(size),
        _ => Err(format!("a compressed buffer of {len} bytes says that it is {size:?} long")),
    }
}

/// What a message of some columns consists of.
#[derive(Default)]
struct Needed {
    /// Of each node, its first buffer, and whether its second one is of bits, too.
    nodes: Vec<(usize, bool)>,
    /// Of each buffer, how many bytes an item has.
    widths: Vec<i64>,
}

impl Needed {
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
