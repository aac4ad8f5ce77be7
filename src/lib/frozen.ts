/** Plain data that is never changed. */
export type Frozen<T> = { readonly [Key in keyof T]: Frozen<T[Key]> };
