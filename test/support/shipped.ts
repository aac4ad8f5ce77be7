/** The memory of `npm start`: each page that a process touches costs time, and most processes of tests live for seconds. */
export const memoryArgs: readonly string[] = ['--max-semi-space-size=2', '--v8-pool-size=1'];

/** Lets Node keep the compiled code of its program for the next start, which then takes less than half the time. */
export const cacheArgs: readonly string[] = [...memoryArgs, '--import', './scripts/compile-cache.mjs'];

/** The arguments with which Node runs a shipped file in the same way as the scripts in package.json do. */
export const shippedArgs = (entry: string, ...imports: readonly string[]): string[] => [
  ...['--import', './scripts/check-node.mjs', ...cacheArgs],
  ...imports.flatMap((file) => ['--import', file]),
  entry,
];
