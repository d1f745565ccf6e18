// The figures of docs/measured, by address: "bench/speed/new-words/lexpool" is a file, a table, a row and a
// column; "reliability/loom" is a run. An address that leads nowhere fails the build.
import all from "../data/measured.json";
import { share, short, whole } from "./rounding";

export { short, whole };

export interface Head {
  date: string;
  commit: string | null;
  cpu: string;
  cores: number;
  memory_gb: number;
  load: number;
  system: string;
  python: string;
  spacy: string;
  lexpool: string;
  texts?: { name: string; bytes?: number }[];
  taken?: Record<string, number>;
}

export interface Row {
  title: string;
  values: Record<string, number>;
  ratios?: Record<string, number>;
  unit?: string;
  /** What was wanted: a value above the one or below the other has missed it. */
  most?: number;
  least?: number;
  /** The only column that these two are about; without one, they are about all of lexpool's. */
  bounded?: string;
}

export interface Table {
  title: string;
  unit: string;
  better: "more" | "less";
  baseline?: string;
  columns: Record<string, string>;
  rows: Record<string, Row>;
}

export interface Run {
  title: string;
  unit: string;
  command: string;
  /** These three are absent from a run that has not been made yet. */
  count?: number;
  failed?: number;
  date?: string;
  commit?: string | null;
  seconds?: number;
  skipped?: number;
  excused?: number;
  /** Of fuzzing: edges of the program that the last run reached, and inputs that failed in all runs. */
  edges?: number;
  found?: number;
  /** Of mutation testing: a test failed, did not end, or did not compile; `listed` are all mutants of the code. */
  caught?: number;
  timeouts?: number;
  unviable?: number;
  listed?: number;
  survivors?: Survivor[];
}

/** A change of a line of code that no test notices. */
export interface Survivor {
  file: string;
  change: string;
  line: string;
  reason?: string;
}

interface File {
  head: Head;
  tables?: Record<string, Table>;
  runs?: Record<string, Run>;
}

const files = all as unknown as Record<string, File>;

/** What `key` is in a table of things; an error names what there is. */
function named<T>(things: Record<string, T> | undefined, key: string, address: string): T {
  const found = things && Object.hasOwn(things, key) ? things[key] : undefined;
  if (found === undefined) {
    const known = Object.keys(things ?? {}).join(", ") || "nothing";
    throw new Error(`docs/measured has no ${address}: there is no "${key}", but ${known}`);
  }
  return found;
}

export function headOf(file: string): Head {
  return named(files, file, file).head;
}

export function tableOf(file: string, table: string): Table {
  return named(named(files, file, file).tables, table, `${file}/${table}`);
}

export function runOf(key: string): Run {
  return named(named(files, "reliability", "reliability").runs, key, `reliability/${key}`);
}

/** The targets of fuzzing, by name. */
export function fuzzed(): [string, Run][] {
  return Object.entries(named(files, "fuzzing", "fuzzing").runs ?? {});
}

/** The parts of the code that were mutated, by name. */
export function mutated(): [string, Run][] {
  return Object.entries(named(files, "mutants", "mutants").runs ?? {});
}

/** A number of things: "1 example", "3,229 tests". */
export function counted(count: number, things: string): string {
  return `${whole(count)} ${count === 1 ? things.replace(/s$/, "") : things}`;
}

/** How many failed; a run that counts something else than tests still fails test by test. */
export function failures({ failed = 0, unit }: Run): string {
  if (failed === 0) return "none failed";
  return `${whole(failed)}${["tests", "examples", "models"].includes(unit) ? "" : " tests"} failed`;
}

/** The figure of an address, or its ratio to the table's baseline, as text. */
export function figure(address: string, ratio = false): string {
  const [file = "", table = "", row = "", column = ""] = address.split("/");
  if (file === "reliability") {
    const { count } = runOf(table);
    return count === undefined ? "not yet counted" : whole(count);
  }
  const from = tableOf(file, table);
  const line = named(from.rows, row, address);
  if (ratio) return `${short(named(line.ratios, column, address))}x`;
  return withUnit(named(line.values, column, address), line.unit ?? from.unit);
}

export function withUnit(number: number, unit: string): string {
  if (unit === "%") return `${share(number)} %`;
  return unit === "x" ? `${short(number)}x` : `${short(number)} ${unit}`.trim();
}

/** Whether a column is of lexpool, and not of what it stands beside. */
export function isOurs(column: string): boolean {
  return !["spacy", "unbound", "numpy", "scan", "bound"].includes(column);
}

/** Whether a value is not what was wanted of its row. */
export function misses(row: Row, column: string, value: number): boolean {
  if (row.bounded !== undefined && row.bounded !== column) return false;
  return (row.most !== undefined && value > row.most) || (row.least !== undefined && value < row.least);
}

/** All that was wanted and is missed, over all files. */
export function missed(): { file: string; table: Table; row: Row; column: string; value: number; unit: string }[] {
  return Object.entries(files).flatMap(([file, { tables = {} }]) =>
    Object.values(tables).flatMap((table) =>
      Object.values(table.rows).flatMap((row) =>
        Object.entries(row.values)
          .filter(([key, value]) => isOurs(key) && misses(row, key, value))
          .map(([key, value]) => ({ file, table, row, column: table.columns[key] ?? key, value, unit: row.unit ?? table.unit })),
      ),
    ),
  );
}

/**
 * All of lexpool's that does less than what it stands beside: figures in "times as fast" and ratios below one.
 * What misses a bound is in `missed` already.
 */
export function slower(): { table: Table; row: Row; column: string; value: number }[] {
  const tables = Object.values(files).flatMap(({ tables = {} }) => Object.values(tables));
  return tables.flatMap((table) =>
    Object.values(table.rows).flatMap((row) => {
      const times = table.better === "more" && (row.unit ?? table.unit) === "x";
      const ours = Object.entries(row.ratios ?? {}).filter(([key]) => key === "lexpool" || key === "rust");
      return (times ? Object.entries(row.values) : ours)
        .filter(([key, value]) => isOurs(key) && value < 1 && !misses(row, key, row.values[key] ?? value))
        .map(([key, value]) => ({ table, row, column: table.columns[key] ?? key, value }));
    }),
  );
}

export function bytes(size: number): string {
  return size >= 1e6 ? `${short(size / 1e6)} MB` : `${short(size / 1e3)} kB`;
}

export function day(date: string): string {
  return new Date(`${date}T00:00:00Z`).toLocaleDateString("en-GB", { day: "numeric", month: "long", year: "numeric", timeZone: "UTC" });
}
