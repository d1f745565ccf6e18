//! `Tokenizer.pipe`: a stream of texts through a plan without components.

use pyo3::prelude::*;

use super::plan::Plan;
use super::stream::PyStream;
use crate::runtime::text_stream;
use crate::tokenizer::PyTokenizer;

#[pymethods]
impl PyTokenizer {
    /// Tokenizes a stream of texts in order, using all cores.
    ///
    /// texts: any iterable of str.
    /// batch_size: number of texts in a batch; two batches are in memory.
    /// n_threads: 0 for one thread per core, 1 for one thread at a time: the caller's, which waits
    ///     while another one tokenizes a text of more than a megabyte.
    ///
    /// An error about one text is raised in its turn, after the documents before it.
    #[pyo3(signature = (texts, batch_size=1000, n_threads=0))]
    // stub: (texts: Iterable[str]) -> Stream[Doc]
    fn pipe(
        &self,
        py: Python<'_>,
        texts: &Bound<'_, PyAny>,
        batch_size: isize,
        n_threads: isize,
    ) -> PyResult<PyStream> {
        let (batch_size, threads) =
            (text_stream::batch_size(batch_size)?, text_stream::thread_count(n_threads)?);
        let (tokenizer, vocab) = self.parts(py)?;
        PyStream::new(Plan::of_tokenizer(tokenizer, vocab, batch_size, threads), texts)
    }
}
