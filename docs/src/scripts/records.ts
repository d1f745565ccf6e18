// The records as docs/generate/records.py wrote them, and what a drawing needs besides.
import data from "../data/records.json";

export interface Bits {
  name: string;
  low: number;
  width: number;
  doc: string;
}

export interface Field {
  name: string;
  type: string;
  ctype: string;
  offset: number;
  size: number;
  doc: string;
  bits: Bits[];
}

export interface RecordLayout {
  name: string;
  size: number;
  align: number;
  doc: string;
  fields: Field[];
}

export const records: RecordLayout[] = data;

/** The layout of a record. A page that names one which is not there does not build. */
export function record(name: string): RecordLayout {
  const found = records.find((one) => one.name === name);
  if (!found) {
    throw new Error(`no record ${name}: there are ${records.map((one) => one.name).join(", ")}`);
  }
  return found;
}

/** The address of a record's page, as a folder: `token-c` for TokenC. */
export const slug = (name: string) => name.replace(/([a-z])(?=[A-Z])/g, "$1-").toLowerCase();

/** What a field holds decides its colour; `kinds` has the words for the legend. */
export type Kind = "word" | "place" | "facts" | "id" | "free";

export const kinds: Record<Kind, string> = {
  word: "a word of the vocab",
  place: "a place or a count",
  facts: "facts",
  id: "an id: the hash of a string",
  free: "reserved, zero",
};

export function kindOf({ name, doc }: { name: string; doc: string }): Kind {
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
  return name === "norm_ix" ? "word" : "facts";
}
