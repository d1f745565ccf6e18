"""Functions that workers of multiprocessing import and run."""

import lexpool

TEXTS = [f"text {i}, isn't it number{i}?" for i in range(300)]


def lengths(texts: list[str]) -> list[int]:
    tokenizer = lexpool.Tokenizer.blank("en")
    one_by_one = [len(tokenizer(text)) for text in texts]
    assert [len(doc) for doc in tokenizer.pipe(texts, n_threads=2)] == one_by_one
    return one_by_one
