// The layout of a record or a struct, as generated data and the WebAssembly module describe it.

/** A group of bits in a packed field; bit 0 is the lowest. */
export interface Bits {
  name: string;
  low: number;
  width: number;
  doc: string;
}

/** Offset and size are in bytes. */
export interface NativeField {
  name: string;
  type: string;
  offset: number;
  size: number;
  doc: string;
}

export interface PackedField extends NativeField {
  bits: Bits[];
}

/** A record's field, with its type in C. */
export interface Field extends PackedField {
  ctype: string;
}

export interface Layout<F extends NativeField> {
  name: string;
  size: number;
  align: number;
  doc: string;
  fields: F[];
}
