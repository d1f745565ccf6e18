"""The record tables of the site are those of `lexpool.h`, as a C compiler lays them out."""

import importlib.util
import re
import subprocess
from pathlib import Path

import pytest

import lexpool

ROOT = Path(__file__).parents[2]
PAGES = ROOT / "docs/src/content/docs/records"


def generator(name: str):
    spec = importlib.util.spec_from_file_location(f"site_{name}", ROOT / f"docs/generate/{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


RECORDS = generator("records").data()
NAMES = [record["name"] for record in RECORDS]


def compiled(record: dict, folder: Path) -> dict[str, list[int]]:
    """Size of the struct, and offset, size and sign of each field, from a C program."""
    struct = record["name"]
    lines = [f'printf("sizeof %zu %zu 0\\n", sizeof({struct}), _Alignof({struct}));']
    for field in record["fields"]:
        at = f"(({struct} *)0)->{field['name']}"
        lines.append(
            f'printf("{field["name"]} %zu %zu %d\\n", offsetof({struct}, {field["name"]}), '
            f"sizeof({at}), (__typeof__({at}))-1 < 0);"
        )
    declared = spacy_struct() if struct == "SpacyTokenC" else ""
    source = folder / "layout.c"
    source.write_text(
        f'#include <stdio.h>\n#include "lexpool.h"\n{declared}\nint main(void) {{ {"".join(lines)} return 0; }}\n'
    )
    program = folder / "layout"
    subprocess.run(
        ["cc", "-std=gnu11", "-I", lexpool.get_include(), "-o", program, source], check=True
    )
    printed = subprocess.run([program], capture_output=True, text=True, check=True).stdout
    return {
        name: [int(number) for number in numbers]
        for name, *numbers in (line.split() for line in printed.splitlines())
    }


def spacy_struct() -> str:
    """The struct of `lexpool_spacy.h`, its gaps filled by what reflection calls them."""
    text = (Path(lexpool.get_include()) / "lexpool_spacy.h").read_text()
    found = re.search(
        r"typedef struct lexpool_spacy_token \{.*?\} lexpool_spacy_token;", text, re.DOTALL
    )
    assert found is not None
    struct = found[0].replace("int32_t idx;", "int32_t idx; uint32_t pad0;")
    struct = struct.replace("int32_t head;", "int32_t head; uint32_t pad1;")
    return struct + "\ntypedef lexpool_spacy_token SpacyTokenC;"


@pytest.mark.parametrize("record", RECORDS, ids=NAMES)
def test_a_record_of_the_site_is_laid_out_as_in_the_header(record, tmp_path):
    found = compiled(record, tmp_path)
    assert found.pop("sizeof")[:2] == [record["size"], record["align"]]
    assert list(found) == [field["name"] for field in record["fields"]]
    for field in record["fields"]:
        # Pointers are not numbers, and C leaves the signedness of enums open.
        signed = (
            found[field["name"]][2]
            if field["name"] not in ("lex", "pos")
            else field["type"][0] == "i"
        )
        assert found[field["name"]] == [field["offset"], field["size"], signed], field["name"]
        assert field["type"] == f"{'i' if signed else 'u'}{field['size'] * 8}"


def test_groups_of_bits_are_those_of_the_header():
    header = (Path(lexpool.get_include()) / "lexpool.h").read_text()
    shifts = dict(re.findall(r"#define LEXPOOL_TOKEN_(\w+)_SHIFT (\d+)", header))
    masks = dict(re.findall(r"#define LEXPOOL_TOKEN_(\w+)_MASK UINT32_C\((\w+)\)", header))
    (token,) = (record for record in RECORDS if record["name"] == "TokenC")
    bits = {bits["name"].upper(): bits for field in token["fields"] for bits in field["bits"]}
    assert set(bits) == set(shifts) == set(masks)
    for name, group in bits.items():
        assert group["low"] == int(shifts[name])
        assert ((1 << group["width"]) - 1) << group["low"] == int(masks[name], 16)


def test_every_record_is_described_to_the_last_byte():
    for record in RECORDS:
        assert record["doc"].endswith("."), record["name"]
        end = 0
        for field in record["fields"]:
            assert field["offset"] == end, field["name"]
            assert field["doc"], field["name"]
            end += field["size"]
        assert end == record["size"]


def test_every_record_has_a_page_that_draws_it():
    for name in NAMES:
        slug = re.sub(r"(?<=[a-z])(?=[A-Z])", "-", name).lower()
        page = (PAGES / f"{slug}.mdx").read_text()
        assert f'<RecordMap name="{name}"' in page, slug


def test_every_struct_of_the_c_api_is_drawn_once():
    page = (PAGES / "native.mdx").read_text()
    drawn = re.findall(r'<StructMap name="(\w+)" />', page)
    assert sorted(drawn) == sorted(struct["name"] for struct in generator("native").data())


def test_structs_of_the_c_api_have_the_sizes_that_their_headers_assert():
    sizes = {struct["name"]: struct["size"] for struct in generator("native").data()}
    asserted = 0
    for header in Path(lexpool.get_include()).glob("*.h"):
        for name, size in re.findall(
            r"LEXPOOL_ASSERT\(sizeof\((\w+)\) == (\d+)", header.read_text()
        ):
            if name in sizes:
                assert sizes[name] == int(size), name
                asserted += 1
    assert asserted >= 5
