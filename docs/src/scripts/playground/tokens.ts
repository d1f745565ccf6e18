// The tokens of a text as boxes, and what is true of one of them.
import { html, type Html, visible } from "./html";
import type { Layouts, Lexeme, Match, Rule, Token, Tokens } from "./module";
import { byteMap, LEXEME_COLOURS, ofLexeme, ofToken, TOKEN_COLOURS } from "./records";

/** So many tokens are drawn. */
export const MAX_DRAWN = 1500;

/** The kinds of rules: the word under a box, its colour, and what it says of a token. */
const KINDS: Record<string, { word: string; ink: string; says: (token: Token) => Html }> = {
  PREFIX: {
    word: "prefix",
    ink: "--ink-place",
    says: ({ rule }) => html`Cut off the front of ${quoted(rule.chunk)}: one of the language's <b>prefix</b> patterns
      matched there.`,
  },
  SUFFIX: {
    word: "suffix",
    ink: "--ink-lexeme",
    says: ({ rule }) => html`Cut off the end of ${quoted(rule.chunk)}: one of the language's <b>suffix</b> patterns
      matched there.`,
  },
  INFIX: {
    word: "infix",
    ink: "--ink-text",
    says: ({ rule }) => html`A cut in the middle of ${quoted(rule.chunk)}: one of the language's <b>infix</b> patterns
      matched there.`,
  },
  SPECIAL: {
    word: "special",
    ink: "--ink-facts",
    says: ({ rule }) => html`Token ${rule.name.slice("SPECIAL-".length)} of the <b>special case</b>
      ${quoted(rule.case ?? rule.chunk)}: a list says how it is cut, so no pattern was asked.`,
  },
  TOKEN_MATCH: {
    word: "match",
    ink: "--ink-string",
    says: ({ rule }) => html`Kept whole by the <b>token match</b>, which is asked before anything is cut off
      ${quoted(rule.chunk)}.`,
  },
  URL_MATCH: {
    word: "address",
    ink: "--ink-string",
    says: () => html`Kept whole by the <b>address match</b>: it looks like a web or mail address, so nothing is cut
      inside it.`,
  },
  SEGMENT: {
    word: "segment",
    ink: "--ink-lexeme",
    says: () => html`A word of the <b>segmenter</b>, which finds the fewest words of a list that make up the text. The
      language has no spaces between words, so no pattern was asked.`,
  },
  SPACE: {
    word: "space",
    ink: "--sl-color-gray-3",
    says: () => html`<b>Whitespace</b> beyond the single space that a token has behind it. It is a token of its own,
      so that the text can be put together again, character for character.`,
  },
  TOKEN: {
    word: "word",
    ink: "--sl-color-gray-3",
    says: ({ rule, text }) =>
      rule.chunk === text
        ? html`<b>No rule</b> applies: between spaces it stands as it is.`
        : html`<b>What was left</b> of ${quoted(rule.chunk)} when the rules had cut off all they could.`,
  },
};

/** The row of boxes; `chosen` is the one that the Tab key comes to. */
export function tokenBoxes(answer: Tokens, chosen: number, matches: Match[]): Html {
  const places = placesIn(matches, answer.tokens.length);
  const boxes = answer.tokens.slice(0, MAX_DRAWN).map((token, i) => {
    const { word, ink } = kind(token.rule);
    const classes = [...places[i]!, i === chosen && "pg-chosen", token.space && "pg-space"];
    return html`<div class="${["pg-token", ...classes].filter(Boolean).join(" ")}" role="option"
      id="pg-token-${i}" data-i="${i}" tabindex="${i === chosen ? 0 : -1}" aria-selected="${i === chosen ? "true" : "false"}"
      style="--ink: var(${ink})"><bdi>${visible(token.text)}</bdi><small>${word}</small></div>`;
  });
  const more = answer.tokens.length - boxes.length;
  return html`<div class="pg-tokens" role="listbox" aria-label="Tokens" aria-orientation="horizontal">${boxes}</div>
    ${more > 0 && html`<p class="pg-quiet">${more} more tokens are not drawn.</p>`}`;
}

/** Marks the boxes that matches take, and their first and last ones, in the place of those before. */
export function markMatches(boxes: Element[], matches: Match[]): void {
  const places = placesIn(matches, boxes.length);
  boxes.forEach((box, i) => {
    for (const place of PLACES) {
      box.classList.toggle(place, places[i]!.includes(place));
    }
  });
}

const PLACES = ["pg-hit", "pg-begins", "pg-ends"] as const;

/** For each token whether it is in a match, the first of one, the last of one. */
function placesIn(matches: Match[], count: number): (typeof PLACES)[number][][] {
  const places = Array.from({ length: count }, () => new Set<(typeof PLACES)[number]>());
  for (const { start, end } of matches) {
    for (const within of places.slice(start, end)) {
      within.add("pg-hit");
    }
    places[start]?.add("pg-begins");
    places[end - 1]?.add("pg-ends");
  }
  return places.map((place) => [...place]);
}

/** All about one token: why it is one, its record, its word's record. */
export function details(answer: Tokens, chosen: number, layouts: Layouts): Html {
  const token = answer.tokens[chosen];
  const lexeme = answer.lexemes.find(({ number }) => number === token?.lexeme);
  const [tokenLayout, lexemeLayout] = ["TokenC", "LexemeC"].map((name) =>
    layouts.records.find((layout) => layout.name === name),
  );
  if (!token || !lexeme || !tokenLayout || !lexemeLayout) {
    return html`<p class="pg-quiet">There are no tokens. Type something above.</p>`;
  }
  return html`<h2 class="pg-title">Token ${chosen}: <bdi class="pg-word">${visible(token.text)}</bdi></h2>
    <p class="pg-rule" style="--ink: var(${kind(token.rule).ink})"><code>${token.rule.name}</code>
      <span>${kind(token.rule).says(token)}</span></p>
    <div class="pg-pair">
      <section>
        <h3>What is true of it here</h3>
        ${byteMap(tokenLayout, token.record, TOKEN_COLOURS, ofToken)}
        ${facts(token, lexeme)}
      </section>
      <section>
        <h3>What is true of the word anywhere</h3>
        ${byteMap(lexemeLayout, lexeme.record, LEXEME_COLOURS, ofLexeme(lexeme, layouts))}
      </section>
    </div>`;
}

function facts(token: Token, lexeme: Lexeme): Html {
  const own = token.norm.id !== lexeme.texts["norm"]?.id;
  return html`<dl class="pg-facts">
    <dt>Characters</dt><dd>${token.start} to ${token.end}, ${token.space ? "and a space follows" : "and no space follows"}</dd>
    <dt>Norm</dt><dd><q>${token.norm.text ?? token.norm.id}</q>${
      own ? ", which the special case gives to this token" : ", its word's"
    }</dd>
  </dl>`;
}

function kind(rule: Rule) {
  return KINDS[rule.name.replace(/-\d+$/, "")] ?? KINDS["TOKEN"]!;
}

function quoted(text: string): Html {
  const shown = text.length > 60 ? `${[...text].slice(0, 60).join("")}…` : text;
  return html`<code>${visible(shown)}</code>`;
}
