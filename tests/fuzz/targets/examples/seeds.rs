//! Writes the seeds of a target into a folder, for a fuzzer to begin with.
//!
//! `cargo run -p lexpool-fuzz --example seeds TARGET FOLDER`; without arguments, lists the targets.

use std::path::Path;

#[expect(clippy::disallowed_methods, reason = "a file that is broken off is a seed as well")]
fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [name, folder] = args.as_slice() else {
        for target in lexpool_fuzz::TARGETS {
            println!("{}", target.name);
        }
        return;
    };
    let target = lexpool_fuzz::find(name).expect("the name of a target");
    for (number, seed) in lexpool_fuzz::seeds(target).iter().enumerate() {
        std::fs::write(Path::new(folder).join(format!("seed-{number:03}")), seed)
            .expect("a folder to write to");
    }
}
