/** Plain data that is never changed. */
export type Frozen<T> = { readonly [Key in keyof T]: Frozen<T[Key]> };

/** `Object.keys` with the type of the keys. */
export function keysOf<T extends object>(record: T): (keyof T & string)[];
export function keysOf(record: object): string[] {
  return Object.keys(record);
}

/** Leaves out undefined values, so an optional property is absent and never `undefined`. */
export function withoutUndefined<T extends object>(record: T): { [Key in keyof T]?: Exclude<T[Key], undefined> };
export function withoutUndefined(record: object): object {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined));
}

/** `Object.entries` with the types of the keys and values. */
export function entriesOf<T extends object>(record: T): [keyof T & string, T[keyof T & string]][];
export function entriesOf(record: object): [string, unknown][] {
  return Object.entries(record);
}
