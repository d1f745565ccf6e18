"""The tables of tests/data through the command, each in as few calls as it allows."""

import json
import re

import pytest
from data_tables import cases, content, table


def jsonl(rows) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def failures(found: dict[str, tuple]) -> dict[str, tuple]:
    """The cases whose found and expected values differ, by name."""
    return {name: values for name, values in found.items() if values[0] != values[1]}


@pytest.mark.parametrize("lang", ["en", "xx"])
def test_texts_have_the_tokens_of_the_table(shell, lang):
    given = [c for c in cases(table("tokenizer"), "command") if c.get("lang", "en") == lang]
    assert len(given) >= 5
    shell.write("in.jsonl", jsonl({"text": case["text"]} for case in given))
    done = shell.ok("tokenize", "--field", "text", "--lang", lang, "in.jsonl", "--quiet")
    # A line ends at a line feed only; `splitlines` would split at others that texts have.
    written = [json.loads(line) for line in done.stdout.split(b"\n")[:-1]]
    found = {}
    for case, doc in zip(given, written, strict=True):
        assert doc["text"] == case["text"]
        words = [token["text"] for token in doc["tokens"]]
        found[case["name"]] = (words, spaces(doc)), (case["words"], case["spaces"])
    assert failures(found) == {}


def spaces(doc) -> list[bool]:
    """For each token, whether there is text between it and the next one: its space."""
    starts = [token["start"] for token in doc["tokens"]][1:] + [len(doc["text"])]
    return [token["end"] < start for token, start in zip(doc["tokens"], starts)]


def test_patterns_have_the_matches_of_the_table(shell):
    valid = [case for case in cases(table("matcher"), "command") if "matches" in case]
    by_options: dict[tuple, list] = {}
    for case in valid:
        by_options.setdefault((case.get("by"), case.get("greedy")), []).append(case)
    found = {}
    for (by, greedy), given in by_options.items():
        # All patterns are searched for in all texts; a label has the number of its case.
        rules = [
            {**rule, "label": f"{line} {rule['label']}"}
            for line, case in enumerate(given, 1)
            for rule in case["patterns"]
        ]
        shell.write("p.jsonl", jsonl(rules))
        shell.write("in.jsonl", jsonl({"text": case["text"]} for case in given))
        options = [*(["--by", by] if by else []), *(["--greedy", greedy] if greedy else [])]
        done = shell.ok(
            "match", "-p", "p.jsonl", "--field", "text", "in.jsonl", "--quiet", *options
        )
        matches: dict[int, list] = {line: [] for line in range(1, len(given) + 1)}
        for match in map(json.loads, done.stdout.split(b"\n")[:-1]):
            line, _, label = match["label"].partition(" ")
            if int(line) == match["line"]:
                matches[match["line"]].append([label, match["start"], match["end"]])
        for line, case in enumerate(given, 1):
            found[case["name"]] = matches[line], case["matches"]
    assert len(found) == len(valid)
    assert failures(found) == {}


def test_invalid_patterns_have_the_errors_of_the_table(shell):
    given = [case for case in cases(table("matcher"), "command") if "invalid" in case]
    assert all(len(case["patterns"]) == 1 for case in given)
    shell.write("p.jsonl", jsonl(case["patterns"][0] for case in given))
    said = shell.fails("match", "-p", "p.jsonl", "-", stdin=b"a")
    assert said.startswith("lexpool: [pattern-syntax] p.jsonl: ")
    places = re.findall(r"^  line (\d+)(?:, ([^:]+))?: ", said, re.MULTILINE)
    found = {
        case["name"]: ([place for of, place in places if int(of) == line], case["invalid"])
        for line, case in enumerate(given, 1)
    }
    assert len(found) >= 5 and failures(found) == {}


def test_files_of_documents_are_valid_or_fail_as_the_table_has_it(shell):
    written = write_files(shell, {"corpus": ".corpus", "docbin": ".spacy"})
    said = shell.fails("corpus", "verify", *written)
    valid = [f"{path}: valid" for path, case in written.items() if "error" not in case]
    done = shell.ok("corpus", "verify", *(line.partition(":")[0] for line in valid))
    assert [line.partition(",")[0] for line in done.stdout.decode().splitlines()] == valid
    found = {
        case["name"]: error_of(said, path, case)
        for path, case in written.items()
        if "error" in case
    }
    assert len(found) >= 10 and failures(found) == {}


def test_vocab_images_are_valid_or_fail_as_the_table_has_it(shell):
    written = write_files(shell, {"vocab": ".vocab"})
    found = {}
    for path, case in written.items():
        done = shell.run("vocab", "info", "--verify", "--json", path)
        if "error" in case:
            assert done.returncode == 1, case["name"]
            found[case["name"]] = error_of(done.stderr.decode(), path, case)
        else:
            found[case["name"]] = (done.returncode, done.stderr), (0, b"")
    assert len(found) >= 5 and failures(found) == {}


def write_files(shell, suffixes) -> dict[str, dict]:
    """Writes the files of the given forms. Returns their cases by file name."""
    files = table("files")
    written = {}
    for number, case in enumerate(cases(files, "command")):
        form, data = content(files, case)
        if form in suffixes:
            path = f"{number}{suffixes[form]}"
            shell.write(path, data)
            written[path] = case
    return written


def error_of(said: str, path: str, case) -> tuple:
    """The code and the byte that the command names for a file, and those of the case."""
    lines = [line for line in said.splitlines() if f" {path}: " in line]
    assert len(lines) == 1, (case["name"], said)
    code = re.search(r"\[([\w-]+)\]", lines[0])
    byte = case.get("byte")
    named = byte if byte is None or re.search(rf"at byte {byte}\b", lines[0]) else lines[0]
    return (code and code[1], named), (case["error"], byte)
