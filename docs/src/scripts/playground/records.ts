// A record's bytes, read by its layout, and drawn to scale.
import { html, type Html } from "./html";
import type { Bits, Layout, PackedField } from "../../lib/layout";
import type { Layouts, Lexeme } from "./module";

/** A value of a field in words, beside its number. */
type Meaning = (field: PackedField, value: bigint) => Html | string | undefined;

/** The bytes of a field, as two digits each, in the order of memory. */
export function bytesOf(record: string, field: PackedField): string[] {
  const digits = record.slice(2 * field.offset, 2 * (field.offset + field.size));
  return digits.match(/../g) ?? [];
}

/** The number in a field: the first byte counts least. */
export function valueOf(record: string, field: PackedField): bigint {
  const value = BigInt(`0x${bytesOf(record, field).reverse().join("") || "0"}`);
  return field.type.startsWith("i") ? BigInt.asIntN(8 * field.size, value) : value;
}

export function bitsOf(value: bigint, bits: Bits): bigint {
  return (value >> BigInt(bits.low)) & ((1n << BigInt(bits.width)) - 1n);
}

/** A record as a table: a row of cells a field, a cell a byte, and beside it what the bytes say. */
export function byteMap(layout: Layout<PackedField>, record: string, colours: Record<string, string>, meaning: Meaning): Html {
  const rows = layout.fields.map((field) => {
    const value = valueOf(record, field);
    const cells = bytesOf(record, field).map((byte) => html`<span class="pg-byte">${byte}</span>`);
    const groups = field.bits.map(
      (bits) => html`<li><code>${bits.name}</code> <b>${bitsOf(value, bits)}</b>
        <span class="pg-quiet">${bits.doc}</span></li>`,
    );
    return html`<tr style="--ink: var(${colours[field.name] ?? "--ink-string"})">
      <td class="pg-offset">${field.offset}</td>
      <th scope="row" title="${field.doc}"><code>${field.name}</code></th>
      <td class="pg-cells"><span class="pg-bytes">${cells}</span></td>
      <td class="pg-value">
        ${meaning(field, value) ?? String(value)}
        ${groups.length > 0 && html`<ul class="pg-groups">${groups}</ul>`}
      </td>
    </tr>`;
  });
  return html`<table class="pg-record">
    <caption><code>${layout.name}</code> <span class="pg-quiet">${layout.size} bytes, a cell each</span></caption>
    <colgroup><col class="pg-col-offset"><col class="pg-col-name"><col class="pg-col-cells"><col></colgroup>
    <thead><tr>
      <th scope="col"><abbr title="Offset in bytes">At</abbr></th><th scope="col">Field</th>
      <th scope="col">Bytes</th><th scope="col">Value</th>
    </tr></thead>
    <tbody>${rows}</tbody>
  </table>`;
}

/** The colours of a token's fields, by site.css. */
export const TOKEN_COLOURS: Record<string, string> = {
  lex: "--ink-lexeme",
  idx: "--ink-place",
  byte: "--ink-place",
  facts: "--ink-facts",
};

/** Those of a lexeme's. */
export const LEXEME_COLOURS: Record<string, string> = {
  flags: "--ink-facts",
  id: "--ink-place",
  length: "--ink-place",
};

/** What a token's numbers mean. */
export const ofToken: Meaning = (field, value) => {
  switch (field.name) {
    case "lex":
      return html`word ${bitsOf(value, field.bits[0]!)} of the vocab`;
    case "idx":
      return html`starts at character ${value}`;
    case "byte":
      return html`starts at byte ${value}`;
    case "facts":
      return "small facts, packed:";
    default:
      return undefined;
  }
};

/** What a word's numbers mean. Ids stand with the strings that they are hashes of. */
export function ofLexeme(lexeme: Lexeme, layouts: Layouts): Meaning {
  return (field, value) => {
    const name = lexeme.texts[field.name];
    if (name) {
      return name.text === null ? name.id : html`<q>${name.text}</q> <span class="pg-quiet pg-id">${name.id}</span>`;
    }
    switch (field.name) {
      case "flags": {
        const set = layouts.flags.filter(({ bit }) => bitsOf(value, { low: bit, width: 1, name: "", doc: "" }) === 1n);
        const names = set.map(({ name, bit }) => html`<li title="bit ${bit}"><code>${name}</code></li>`);
        return names.length > 0 ? html`<ul class="pg-bits">${names}</ul>` : "no flag is set";
      }
      case "id":
        return value === (1n << 64n) - 1n ? "no rank: it has no vector" : html`rank ${value}`;
      case "length":
        return html`${value} ${value === 1n ? "character" : "characters"}`;
      default:
        return undefined;
    }
  };
}
