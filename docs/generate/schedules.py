"""What the model checker explores, by the names of its models: src/data/schedules.json."""

import json
import re
from pathlib import Path


def generate(site: Path) -> None:
    models = (site.parent / "pool/tests/schedules.rs").read_text()
    names = re.findall(r"#\[test\]\nfn (\w+)\(\)", models)
    if not names:
        raise ValueError("pool/tests/schedules.rs has no tests as this script knows them")
    sentences = [name.replace("_", " ").capitalize() for name in names]
    path = site / "src/data/schedules.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(sentences, indent=1) + "\n")
