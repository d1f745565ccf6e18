//! Networks that thinc has saved, from any bytes.

use lexpool::nn::ModelFile;

pub(crate) fn run(bytes: &[u8]) {
    let Ok(file) = ModelFile::parse(bytes) else { return };
    let mut numbers = 0;
    for node in file.nodes() {
        for (name, reference) in node.refs() {
            assert_eq!(file.referred(node, name).is_some(), reference.is_some());
        }
        for (name, _) in node.attrs() {
            let _ = node.attr(name);
        }
        for (name, param) in node.params() {
            assert_eq!(node.param(name).is_some(), param.is_some());
            let Some(array) = param else { continue };
            numbers += array.len();
            assert_eq!(array.shape().iter().product::<usize>(), array.len());
            let _ = (node.required_param(name, 1).is_ok(), node.required_param(name, 2).is_ok());
        }
    }
    // Each number has a place in the file: at least two bytes.
    assert!(numbers <= bytes.len() / 2, "{numbers} numbers in {} bytes", bytes.len());
    let _ = (file.param_count(), file.check_finite());
}

pub(crate) fn seeds() -> Vec<Vec<u8>> {
    ["parser.model", "textcat.model", "tok2vec.model"].map(crate::file).to_vec()
}
