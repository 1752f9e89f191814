/** What MongoDB holds in a field, in the words of mongoose. */
type Stored = typeof String | typeof Number | typeof Boolean | typeof Date | typeof Buffer | typeof Object | readonly Stored[];

/**
 * One field of a record, declared once: filters and updates are held against `stored`, and the row's type has `T`. Rows are written and read
 * as they are: a kind sets no default and refuses no value, so that rows of earlier releases go on.
 */
export interface Field<T = unknown> {
  readonly stored: Stored;
  /** Rows may hold null. */
  readonly isNullable: boolean;
  /** Rows may lack it: those of earlier releases, or those that it says nothing of. */
  readonly isOptional: boolean;
  /** The only words that rows hold, where the declaration names them. */
  readonly words?: readonly string[];
  /** Never read; carries the type of the value. */
  readonly value?: T;
}

/** A field that rows may lack. */
export interface OptionalField<T = unknown> extends Field<T> {
  readonly isOptional: true;
}

/** The fields of a record by name, without `_id` and what the scope of its collection adds. */
export type Fields = Readonly<Record<string, Field>>;

const kind = <T>(stored: Stored): Field<T> => ({ stored, isNullable: false, isOptional: false });

export const text: Field<string> = kind(String);
export const number: Field<number> = kind(Number);
export const flag: Field<boolean> = kind(Boolean);
export const date: Field<Date> = kind(Date);
/** Bytes: written as a Buffer, read as what the driver gives (`bytesOf`). */
export const bytes: Field<Uint8Array | { readonly buffer: Uint8Array }> = kind(Buffer);
/** The bytes of such a field. */
export const bytesOf = (value: Uint8Array | { readonly buffer: Uint8Array }): Uint8Array =>
  value instanceof Uint8Array ? value : value.buffer;
/** A text of a type of its own: `textOf<Severity>()`. */
export const textOf = <T extends string>(): Field<T> => kind(String);
/** One of these words. */
export const oneOf = <const T extends string>(...words: readonly T[]): Field<T> => ({ ...kind<T>(String), words });
/** A document within the row. */
export const object = <T>(): Field<T> => kind(Object);
export const list = <T>(of: Field<T>): Field<T[]> => kind([of.stored]);
/** A list that nobody changes in place. */
export const readonlyList = <T>(of: Field<T>): Field<readonly T[]> => kind([of.stored]);
/** One value, or a list of them. */
export const oneOrMore = <T>(of: Field<T>): Field<T | readonly T[]> => ({ ...of, value: undefined });
export const nullable = <T>(field: Field<T>): Field<T | null> => ({ ...field, isNullable: true, value: undefined });
export const optional = <T>(field: Field<T>): OptionalField<T> => ({ ...field, isOptional: true });

type ValueOf<F> = F extends Field<infer T> ? T : never;

/** The type of the rows that have these fields, each under the words of its declaration. */
export type RowWith<F extends Fields> = { [Name in keyof F as F[Name] extends OptionalField ? never : Name]: ValueOf<F[Name]> } & {
  [Name in keyof F as F[Name] extends OptionalField ? Name : never]?: ValueOf<F[Name]>;
};

/** The fields as mongoose takes them. */
export const storedForms = (fields: Fields): Record<string, Stored> =>
  Object.fromEntries(Object.entries(fields).map(([name, { stored }]) => [name, stored]));
