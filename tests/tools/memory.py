"""Runs Python under Valgrind and fails on any report that lexpool has a part in.

    python tests/tools/memory.py [--log FOLDER] ARGUMENTS OF PYTHON...

`make test-memory` runs the tests of `tests/interop` this way. A report counts if a frame of
lexpool's native part is in it: where memory was used, where it came from, or where it had been
freed. So nothing of lexpool's is ever suppressed, and no list of what other libraries do has to be
kept: their own reports are counted and passed over. Children that the program forks are watched
too; other programs that it starts, such as compilers, run as they are.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from dataclasses import dataclass
from pathlib import Path

OWN = "/lexpool/_core."

# Lines of a report that are printed; --log writes all of them.
SHOWN = 60

OPTIONS = [
    "--tool=memcheck",
    # The origin of an uninitialised value, which may be lexpool even if other code reads it.
    "--track-origins=yes",
    # Deep enough to reach lexpool through the calls of an interpreter.
    "--num-callers=40",
    "--error-limit=no",
    "--default-suppressions=no",
    "--show-leak-kinds=none",
    "--xml=yes",
]


@dataclass
class Report:
    """One fault, with the objects in whose code it happened or whose memory it concerns."""

    what: str
    frames: list[str]
    objects: list[str]

    @property
    def is_own(self) -> bool:
        return any(OWN in name for name in self.objects)

    def __str__(self) -> str:
        shown = self.frames if len(self.frames) <= SHOWN else [*self.frames[:SHOWN], "..."]
        return "\n    ".join([self.what, *shown])


def read_reports(path: Path, *, is_whole: bool) -> list[Report]:
    """The reports in an XML file of Valgrind's; an error if it has to be whole and is not.

    Without those of leaks: a class keeps memory to the end of its process, and other tests watch
    what grows.
    """
    parser = ET.XMLPullParser()
    parser.feed(path.read_bytes())
    if is_whole:
        parser.close()
    out = []
    for _, error in parser.read_events():
        if error.tag != "error" or error.findtext("kind", "").startswith("Leak_"):
            continue
        what = error.findtext("what") or error.findtext("xwhat/text") or "?"
        frames, objects = [], []
        for part in error:
            if part.tag in ("auxwhat", "xauxwhat"):
                frames.append(f"-- {part.text or part.findtext('text')}")
            for frame in part.iter("frame"):
                where = frame.findtext("file")
                line = f":{frame.findtext('line')}" if where else ""
                objects.append(frame.findtext("obj") or "")
                place = f"{where}{line}" if where else Path(objects[-1]).name
                frames.append(f"{frame.findtext('fn') or '???'} ({place})")
        out.append(Report(what, frames, objects))
    return out


def run(arguments: list[str], folder: Path) -> tuple[int, list[Report]]:
    """The exit code of Python with these arguments, and what Valgrind reports of it."""
    # Memory from the system for each object, so that Valgrind knows where one begins and ends.
    environment = {**os.environ, "PYTHONMALLOC": "malloc"}
    # A file for each process: a forked child would write into that of its parent.
    command = ["valgrind", *OPTIONS, f"--xml-file={folder}/%p.xml", sys.executable, *arguments]
    with subprocess.Popen(command, env=environment) as process:
        code = process.wait()
    reports = []
    for path in sorted(folder.glob("*.xml")):
        # The file of a child ends where it becomes another program, or is killed.
        reports += read_reports(path, is_whole=path.stem == str(process.pid))
    return code, reports


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__.splitlines()[0], epilog="all else is for Python", allow_abbrev=False
    )
    parser.add_argument(
        "--log", type=Path, metavar="FOLDER", help="keep Valgrind's files here, in a new folder"
    )
    given, arguments = parser.parse_known_args()
    if shutil.which("valgrind") is None:
        print("valgrind is not installed", file=sys.stderr)
        return 2
    if given.log:
        # Files that are there would be read as if they were of this run.
        if given.log.exists():
            parser.error(f"{given.log} exists; give a new folder")
        given.log.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as scratch:
        code, reports = run(arguments, given.log or Path(scratch))
    own = [report for report in reports if report.is_own]
    for report in own:
        print(report, end="\n\n")
    others = len(reports) - len(own)
    print(f"valgrind: {len(own)} reports with lexpool in them, {others} of other libraries alone")
    return 1 if own else code


if __name__ == "__main__":
    sys.exit(main())
