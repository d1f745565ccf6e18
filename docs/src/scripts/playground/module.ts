// lexpool as a WebAssembly module: what it answers, and how it is called.
//
// Used by the page's worker, and while the site is built, for what the page shows without scripts.

import type { Layout, PackedField } from "../../lib/layout";

/** A string of the vocab by its id; `text` is null for an id that is none's. */
export interface Name {
  text: string | null;
  id: string;
}

export interface Rule {
  /** spaCy's name, such as `PREFIX` or `SPECIAL-2`; `SPACE` where there was nothing to cut. */
  name: string;
  /** The run of text between spaces that the rules were given. */
  chunk: string;
  chunk_start: number;
  /** The whole text of the special case, if it is one. */
  case?: string;
}

export interface Token {
  text: string;
  space: boolean;
  start: number;
  end: number;
  byte: number;
  lexeme: number;
  norm: Name;
  rule: Rule;
  record: string;
}

export interface Lexeme {
  number: number;
  texts: Record<string, Name>;
  length: number;
  flags: string[];
  record: string;
}

export interface Tokens {
  bytes: number;
  tokens: Token[];
  lexemes: Lexeme[];
}

export interface Match {
  start: number;
  end: number;
  label: string | null;
}

export interface Findings {
  count: number;
  matches: Match[];
}

/** What a pipeline says of one token. */
export interface Analysis {
  text: string;
  tag: string;
  pos: string;
  morph: string;
  lemma: string;
  dep: string;
  /** The position of the head; its own if it is a root. */
  head: number;
}

/** Tokens from `start` to before `end`. */
export interface Range {
  start: number;
  end: number;
}

export interface Annotation {
  tokens: Analysis[];
  entities: (Range & { label: string })[];
  sentences: Range[];
}

export interface Tree {
  svg: string;
}

/** The parts of a pipeline's `meta.json` that pages show. */
export interface Meta {
  lang: string;
  name: string;
  version: string;
  performance: Record<string, number>;
}

export interface Failure {
  error: { code: string; message: string; faults?: { place: string; text: string }[] };
}

export interface Layouts {
  records: Layout<PackedField>[];
  flags: { bit: number; name: string }[];
}

/** The language whose rules are used. */
export interface Rules {
  code: string;
  name: string;
  direction: "ltr" | "rtl";
}

export interface Version {
  version: string;
  abi: number;
}

export type Answer<T> = T | Failure;

export function failed<T extends object>(answer: Answer<T>): answer is Failure {
  return "error" in answer;
}

interface Exports {
  memory: WebAssembly.Memory;
  lexpool_input(len: number): number;
  lexpool_output(): number;
  lexpool_tokenize(): number;
  lexpool_language(): number;
  lexpool_find(): number;
  lexpool_load(): number;
  lexpool_annotate(): number;
  lexpool_tree(): number;
  lexpool_records(): number;
  lexpool_version(): number;
}

type Call = Exclude<keyof Exports, "memory" | "lexpool_input" | "lexpool_output">;

/** An instance of the module. After a call that throws it is of no use any more. */
export class Lexpool {
  readonly #exports: Exports;

  private constructor(exports: Exports) {
    this.#exports = exports;
  }

  static async start(bytes: BufferSource): Promise<Lexpool> {
    let exports: Exports | undefined;
    const fill_random = (to: number, len: number) => {
      crypto.getRandomValues(new Uint8Array(exports!.memory.buffer, to, len));
    };
    const { instance } = await WebAssembly.instantiate(bytes, { lexpool: { fill_random } });
    exports = instance.exports as unknown as Exports;
    return new Lexpool(exports);
  }

  tokenize(text: string): Answer<Tokens> {
    return this.#call("lexpool_tokenize", text);
  }

  /** Uses the rules of a language, by its code, for further texts. */
  language(code: string): Answer<Rules> {
    return this.#call("lexpool_language", code);
  }

  /** Looks for a pattern in the text that was tokenized last. */
  find(pattern: string): Answer<Findings> {
    return this.#call("lexpool_find", pattern);
  }

  /** Loads the file of a trained pipeline. */
  load(file: Uint8Array): Answer<Meta> {
    return this.#call("lexpool_load", file);
  }

  /** Annotates a text with the pipeline that was loaded. */
  annotate(text: string): Answer<Annotation> {
    return this.#call("lexpool_annotate", text);
  }

  /** Draws the tree of a sentence, by its number, of the text that was annotated last. */
  tree(sentence: number): Answer<Tree> {
    return this.#call("lexpool_tree", String(sentence));
  }

  layouts(): Layouts {
    return this.#call("lexpool_records", "");
  }

  version(): Version {
    return this.#call("lexpool_version", "");
  }

  #call<T>(name: Call, input: string | Uint8Array): T {
    const exports = this.#exports;
    const bytes = typeof input === "string" ? new TextEncoder().encode(input) : input;
    const to = exports.lexpool_input(bytes.length);
    if (to === 0 && bytes.length > 0) {
      const message = `${bytes.length} bytes are more than this page can take`;
      return { error: { code: "too-long", message } } as T;
    }
    // The memory may have grown, and then it is another buffer.
    new Uint8Array(exports.memory.buffer, to, bytes.length).set(bytes);
    const len = exports[name]();
    const answer = new Uint8Array(exports.memory.buffer, exports.lexpool_output(), len);
    return JSON.parse(new TextDecoder().decode(answer)) as T;
  }
}
