//! Configurations and JSON from any text: what is read is written and read again as it is.

use lexpool::config::{Config, Value};

pub(crate) fn run(bytes: &[u8]) {
    if let Ok(config) = Config::parse_bytes(bytes, "fuzz.cfg") {
        let written = config.to_text();
        let again = Config::parse(&written, "again.cfg").expect("what was written can be read");
        assert_eq!(again.to_text(), written);
        // References may lead nowhere, or in circles.
        if let Ok(interpolated) = config.interpolate() {
            drop(interpolated.to_text());
            drop(config.merge(&interpolated));
        }
    }
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if let Ok(value) = Value::from_json(text) {
        for written in [value.to_json(), value.to_compact_json(), value.to_indented_json()] {
            let again = Value::from_json(&written).expect("what was written can be read");
            assert_eq!(again.to_json(), value.to_json());
        }
    }
}

pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let names = ["rules/config.cfg", "rules/meta.json", "networks/config.cfg"];
    names.map(|name| crate::file(&format!("pipelines/{name}"))).to_vec()
}
