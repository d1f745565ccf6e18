"""Libraries that are not plugins, or not for this version of lexpool, raise an ImportError with a
code.
"""

import ctypes
import os
import shutil
from pathlib import Path

import pytest

from lexpool._core import load_library


def refusal(library) -> str:
    with pytest.raises(ImportError) as raised:
        load_library(library)
    assert raised.value.path == os.fspath(library)
    return str(raised.value)


def test_a_file_that_has_changed_since_it_was_loaded_is_refused(plugins):
    library = plugins.in_c({"counts": "changed"})
    load_library(library)
    # Another file in its place: the first one is mapped, and must not change.
    library.unlink()
    shutil.copy(plugins.in_c({"counts": "changed", '"1.0"': '"1.1"'}), library)
    os.utime(library, (0, 0))
    assert "[plugin-changed]" in refusal(library)


def test_a_name_that_is_there_already_installs_nothing(plugins, call_op, counts):
    library = plugins.in_c({'LEXPOOL_STR("counts.spaces")': 'LEXPOOL_STR("counts.other")'})
    text = refusal(library)
    assert text.startswith(f"[plugin-refused] {library}: ")
    assert "counts.sum_of" in text or "counts.Counter" in text
    assert str(counts) in text
    with pytest.raises(KeyError):
        call_op("counts.other", 1)


@pytest.mark.parametrize(
    ("header", "changes", "said"),
    [
        (
            "lexpool_ops.h",
            {"LEXPOOL_PLUGIN_MAJOR 1": "LEXPOOL_PLUGIN_MAJOR 9"},
            "built for version 9.0 of the plugin interface and version 1 of the records; this "
            "lexpool has 1.0 and 1: install a newer lexpool",
        ),
        (
            "lexpool_ops.h",
            {"LEXPOOL_PLUGIN_MINOR 0": "LEXPOOL_PLUGIN_MINOR 3"},
            "built for version 1.3 of the plugin interface",
        ),
        (
            "lexpool.h",
            {"LEXPOOL_ABI_VERSION 1": "LEXPOOL_ABI_VERSION 0"},
            "version 0 of the records; this lexpool has 1.0 and 1: build it anew",
        ),
        (
            "lexpool_plugin.h",
            {"sizeof(lexpool_op_def) == 112": "1", "    size_t gil_size;\n    l": "    l"},
            "its lexpool_op_def has 104 bytes, that of this lexpool 112",
        ),
        (
            "lexpool_ops.h",
            {
                "sizeof(lexpool_host) == 88": "1",
                "    int (*progress)": "    void *more;\n    int (*progress)",
            },
            "it needs 96 bytes of lexpool's table of functions, which has 88",
        ),
    ],
)
def test_a_plugin_of_another_version_is_refused_with_both(header, changes, said, plugins, tmp_path):
    drop = {"     .gil = LEXPOOL_GIL_BY_SIZE, .gil_size = 4096, .call": "     .call"}
    library = plugins.in_c(drop, plugins.headers(header, changes))
    text = refusal(library)
    assert text.startswith(f"[plugin-version] {library}: ")
    assert said in text


class Host(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint32) for name in ("size", "magic", "major", "minor", "records")]
    _fields_ += [("rest", ctypes.c_uint32 * 17)]


@pytest.mark.parametrize("field", ["size", "magic", "major", "records"])
@pytest.mark.parametrize("plugin", ["counts", "gauge"])
def test_a_plugin_refuses_a_lexpool_of_another_version(plugin, field, request):
    library = ctypes.CDLL(str(request.getfixturevalue(plugin)))
    host = Host(size=88, magic=0x706F786C, major=1, minor=0, records=1)
    setattr(host, field, {"size": 80, "magic": 1, "major": 2, "records": 2}[field])
    # Room for a table, and beyond it what must not be written.
    table = (ctypes.c_uint32 * 64)(128, *[0] * 31, *[0xAAAAAAAA] * 32)
    assert library.lexpool_plugin_v1(ctypes.byref(host), table) == 1
    assert list(table[2:5]) == ([1, 0, 1] if field != "magic" else [0, 0, 0])
    assert list(table[12:32]) == [0] * 20
    assert list(table[32:]) == [0xAAAAAAAA] * 32
    for given in ((None, table), (ctypes.byref(host), None)):
        assert library.lexpool_plugin_v1(*given) == 1


def test_a_plugin_writes_no_more_than_there_is_room_for(counts, gauge):
    for path in (counts, gauge):
        library = ctypes.CDLL(str(path))
        host = Host(size=88, magic=0x706F786C, major=1, minor=0, records=1)
        for room in (0, 40, 48, 120):
            table = (ctypes.c_uint32 * 64)(room, *[0xAAAAAAAA] * 63)
            assert library.lexpool_plugin_v1(ctypes.byref(host), table) == 1
            assert list(table[12:]) == [0xAAAAAAAA] * 52


@pytest.mark.parametrize("share", [0.0, 0.001, 0.02, 0.5, 0.9])
def test_a_library_that_is_cut_short_is_refused(share, counts, gauge, tmp_path):
    for library in (counts, gauge):
        whole = library.read_bytes()
        short = tmp_path / library.name
        short.write_bytes(whole[: int(len(whole) * share)])
        # At the end stand symbols of a debugger, which nobody may miss.
        text = refusal(short) if share < 0.8 else last_word(short)
        assert text.startswith("[plugin-")
        assert str(short) in text


def last_word(library: Path) -> str:
    try:
        load_library(library)
    except ImportError as error:
        return str(error)
    return f"[plugin-loaded] {library}"


def test_what_is_no_library_is_refused(tmp_path):
    text = tmp_path / "notes.txt"
    text.write_text("not a library")
    for wrong in (text, tmp_path, tmp_path / "nowhere.so", Path("nowhere\0.so")):
        assert "[plugin-open]" in refusal(wrong)
    for wrong in (None, 1, b"counts.so"):
        with pytest.raises(TypeError):
            load_library(wrong)


def test_a_library_that_is_no_plugin_is_refused(toolchain, call_op):
    built = toolchain.compile("walk.c", "no_plugin.so", "-shared", "-fPIC", "-std=c11")
    assert "no plugin: it has no lexpool_plugin_v1" in refusal(built)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({'LEXPOOL_STR("counts.sum_of")': 'LEXPOOL_STR("text.sum_of")'}, "op 1: \"text.sum_of\""),
        ({'LEXPOOL_STR("counts.sum_of")': 'LEXPOOL_STR("counts.class")'}, "counts.class"),
        ({'LEXPOOL_PLUGIN("counts"': 'LEXPOOL_PLUGIN("tal-ly"'}, "is not a namespace"),
        ({'LEXPOOL_PLUGIN("counts"': 'LEXPOOL_PLUGIN("tal\\xff"'}, "not a string in UTF-8"),
        ({"list[Any]": "list[Any"}, "counts.sum_of: argument \"items\": \"list[Any\" is not a type"),
        ({'"Callable"': '"Callables"'}, "argument \"weigh\""),
        ({"SUM_OF, .n_params = COUNT(SUM_OF)": "SUM_OF, .n_params = 13"}, "at most 12"),
        ({"SUM_OF, .n_params = COUNT(SUM_OF)": "NULL, .n_params = 2"}, "arguments are no table"),
        ({"OPS, COUNT(OPS)": "OPS, (size_t)-1"}, "its ops are no table"),
        ({".call = sum_of": ".call = NULL"}, "its function is null"),
        ({".call = sum_of": ".call = sum_of, .gil = 7"}, "7 is not a treatment of the GIL"),
        ({".call = sum_of": ".call = sum_of, .key = 99"}, "99 is not a key of kernels"),
        ({"{LEXPOOL_TAG_INT, 0, 1}": "{LEXPOOL_TAG_STR, 3, 0}"}, "a string without an address"),
        ({"{LEXPOOL_TAG_INT, 0, 1}": "{LEXPOOL_TAG_NONE, 0, 0}"}, "k = None: the default is not of the type int"),
        ({'"self"), .type = LEXPOOL_STR("counts.Counter")': '"self"), .type = LEXPOOL_STR("int")'},
         "the first argument of a method is a counts.Counter"),
        ({'.name = LEXPOOL_STR("value")': '.name = LEXPOOL_STR("add")'}, "are named add"),
        ({".get = counter_get": ".get = NULL"}, "its function is null"),
        ({"OPS, COUNT(OPS), CLASSES, COUNT(CLASSES)": "NULL, 0, NULL, 0"}, "neither ops nor types"),
    ],
)  # fmt: skip
def test_tables_that_do_not_hold_are_refused(changes, said, plugins, call_op, tmp_path):
    unique = f"refused{plugins.count}"
    library = plugins.in_c(changes | {"counts": unique})
    text = refusal(library)
    assert text.startswith(f"[plugin-refused] {library}: ")
    assert said.replace("counts", unique) in text
    with pytest.raises(KeyError):
        call_op(f"{unique}.spaces", 1)


def test_a_plugin_that_panics_while_it_registers_is_refused(plugins, call_op):
    library = plugins.in_rust(
        """
        use lexpool_plugin::{Registrar, op, plugin};

        fn register(ops: &mut impl Registrar) {
            op!(*ops, "early.works"(n) = |n: i64| n + 1, "Never there.");
            panic!("too early");
        }

        plugin!(name = "early", version = "2.0", register);
        """
    )
    for _ in range(2):
        text = refusal(library)
        assert "[plugin-refused]" in text
        assert text.endswith("too early")
    with pytest.raises(KeyError):
        call_op("early.works", 1)
