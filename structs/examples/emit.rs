//! Writes `include/lexpool.h` and the `.pxd` files of records and numbers into the folder given.
#![expect(clippy::disallowed_methods, reason = "sources are under version control")]

use lexpool_structs::emit;
use std::path::PathBuf;
use std::process::ExitCode;
use std::{env, fs, io};

fn main() -> ExitCode {
    let Some(folder) = env::args_os().nth(1).map(PathBuf::from) else {
        eprintln!("usage: cargo run -p lexpool-structs --example emit FOLDER");
        return ExitCode::from(2);
    };
    let write = || -> io::Result<()> {
        fs::create_dir_all(folder.join("include"))?;
        fs::write(folder.join("include/lexpool.h"), emit::c_header())?;
        fs::write(folder.join("attrs.pxd"), emit::attrs_pxd())?;
        fs::write(folder.join("parts_of_speech.pxd"), emit::parts_of_speech_pxd())?;
        fs::write(folder.join("structs.pxd"), emit::pxd())
    };
    match write() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("cannot write to {}: {error}", folder.display());
            ExitCode::FAILURE
        }
    }
}
