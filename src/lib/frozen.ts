/** Plain data that nothing changes. */
export type Frozen<T> = { readonly [Key in keyof T]: Frozen<T[Key]> };
