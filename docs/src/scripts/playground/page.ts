// Brings the playground to life: what is typed goes to the worker, what it answers is shown.
import { analysisTable, entityText, pipelineLine, sentenceOf, sentenceTitle, treeBox } from "./annotation";
import { Engine } from "./engine";
import { ENGLISH, languageOf } from "./languages";
import { html, type Html } from "./html";
import {
  type Annotation,
  type Answer,
  failed,
  type Findings,
  type Layouts,
  type Meta,
  type Tokens,
  type Tree,
} from "./module";
import { type Example, faultList, matchCount, matchList, PATTERNS, TEXTS } from "./patterns";
import { read, type State, written } from "./state";
import { boxesOf, mark, walk } from "./strip";
import { details, markMatches, MAX_DRAWN, tokenBoxes } from "./tokens";

/** How long a pause in typing is, in milliseconds, before those who listen are told, or the address is written. */
const PAUSE = 600;

export function start(root: HTMLElement): void {
  new Playground(root);
}

class Playground {
  readonly #root: HTMLElement;
  readonly #text: HTMLTextAreaElement;
  readonly #pattern: HTMLTextAreaElement;
  readonly #strip: HTMLElement;
  readonly #usual: State;
  readonly #engine: Engine;
  #token: number;
  #lang = ENGLISH;
  #layouts: Layouts | undefined;
  #tokens: Tokens | undefined;
  #found: Answer<Findings> | undefined;
  #meta: Meta | undefined;
  /** The address of the pipeline: the site's, or that of a file of the reader's. */
  #pipeline: string;
  /** The language of the pipeline. */
  #trained = ENGLISH;
  /** Whether the pipeline was asked for. */
  #isWanted = false;
  /** The annotation of the tokens that are shown, once it is there. */
  #annotation: Annotation | undefined;
  /** The sentence whose tree is shown or asked for. */
  #sentence: number | undefined;
  #pause: ReturnType<typeof setTimeout> | undefined;

  constructor(root: HTMLElement) {
    this.#root = root;
    this.#text = this.#part("text") as HTMLTextAreaElement;
    this.#pattern = this.#part("pattern") as HTMLTextAreaElement;
    this.#strip = this.#part("strip");
    this.#pipeline = root.dataset["pipeline"]!;
    const token = Number(root.dataset["token"]);
    this.#usual = { text: this.#text.value, pattern: this.#pattern.value, token, lang: ENGLISH };
    this.#token = this.#usual.token;
    this.#engine = new Engine(root.dataset["module"]!, {
      ready: (layouts) => this.#begin(layouts),
      answer: (tokens, found) => this.#show(tokens, found),
      pipeline: (meta) => this.#useLoaded(meta),
      annotation: (annotation, took) => this.#showAnnotation(annotation, took),
      tree: (sentence, tree) => this.#showTree(sentence, tree),
      renewed: (why) => this.#fail(`That was too much: ${why}. lexpool was started anew; change the text or the pattern.`),
      failed: (why) => this.#fail(`The playground could not be started: ${why}.`),
    });
    this.#load(read(location.hash, this.#usual));
    this.#listen();
  }

  #part(name: string): HTMLElement {
    return this.#root.querySelector<HTMLElement>(`[data-part="${name}"]`)!;
  }

  #listen(): void {
    this.#text.addEventListener("input", () => this.#changed());
    this.#pattern.addEventListener("input", () => this.#changed());
    this.#examples("texts", this.#text, TEXTS);
    this.#examples("patterns", this.#pattern, PATTERNS);
    this.#languages().addEventListener("change", () => this.#speak(this.#languages().value));
    walk(this.#strip, (position) => this.#choose(position));
    this.#part("copy").addEventListener("click", () => this.#copy());
    this.#part("before").addEventListener("click", () => this.#step(-1));
    this.#part("after").addEventListener("click", () => this.#step(1));
    this.#part("again").addEventListener("click", () => this.#want());
    const own = this.#part("own") as HTMLInputElement;
    own.addEventListener("change", () => own.files?.[0] && this.#open(own.files[0]));
    // It is large, and a reader who only looks has the example.
    this.#root.addEventListener("focusin", () => this.#isWanted || this.#lang !== this.#trained || this.#want());
    addEventListener("hashchange", () => {
      const state = read(location.hash, this.#usual);
      if (state && written(state) !== written(this.#state())) {
        this.#load(state);
        this.#ask();
      }
    });
  }

  #examples(part: string, into: HTMLTextAreaElement, examples: Example[]): void {
    const select = this.#part(part) as HTMLSelectElement;
    select.addEventListener("change", () => {
      const example = examples[Number(select.value)];
      if (example) {
        if (into === this.#text) {
          this.#setLanguage(ENGLISH);
        }
        into.value = example.source;
        this.#changed();
      }
    });
    // Typing makes it another text than the one that is named.
    into.addEventListener("input", () => (select.value = ""));
  }

  #languages(): HTMLSelectElement {
    return this.#part("languages") as HTMLSelectElement;
  }

  /** Takes another language, with its own text in the place of an example's. */
  #speak(code: string): void {
    const language = languageOf(code);
    this.#setLanguage(code);
    this.#token = 0;
    this.#text.value = language?.text ?? TEXTS[0]!.source;
    (this.#part("texts") as HTMLSelectElement).value = language ? "" : "0";
    this.#changed();
  }

  /** Notes a language where the text and the reader's program need it. */
  #setLanguage(code: string): void {
    const language = languageOf(code);
    this.#lang = language?.code ?? ENGLISH;
    this.#languages().value = this.#lang;
    this.#part("rules").textContent = language?.name ?? "English";
    for (const part of [this.#text, this.#strip]) {
      part.lang = this.#lang;
      part.dir = language?.isRightToLeft ? "rtl" : "ltr";
    }
    this.#markForeign();
  }

  /** Says which language the pipeline is for, if the text has another one. */
  #markForeign(): void {
    const name = languageOf(this.#trained)?.name ?? (this.#trained === ENGLISH ? "English" : this.#trained);
    const foreign = this.#part("foreign");
    foreign.hidden = this.#lang === this.#trained;
    foreign.textContent = `The pipeline is for ${name} alone: choose ${name} to see its annotation.`;
  }

  #load(state: State | undefined): void {
    if (state) {
      this.#setLanguage(state.lang);
      this.#text.value = state.text;
      this.#pattern.value = state.pattern;
      this.#token = state.token;
      for (const [part, examples, value] of [
        ["texts", TEXTS, state.text],
        ["patterns", PATTERNS, state.pattern],
      ] as const) {
        const at = examples.findIndex(({ source }) => source === value);
        (this.#part(part) as HTMLSelectElement).value = at < 0 ? "" : String(at);
      }
    }
  }

  #begin(layouts: Layouts): void {
    const isFirst = this.#layouts === undefined;
    this.#layouts = layouts;
    for (const field of this.#root.querySelectorAll<HTMLInputElement>("[disabled]")) {
      field.disabled = false;
    }
    // After a loss, what was too much is not asked again.
    if (isFirst) {
      this.#ask();
    }
  }

  #changed(): void {
    this.#ask();
    this.#afterPause(() => this.#keep());
  }

  #ask(): void {
    if (!this.#isWanted && this.#lang === this.#trained && this.#text.value !== this.#usual.text) {
      this.#want();
    }
    this.#engine.ask({ text: this.#text.value, lang: this.#lang, pattern: this.#pattern.value });
  }

  #want(): void {
    this.#isWanted = true;
    this.#part("again").hidden = true;
    this.#part("unloaded").textContent = "";
    this.#part("pipeline").textContent = "The pipeline is being fetched.";
    this.#engine.load(this.#pipeline);
  }

  /** Takes a file of the reader's for the pipeline. */
  #open(file: File): void {
    if (this.#pipeline.startsWith("blob:")) {
      URL.revokeObjectURL(this.#pipeline);
    }
    this.#pipeline = URL.createObjectURL(file);
    this.#want();
  }

  #show(tokens: Answer<Tokens> | undefined, found: Answer<Findings>): void {
    const said = this.#part("said");
    if (tokens && failed(tokens)) {
      this.#fail(tokens.error.message);
      return;
    }
    said.textContent = "";
    if (tokens) {
      this.#tokens = tokens;
      this.#annotation = undefined;
      this.#hideOld();
      const last = Math.max(Math.min(tokens.tokens.length, MAX_DRAWN) - 1, 0);
      this.#token = Math.min(this.#token, last);
      this.#put("strip", tokenBoxes(tokens, this.#token, []));
      this.#detail();
    }
    this.#found = found;
    this.#showMatches(found);
    this.#root.dataset["answered"] = String(Number(this.#root.dataset["answered"] ?? 0) + 1);
    this.#afterPause(() => this.#tell());
  }

  #useLoaded(meta: Answer<Meta>): void {
    this.#meta = failed(meta) ? undefined : meta;
    this.#trained = failed(meta) ? this.#trained : meta.lang;
    this.#markForeign();
    this.#part("again").hidden = !failed(meta);
    this.#part("unloaded").textContent = failed(meta)
      ? `The pipeline could not be loaded: ${meta.error.message}. Tokens and patterns work without it.`
      : "";
    this.#part("pipeline").textContent = failed(meta) ? "" : pipelineLine(meta, 0, undefined);
    this.#hideOld();
  }

  /** Hides the annotation of another text, until there is one of this; of other languages there is none. */
  #hideOld(): void {
    const isForeign = this.#lang !== this.#trained;
    const isOld = isForeign || (!this.#meta && this.#text.value !== this.#usual.text);
    this.#part("pipeline").hidden = isForeign;
    this.#part("annotated").classList.toggle("pg-old", isOld);
  }

  #showAnnotation(annotation: Answer<Annotation>, took: number): void {
    if (!this.#tokens || !this.#meta) {
      return;
    }
    if (failed(annotation)) {
      this.#part("unloaded").textContent = `The pipeline failed: ${annotation.error.message}`;
      this.#part("annotated").classList.add("pg-old");
      return;
    }
    if (annotation.tokens.length !== this.#tokens.tokens.length) {
      this.#part("unloaded").textContent =
        `The tokenizer of the pipeline makes ${annotation.tokens.length} tokens of this text, the rules of the ` +
        `language ${this.#tokens.tokens.length}: its annotation cannot be shown beside them.`;
      this.#part("annotated").classList.add("pg-old");
      return;
    }
    this.#annotation = annotation;
    this.#sentence = undefined;
    this.#part("unloaded").textContent = "";
    this.#part("pipeline").textContent = pipelineLine(this.#meta, annotation.tokens.length, took);
    this.#put("entities", entityText(this.#tokens.tokens, annotation));
    this.#showSentence();
    this.#root.dataset["annotated"] = String(Number(this.#root.dataset["annotated"] ?? 0) + 1);
  }

  /** Shows the sentence of the chosen token: its table now, its tree when it is drawn. */
  #showSentence(): void {
    const annotation = this.#annotation;
    if (!annotation) {
      return;
    }
    const sentence = sentenceOf(annotation, this.#token);
    const range = annotation.sentences[sentence];
    this.#part("steps").hidden = annotation.sentences.length < 2;
    if (!range) {
      this.#put("tree", html``);
      this.#put("analysis", html``);
      return;
    }
    this.#part("sentence").textContent = sentenceTitle(annotation, sentence);
    this.#put("analysis", analysisTable(annotation, range, this.#token));
    if (sentence !== this.#sentence) {
      this.#sentence = sentence;
      this.#engine.draw(sentence);
    }
  }

  #showTree(sentence: number, tree: Answer<Tree>): void {
    // One that was asked for before the text changed is drawn of another text.
    if (this.#annotation && sentence === this.#sentence) {
      this.#put("tree", treeBox(tree));
      this.#root.dataset["drawn"] = String(Number(this.#root.dataset["drawn"] ?? 0) + 1);
    }
  }

  /** Chooses the first token of a sentence further on or back, around the ends of the text. */
  #step(by: number): void {
    const sentences = this.#annotation?.sentences ?? [];
    const range = sentences.at((sentenceOf(this.#annotation!, this.#token) + by) % sentences.length);
    if (range) {
      this.#choose(range.start);
    }
  }

  #showMatches(found: Answer<Findings>): void {
    const boxes = boxesOf(this.#strip);
    const isEmpty = this.#pattern.value.trim() === "";
    this.#pattern.setAttribute("aria-invalid", String(failed(found)));
    if (failed(found)) {
      markMatches(boxes, []);
      this.#put("found", faultList(found));
    } else {
      markMatches(boxes, found.matches);
      const tokens = this.#tokens?.tokens ?? [];
      this.#put("found", isEmpty ? html`<p class="pg-quiet">No pattern.</p>` : matchList(found, tokens));
    }
  }

  #choose(position: number): void {
    this.#token = position;
    mark(this.#strip, position);
    this.#detail();
    this.#showSentence();
    this.#afterPause(() => this.#keep());
  }

  #detail(): void {
    if (this.#tokens && this.#layouts) {
      this.#put("details", details(this.#tokens, this.#token, this.#layouts));
    }
  }

  /** Says in a sentence what there is, for those who listen and do not look. */
  #tell(): void {
    const count = this.#tokens?.tokens.length ?? 0;
    const tokens = count === 1 ? "1 token" : `${count} tokens`;
    const found = this.#found;
    const matches = !found ? "" : failed(found) ? ", and the pattern has faults" : `, ${matchCount(found)}`;
    const entities = this.#annotation?.entities.length;
    const named = entities === undefined ? "" : entities === 1 ? ", 1 entity" : `, ${entities} entities`;
    this.#part("told").textContent = `${tokens}${matches}${named}.`;
    this.#keep();
  }

  #state(): State {
    return { text: this.#text.value, pattern: this.#pattern.value, token: this.#token, lang: this.#lang };
  }

  /** Writes the state to the address, unless it is as the page came. */
  #keep(): void {
    const state = this.#state();
    if (written(state) === written(this.#usual) && !read(location.hash, this.#usual)) {
      return;
    }
    history.replaceState(history.state, "", written(state));
  }

  async #copy(): Promise<void> {
    this.#keep();
    const state = written(this.#state());
    try {
      await navigator.clipboard.writeText(new URL(state, location.href).href);
      this.#part("told").textContent = "The link is copied.";
    } catch {
      history.replaceState(history.state, "", state);
      this.#part("told").textContent = "The link is in the address bar.";
    }
  }

  #fail(why: string): void {
    this.#part("said").textContent = why;
    this.#root.dataset["answered"] = String(Number(this.#root.dataset["answered"] ?? 0) + 1);
  }

  #put(part: string, content: Html): void {
    this.#part(part).innerHTML = content.toString();
  }

  #afterPause(work: () => void): void {
    clearTimeout(this.#pause);
    this.#pause = setTimeout(work, PAUSE);
  }
}
