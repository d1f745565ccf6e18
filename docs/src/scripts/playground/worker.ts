// The thread that lexpool runs on, so that the page answers while a search takes long, and can end it.
import { type Answer, failed, type Findings, type Layouts, Lexpool, type Tokens, type Version } from "./module";

/** What the page asks: to tokenize a text, if it has changed, and to look for a pattern in it. */
export interface Question {
  number: number;
  text?: string;
  pattern: string;
}

export type Reply =
  | { kind: "ready"; layouts: Layouts; version: Version }
  | { kind: "answer"; number: number; tokens?: Answer<Tokens>; found: Answer<Findings> }
  | { kind: "lost"; why: string };

const say = (reply: Reply) => postMessage(reply);

let lexpool: Lexpool | undefined;
/** Whether the last text could be tokenized: else a pattern would be looked for in the one before. */
let hasText = false;

async function start(address: string): Promise<void> {
  const response = await fetch(address);
  if (!response.ok) {
    throw new Error(`${address}: ${response.status}`);
  }
  lexpool = await Lexpool.start(await response.arrayBuffer());
  say({ kind: "ready", layouts: lexpool.layouts(), version: lexpool.version() });
}

function answer({ number, text, pattern }: Question): void {
  const tokens = text === undefined ? undefined : lexpool!.tokenize(text);
  hasText = tokens ? !failed(tokens) : hasText;
  const found = hasText && pattern.trim() !== "" ? lexpool!.find(pattern) : { count: 0, matches: [] };
  say({ kind: "answer", number, tokens, found });
}

addEventListener("message", async ({ data }: MessageEvent<string | Question>) => {
  try {
    if (typeof data === "string") {
      await start(data);
    } else {
      answer(data);
    }
  } catch (error) {
    say({ kind: "lost", why: error instanceof Error ? error.message : String(error) });
  }
});
