//! Tests of the whole command, called as a `main` calls it. Tests that need a process of their own
//! (pipes, signals, full disks) are outside of the crate.

use std::cell::Cell;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use super::*;
use lexpool::{Error, ErrorKind};

/// Runs the command. Arguments that begin with `@` name files in the folder.
fn run(folder: &Path, args: &[&str], check: &dyn Fn() -> Result<()>) -> u8 {
    let argument = |argument: &&str| match argument.strip_prefix('@') {
        Some(name) => folder.join(name).into_os_string(),
        None => OsString::from(argument),
    };
    main([OsString::from("lexpool")].into_iter().chain(args.iter().map(argument)), check)
}

fn on(folder: &Path) -> Vec<PathBuf> {
    let mut names: Vec<_> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    names.sort();
    names
}

const GO_ON: &dyn Fn() -> Result<()> = &|| Ok(());

#[test]
fn documents_come_out_in_the_order_of_the_lines_over_many_batches() {
    let folder = tempfile::tempdir().unwrap();
    let lines = 5 * 4_096 + 5;
    let text: Vec<_> = (0..lines).map(|i| format!("word{i} and,more")).collect();
    fs::write(folder.path().join("in.txt"), text.join("\n")).unwrap();
    for threads in ["1", "3"] {
        let args = ["tokenize", "@in.txt", "-o", "@out.jsonl", "--threads", threads, "--quiet"];
        assert_eq!(run(folder.path(), &args, GO_ON), 0);
        let written = fs::read_to_string(folder.path().join("out.jsonl")).unwrap();
        assert_eq!(written.lines().count(), lines);
        for (i, line) in written.lines().enumerate() {
            let start = format!("{{\"text\":\"word{i} and,more\",\"tokens\":[{{\"id\":0,");
            assert!(line.starts_with(&start), "{i}: {line}");
        }
    }
}

#[test]
fn outputs_have_the_same_bytes_on_any_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    // Beside short lines one that the thread which writes leaves to others.
    let mut lines: Vec<_> = (0..30_000).map(|i| format!("Mr. Word{i} and,more")).collect();
    lines[20_000] = lines[..20_000].join(" ");
    fs::write(folder.path().join("in.txt"), lines.join("\n")).unwrap();
    let pattern = r#"{"label": "NAME", "pattern": [{"LOWER": "mr."}, {"IS_TITLE": true}]}"#;
    fs::write(folder.path().join("names.jsonl"), pattern).unwrap();
    let tokenized = ["corpus", "arrow", "jsonl", "spacy", "conllu", "parquet"];
    let commands = tokenized.iter().map(|ending| (*ending, vec!["tokenize"]));
    let found = ("matches.jsonl", vec!["match", "-p", "@names.jsonl", "--format", "jsonl"]);
    for (ending, command) in commands.chain([found]) {
        let output = |threads: &str| {
            let name = format!("@{threads}.{ending}");
            let rest = ["@in.txt", "-o", &name, "--threads", threads, "--quiet"];
            assert_eq!(run(folder.path(), &[&*command, &rest].concat(), GO_ON), 0);
            fs::read(folder.path().join(&name[1..])).unwrap()
        };
        let one = output("1");
        assert!(!one.is_empty());
        for threads in ["2", "3"] {
            assert!(output(threads) == one, "{ending} on {threads} threads");
        }
    }
}

#[test]
fn an_interruption_at_any_moment_leaves_the_old_file_and_no_other() {
    let folder = tempfile::tempdir().unwrap();
    let (input, output) = (folder.path().join("in.txt"), folder.path().join("out.jsonl"));
    fs::write(&input, "some words on a line\n".repeat(60_000)).unwrap();
    fs::write(&output, "old").unwrap();
    let args = ["tokenize", "@in.txt", "-o", "@out.jsonl", "--quiet"];
    let asked = Cell::new(0);
    let mut patience = 0;
    loop {
        asked.set(0);
        let code = run(folder.path(), &args, &|| {
            asked.set(asked.get() + 1);
            if asked.get() <= patience {
                return Ok(());
            }
            Err(Error::new(
                ErrorKind::Interrupted,
                lexpool::Code::new("interrupted"),
                "stopped by a test",
            ))
        });
        assert_eq!(on(folder.path()), [input.as_path(), output.as_path()]);
        if code == 0 {
            break;
        }
        assert_eq!((code, fs::read(&output).unwrap()), (130, b"old".to_vec()));
        patience += 4;
    }
    assert!(patience > 0);
    assert_ne!(fs::read(&output).unwrap(), b"old");
}

#[test]
fn an_error_in_the_last_line_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("in.txt");
    let mut bytes = b"fine\n".repeat(50_000);
    bytes.push(0xff);
    fs::write(&input, bytes).unwrap();
    for output in ["@out.arrow", "@out.jsonl", "@out.spacy"] {
        assert_eq!(run(folder.path(), &["tokenize", "@in.txt", "-o", output, "-q"], GO_ON), 1);
        assert_eq!(on(folder.path()), [input.as_path()]);
    }
}

#[test]
fn the_output_may_be_the_input() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("both.jsonl");
    fs::write(&path, "one\n").unwrap();
    let args = ["tokenize", "@both.jsonl", "-o", "@both.jsonl", "-q"];
    assert_eq!(run(folder.path(), &args, GO_ON), 0);
    assert!(fs::read_to_string(&path).unwrap().starts_with("{\"text\":\"one\""));
}

#[test]
fn wrong_usage_is_2() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("in.txt"), "one\n").unwrap();
    let wrong: [&[&str]; 7] = [
        &["tokenize"],
        &["tokenize", "@in.txt", "-o", "@out.csv"],
        &["tokenize", "@in.txt", "--lang", "tlh"],
        &["stats", "@in.txt", "--threads", "-1"],
        &["struct", "TockenC"],
        &["ops", "text.shape", "text.lower"],
        &["frobnicate"],
    ];
    for args in wrong {
        assert_eq!(run(folder.path(), args, GO_ON), 2, "{args:?}");
    }
    assert_eq!(on(folder.path()).len(), 1);
}

#[test]
fn an_op_that_is_not_there_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(run(folder.path(), &["ops", "text.edit_distances"], GO_ON), 1);
    assert_eq!(run(folder.path(), &["ops", "text"], GO_ON), 0);
}

// Optimized builds have no faults to inject.
#[cfg(debug_assertions)]
#[test]
fn whichever_step_of_writing_fails_each_output_is_whole_old_or_new_and_alone() {
    use lexpool::files::{Step, with_fault};

    let saving: [&[&str]; 12] = [
        &["tokenize", "@in.txt", "-q", "-o", "@out.corpus"],
        &["tokenize", "@in.txt", "-q", "-o", "@out.arrow"],
        &["tokenize", "@in.txt", "-q", "-o", "@out.jsonl"],
        &["tokenize", "@in.txt", "-q", "-o", "@out.spacy"],
        &["tokenize", "@in.txt", "-q", "-o", "@out.conllu"],
        &["tokenize", "@in.txt", "-q", "-o", "@out.parquet"],
        &["match", "-p", "@p.jsonl", "@in.txt", "-q", "-o", "@out.txt", "--format", "text"],
        &["vocab", "build", "@in.txt", "-q", "-o", "@out.vocab"],
        &["corpus", "convert", "@in.jsonl", "-q", "-o", "@out.corpus"],
        &["corpus", "convert", "@in.corpus", "-q", "-o", "@out.spacy"],
        &["corpus", "merge", "@in.corpus", "@in.corpus", "-q", "-o", "@out.corpus"],
        &["run", "@in.txt", "-q", "-o", "@out"],
    ];
    for args in saving {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("in.txt"), "some words, and some more of them\n".repeat(9)).unwrap();
        fs::write(at("in.jsonl"), "{\"text\": \"some words\"}\n").unwrap();
        fs::write(at("p.jsonl"), "{\"label\": \"A\", \"pattern\": \"words\"}\n").unwrap();
        assert_eq!(
            run(folder.path(), &["tokenize", "@in.txt", "-q", "-o", "@in.corpus"], GO_ON),
            0
        );
        let output = match args.last().unwrap() {
            &"@out" => at("out/in.corpus"),
            _ if args[0] == "match" => at("out.txt"),
            name => at(&name[1..]),
        };
        fs::create_dir_all(output.parent().unwrap()).unwrap();
        assert_eq!(run(folder.path(), args, GO_ON), 0);
        let new = fs::read(&output).unwrap();
        let names = [on(folder.path()), on(output.parent().unwrap())];
        let mut failed = Vec::new();
        for step in 0.. {
            fs::write(&output, "old").unwrap();
            let (code, fault) = with_fault(step, || run(folder.path(), args, GO_ON));
            let found = fs::read(&output).unwrap();
            assert_eq!(
                [on(folder.path()), on(output.parent().unwrap())],
                names,
                "{args:?}, {fault:?}"
            );
            let Some(fault) = fault else {
                assert_eq!((code, found == new), (0, true), "{args:?}");
                break;
            };
            assert_eq!(code, 1, "{args:?}, {fault:?}");
            // The manifest of a run is rewritten after its outputs are complete.
            let may_be_new = fault == Step::SyncFolder || args[0] == "run";
            assert!(found == b"old" || may_be_new && found == new, "{args:?}, {fault:?}");
            assert!(!on(output.parent().unwrap()).iter().any(|path| path.ends_with(".part")));
            failed.push(fault);
        }
        for step in [Step::Create, Step::Write, Step::SyncFile, Step::Rename, Step::SyncFolder] {
            assert!(failed.contains(&step), "{args:?}: {step:?} was never tried, {failed:?}");
        }
    }
}

#[cfg(unix)]
#[test]
fn a_run_follows_no_link_to_its_own_folder_manifest_or_lock() {
    use std::os::unix::fs::symlink;

    for link in [".lexpool-run", ".lexpool-run/done.jsonl", ".lexpool-run/lock"] {
        let (folder, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        fs::write(folder.path().join("in.txt"), "some words\n").unwrap();
        let place = folder.path().join("out").join(link);
        fs::create_dir_all(place.parent().unwrap()).unwrap();
        let victim = other.path().join("precious");
        if link == ".lexpool-run" {
            fs::create_dir(&victim).unwrap();
        } else {
            fs::write(&victim, "precious").unwrap();
        }
        symlink(&victim, &place).unwrap();
        assert_eq!(run(folder.path(), &["run", "@in.txt", "-q", "-o", "@out"], GO_ON), 1, "{link}");
        if victim.is_dir() {
            assert_eq!(on(&victim), Vec::<PathBuf>::new());
        } else {
            assert_eq!(fs::read(&victim).unwrap(), b"precious", "{link}");
        }
    }
}

#[cfg(unix)]
#[test]
fn a_pipe_is_waited_for_until_somebody_reads_or_the_command_is_interrupted() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    fs::write(folder.path().join("in.txt"), "some words\n").unwrap();
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let args = ["tokenize", "@in.txt", "-q", "--format", "jsonl", "-o", "@pipe"];
    let (asked, reader) = (Cell::new(0), Cell::new(None));
    let code = run(folder.path(), &args, &|| {
        asked.set(asked.get() + 1);
        match asked.get() {
            0..5 => Ok(()),
            _ => Err(Error::new(
                ErrorKind::Interrupted,
                lexpool::Code::new("interrupted"),
                "stopped by a test",
            )),
        }
    });
    assert_eq!((code, asked.get()), (130, 5));
    asked.set(0);
    let code = run(folder.path(), &args, &|| {
        asked.set(asked.get() + 1);
        if asked.get() == 5 {
            let pipe = pipe.clone();
            reader.set(Some(std::thread::spawn(move || fs::read_to_string(pipe).unwrap())));
        }
        Ok(())
    });
    assert_eq!(code, 0);
    let read = reader.take().expect("it was waited for").join().unwrap();
    assert!(read.starts_with("{\"text\":\"some words\""), "{read}");
}

#[test]
fn evaluate_runs_in_python_or_names_the_package_that_has_it() {
    let words = ["lexpool", "evaluate", "m", "a.spacy", "b", "-GP", "--spans-key", "k"];
    let args = || words.iter().map(OsString::from);
    assert_eq!(main(args(), GO_ON), 1);
    let seen = std::cell::RefCell::new(String::new());
    let evaluate = |args: &Evaluate| {
        *seen.borrow_mut() = format!("{args:?}");
        3
    };
    let python = PythonSide {
        evaluate: &evaluate,
        package: &|_| 0,
        assemble: &|_, _| 0,
        train: &|_, _| 0,
        find_package: &|_| None,
        find_tables: &|| None,
    };
    assert_eq!(main_with_python(args(), GO_ON, python), 3);
    assert_eq!(
        seen.borrow().as_str(),
        r#"Evaluate { model: "m", data: ["a.spacy", "b"], output: None, gold_preproc: true, per_component: true, code: None, spans_key: "k", quiet: false }"#
    );
    let wrong = ["lexpool", "evaluate", "m"].map(OsString::from);
    assert_eq!(main_with_python(wrong, GO_ON, python), 2);
}

#[test]
fn a_pipeline_is_a_folder_or_an_installed_package() {
    let folder = tempfile::tempdir().unwrap();
    let config = "[nlp]\nlang = \"en\"\npipeline = [\"sents\"]\n\
                  [components]\n[components.sents]\nfactory = \"sentencizer\"\n";
    fs::write(folder.path().join("config.cfg"), config).unwrap();
    fs::write(folder.path().join("sents.json"), "{}").unwrap();
    fs::write(folder.path().join("in.txt"), "One. Two!").unwrap();
    let words = |model: &str| {
        let input = folder.path().join("in.txt");
        let output = folder.path().join("out.jsonl");
        ["lexpool", "annotate", "--exclude", "tokenizer", "-q", "-p", model, "-o"]
            .map(OsString::from)
            .into_iter()
            .chain([output.into(), input.into()])
    };
    let find = |name: &Path| (name == Path::new("installed")).then(|| folder.path().to_owned());
    let python = PythonSide {
        evaluate: &|_| 0,
        package: &|_| 0,
        assemble: &|_, _| 0,
        train: &|_, _| 0,
        find_package: &find,
        find_tables: &|| None,
    };
    assert_eq!(main_with_python(words("missing"), GO_ON, python), 1);
    assert_eq!(main(words("installed"), GO_ON), 1);
    assert_eq!(main_with_python(words("installed"), GO_ON, python), 0);
    let line = fs::read_to_string(folder.path().join("out.jsonl")).unwrap();
    let start = r#"{"text":"One. Two!","sents":[{"start":0,"end":4},{"start":5,"end":9}],"#;
    assert!(line.starts_with(start), "{line}");
}
