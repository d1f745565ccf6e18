// The row of tokens as something to walk along: with the arrow keys, or by pointing.

const STEPS: Record<string, (boxes: HTMLElement[], at: number) => number> = {
  ArrowRight: (_, at) => at + 1,
  ArrowLeft: (_, at) => at - 1,
  ArrowDown: (boxes, at) => inRow(boxes, at, 1),
  ArrowUp: (boxes, at) => inRow(boxes, at, -1),
  Home: () => 0,
  End: (boxes) => boxes.length - 1,
};

/** The key that leads to the same box where text runs from right to left. */
const MIRRORED: Record<string, string> = { ArrowRight: "ArrowLeft", ArrowLeft: "ArrowRight" };

/** Calls `choose` with the position of a box that is clicked or walked to. */
export function walk(strip: HTMLElement, choose: (position: number) => void): void {
  strip.addEventListener("click", (event) => {
    const box = (event.target as Element).closest<HTMLElement>("[role=option]");
    if (box) {
      choose(Number(box.dataset["i"]));
    }
  });
  strip.addEventListener("keydown", (event) => {
    const step = STEPS[(strip.dir === "rtl" && MIRRORED[event.key]) || event.key];
    const boxes = boxesOf(strip);
    const at = boxes.indexOf(document.activeElement as HTMLElement);
    if (!step || at < 0 || event.altKey || event.ctrlKey || event.metaKey) {
      return;
    }
    event.preventDefault();
    const to = Math.min(Math.max(step(boxes, at), 0), boxes.length - 1);
    choose(to);
    boxes[to]!.focus();
  });
}

/** Makes a box the chosen one; the Tab key comes to it. */
export function mark(strip: HTMLElement, position: number): void {
  boxesOf(strip).forEach((box, i) => {
    box.classList.toggle("pg-chosen", i === position);
    box.setAttribute("aria-selected", String(i === position));
    box.tabIndex = i === position ? 0 : -1;
  });
}

export function boxesOf(strip: HTMLElement): HTMLElement[] {
  return [...strip.querySelectorAll<HTMLElement>("[role=option]")];
}

/** The box nearest to this one in the next row, or in the one before. */
function inRow(boxes: HTMLElement[], at: number, direction: 1 | -1): number {
  const from = boxes[at]!.getBoundingClientRect();
  const middle = (from.left + from.right) / 2;
  let best = at;
  let bestTop: number | undefined;
  let bestGap = Infinity;
  for (let i = at + direction; i >= 0 && i < boxes.length; i += direction) {
    const box = boxes[i]!.getBoundingClientRect();
    if (Math.abs(box.top - from.top) < from.height / 2) {
      continue;
    }
    bestTop ??= box.top;
    if (Math.abs(box.top - bestTop) > from.height / 2) {
      break;
    }
    const gap = Math.abs((box.left + box.right) / 2 - middle);
    if (gap < bestGap) {
      [best, bestGap] = [i, gap];
    }
  }
  return best;
}
