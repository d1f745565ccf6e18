"""A service on lexpool, for `soak.py`: what its threads answer, over and over again.

Each worker has pipelines of its own over the vocab that all map, and answers each request in a
memory zone, as a service does that new words must not grow for ever. Requests to the blank pipeline
that all workers share have known words only, and no zone.
"""

from __future__ import annotations

import random
import string
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import lexpool
from lexpool.corpus import Corpus
from lexpool.matcher import DependencyMatcher, Matcher, PhraseMatcher
from lexpool.tokens import Doc, DocBin

PIPELINES = Path(__file__).parents[1] / "files/pipelines"

KNOWN = """the a of to and in that it is was for on with as his he be at by I this had not are but from
    Apple Rome U.S. don't isn't you'll New York 1990 3.50 mg , . ! ? ( ) -- caf\u00e9 \u4eca\u65e5
    \U0001f600 https://example.com/a?b=c mail@example.com over-ripe $12 10:30""".split()
PHRASES = ["New York", "of the", "it is not", "3.50 mg", "https://example.com/a?b=c"]

Request = Callable[["Worker"], None]
REQUESTS: dict[str, Request] = {}


def request(function: Request) -> Request:
    """Enters a kind of request."""
    return REQUESTS.setdefault(function.__name__, function)


class Service:
    """Shared state of the workers: the file of the vocab, a folder, and a blank pipeline."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.image = folder / "words.vocab"
        self.nlp = lexpool.blank("en")
        self.matcher = PhraseMatcher(self.nlp.vocab)
        self.matcher.add("P", [self.nlp.make_doc(text) for text in PHRASES])
        self.generation = 0
        self.renew()

    def renew(self) -> None:
        """Writes the vocab again, which replaces the file that the workers map."""
        trained = lexpool.load(PIPELINES / "networks")
        trained(" ".join(KNOWN))
        trained.vocab.save(self.image)
        self.generation += 1


class Worker:
    """A thread of the service."""

    def __init__(self, service: Service, number: int) -> None:
        self.service, self.number = service, number
        self.rng = random.Random(number)
        self.names = sorted(REQUESTS)
        self.answered, self.failed = 0, 0
        self.generation = -1

    def answer(self) -> None:
        """Answers a random request."""
        with self.nlp.memory_zone():
            REQUESTS[self.rng.choice(self.names)](self)

    def reload(self) -> None:
        """Opens the mapped vocab, and makes the pipelines and matchers over it."""
        self.generation = self.service.generation
        vocab = lexpool.Vocab.open(self.service.image)
        self.nlp = lexpool.load(PIPELINES / "networks", vocab=vocab)
        self.rules = lexpool.load(PIPELINES / "rules", vocab=vocab)
        self.matcher = Matcher(vocab)
        self.matcher.add("N", [[{"LIKE_NUM": True}, {"LOWER": {"IN": ["mg", "%"]}}]])
        self.matcher.add("R", [[{"TEXT": {"REGEX": "^w.*9$"}}, {"IS_PUNCT": True, "OP": "?"}]])
        self.phrases = PhraseMatcher(vocab, attr="LOWER")
        self.phrases.add("P", [self.nlp.make_doc(text) for text in PHRASES])
        self.trees = DependencyMatcher(vocab)
        anchor = {"RIGHT_ID": "head", "RIGHT_ATTRS": {"IS_ALPHA": True}}
        child = {"LEFT_ID": "head", "REL_OP": ">", "RIGHT_ID": "child", "RIGHT_ATTRS": {}}
        self.trees.add("T", [[anchor, child]])

    def known(self, most: int = 60) -> str:
        return " ".join(self.rng.choices(KNOWN, k=self.rng.randint(0, most)))

    def text(self) -> str:
        """A text that is short more often than long, with words that nobody has seen."""
        rng = self.rng
        length = min(int(rng.lognormvariate(3, 1)), 1500)
        words = rng.choices(KNOWN, k=length)
        for i in range(0, length, 3):
            letters = rng.choices(
                string.ascii_letters + "'-.9\u00e9\u00df\u4eca", k=rng.randint(1, 12)
            )
            words[i] = "w" + "".join(letters)
        return rng.choice([" ", " ", "  ", "\n"]).join(words)


def _check(is_right: bool, *what: Any) -> None:
    if not is_right:
        raise AssertionError(what)


@request
def tokenize(worker: Worker) -> None:
    text = worker.text()
    doc = worker.nlp.make_doc(text)
    _check(doc.text == text, text)
    _check([token.text for token in doc] == [text[t.idx : t.idx + len(t)] for t in doc], text)


@request
def tokenize_with_the_shared_pipeline(worker: Worker) -> None:
    shared, text = worker.service, worker.known()
    doc = shared.nlp(text)
    _check(doc.text == text, text)
    _check(all(doc[start:end].text for _, start, end in shared.matcher(doc)), text)


@request
def annotate(worker: Worker) -> None:
    doc = worker.nlp(worker.text()[:600])
    _check(len(doc) == 0 or doc.has_annotation("DEP"), doc.text)
    _check(sum(len(sent) for sent in doc.sents) == len(doc), doc.text)


@request
def annotate_a_stream(worker: Worker) -> None:
    texts = [worker.text()[:200] for _ in range(6)]
    docs = list(worker.nlp.pipe(texts, batch_size=3, n_threads=worker.rng.choice([1, 2])))
    _check([doc.text for doc in docs] == texts, texts)


@request
def apply_rulers(worker: Worker) -> None:
    doc = worker.rules(worker.text())
    _check(all(ent.label_ for ent in doc.ents), doc.text)


@request
def change_a_ruler(worker: Worker) -> None:
    ruler = worker.rules.get_pipe("span_ruler")
    ruler.add_patterns([{"label": "SOAK", "pattern": "New York", "id": "soak"}])
    worker.rules("He was in New York .")
    ruler.remove_by_id("soak")


@request
def match(worker: Worker) -> None:
    doc = worker.nlp.make_doc(worker.text())
    spans = [*worker.matcher(doc, as_spans=True), *worker.phrases(doc, as_spans=True)]
    _check(all(0 < len(span) for span in spans), doc.text)


@request
def match_trees(worker: Worker) -> None:
    doc = worker.nlp(worker.text()[:300])
    for _, (head, child) in worker.trees(doc):
        _check(doc[child].head.i == head, doc.text)


@request
def change_a_matcher(worker: Worker) -> None:
    worker.matcher.add("SOAK", [[{"ORTH": "New"}, {"ORTH": "York"}]])
    _check(len(worker.matcher(worker.nlp.make_doc("in New York"))) == 1)
    worker.matcher.remove("SOAK")


@request
def send_a_docbin(worker: Worker) -> None:
    docs = [worker.nlp.make_doc(worker.text()) for _ in range(3)]
    content = DocBin(docs=docs, store_user_data=True).to_bytes()
    read = list(DocBin().from_bytes(content).get_docs(worker.nlp.vocab))
    _check([doc.text for doc in read] == [doc.text for doc in docs])


@request
def send_a_document(worker: Worker) -> None:
    doc = worker.nlp(worker.text()[:300])
    _check(Doc(doc.vocab).from_bytes(doc.to_bytes()).to_json() == doc.to_json(), doc.text)


@request
def edit(worker: Worker) -> None:
    doc = worker.nlp.make_doc(worker.text() + " so it goes .")
    with doc.retokenize() as retokenizer:
        retokenizer.merge(doc[-4:-1], attrs={"LEMMA": "go"})
    _check(doc[-2].text == "so it goes" and doc[-2].lemma_ == "go", doc.text)
    doc.user_data["self"] = doc
    doc.ents = [doc[0:1]]


@request
def write_a_corpus(worker: Worker) -> None:
    path = worker.service.folder / f"{worker.number}.corpus"
    docs = [worker.nlp.make_doc(worker.text()) for _ in range(3)]
    Corpus.write(path, docs)
    _check([doc.text for doc in Corpus.open(path)] == [doc.text for doc in docs])


@request
def read_damaged_bytes(worker: Worker) -> None:
    content = bytearray(DocBin(docs=[worker.nlp.make_doc(worker.text())]).to_bytes())
    content[worker.rng.randrange(len(content))] ^= 1 << worker.rng.randrange(8)
    try:
        list(DocBin().from_bytes(bytes(content)).get_docs(worker.nlp.vocab))
    except ValueError:
        pass


class Crew:
    """The threads, which stand still on demand."""

    def __init__(
        self, service: Service, count: int, report: Callable[[BaseException], None]
    ) -> None:
        self.service = service
        self.workers = [Worker(service, number) for number in range(count)]
        self._report = report
        self._is_over = self._is_paused = False
        self._change = threading.Condition()
        self._resting = 0
        self._threads = [threading.Thread(target=self._work, args=(own,)) for own in self.workers]

    def __enter__(self) -> Crew:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        with self._change:
            self._is_over, self._is_paused = True, False
            self._change.notify_all()
        for thread in self._threads:
            thread.join()

    def still(self, look: Callable[[], Any], *, renew: bool = False) -> Any:
        """Returns what `look` returns while no request is being answered.

        With `renew`, the vocab is written anew and all workers have opened it, each in its own
        thread, and have answered no request since.
        """
        with self._change:
            self._is_paused = True
            self._change.wait_for(lambda: self._resting == len(self._threads))
            try:
                if renew:
                    self.service.renew()
                    self._change.notify_all()
                    self._change.wait_for(lambda: not any(map(self._is_behind, self.workers)))
                return look()
            finally:
                self._is_paused = False
                self._change.notify_all()

    def _work(self, worker: Worker) -> None:
        while self._goes_on(worker):
            self._try(worker, worker.answer)
            worker.answered += 1

    def _goes_on(self, worker: Worker) -> bool:
        """Waits while the threads stand still; returns whether there is another request."""
        with self._change:
            self._catch_up(worker)
            if self._is_paused:
                self._resting += 1
                self._change.notify_all()
                while self._is_paused:
                    self._change.wait()
                    self._catch_up(worker)
                self._resting -= 1
        return not self._is_over

    def _is_behind(self, worker: Worker) -> bool:
        return worker.generation != self.service.generation

    def _catch_up(self, worker: Worker) -> None:
        if self._is_behind(worker):
            self._try(worker, worker.reload)
            self._change.notify_all()

    def _try(self, worker: Worker, work: Callable[[], None]) -> None:
        try:
            work()
        except BaseException as error:
            worker.failed += 1
            self._report(error)
