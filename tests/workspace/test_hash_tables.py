"""Hash tables that hold what a text or a file brings have a seed that nobody outside knows.

The sources are searched for each way to have a table: a hasher of one's own, a type of the standard
library or of `ahash` with another hasher than its own, and functions that spread numbers over the
slots of a table. Each that is not seeded by its type is listed with how often it is there, and the
reason for which words cannot be made to meet in it.
"""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = [
    str(folder.relative_to(ROOT))
    for pattern in ("*/src", "core/*/src", "core/*/*/src")
    for folder in ROOT.glob(pattern)
]

# Ways to find a slot that do not come with a seed by themselves.
WAYS = {
    "a hasher": r"\bimpl(?:<[^>]*>)? (?:\w+::)*(?:Build)?Hasher for\b",
    "a table with a hasher": r"\bBuildHasherDefault\b|\bwith_(?:capacity_and_)?hasher\b|\bHashTable\b",
    "a seed that is fixed": r"\b(?:with_seeds?|generate_with)\(",
    "a hasher without a seed": r"\b(?:DefaultHasher|SipHasher\w*|AHasher)::(?:new|default)\(",
    "a table of another crate": r"\bFx(?:Hash|Build|Index)\w*|\b(?:nohash|no_hash|fnv|indexmap|rustc_hash)\w*::|"
    r"\bFnv\w+|\bIndex(?:Map|Set)\b|\bNoHash\w*",
    "a mix of bits": r"\bwrapping_mul\(|\bu128::from\([^;]*\* u128::from\(|\bwidening_mul\(",
}

# By file, what is found there how often, and why it cannot be flooded.
REASONS: dict[str, tuple[dict[str, int], str]] = {
    "core/src/seeded.rs": (
        {"a hasher": 2, "a mix of bits": 1},
        "the seeded hasher itself: a pad and a factor by chance for each table",
    ),
    "core/src/tokenizer/cache.rs": (
        {"a mix of bits": 1},
        "two seeds by chance for each cache",
    ),
    "structs/src/murmur2.rs": (
        {"a mix of bits": 6},
        "ids, which are spaCy's hash; no table is searched by them unmixed",
    ),
    "core/src/strings/murmur3.rs": (
        {"a mix of bits": 13},
        "the hash of vectors by parts of words, as fastText has it: rows are shared",
    ),
    "structs/src/symbols.rs": (
        {"a mix of bits": 1},
        "a table of the symbols' names, which do not change",
    ),
    "core/src/bloom.rs": (
        {"a mix of bits": 1},
        "a Bloom filter of preshed's form: no chain is followed",
    ),
    "pool/src/index.rs": (
        {"a mix of bits": 1},
        "factors and a pad by chance for each index",
    ),
    "core/src/vocab/image/hash_index.rs": (
        {"a mix of bits": 5},
        "a file's: seeds by number, of which one is taken that keeps probes few",
    ),
    "core/src/matcher/phrases/hash_table.rs": (
        {"a mix of bits": 2},
        "a seed by chance for each tree; that of a file is checked by its distances",
    ),
    "core/src/matcher/phrases/prefix_filter.rs": (
        {"a mix of bits": 3},
        "factors by chance for each tree: bits that say at most that it is worth looking",
    ),
    "core/src/matcher/lazy_dfa/recent_transitions.rs": (
        {"a mix of bits": 2},
        "one slot for each hash, which the next one takes: no chain is followed",
    ),
    "core/src/matcher/lazy_dfa/bloom_filter.rs": (
        {"a mix of bits": 1},
        "bits that say at most that it is worth looking",
    ),
    "core/src/matcher/lazy_dfa/transition_table.rs": (
        {"a mix of bits": 1},
        "by numbers of the pattern's own conditions, not by words",
    ),
    "core/src/formats/docbin/row_deflate.rs": (
        {"a mix of bits": 1},
        "the last place of a number: one slot, no chain is followed",
    ),
    "core/io/src/corpus/parquet/mod.rs": (
        {"a mix of bits": 1},
        "the share of a file that was read",
    ),
    "core/nn/src/infer/embedding_rows.rs": (
        {"a mix of bits": 4},
        "rows of an embedding, which are added: no chain is followed",
    ),
    "core/nn/src/infer/sparse_linear.rs": (
        {"a mix of bits": 5},
        "weights of a key, which are added: no chain is followed",
    ),
    "core/nn/src/learn/dropout.rs": (
        {"a mix of bits": 1},
        "the key of a generator of masks, which makes no slot",
    ),
    "core/nn/src/learn/random/mersenne.rs": (
        {"a mix of bits": 2},
        "the state of a generator of random numbers, which makes no slot",
    ),
    "core/cli/src/run/checksums.rs": (
        {"a seed that is fixed": 1},
        "the sum of a file, which is no table",
    ),
    "core/src/pipeline/rules/cpython_set.rs": (
        {"a mix of bits": 3},
        "the order of a set of CPython's, repeated, which has no seed",
    ),
    "py/src/object/span.rs": (
        {"a mix of bits": 1},
        "__hash__ of a span, for tables of Python's",
    ),
    "py/src/object/token.rs": (
        {"a mix of bits": 1},
        "__hash__ of a token, for tables of Python's",
    ),
}


def without_tests(code: str) -> str:
    """The code outside of the block of tests, and without comments."""
    code = re.sub(
        r"#\[cfg\(test\)\]\nmod tests \{\n.*?^\}$", "", code, flags=re.DOTALL | re.MULTILINE
    )
    return re.sub(r"//.*", "", code)


def ways(code: str) -> dict[str, int]:
    """Counts each way."""
    found = {name: len(re.findall(pattern, code)) for name, pattern in WAYS.items()}
    return {name: count for name, count in found.items() if count}


def found() -> dict[str, dict[str, int]]:
    """The ways that each file has, tests aside."""
    files = (path for folder in FOLDERS for path in (ROOT / folder).rglob("*.rs"))
    named = {
        path.relative_to(ROOT).as_posix(): ways(without_tests(path.read_text(encoding="utf-8")))
        for path in files
        if path.name != "tests.rs" and "tests" not in path.parts
    }
    return {file: counts for file, counts in named.items() if counts}


def test_each_way_to_a_slot_is_seeded_or_has_its_reason():
    reasoned = {file: counts for file, (counts, _) in REASONS.items()}
    assert found() == reasoned, (
        "use ahash's types or seeded::IdMap, or say why nobody can flood what is new"
    )


def test_what_stands_behind_the_tests_of_a_file_is_seen():
    code = "#[cfg(test)]\nmod tests {\n    // AHasher::default()\n}\n\nfn hash() { FnvHashMap::default() }\n"
    assert ways(without_tests(code)) == {"a table of another crate": 1}


@pytest.mark.parametrize(
    ("line", "way"),
    [
        ("impl Hasher for IdHasher {", "a hasher"),
        ("impl<T> std::hash::BuildHasher for Own<T> {", "a hasher"),
        ("HashMap<u64, T, BuildHasherDefault<IdHasher>>", "a table with a hasher"),
        ("AHashMap::with_hasher(RandomState::with_seeds(1, 2, 3, 4))", "a seed that is fixed"),
        ("let mut hasher = DefaultHasher::new();", "a hasher without a seed"),
        ("AHasher::default()", "a hasher without a seed"),
        ("FxHashMap<u64, u32>", "a table of another crate"),
        ("use nohash_hasher::IntMap;", "a table of another crate"),
        ("fnv::FnvHashSet<u64>", "a table of another crate"),
        ("let table: IndexMap<String, u32> = names.collect();", "a table of another crate"),
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
