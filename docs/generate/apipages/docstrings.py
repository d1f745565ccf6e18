"""Docstrings as Markdown.

Paragraphs stay paragraphs; `name (type): text` of a parameter becomes an item of a list, with what
is indented below it; what begins with `>>>` is an example; what stands four columns in is code. All
other characters that mean something to Markdown are escaped, so a docstring never turns into
anything else.
"""

import html
import inspect
import re
from collections.abc import Callable, Collection

PARAMETER = re.compile(
    r"^(?P<names>\*{0,2}\w+(?:, \*{0,2}\w+)*)(?: \((?P<type>[^()]*(?:\([^()]*\)[^()]*)*)\))?: +(?P<text>.+)$"
)
BEGINS = re.compile(r"^(Returns?|Raises|Warns|Yields|Gives)\b")
ITEM = re.compile(r'^(?:"[^"]+"(?:, "[^"]+")*|[-*]|\w+):? ')
SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~&$!])")
QUOTED = re.compile(r'"([^\s"`]+)"')

Link = Callable[[str], str | None]


def markdown(doc: str, parameters: Collection[str], link: Link) -> str:
    """A docstring as Markdown; `link` gives the address of a name in backticks, if it has one."""
    text = ""
    for lines in blocks_of(doc):
        block = block_markdown(lines, parameters, link)
        is_next_item = block.startswith("- ") and text.rpartition("\n\n")[2].startswith("- ")
        text += ("\n" if is_next_item else "\n\n" if text else "") + block
    return text


def docstring(value: object) -> str:
    """The docstring of an object, without the signature that some of native ones begin with."""
    doc = inspect.getdoc(value) or ""
    first, _, rest = doc.partition("\n\n")
    return rest if re.fullmatch(r"\w+\(.*\)(?: -> [\w\[\], |]+)?", first) else doc


def inline_html(text: str) -> str:
    """One line of the Markdown that is made here, as HTML."""
    parts = re.split(r"`([^`]*)`", text)
    content = "".join(
        f"<code>{html.escape(part, quote=False)}</code>"
        if i % 2
        else html.escape(re.sub(r"\\(.)", r"\1", part), quote=False)
        for i, part in enumerate(parts)
    )
    return re.sub(
        r"\[((?:<code>)?[^\[\]]*?(?:</code>)?)\]\(([^()\s]+)\)", r'<a href="\2">\1</a>', content
    )


def sentence(doc: str) -> str:
    """The first sentence, without marks."""
    paragraph = " ".join(doc.split("\n\n")[0].split())
    end = re.search(r"(?<![.:]\w)[.!?](?= [A-Z`])|[:;](?= [a-z])(?=.{160})", paragraph)
    text = paragraph[: end.end()] if end else paragraph
    return text.rstrip(":;").strip() or paragraph


def blocks_of(doc: str) -> list[list[str]]:
    """Paragraphs and examples; an example may contain empty lines."""
    blocks: list[list[str]] = []
    for chunk in re.split(r"\n\s*\n", doc.strip("\n")):
        lines = chunk.splitlines()
        text: list[str] = []
        for i, line in enumerate(lines):
            if line.lstrip().startswith(">>>") and text and not is_example(text):
                blocks.append(text)
                text = []
            if text and is_example(text):
                text.append(line)
                continue
            is_new = not line.startswith(" ") and (PARAMETER.match(line) or BEGINS.match(line))
            before = bool(i) and (PARAMETER.match(lines[0]) is not None or BEGINS.match(line))
            if is_new and before and text and not line.startswith(" "):
                blocks.append(text)
                text = []
            text.append(line)
        blocks.append(text)
    joined: list[list[str]] = []
    for block in blocks:
        both = joined and is_example(joined[-1]) and is_example(block)
        if both:
            joined[-1] += ["", *block]
        else:
            joined.append(block)
    return joined


def is_example(block: list[str]) -> bool:
    return block[0].lstrip().startswith(">>>")


def block_markdown(lines: list[str], parameters: Collection[str], link: Link) -> str:
    if not lines:
        return ""
    if is_example(lines):
        cut = len(lines[0]) - len(lines[0].lstrip())
        return fence("python", [line[cut:].replace("  # doctest: +ELLIPSIS", "") for line in lines])
    if all(line.startswith("    ") for line in lines if line):
        return fence("text", [line[4:] for line in lines])
    match = PARAMETER.match(lines[0])
    if match and is_parameter(match["names"], parameters):
        return parameter(match, lines[1:], link)
    if lines[0].startswith(("- ", "* ")):
        return "\n".join(
            f"- {prose(line[2:], link)}"
            if line[:2] in ("- ", "* ")
            else f"  {prose(line.strip(), link)}"
            for line in lines
        )
    return with_items(lines, link)


def is_parameter(names: str, parameters: Collection[str]) -> bool:
    items = [name.strip().lstrip("*") for name in names.split(",")]
    return any(name in parameters for name in items) or (not parameters and items[0].islower())


def parameter(match: re.Match[str], rest: list[str], link: Link) -> str:
    names = ", ".join(f"`{name.strip()}`" for name in match["names"].split(","))
    kind = f" ({prose(match['type'], link)})" if match["type"] else ""
    own, items = split_items(
        [line[4:] if line.startswith("    ") else line.lstrip() for line in rest]
    )
    text = f"- {names}{kind}: {prose(' '.join([match['text'], *own]), link)}"
    return text + "".join(f"\n  - {prose(item, link)}" for item in items)


def split_items(lines: list[str]) -> tuple[list[str], list[str]]:
    """Splits off the items of a list at the end: `"tokens": lists of ...`."""
    rest: list[str] = []
    items: list[str] = []
    for line in lines:
        if re.match(r'^"[^"]+"(?:, "[^"]+")*[,:]', line) or (items and not line.startswith(" ")):
            items.append(line.strip())
        elif items:
            items[-1] += " " + line.strip()
        else:
            rest.append(line.strip())
    return rest, items


def with_items(lines: list[str], link: Link) -> str:
    """A paragraph, with a list where lines of it are indented and begin as items do."""
    indented = [line for line in lines[1:] if line.startswith("    ")]
    if indented and any(re.match(r'^\s+"[^"]+"(?:, "[^"]+")*:', line) for line in indented):
        at = lines.index(indented[0])
        own, items = split_items([line[4:] for line in lines[at:]])
        head = prose(" ".join(line.strip() for line in [*lines[:at], *own]), link)
        return head + "\n" + "".join(f"\n- {prose(item, link)}" for item in items)
    return prose(" ".join(line.strip() for line in lines), link)


def fence(language: str, lines: list[str]) -> str:
    ticks = "`" * max(3, *(len(run) + 1 for run in re.findall(r"`+", "\n".join(lines)) or [""]))
    return "\n".join([f"{ticks}{language}", *lines, ticks])


def prose(text: str, link: Link) -> str:
    """Running text: code in backticks with its link, all else escaped."""
    parts = text.split("`")
    if len(parts) % 2 == 0:
        return escaped(text)
    return "".join(
        code(part, link) if i % 2 else with_errors(escaped(part), link)
        for i, part in enumerate(parts)
    )


def with_errors(text: str, link: Link) -> str:
    """Links the names of lexpool's own exceptions, which docstrings have as plain words."""

    def linked(match: re.Match[str]) -> str:
        address = link(match[0])
        return f"[{match[0]}]({address})" if address else match[0]

    return re.sub(r"\b[A-Z]\w+Error\b", linked, text)


def code(name: str, link: Link) -> str:
    address = link(name)
    return f"[`{name}`]({address})" if address else f"`{name}`"


def escaped(text: str) -> str:
    parts = QUOTED.split(text)
    return "".join(
        f'`"{part}"`' if i % 2 else SPECIAL.sub(r"\\\1", part) for i, part in enumerate(parts)
    )
