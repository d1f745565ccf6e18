"""A model of how work scales to more threads than a machine has: a discrete-event simulation.

Threads are processes that compute, write shared cache lines, and wait for each other. A line that
another thread has written last takes a transfer to arrive, one thread after another; that is the
cost of contention, and the only one. Computing takes the times that were measured on one thread.
The steps are those of `core/threads/src/job.rs` and `py/src/pipeline/stream.rs` for streams, and of
`in_shares` in `core/src/matcher/matches.rs` for calls that search or tokenize a list.

Nothing is drawn at random, so equal inputs have equal results. Not modelled: bandwidth of memory,
caches that threads share, cores that share a processor's units, several sockets, other processes.
"""

import heapq
import math
from collections.abc import Generator
from dataclasses import dataclass, field

# Nanoseconds. A cache line from the core that wrote it last, on one socket; the same line again.
TRANSFER, OWN = 100.0, 5.0
# From a notification until a sleeping thread runs, and what it takes to hand work to a thread.
WAKE, SPAWN = 5_000.0, 500.0
# Groups of texts: their size in bytes, and how many there are at least for each thread.
GROUP_BYTES, GROUPS_PER_THREAD = 16 << 10, 4
# Shares of a list of documents: how many for each thread, and the most documents of one.
SHARES_PER_THREAD, SHARE_DOCS = 8, 64
# Slots of the gate at which a fork waits.
GATE_SLOTS = 16
# Documents of a stream in a chunk of memory (16 KiB), which has one reference count for them.
CHUNK_DOCS = 18


class Line:
    """A cache line that several threads write."""

    def __init__(self) -> None:
        self.owner: object = None
        self.free_at = 0.0


class Signal:
    """Something that threads wait for once."""

    def __init__(self) -> None:
        self.is_set = False
        self.waiting: list[Thread] = []


# A thread yields the nanoseconds that it computes, a line that it writes, or a signal to wait for.
Thread = Generator[float | Line | Signal, None, None]


class Simulation:
    """Runs threads in the order of their times."""

    def __init__(self, transfer: float = TRANSFER) -> None:
        self.transfer = transfer
        self.now = 0.0
        self.queue: list[tuple[float, int, Thread]] = []
        self.numbered = 0

    def start(self, thread: Thread, at: float | None = None) -> None:
        self.numbered += 1
        heapq.heappush(self.queue, (self.now if at is None else at, self.numbered, thread))

    def set(self, signal: Signal) -> None:
        signal.is_set = True
        for thread in signal.waiting:
            self.start(thread, self.now + WAKE)
        signal.waiting.clear()

    def run(self) -> float:
        """Returns the time at which the last thread ends."""
        while self.queue:
            self.now, _, thread = heapq.heappop(self.queue)
            step = next(thread, None)
            if isinstance(step, Line):
                cost = OWN if step.owner is thread else self.transfer
                step.free_at = max(self.now, step.free_at) + cost
                step.owner = thread
                self.start(thread, step.free_at)
            elif isinstance(step, Signal):
                if step.is_set:
                    self.start(thread)
                else:
                    step.waiting.append(thread)
            elif step is not None:
                self.start(thread, self.now + step)
        return self.now


@dataclass(frozen=True)
class DocCosts:
    """Nanoseconds of a document, measured on one thread."""

    # On any thread, and on the thread that called alone: with the GIL, or before and after the
    # others work.
    work: float
    alone: float
    # True if the calling thread takes documents one by one, each with a transfer of its record.
    is_handed: bool = False

    @property
    def one(self) -> float:
        """The time on one thread."""
        return self.work + self.alone

    def by_caller(self, transfer: float) -> float:
        """The time on the calling thread if others did the work."""
        return self.alone + (transfer if self.is_handed else 0.0)

    @property
    def most(self) -> float:
        """The gain of ever more threads that cost nothing else (Amdahl's law)."""
        alone = self.by_caller(TRANSFER)
        return self.one / alone if alone else math.inf


@dataclass
class Tokenizing:
    """Lines of a tokenizer that are written once a group: its rules and their count, the list of
    idle workers, and the count of the vocab.
    """

    rules: Line = field(default_factory=Line)
    count: Line = field(default_factory=Line)
    idle: Line = field(default_factory=Line)
    vocab: Line = field(default_factory=Line)

    def begin(self) -> Thread:
        yield from (self.rules, self.count, self.idle, self.vocab)

    def end(self) -> Thread:
        yield self.idle


@dataclass
class Searching:
    """The line of a matcher that is written twice a share: the list of idle searchers."""

    idle: Line = field(default_factory=Line)

    def begin(self) -> Thread:
        yield self.idle

    def end(self) -> Thread:
        yield self.idle


class Batch:
    """A batch of a stream on the threads. Counts and the claim counter lie in one line."""

    def __init__(self, groups: list[int]) -> None:
        self.groups = groups
        self.claimed = 0
        self.header = Line()
        self.slots = [Line() for _ in groups]
        self.done = [Signal() for _ in groups]


class Stream:
    """A stream of texts: the thread that iterates takes the results in order, and works on the two
    batches that are begun where the next result is missing.
    """

    def __init__(
        self, costs: DocCosts, batches: list[list[int]], threads: int, transfer: float
    ) -> None:
        self.costs, self.threads = costs, threads
        self.batches = [Batch(groups) for groups in batches]
        self.begun = 0
        self.ended = False
        self.more = Signal()
        self.gates = [Line() for _ in range(GATE_SLOTS)]
        self.tokenizing = Tokenizing()
        self.simulation = Simulation(transfer)

    def time(self) -> float:
        self.simulation.start(self.caller())
        for number in range(1, self.threads):
            self.simulation.start(self.worker(number))
        return self.simulation.run()

    def caller(self) -> Thread:
        yield from self.begin()
        for number, batch in enumerate(self.batches):
            yield from self.begin()
            for at, docs in enumerate(batch.groups):
                yield batch.slots[at]
                while not batch.done[at].is_set:
                    some = self.batches[number : self.begun]
                    free = next((one for one in some if one.claimed < len(one.groups)), None)
                    if free is None:
                        yield batch.done[at]
                    else:
                        yield from self.group(free, 0)
                yield docs * self.costs.by_caller(self.simulation.transfer)
                # The counts of their chunks, and the lock of the allocator.
                yield (2 + docs // CHUNK_DOCS) * self.simulation.transfer
                yield self.tokenizing.vocab
        self.ended = True
        self.simulation.set(self.more)

    def begin(self) -> Thread:
        """Hands the next batch to the other threads."""
        if self.begun < len(self.batches):
            yield SPAWN * (self.threads - 1)
            self.begun += 1
            self.simulation.set(self.more)

    def worker(self, number: int) -> Thread:
        while not self.ended:
            some = self.batches[: self.begun]
            free = next((one for one in some if one.claimed < len(one.groups)), None)
            if free is not None:
                yield from self.group(free, number)
                continue
            if self.more.is_set:
                self.more = Signal()
            yield self.more

    def group(self, batch: Batch, number: int) -> Thread:
        gate = self.gates[number % GATE_SLOTS]
        yield from (gate, batch.header)
        at = batch.claimed
        if at < len(batch.groups):
            batch.claimed += 1
            yield batch.slots[at]
            yield from self.tokenizing.begin()
            yield batch.groups[at] * self.costs.work
            yield from self.tokenizing.end()
            yield batch.slots[at]
            self.simulation.set(batch.done[at])
        yield from (batch.header, gate)


class Shares:
    """A call that works on a list in shares: all threads, then the caller alone."""

    def __init__(
        self,
        costs: DocCosts,
        shares: list[int],
        threads: int,
        lines: Tokenizing | Searching,
        transfer: float,
    ) -> None:
        self.costs, self.shares, self.threads, self.lines = costs, shares, threads, lines
        self.counter, self.results = Line(), Line()
        self.claimed = 0
        self.gates = [Line() for _ in range(GATE_SLOTS)]
        self.simulation = Simulation(transfer)

    def time(self) -> float:
        for number in range(self.threads):
            start = SPAWN * (self.threads - 1) if number == 0 else SPAWN * number + WAKE
            self.simulation.start(self.thread(number), start if self.threads > 1 else 0)
        return self.simulation.run() + sum(self.shares) * self.costs.alone

    def thread(self, number: int) -> Thread:
        gate = self.gates[number % GATE_SLOTS]
        while True:
            yield self.counter
            if self.claimed == len(self.shares):
                break
            docs = self.shares[self.claimed]
            self.claimed += 1
            yield gate
            yield from self.lines.begin()
            yield docs * self.costs.work
            yield from self.lines.end()
            yield gate
        yield self.results


def groups_of(docs: int, doc_bytes: float, threads: int) -> list[int]:
    """Documents of each group, as `text_groups` in `core/src/tokenizer/batch.rs` makes them."""
    most = min(GROUP_BYTES, docs * doc_bytes / (threads * GROUPS_PER_THREAD))
    each = max(1, math.ceil(most / doc_bytes))
    return [min(each, docs - first) for first in range(0, docs, each)]


def stream_time(
    costs: DocCosts,
    docs: int,
    batch: int,
    doc_bytes: float,
    threads: int,
    transfer: float = TRANSFER,
) -> float:
    """The nanoseconds of a stream of documents in batches."""
    if threads == 1:
        return docs * costs.one
    sizes = [min(batch, docs - first) for first in range(0, docs, batch)]
    batches = [groups_of(size, doc_bytes, threads) for size in sizes]
    return Stream(costs, batches, threads, transfer).time()


def tokenize_time(
    costs: DocCosts, docs: int, doc_bytes: float, threads: int, transfer: float = TRANSFER
) -> float:
    """The nanoseconds of `tokenize_all`, whose result the caller then drops."""
    if threads == 1:
        return docs * costs.one
    groups = groups_of(docs, doc_bytes, threads)
    return Shares(costs, groups, threads, Tokenizing(), transfer).time()


def match_time(costs: DocCosts, docs: int, threads: int, transfer: float = TRANSFER) -> float:
    """The nanoseconds of `match_all`."""
    if threads == 1:
        return docs * costs.one
    each = min(max(docs // (threads * SHARES_PER_THREAD), 1), SHARE_DOCS)
    shares = [min(each, docs - first) for first in range(0, docs, each)]
    return Shares(costs, shares, threads, Searching(), transfer).time()
