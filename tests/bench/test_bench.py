"""The benchmark's own arithmetic; its figures are nobody's test."""

import pytest
from agreement import against_gold, agreement, read_conllu
from bench import Row, paragraphs, table, tables_of
from contenders import RunCost
from costs_stores import STRINGS, strings_of
from scaling import counts_of
from scaling_model import TRANSFER, DocCosts, Line, Simulation, groups_of, match_time, stream_time
from short_texts import short_texts
from turns import Costs, Task


class Word(str):
    """A token as the benchmark sees it."""

    idx = 0
    is_space = False


def at_spaces(text):
    out, at = [], 0
    for part in text.split(" "):
        word = Word(part)
        word.idx = at
        out.append(word)
        at += len(part) + 1
    return out


CONLLU = """\
# text = We don't go du bois.
1\tWe\t_
2-3\tdon't\t_
2\tdo\t_
3\tn't\t_
4\tgo\t_
4.1\tback\t_
5-6\tdu\t_
5\tde\t_
6\tle\t_
7\tbois\t_
8\t.\t_

"""


def test_gold_words_stand_where_they_are_written(tmp_path):
    path = tmp_path / "bank.conllu"
    path.write_text(CONLLU)
    [(text, extents)] = read_conllu(path)
    assert [text[a:b] for a, b in extents] == ["We", "do", "n't", "go", "du", "bois", "."]


def test_a_tokenizer_is_scored_against_gold(tmp_path):
    path = tmp_path / "bank.conllu"
    path.write_text(CONLLU)
    score = against_gold(at_spaces, list(read_conllu(path)))
    # We, go, du are right; don't and bois. are not.
    assert score["precision"] == pytest.approx(100 * 3 / 5)
    assert score["recall"] == pytest.approx(100 * 3 / 7)


def test_agreement_counts_tokens_of_the_same_extent():
    whole = lambda text: [Word(text)]
    assert agreement(at_spaces, at_spaces, ["a b", "c"]) == {"tokens": 3, "percent": 100}
    assert agreement(whole, at_spaces, ["a b", "c"]) == {"tokens": 3, "percent": 100 / 3}


def test_a_ratio_is_the_median_of_paired_ratios():
    spacy = [RunCost(cpu, cpu, 1) for cpu in (1.0, 10.0, 3.0)]
    ours = [RunCost(cpu, cpu, 1) for cpu in (0.5, 1.0, 1.0)]
    row = Row("a-task", "a task", "cpu", {"spaCy": spacy, "lexpool": ours})
    assert row.ratio("lexpool") == 3
    assert "2 (3x)" in table([row], 2_000_000)


def test_streams_are_on_the_clock_and_in_a_table_of_their_own():
    took = lambda *seconds: [RunCost(9.0, wall, 1) for wall in seconds]
    names = ("spaCy", "lexpool", "lexpool, Rust")
    one = Row(
        "stream-one",
        "1",
        "wall",
        dict(zip(names, (took(8, 4), took(1, 0.5), took(0.25, 3)), strict=True)),
    )
    two = Row(
        "stream-all",
        "2",
        "wall",
        dict(zip(names, (took(8, 4), took(1, 0.25), took(0.5, 3)), strict=True)),
    )
    words = Row("new-words", "new words", "cpu", {"spaCy": took(1)})
    tables = tables_of([words, one, two], 2_000_000, 2)
    assert tables["speed"].rows.keys() == {"new-words"}
    streams = tables["streams"].rows
    assert streams["stream-one"].values == {"spacy": 0.5, "lexpool": 4, "rust": 8}
    assert streams["stream-all"].ratios == {"spacy": 1, "lexpool": 16, "rust": 8}
    assert tables["stream-threads"].rows["stream"].values == {"lexpool": 2, "rust": 0.5}


def test_paragraphs_are_the_same_in_every_run(tmp_path):
    path = tmp_path / "text.txt"
    path.write_text("\n\n".join(f"paragraph {i}" for i in range(100)))
    once = paragraphs([path], 1)
    assert sorted(once) == sorted(f"paragraph {i}" for i in range(100))
    assert once == paragraphs([path], 1) != sorted(once)
    assert len(paragraphs([path], 0.0001)) < 20


def test_there_is_prose_without_any_text_given():
    assert sum(map(len, paragraphs([], 0.1))) > 50_000


def test_a_cost_is_a_median_and_its_ratio_one_of_paired_ratios():
    seconds = {"spacy": [9, 1, 10, 3], "lexpool": [9, 0.5, 1, 1]}
    now = 0.0

    def task(side):
        def run(_):
            nonlocal now
            now += seconds[side].pop(0)

        return Task(run)

    costs = Costs()
    costs.table("calls", "Calls", "ns")
    sides = {side: task(side) for side in seconds}
    costs.time("calls", "one", "one", sides, 1e9, goal=6, repeats=3, clock=lambda: now)
    [row] = costs.tables["calls"].rows.values()
    # The first turn of each warms it up and does not count.
    assert row.values == {"spacy": 3, "lexpool": 1}
    assert row.ratios == {"spacy": 1, "lexpool": 3}
    assert (row.most, row.bounded) == (0.5, "lexpool")


def test_short_texts_have_their_size_and_continue_each_other():
    texts = short_texts(["abc", "defg"], 3, 5)
    assert texts == ["abc d", "efgab", "c def"]


def test_strings_of_texts_are_all_different():
    strings = strings_of(["one two", "two three"])
    assert strings[:5] == ["one", "two", "three", "one two", "two three"]
    assert len(strings) == len(set(strings)) == STRINGS


def test_threads_are_counted_in_powers_of_two_up_to_the_cores():
    assert [counts_of(cores) for cores in (1, 2, 6)] == [[1], [1, 2], [1, 2, 4, 6]]


def test_threads_of_the_model_wait_for_a_line_one_after_another():
    line, simulation, ended = Line(), Simulation(), []

    def thread():
        yield line
        ended.append(simulation.now)

    for _ in range(3):
        simulation.start(thread())
    assert simulation.run() == 3 * TRANSFER
    assert ended == [TRANSFER, 2 * TRANSFER, 3 * TRANSFER]


def test_groups_of_the_model_are_those_of_the_threads():
    assert groups_of(1_000, 185, 2)[:1] == [89]
    assert sum(groups_of(1_000, 185, 64)) == 1_000
    assert groups_of(10, 185, 64) == [1] * 10


def test_the_model_gains_no_more_than_the_law_of_amdahl_allows():
    costs = DocCosts(work=9_000, alone=900, is_handed=True)
    times = {n: stream_time(costs, 4_000, 1_000, 185, n) for n in (1, 2, 8, 64)}
    assert times[1] == 4_000 * 9_900
    for threads, time in times.items():
        assert times[1] / time <= min(threads, costs.most)
    slower = stream_time(costs, 4_000, 1_000, 185, 8, transfer=1_000)
    assert slower > times[8]
    assert times[1] > times[2] > times[8]


def test_what_is_not_alone_gains_by_nearly_all_threads_of_the_model():
    costs = DocCosts(work=100_000, alone=0)
    one = match_time(costs, 10_000, 1)
    assert 7.5 < one / match_time(costs, 10_000, 8) <= 8
