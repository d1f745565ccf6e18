"""The names of the models that the model checker explores: src/data/schedules.json."""

import re
from pathlib import Path

MODELS = Path(__file__).parents[2] / "pool/tests/schedules.rs"


def data() -> list[str]:
    return sentences(MODELS.read_text())


def sentences(models: str) -> list[str]:
    names = re.findall(r"#\[test\]\nfn (\w+)\(\)", models)
    if not names:
        raise ValueError("pool/tests/schedules.rs has no tests as this script knows them")
    return [name.replace("_", " ").capitalize() for name in names]
