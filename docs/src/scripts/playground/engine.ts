// The page's side of the worker: one question at a time, the newest first, and a new worker when one is
// lost or takes too long.
import { type Answer, failed, type Findings, type Layouts, type Tokens, type Version } from "./module";
import type { Question, Reply } from "./worker";

/** How long a question may take, in milliseconds. */
const PATIENCE = 6000;

export interface Listener {
  ready(layouts: Layouts, version: Version): void;
  answer(tokens: Answer<Tokens> | undefined, found: Answer<Findings>): void;
  /** The worker was ended, and another is made for the next question. */
  renewed(why: string): void;
  /** There will be no answers. */
  failed(why: string): void;
}

export class Engine {
  readonly #address: string;
  readonly #listener: Listener;
  #worker: Worker | undefined;
  #isReady = false;
  #number = 0;
  #clock: ReturnType<typeof setTimeout> | undefined;
  /** What waits until the present question is answered. */
  #next: { text: string; pattern: string } | undefined;
  #asked: { text: string; pattern: string } | undefined;
  /** The text that the worker has tokenized last. */
  #known: string | undefined;

  constructor(address: string, listener: Listener) {
    this.#address = address;
    this.#listener = listener;
    this.#start();
  }

  ask(text: string, pattern: string): void {
    this.#next = { text, pattern };
    this.#go();
  }

  #start(): void {
    this.#isReady = false;
    this.#known = undefined;
    this.#asked = undefined;
    this.#worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });
    this.#worker.onmessage = ({ data }: MessageEvent<Reply>) => this.#hear(data);
    this.#worker.onerror = (event) => {
      event.preventDefault();
      this.#lose(event.message || "its program could not be loaded");
    };
    this.#worker.postMessage(this.#address);
  }

  #go(): void {
    if (!this.#isReady || this.#asked || !this.#next) {
      return;
    }
    const { text, pattern } = this.#next;
    this.#asked = this.#next;
    this.#next = undefined;
    const question: Question = { number: ++this.#number, pattern };
    if (text !== this.#known) {
      question.text = text;
    }
    this.#worker!.postMessage(question);
    this.#clock = setTimeout(() => this.#lose(`no answer within ${PATIENCE / 1000} seconds`), PATIENCE);
  }

  #hear(reply: Reply): void {
    if (reply.kind === "ready") {
      this.#isReady = true;
      this.#listener.ready(reply.layouts, reply.version);
    } else if (reply.kind === "lost") {
      this.#lose(reply.why);
    } else if (reply.number === this.#number && this.#asked) {
      clearTimeout(this.#clock);
      // A text that was refused is given again with the next question, and refused again.
      this.#known = reply.tokens && failed(reply.tokens) ? undefined : this.#asked.text;
      this.#asked = undefined;
      this.#listener.answer(reply.tokens, reply.found);
    }
    this.#go();
  }

  #lose(why: string): void {
    clearTimeout(this.#clock);
    this.#worker!.terminate();
    if (!this.#isReady) {
      this.#listener.failed(why);
      return;
    }
    // Not asked again: it would be lost in the same way.
    this.#listener.renewed(why);
    this.#start();
  }
}
