"""Ctrl-C stops long work at once, and other threads run meanwhile."""

import itertools
import os
import signal
import subprocess
import sys
import textwrap

import pytest
from processes import WATCHDOG, environment

import lexpool.tokens

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals work otherwise there")

# Seconds of processor time of all threads. Those of the clock would depend on how busy the machine
# is.
MAX_SECONDS = 0.2

# `work()` is interrupted by a thread once it has run for some time; what comes out is the processor
# time until the KeyboardInterrupt arrived.
INTERRUPTED = """
    import itertools, os, signal, sys, threading, time
    import lexpool
    from lexpool.parser import nonproj

    tokenizer = lexpool.Tokenizer.blank("en")
    nlp = lexpool.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.max_length = 10**9
    begun = threading.Event()
    sent = 0.0

    def interrupt():
        global sent
        begun.wait()
        start = time.monotonic()
        while time.monotonic() - start < 0.1:
            pass
        sent = time.process_time()
        os.kill(os.getpid(), signal.SIGINT)

    def stream(text):
        begun.set()
        for i in itertools.count():
            yield text

    def call(text):
        begun.set()
        tokenizer(text)

    def annotate(text, threads):
        import pyarrow
        from lexpool import arrow

        texts = pyarrow.table({"text": [text] * 1_000_000})
        begun.set()
        try:
            pyarrow.table(arrow.annotate(texts, tokenizer, columns=["n_tokens"], threads=threads))
        except pyarrow.ArrowInvalid:
            # A C stream can raise nothing else; the KeyboardInterrupt follows, and wakes nothing.
            for _ in range(1000):
                time.sleep(0.01)

    def lift(heads):
        begun.set()
        nonproj.projectivize(heads, ["dep"] * len(heads))

    threading.Thread(target=interrupt).start()
    try:
        {work}
        print("finished")
    except KeyboardInterrupt:
        print(time.process_time() - sent)
    assert len(list(tokenizer.pipe(["goes on"] * 100, n_threads=2))) == 100
    assert [token.text for token in tokenizer("and isn't stuck")] == ["and", "is", "n't", "stuck"]
"""

LONG = '"a b c " * 1_000_000'
WORK = {
    "prose": 'call("the cat sat on the mat, " * 10_000_000)',
    "prose that is not ASCII": 'call("die K\\u00e4tze sa\\u00df, " * 10_000_000)',
    "new words": 'call(" ".join(map(str, range(6_000_000))))',
    "one long word": 'call("a" * 300_000_000)',
    "one long chunk of affixes": 'call("a:" * 20_000_000)',
    "one long run of spaces": 'call(" " * 300_000_000)',
    "pipe of short texts": 'sum(1 for _ in tokenizer.pipe(stream("a b c " * 100), n_threads=2))',
    "pipe of long texts": f"sum(1 for _ in tokenizer.pipe(stream({LONG}), n_threads=2))",
    "pipe on one thread": f"sum(1 for _ in tokenizer.pipe(stream({LONG}), n_threads=1))",
    "pipe of one huge text on one thread": (
        'list(tokenizer.pipe(stream("the cat, " * 30_000_000), n_threads=1))'
    ),
    "pipe of a pipeline on one thread": (
        'list(nlp.pipe(stream("a cat. " * 30_000_000), n_threads=1))'
    ),
    "a table on one thread": 'annotate("the cat sat on the mat, " * 4, 1)',
    "a table on two threads": 'annotate("the cat sat on the mat, " * 4, 2)',
    "arcs that are lifted beside a cycle": "lift([0, *range(29_999), *range(30_000), 60_001, 60_000])",
    "pipe of one huge text": 'list(tokenizer.pipe(stream("the cat, " * 30_000_000), n_threads=2))',
}


@pytest.mark.parametrize("work", WORK)
def test_a_keyboard_interrupt_arrives_at_once(work):
    code = textwrap.dedent(INTERRUPTED.replace("{work}", WORK[work]))
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True, text=True, timeout=WATCHDOG, check=False, env=environment(),
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.strip() != "finished", "the work was done before it could be interrupted"
    assert float(done.stdout) <= MAX_SECONDS


def test_a_signal_ends_the_search_for_ancestors_with_what_its_handler_raises():
    n = 6000
    heads = [i + 1 if i < n // 2 else i - (i > n // 2) for i in range(n)]
    doc = lexpool.tokens.Doc(lexpool.Vocab(), words=["w"] * n, heads=heads, deps=["dep"] * n)

    class Stopped(Exception):
        pass

    def stop(*_):
        raise Stopped

    found = []
    before = signal.signal(signal.SIGALRM, stop)
    try:
        # The search takes many times as long: 36 million numbers.
        signal.setitimer(signal.ITIMER_REAL, 0.01)
        with pytest.raises(Stopped):
            # A search that came to its end would have entered what it found before a handler could
            # run.
            found.extend(map(lexpool.tokens.Doc.get_lca_matrix, [doc]))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert not found
    assert doc[:3].get_lca_matrix().tolist() == [[0, 1, 2], [1, 1, 2], [2, 2, 2]]


@pytest.mark.parametrize("n_threads", [1, 2])
def test_a_stream_that_a_signal_has_interrupted_goes_on_with_the_same_text(n_threads):
    class Stopped(Exception):
        pass

    def stop(*_):
        raise Stopped

    texts = ["a short text", "the cat, " * 1_000_000, "another one", "the dog, " * 200_000, "end"]
    tokenizer = lexpool.Tokenizer.blank("en")
    expected = [len(tokenizer(text)) for text in texts]
    stream = tokenizer.pipe(iter(texts), n_threads=n_threads)
    seen, interrupts = [len(next(stream))], 0
    before = signal.signal(signal.SIGALRM, stop)
    try:
        while len(seen) < len(texts):
            try:
                # The long texts take tens of times as long.
                signal.setitimer(signal.ITIMER_REAL, 0.002)
                # In C, so that no handler runs between the end of `next` and the entry of what it
                # returned.
                seen.extend(map(len, itertools.islice(stream, 1)))
                signal.setitimer(signal.ITIMER_REAL, 0)
            except Stopped:
                interrupts += 1
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    # With two threads all may be done before this one has its turn.
    assert interrupts or n_threads > 1
    assert seen == expected


def test_ctrl_c_from_outside_ends_a_process_in_a_pipe():
    code = """
        import itertools
        import lexpool

        def stream():
            for i in itertools.count():
                if i == 2000:
                    print("ready", flush=True)
                yield "some words " * 1000

        try:
            for doc in lexpool.blank("en").pipe(stream(), n_threads=2):
                pass
        except KeyboardInterrupt:
            print("interrupted")
        """
    with subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code)], stdout=subprocess.PIPE, text=True,
        env=environment(),
    ) as process:  # fmt: skip
        try:
            assert process.stdout.readline() == "ready\n"
            os.kill(process.pid, signal.SIGINT)
            output, _ = process.communicate(timeout=WATCHDOG)
        finally:
            process.kill()
    assert output == "interrupted\n"
    assert process.returncode == 0
