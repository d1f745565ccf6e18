"""Writes tests/files/optimizers.json, which the tests of core/nn read: weights after steps of
thinc's optimizers, values of its schedules, and random numbers of NumPy and Python.

    python tests/tools/reference_optimizers.py

It needs thinc, as `make test-conformance`. Gradients of step n are normal numbers of NumPy's legacy
generator with the seed of the case, drawn after the first weights. Numbers of single precision are
written as their bits, eight digits of base 16 each, those of double precision as sixteen digits.
"""

import json
import random
import struct
from collections.abc import Iterable
from itertools import islice
from pathlib import Path

import numpy
from thinc.api import SGD, Adam, RAdam
from thinc.schedules import (
    compounding,
    constant_then,
    cyclic_triangular,
    decaying,
    slanted_triangular,
    warmup_linear,
)

FILE = Path(__file__).parents[1] / "files" / "optimizers.json"
METHODS = {"Adam": Adam, "RAdam": RAdam, "SGD": SGD}
N_WEIGHTS = 23
SHOWN = (1, 2, 5, 6, 7, 50, 1000)

OPTIMIZERS = [
    ("Adam", {"L2": 0.0, "grad_clip": 0.0}),
    ("Adam", {"L2": 0.01, "grad_clip": 0.0}),
    ("Adam", {"L2": 0.01, "grad_clip": 0.0, "L2_is_weight_decay": False}),
    ("Adam", {"L2": 0.01, "grad_clip": 1.0}),
    ("Adam", {"L2": 0.0, "grad_clip": 100.0, "beta1": 0.8, "beta2": 0.99, "eps": 1e-6}),
    ("RAdam", {"L2": 0.01, "grad_clip": 0.0}),
    ("RAdam", {"L2": 0.01, "grad_clip": 0.0, "L2_is_weight_decay": False}),
    ("SGD", {"L2": 0.01, "grad_clip": 0.0, "L2_is_weight_decay": False}),
    ("SGD", {"L2": 0.01, "grad_clip": 0.5, "L2_is_weight_decay": True}),
]

SCHEDULES = {
    "compounding": (compounding, {"start": 100.0, "stop": 1000.0, "compound": 1.1}),
    "falling": (compounding, {"start": 1.0, "stop": 0.1, "compound": 0.9}),
    "decaying": (decaying, {"base_rate": 0.001, "decay": 0.01}),
    "warmup_linear": (
        warmup_linear,
        {"initial_rate": 5e-5, "warmup_steps": 7, "total_steps": 30},
    ),
    "slanted_triangular": (slanted_triangular, {"max_rate": 0.1, "num_steps": 60}),
    "cyclic_triangular": (cyclic_triangular, {"min_lr": 0.1, "max_lr": 0.7, "period": 6}),
}


def bits(numbers: numpy.ndarray) -> str:
    return "".join(f"{number:08x}" for number in numbers.astype("f").view("u4"))


def doubles(numbers: Iterable[float]) -> list[str]:
    return [struct.pack(">d", number).hex() for number in numbers]


def optimizer(number: int, method: str, settings: dict) -> dict:
    own = METHODS[method](0.001, use_averages=True, **settings)
    generator = numpy.random.RandomState(number)
    key = (0, "W")
    weights = generator.normal(0.0, 1.0, N_WEIGHTS).astype("f")
    shown = []
    for step in range(1, max(SHOWN) + 1):
        gradient = generator.normal(0.0, 0.3, N_WEIGHTS).astype("f")
        weights, _ = own(key, weights, gradient)
        if step in SHOWN:
            shown.append([step, bits(weights), bits(own.averages[key])])
    return {"method": method, "settings": settings, "seed": number, "shown": shown}


def numpy_numbers() -> dict:
    generator = numpy.random.RandomState(7)
    return {
        "uniform": doubles(generator.uniform(-0.1, 0.1, 5)),
        "normal": doubles(generator.normal(1.0, 2.0, 5)),
        "uniform after it": doubles(generator.uniform(0.0, 1.0, 700)[-2:]),
        "normal after it": doubles(generator.normal(0.0, 1.0, 2)),
    }


def python_numbers(seed: int) -> dict:
    random.seed(seed)
    items = list(range(50))
    random.shuffle(items)
    return {
        "seed": seed,
        "random": doubles(random.random() for _ in range(3)),
        "shuffled": items,
        "uniform": doubles(random.uniform(50, 200) for _ in range(3)),
        "bits": [[n, random.getrandbits(n)] for n in (1, 5, 31, 32, 33, 64)],
        "below": [[n, random.randrange(n)] for n in (1, 2, 3, 1000, 2**40)],
    }


def main() -> None:
    schedules = {
        name: doubles(islice(make(**args), 50)) for name, (make, args) in SCHEDULES.items()
    }
    inner = decaying(0.5, 0.1)
    schedules["constant_then"] = doubles(islice(constant_then(0.25, 5, inner), 50))
    written = {
        "optimizers": [optimizer(number, *case) for number, case in enumerate(OPTIMIZERS)],
        "schedules": schedules,
        "numpy": numpy_numbers(),
        "python": [python_numbers(seed) for seed in (0, 7, 2**32 + 5)],
    }
    FILE.write_text(json.dumps(written) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
