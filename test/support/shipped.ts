/** The arguments with which Node starts a shipped file as package.json does: what is compiled once need not be compiled at the next start. */
export const shipped = (entry: string, ...imports: readonly string[]): string[] => [
  ...['./scripts/check-node.mjs', './scripts/compile-cache.mjs', ...imports].flatMap((file) => ['--import', file]),
  entry,
];
