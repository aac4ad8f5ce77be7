/**
 * The arguments with which Node runs a shipped file in the same way as the scripts in package.json do; compiled code is
 * cached for the next start.
 */
export const shippedArgs = (entry: string, ...imports: readonly string[]): string[] => [
  ...['./scripts/check-node.mjs', './scripts/compile-cache.mjs', ...imports].flatMap((file) => ['--import', file]),
  entry,
];
