// The state of the page, in its address: it can be shared, and stays private, because
// stands behind # is not sent to a server.

import { ENGLISH, languageOf } from "./languages";

export interface State {
  text: string;
  pattern: string;
  /** The position of the chosen token. */
  token: number;
  /** The code of the language whose rules cut the text. */
  lang: string;
}

/** What an address says; what it leaves out is as in `usual`. None for an anchor of the page. */
export function read(hash: string, usual: State): State | undefined {
  const given = new URLSearchParams(hash.replace(/^#/, ""));
  if (!["text", "pattern", "token", "lang"].some((key) => given.has(key))) {
    return undefined;
  }
  const token = Number.parseInt(given.get("token") ?? "", 10);
  return {
    text: given.get("text") ?? usual.text,
    pattern: given.get("pattern") ?? usual.pattern,
    token: Number.isSafeInteger(token) && token >= 0 ? token : 0,
    // Addresses from before there were languages have none.
    lang: languageOf(given.get("lang") ?? "")?.code ?? ENGLISH,
  };
}

export function written({ text, pattern, token, lang }: State): string {
  const own = lang === ENGLISH ? undefined : { lang };
  return `#${new URLSearchParams({ text, pattern, token: String(token), ...own })}`;
}
