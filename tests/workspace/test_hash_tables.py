"""Hash tables that hold what a text or a file brings have a seed that nobody outside knows.

The sources are searched for each way to have a table: a hasher of one's own, a type of the standard library or of
`ahash` with another hasher than its own, and functions that spread numbers over the slots of a table. Each that is
not seeded by its type is listed, with the reason for which words cannot be made to meet in it.
"""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = ("core/src", "core/plugin/src", "pool/src", "structs/src", "py/src")

# Ways to find a slot that do not come with a seed by themselves.
WAYS = {
    "a hasher": r"\bimpl(?:<[^>]*>)? (?:\w+::)*(?:Build)?Hasher for\b",
    "a table with a hasher": r"\bBuildHasherDefault\b|\bwith_(?:capacity_and_)?hasher\b|\bHashTable\b",
    "a seed that is fixed": r"\b(?:with_seeds?|generate_with)\(",
    "a mix of bits": r"\bwrapping_mul\(|\bu128::from\([^;]*\* u128::from\(|\bwidening_mul\(",
}

# By file, why what is found there cannot be flooded.
REASONS = {
    "core/src/seeded.rs": "the seeded hasher itself: a pad and a factor by chance for each table",
    "core/src/tokenizer/cache.rs": "two seeds by chance for each cache",
    "core/src/strings/id.rs": "ids, which are spaCy's hash; no table is searched by them unmixed",
    "core/src/strings/murmur3.rs": "the hash of vectors by parts of words, as fastText has it: rows are shared",
    "structs/src/symbols.rs": "a table of the symbols' names, which do not change",
    "core/src/bloom.rs": "a Bloom filter of preshed's form: no chain is followed",
    "pool/src/index.rs": "factors and a pad by chance for each index",
    "core/src/vocab/image/index.rs": "a file's: seeds by number, of which one is taken that keeps probes few",
    "core/src/matcher/phrases/table.rs": "a seed by chance for each tree; that of a file is checked by its distances",
    "core/src/matcher/automaton/mod.rs": "one slot for each hash, which the next one takes: no chain is followed",
    "core/src/matcher/automaton/gate.rs": "bits that say at most that it is worth looking",
    "core/src/matcher/automaton/table.rs": "by numbers of the pattern's own conditions, not by words",
    "core/src/formats/docbin/row_deflate.rs": "the last place of a number: one slot, no chain is followed",
    "core/src/corpus/parquet/mod.rs": "the share of a file that was read",
    "core/src/shell/run/sums.rs": "the sum of a file, which is no table",
    "core/src/pipeline/rules/set_order.rs": "the order of a set of CPython's, repeated, which has no seed",
    "py/src/span.rs": "__hash__ of a span, for tables of Python's",
    "py/src/token.rs": "__hash__ of a token, for tables of Python's",
}


def found() -> dict[str, set[str]]:
    """The ways that each file has, tests aside."""
    files = (path for folder in FOLDERS for path in (ROOT / folder).rglob("*.rs"))
    named = {}
    for path in files:
        if path.name == "tests.rs" or "tests" in path.parts:
            continue
        code, *_tests = path.read_text(encoding="utf-8").split("#[cfg(test)]\nmod tests {")
        code = re.sub(r"//.*", "", code)
        ways = {name for name, pattern in WAYS.items() if re.search(pattern, code)}
        if ways:
            named[path.relative_to(ROOT).as_posix()] = ways
    return named


def test_each_way_to_a_slot_is_seeded_or_has_its_reason():
    ways = found()
    without = {file: sorted(names) for file, names in ways.items() if file not in REASONS}
    assert not without, "use ahash's types or seeded::IdMap, or say why nobody can flood it"
    assert set(REASONS) <= set(ways), "reasons for what is not there any more"


@pytest.mark.parametrize(
    ("line", "way"),
    [
        ("impl Hasher for IdHasher {", "a hasher"),
        ("impl<T> std::hash::BuildHasher for Own<T> {", "a hasher"),
        ("HashMap<u64, T, BuildHasherDefault<IdHasher>>", "a table with a hasher"),
        ("AHashMap::with_hasher(RandomState::with_seeds(1, 2, 3, 4))", "a seed that is fixed"),
        ("self.0 = id.wrapping_mul(0x9e37_79b9_7f4a_7c15);", "a mix of bits"),
        ("let hash = node.0.wrapping_mul(0x9E37_79B1);", "a mix of bits"),
    ],
)
def test_a_table_without_a_seed_is_seen(line, way):
    assert re.search(WAYS[way], line)


def test_ahash_takes_its_seeds_by_chance():
    manifest = tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))
    features = manifest["workspace"]["dependencies"]["ahash"]["features"]
    assert "runtime-rng" in features and "compile-time-rng" not in features
