/**
 * The arguments with which Node starts a shipped file as package.json does, with compiled code cached for the next
 * start.
 */
export const shippedArgs = (entry: string, ...imports: readonly string[]): string[] => [
  ...['./scripts/check-node.mjs', './scripts/compile-cache.mjs', ...imports].flatMap((file) => ['--import', file]),
  entry,
];
