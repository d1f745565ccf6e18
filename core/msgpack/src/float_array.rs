//! Arrays of 32-bit floats, in the form of the package `msgpack-numpy`.

use lexpool_error::Result;

use crate::writer::Writer;

impl Writer {
    /// Writes an array of numbers as `msgpack-numpy` does, whose keys are binary. `shape` has the
    /// lengths of its axes, whose product is the number of numbers.
    ///
    /// ```
    /// let mut out = lexpool_msgpack::Writer::new();
    /// out.float_array(&[1, 2], &[0.5, 1.0])?;
    /// assert!(out.as_bytes().starts_with(b"\x85\xc4\x02nd\xc3\xc4\x04type\xa3<f4"));
    /// # Ok::<(), lexpool_error::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// `msgpack-size` for 4 GiB or more.
    pub fn float_array(&mut self, shape: &[usize], numbers: &[f32]) -> Result<()> {
        debug_assert_eq!(shape.iter().product::<usize>(), numbers.len());
        self.map(5)?;
        self.bytes(b"nd")?;
        self.bool(true);
        self.bytes(b"type")?;
        self.str("<f4")?;
        self.bytes(b"kind")?;
        self.bytes(b"")?;
        self.bytes(b"shape")?;
        self.array(shape.len())?;
        for axis in shape {
            self.uint(*axis as u64);
        }
        self.bytes(b"data")?;
        let data: Vec<[u8; 4]> = numbers.iter().map(|number| number.to_le_bytes()).collect();
        self.bytes(data.as_flattened())
    }
}
