// The thread that lexpool runs on, so that the page answers while a search takes long, and can end it.
import { ENGLISH } from "./languages";
import {
  type Annotation,
  type Answer,
  failed,
  type Findings,
  type Layouts,
  Lexpool,
  type Meta,
  type Tokens,
  type Tree,
  type Version,
} from "./module";

/** What the page asks: to tokenize a text, if it has changed, and to look for a pattern in it. */
export interface Question {
  number: number;
  text?: string;
  /** The language of the text; English by default. */
  lang?: string;
  pattern: string;
}

/** The address of the module, a question, the address of a pipeline to load, or a sentence whose tree to draw. */
export type Request = string | Question | { pipeline: string } | { sentence: number };

export type Reply =
  | { kind: "ready"; layouts: Layouts; version: Version }
  | { kind: "answer"; number: number; tokens?: Answer<Tokens>; found: Answer<Findings> }
  | { kind: "pipeline"; meta: Answer<Meta> }
  /** Of the text of a question; it took so many milliseconds. */
  | { kind: "annotation"; number: number; annotation: Answer<Annotation>; took: number }
  | { kind: "tree"; sentence: number; tree: Answer<Tree> }
  | { kind: "lost"; why: string };

const say = (reply: Reply) => postMessage(reply);

let lexpool: Lexpool | undefined;
/** Whether the last text could be tokenized: else a pattern would be looked for in the one before. */
let hasText = false;
/** The last text with the number of its question. */
let last: { number: number; text: string } | undefined;
/** The language of the pipeline, once there is one. */
let trained: string | undefined;
/** The language whose rules are used. */
let language = ENGLISH;

async function start(address: string): Promise<void> {
  const response = await fetch(address);
  if (!response.ok) {
    throw new Error(`${address}: ${response.status}`);
  }
  lexpool = await Lexpool.start(await response.arrayBuffer());
  say({ kind: "ready", layouts: lexpool.layouts(), version: lexpool.version() });
}

function answer({ number, text, lang = ENGLISH, pattern }: Question): void {
  const tokens = text === undefined ? undefined : tokenize(text, lang);
  hasText = tokens ? !failed(tokens) : hasText;
  const found = hasText && pattern.trim() !== "" ? lexpool!.find(pattern) : { count: 0, matches: [] };
  say({ kind: "answer", number, tokens, found });
  if (text !== undefined) {
    last = hasText ? { number, text } : undefined;
    annotate();
  }
}

function tokenize(text: string, lang: string): Answer<Tokens> {
  if (lang !== language) {
    const rules = lexpool!.language(lang);
    if (failed(rules)) {
      return rules;
    }
    language = lang;
  }
  return lexpool!.tokenize(text);
}

/** Annotates the last text, once there is a pipeline of its language. */
function annotate(): void {
  if (last && language === trained) {
    const begun = performance.now();
    const annotation = lexpool!.annotate(last.text);
    say({ kind: "annotation", number: last.number, annotation, took: performance.now() - begun });
  }
}

async function load(address: string): Promise<void> {
  let file: Uint8Array;
  try {
    const response = await fetch(address);
    if (!response.ok) {
      throw new Error(`${address}: ${response.status}`);
    }
    file = new Uint8Array(await response.arrayBuffer());
  } catch (error) {
    // The rest works without it.
    const message = error instanceof Error ? error.message : String(error);
    say({ kind: "pipeline", meta: { error: { code: "not-fetched", message } } });
    return;
  }
  const meta = lexpool!.load(file);
  trained = failed(meta) ? undefined : meta.lang;
  say({ kind: "pipeline", meta });
  annotate();
}

addEventListener("message", async ({ data }: MessageEvent<Request>) => {
  try {
    if (typeof data === "string") {
      await start(data);
    } else if ("pipeline" in data) {
      await load(data.pipeline);
    } else if ("sentence" in data) {
      say({ kind: "tree", sentence: data.sentence, tree: lexpool!.tree(data.sentence) });
    } else {
      answer(data);
    }
  } catch (error) {
    say({ kind: "lost", why: error instanceof Error ? error.message : String(error) });
  }
});
