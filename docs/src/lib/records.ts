// The records as docs/generate/records.py wrote them, and what a drawing needs besides.
import nativeData from "../data/native.json";
import recordData from "../data/records.json";
import type { Field, Layout, NativeField } from "./layout";

export type RecordLayout = Layout<Field>;

/** A struct of the C API, which is no record; `source` is its declaration in the header. */
export interface NativeLayout extends Layout<NativeField> {
  header: string;
  source: string;
}

export const records: RecordLayout[] = recordData;

/** The layout of a record. A page that names one which is not there does not build. */
export function record(name: string): RecordLayout {
  return named(records, name);
}

/** The layout of a struct of the C API, likewise. */
export function native(name: string): NativeLayout {
  return named(nativeData, name);
}

function named<T extends { name: string }>(all: T[], name: string): T {
  const found = all.find((one) => one.name === name);
  if (!found) {
    throw new Error(`no record ${name}: there are ${all.map((one) => one.name).join(", ")}`);
  }
  return found;
}

/** The address of a record's page, as a folder: `token-c` for TokenC. */
export const slug = (name: string) => name.replace(/([a-z])(?=[A-Z])/g, "$1-").toLowerCase();

/** What a field holds decides its colour; `kinds` has the words for the legend. */
export type Kind = "word" | "place" | "facts" | "id" | "address" | "free";

export const kinds: Record<Kind, string> = {
  word: "a word of the vocab",
  place: "a place or a count",
  facts: "facts",
  id: "an id: the hash of a string",
  address: "an address, good in this process",
  free: "reserved, zero",
};

export function kindOf({ name, doc, type }: { name: string; doc: string; type?: string }): Kind {
  if (type?.endsWith("*") || /^Address/.test(doc)) {
    return "address";
  }
  if (name === "reserved") {
    return "free";
  }
  if (/reserved and zero|^Zero\./.test(doc) && !/packed/.test(doc)) {
    return "free";
  }
  if (/^String id|^Key of/.test(doc)) {
    return "id";
  }
  if (/lexeme/i.test(doc)) {
    return "word";
  }
  if (/^(Offset|Position|First|Token after|Character after|The head|Number of|Rank|Length)/.test(doc)) {
    return "place";
  }
  if (/^(size|len|length|text_chars|ndim|stride|itemsize|position)$/.test(name)) {
    return "place";
  }
  return name === "norm_ix" ? "word" : "facts";
}
