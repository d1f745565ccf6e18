// HTML from values: what is put in is escaped, unless it is HTML made here.

export class Html {
  readonly #source: string;

  constructor(source: string) {
    this.#source = source;
  }

  toString(): string {
    return this.#source;
  }
}

type Part = Html | Part[] | string | number | bigint | null | undefined | false;

/** The template with its values in it. */
export function html(parts: TemplateStringsArray, ...values: Part[]): Html {
  return new Html(parts.reduce((done, part, i) => done + written(values[i - 1]) + part));
}

function written(value: Part): string {
  if (value instanceof Html) {
    return value.toString();
  }
  if (Array.isArray(value)) {
    return value.map(written).join("");
  }
  if (value === null || value === undefined || value === false) {
    return "";
  }
  return String(value).replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
}

const SHOWN: Record<string, string> = { " ": "␣", "\t": "⇥", "\n": "⏎", "\r": "␍" };

/** A text with marks in the place of whitespace and of what is not to be seen. */
export function visible(text: string): string {
  // A mark without a letter before it would be drawn on whatever stands there.
  return text.replace(/^\p{M}/u, "\u25cc$&").replace(/[\s\p{Cc}\p{Cf}\p{Zs}]/gu, (char) => {
    if (char === "\u200d" || char === "\ufe0f") {
      // Joins the parts of a picture; it stands alone where there is nothing to join.
      return text === char ? code(char) : char;
    }
    return SHOWN[char] ?? code(char);
  });
}

function code(char: string): string {
  return `U+${char.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`;
}
