// The state of the page, in its address: it can be shared, and stays private, because
// stands behind # is not sent to a server.

export interface State {
  text: string;
  pattern: string;
  /** The position of the chosen token. */
  token: number;
}

/** What an address says; what it leaves out is as in `usual`. None for an anchor of the page. */
export function read(hash: string, usual: State): State | undefined {
  const given = new URLSearchParams(hash.replace(/^#/, ""));
  if (!given.has("text") && !given.has("pattern") && !given.has("token")) {
    return undefined;
  }
  const token = Number.parseInt(given.get("token") ?? "", 10);
  return {
    text: given.get("text") ?? usual.text,
    pattern: given.get("pattern") ?? usual.pattern,
    token: Number.isSafeInteger(token) && token >= 0 ? token : 0,
  };
}

export function written({ text, pattern, token }: State): string {
  return `#${new URLSearchParams({ text, pattern, token: String(token) })}`;
}
