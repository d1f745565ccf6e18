// The page's side of the worker: one question at a time, the newest first, and a new worker when one is
// lost or takes too long.
import {
  type Annotation,
  type Answer,
  failed,
  type Findings,
  type Layouts,
  type Meta,
  type Tokens,
  type Tree,
  type Version,
} from "./module";
import type { Question, Reply, Request } from "./worker";

/** A text, its language, and a pattern to look for. */
export interface Asked {
  text: string;
  lang: string;
  pattern: string;
}

/** How long a question may take, in milliseconds. */
const PATIENCE = 6000;

export interface Listener {
  ready(layouts: Layouts, version: Version): void;
  answer(tokens: Answer<Tokens> | undefined, findings: Answer<Findings>): void;
  /** A pipeline was loaded, or not. */
  pipeline(meta: Answer<Meta>): void;
  /** The annotation of the newest text, which took so many milliseconds. */
  annotation(annotation: Answer<Annotation>, took: number): void;
  tree(sentence: number, tree: Answer<Tree>): void;
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
  #next: Asked | undefined;
  #asked: Asked | undefined;
  /** The question whose text the worker has tokenized last. */
  #known: Asked | undefined;
  /** The number of the question with that text. */
  #knownBy = 0;
  /** The address of the pipeline that is wanted. */
  #pipeline: string | undefined;

  constructor(address: string, listener: Listener) {
    this.#address = address;
    this.#listener = listener;
    this.#start();
  }

  ask(question: Asked): void {
    this.#next = question;
    this.#go();
  }

  /** Loads a pipeline, and annotates the present text and each new one with it. */
  load(address: string): void {
    this.#pipeline = address;
    if (this.#isReady) {
      this.#post({ pipeline: address });
    }
  }

  /** Asks for the tree of a sentence of the annotated text. */
  draw(sentence: number): void {
    this.#post({ sentence });
  }

  #post(request: Request): void {
    this.#worker!.postMessage(request);
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
    this.#post(this.#address);
  }

  #go(): void {
    if (!this.#isReady || this.#asked || !this.#next) {
      return;
    }
    const { text, lang, pattern } = this.#next;
    this.#asked = this.#next;
    this.#next = undefined;
    const question: Question = { number: ++this.#number, pattern };
    if (text !== this.#known?.text || lang !== this.#known.lang) {
      question.text = text;
      question.lang = lang;
    }
    this.#post(question);
    this.#clock = setTimeout(() => this.#lose(`no answer within ${PATIENCE / 1000} seconds`), PATIENCE);
  }

  #hear(reply: Reply): void {
    if (reply.kind === "ready") {
      this.#isReady = true;
      this.#listener.ready(reply.layouts, reply.version);
      if (this.#pipeline !== undefined) {
        this.#post({ pipeline: this.#pipeline });
      }
    } else if (reply.kind === "pipeline") {
      this.#listener.pipeline(reply.meta);
    } else if (reply.kind === "annotation") {
      // The annotation of an older text is dropped: the newer one has its own.
      if (reply.number === this.#knownBy) {
        this.#listener.annotation(reply.annotation, reply.took);
      }
    } else if (reply.kind === "tree") {
      this.#listener.tree(reply.sentence, reply.tree);
    } else if (reply.kind === "lost") {
      this.#lose(reply.why);
    } else if (reply.number === this.#number && this.#asked) {
      clearTimeout(this.#clock);
      // A text that was refused is given again with the next question, and refused again.
      this.#known = reply.tokens && failed(reply.tokens) ? undefined : this.#asked;
      if (reply.tokens) {
        this.#knownBy = reply.number;
      }
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
