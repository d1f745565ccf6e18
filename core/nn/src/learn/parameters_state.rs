//! Parameters with what optimizers keep of them, as bytes: the state of a training that is paused.

use std::borrow::Cow;

use lexpool_error::{Error, Result, codes};
use lexpool_msgpack::{Reader, Writer};

use crate::learn::parameters::{Moments, Parameters};

impl Parameters {
    /// Returns all values, and the moments, running means and numbers of steps that optimizers
    /// keep.
    ///
    /// # Errors
    ///
    /// Those of [`Writer`]: 4 GiB or more of an array.
    pub fn state_to_bytes(&mut self) -> Result<Vec<u8>> {
        Ok(self.state_parts()?.concat())
    }

    /// Returns the bytes of [`state_to_bytes`](Parameters::state_to_bytes) in parts, of which the
    /// long ones are the arrays as they lie in memory.
    ///
    /// # Errors
    ///
    /// Those of [`Writer`]: 4 GiB or more of an array.
    pub fn state_parts(&mut self) -> Result<Vec<Cow<'_, [u8]>>> {
        self.show_averages(false);
        let Moments { first, second, averages, steps } = self.moments();
        let mut parts = Vec::new();
        let mut out = Writer::new();
        out.array(5)?;
        for numbers in [self.arena(), first, second, averages] {
            out.bytes_header(4 * numbers.len())?;
            parts.push(Cow::Owned(std::mem::take(&mut out).into_bytes()));
            parts.push(little_endian(numbers));
        }
        out.array(steps.len())?;
        for steps in steps {
            out.uint(u64::from(*steps));
        }
        parts.push(Cow::Owned(out.into_bytes()));
        Ok(parts)
    }

    /// Takes over the bytes that [`state_to_bytes`](Parameters::state_to_bytes) returned. Nothing
    /// is changed if they are wrong.
    ///
    /// # Errors
    ///
    /// Those of [`Reader::item`]; `optimizer-settings` for the state of other parameters.
    pub fn read_state(&mut self, bytes: &[u8]) -> Result<()> {
        let mut reader = Reader::new(bytes);
        let n = self.arena().len();
        if reader.array()? != 5 {
            return Err(wrong("the state has another number of parts than 5".to_owned()));
        }
        let values = read_numbers(&mut reader, n)?;
        let [first, second, averages] = [(); 3].map(|()| read_numbers(&mut reader, n));
        let (first, second, averages) = (first?, second?, averages?);
        let n_steps = reader.array()?;
        if values.len() != n || ![0, self.tensors().len()].contains(&n_steps) {
            return Err(wrong(format!("the state has {} numbers of {n}", values.len())));
        }
        let step = |_| {
            let step = reader.uint()?;
            u32::try_from(step).map_err(|_| wrong(format!("{step} steps of a tensor")))
        };
        let steps = (0..n_steps).map(step).collect::<Result<Vec<u32>>>()?;
        reader.finish()?;
        let (_, own, moments) = self.parts();
        own.copy_from_slice(&values);
        *moments = Moments { first, second, averages, steps };
        Ok(())
    }
}

/// Returns the bytes of numbers: those in memory, unless the processor has another order.
fn little_endian(numbers: &[f32]) -> Cow<'_, [u8]> {
    if cfg!(target_endian = "little") {
        return Cow::Borrowed(bytemuck::cast_slice(numbers));
    }
    Cow::Owned(numbers.iter().flat_map(|number| number.to_le_bytes()).collect())
}

/// Reads an array of `n` numbers, or an empty one.
fn read_numbers(reader: &mut Reader<'_>, n: usize) -> Result<Vec<f32>> {
    let bytes = reader.bytes()?;
    if !bytes.is_empty() && bytes.len() != 4 * n {
        return Err(wrong(format!("the state has {} bytes for {n} numbers", bytes.len())));
    }
    let numbers = bytes.chunks_exact(4).filter_map(|bytes| bytes.try_into().ok());
    Ok(numbers.map(f32::from_le_bytes).collect())
}

fn wrong(text: String) -> Error {
    Error::value(codes::OPTIMIZER_SETTINGS, text)
}
