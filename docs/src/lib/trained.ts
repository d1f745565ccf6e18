// Numbers and arcs of the drawings of a trained pipeline.

/** A number of two digits, without an exponent: 35, 5.4, 0.16, 0. */
export function digits(number: number): string {
  return `${Number(number.toPrecision(2))}`;
}

/** A dependency arc, with the step of the parse that made it. */
export interface Arc {
  head: number;
  child: number;
  label: string;
  step: number;
}

/** The height of each arc of a projective tree: one more than that of the highest arc below it. */
export function levels(arcs: Arc[]): number[] {
  const ends = arcs.map(({ head, child }) => [Math.min(head, child), Math.max(head, child)] as const);
  const order = ends.map((_, i) => i).sort((a, b) => ends[a]![1] - ends[a]![0] - (ends[b]![1] - ends[b]![0]));
  const found: number[] = arcs.map(() => 0);
  for (const i of order) {
    const [start, end] = ends[i]!;
    const below = order.filter((j) => found[j]! > 0 && ends[j]![0] >= start && ends[j]![1] <= end);
    found[i] = 1 + Math.max(0, ...below.map((j) => found[j]!));
  }
  return found;
}
