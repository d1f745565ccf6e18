// The matches of a pattern, or its errors; and example patterns.
import { html, type Html, visible } from "./html";
import type { Failure, Findings, Token } from "./module";

/** So many matches are listed. */
const MAX_LISTED = 24;

export interface Example {
  name: string;
  source: string;
}

export const TEXTS: Example[] = [
  {
    name: "Names in sentences",
    source:
      "Ada Lovelace didn't pay $12.50 for her book in New York. Its author, Mr. O'Neil, had worked for Google and the BBC before he moved to Paris: a very, very long way from N.Y.",
  },
  {
    name: "A bit of everything",
    source:
      "Dr. O'Neil's mother-in-law didn't pay $12.50 for a very, very good pie in N.Y.: see https://example.org/pie?n=2 :-)",
  },
  {
    name: "Numbers and units",
    source: "On 3/14 at 9:26pm, 5,358 runners (about 12%) had covered 21.1km in under 1h30; the fastest needed 58min.",
  },
  {
    name: "Contractions",
    source: "I'd've said you can't, but they'll say y'all shouldn't've. Who's gonna tell 'em it's o'clock already?",
  },
  {
    name: "Emoji and other scripts",
    source: "Café ☕️ costs 3€… 👩🏽‍🚀🚀 «bien sûr»! Привет, мир. 東京タワー、素敵ですね。 שלום עולם!",
  },
  {
    name: "Hard to cut",
    source: "(((well-known)))...really?!  e.g. U.S.-based a/b/c  don't--stop  x=y+z@example.com <b>bold</b>\tend",
  },
];

export const PATTERNS: Example[] = [
  { name: "A price: a currency sign, then a number", source: '[\n  {"IS_CURRENCY": true},\n  {"LIKE_NUM": true}\n]' },
  {
    name: "Repeated: very, and very again",
    source: '[\n  {"LOWER": "very"},\n  {"IS_PUNCT": true, "OP": "?"},\n  {"LOWER": "very", "OP": "+"},\n  {"IS_ALPHA": true}\n]',
  },
  {
    name: "Hyphenated: words joined by hyphens",
    source: '[\n  {"IS_ALPHA": true},\n  {"TEXT": "-"},\n  {"IS_ALPHA": true}\n]',
  },
  { name: "Addresses of either kind", source: '[\n  {"LIKE_URL": true}\n]' },
  {
    name: "A negation, by its norm",
    source: '[\n  {"IS_ALPHA": true},\n  {"NORM": "not"},\n  {"IS_ALPHA": true}\n]',
  },
  {
    name: "Fuzzy and by expression",
    source: '[\n  {"TEXT": {"REGEX": "^[A-Z]"}},\n  {"LENGTH": {">=": 1}, "OP": "{1,2}"},\n  {"LOWER": {"FUZZY": "moter"}}\n]',
  },
  {
    name: "Rules as in an EntityRuler's file",
    source:
      '{"label": "PLACE", "pattern": "N.Y."}\n{"label": "DISH", "pattern": [{"LOWER": {"IN": ["pie", "cake"]}}]}',
  },
];

/** What was found, in a sentence and a list. */
export function matchList(findings: Findings, tokens: Token[]): Html {
  if (findings.count === 0) {
    return html`<p class="pg-quiet">Nothing in the text fits the pattern.</p>`;
  }
  const items = findings.matches.slice(0, MAX_LISTED).map(({ start, end, label }) => {
    const range = end - start === 1 ? `token ${start}` : `tokens ${start} to ${end - 1}`;
    return html`<li>${label !== null && html`<b>${label}</b> `}<q>${visible(words(tokens.slice(start, end)))}</q>
      <span class="pg-quiet">${range}</span></li>`;
  });
  const more = findings.count - items.length;
  return html`<ul class="pg-matches">${items}</ul>
    ${more > 0 && html`<p class="pg-quiet">and ${more} more</p>`}`;
}

/** How many matches there are, for those who listen. */
export function matchCount(findings: Findings): string {
  return findings.count === 1 ? "1 match" : `${findings.count} matches`;
}

/** All that is wrong with a pattern, each with its place. */
export function faultList({ error }: Failure): Html {
  const faults = error.faults ?? [{ place: "", text: error.message }];
  const items = faults.map(
    ({ place, text }) => html`<li>${place && html`<code>${place}</code> `}${text}</li>`,
  );
  return html`<ul class="pg-faults">${items}</ul>`;
}

function words(tokens: Token[]): string {
  return tokens.map(({ text, space }) => text + (space ? " " : "")).join("").replace(/ $/, "");
}
