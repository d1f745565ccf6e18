// The annotation of a trained pipeline: entities in the text, and the tree and table of a sentence.
import { html, Html, visible } from "./html";
import type { Analysis, Annotation, Answer, Meta, Range, Token, Tree } from "./module";
import { failed } from "./module";
import { MAX_DRAWN } from "./tokens";

/** The colours of labels; others have that of strings. */
const INKS: Record<string, string> = { PER: "--ink-lexeme", ORG: "--ink-place", LOC: "--ink-facts" };

/** What labels stand for. */
const NAMES: Record<string, string> = { PER: "person", ORG: "organisation", LOC: "place" };

/** The number of the sentence that a token is in. */
export function sentenceOf({ sentences }: Annotation, token: number): number {
  return Math.max(sentences.findIndex(({ start, end }) => start <= token && token < end), 0);
}

/** The text with its entities marked. */
export function entityText(tokens: Token[], { entities }: Annotation): Html {
  const drawn = tokens.slice(0, MAX_DRAWN);
  const parts: Html[] = [];
  let at = 0;
  for (const { start, end, label } of entities) {
    if (start >= drawn.length) {
      break;
    }
    const ink = INKS[label] ?? "--ink-string";
    parts.push(html`${words(drawn, at, start)}<mark class="pg-ent" style="--ink: var(${ink})"
      ><bdi>${words(drawn, start, end).trimEnd()}</bdi>${"\u00a0"}<abbr title="${NAMES[label] ?? label}">${label}</abbr></mark
      >${tokens[end - 1]?.space && " "}`);
    at = end;
  }
  const more = tokens.length - drawn.length;
  return html`<p class="pg-text">${parts}${words(drawn, at, drawn.length)}</p>
    ${entities.length === 0 && html`<p class="pg-quiet">The pipeline finds no names of persons, organisations or places.</p>`}
    ${more > 0 && html`<p class="pg-quiet">${more} more tokens are not shown.</p>`}`;
}

/** The tree of a sentence, or why it is not drawn. The picture is the module's own SVG. */
export function treeBox(tree: Answer<Tree>): Html {
  return failed(tree) ? html`<p class="pg-quiet">No tree: ${tree.error.message}.</p>` : new Html(tree.svg);
}

/** The tokens of a sentence, a row each. */
export function analysisTable({ tokens }: Annotation, { start, end }: Range, chosen: number): Html {
  const rows = tokens.slice(start, Math.min(end, start + MAX_DRAWN)).map((token, i) => row(tokens, token, start + i, chosen));
  return html`<table class="pg-analysis">
    <thead><tr>
      <th scope="col">Token</th><th scope="col">Part of speech</th><th scope="col">Tag</th><th scope="col">Lemma</th>
      <th scope="col">Relation</th><th scope="col">Head</th><th scope="col">Features</th>
    </tr></thead>
    <tbody>${rows}</tbody>
  </table>`;
}

function row(tokens: Analysis[], token: Analysis, i: number, chosen: number): Html {
  const head = tokens[token.head];
  return html`<tr class="${i === chosen && "pg-here"}">
    <th scope="row"><bdi>${visible(token.text)}</bdi></th>
    <td>${token.pos}</td><td><code>${token.tag}</code></td><td><bdi>${visible(token.lemma)}</bdi></td>
    <td>${token.dep}</td>
    <td>${token.head === i ? html`<span class="pg-quiet">root</span>` : html`<bdi>${visible(head?.text ?? "")}</bdi>`}</td>
    <td class="pg-features">${token.morph.split("|").filter(Boolean).map((feature) => html`<span>${feature}</span> `)}</td>
  </tr>`;
}

/** In a sentence which sentence is shown. */
export function sentenceTitle({ sentences }: Annotation, sentence: number): string {
  return sentences.length === 1 ? "The sentence" : `Sentence ${sentence + 1} of ${sentences.length}`;
}

/** What is loaded, and how long it took for this text. */
export function pipelineLine({ name, version }: Meta, tokens: number, took: number | undefined): string {
  const time = took === undefined ? "" : `: ${tokens === 1 ? "1 token" : `${tokens} tokens`} in ${took.toFixed(1)} ms`;
  return `Annotated by the pipeline ${name} ${version}${time}.`;
}

function words(tokens: Token[], start: number, end: number): string {
  return tokens.slice(start, end).map(({ text, space }) => text + (space ? " " : "")).join("");
}
