import { describe, it } from 'vitest';

const variants =
  (api: typeof it | typeof describe) =>
  (cases: readonly unknown[]) =>
  (name: string, run: (...values: unknown[]) => void): void => {
    api.each(cases.slice(0, 1))(name, run);
    api.each(cases.slice(1))(name, { tags: ['breadth'] }, run);
  };

/** Like `it.each`, but `npm test` runs only the first case, which the others vary. */
export const itVariants = variants(it) as unknown as typeof it.each;
/** Like `describe.each`, but `npm test` runs only the first case, which the others vary. */
export const describeVariants = variants(describe) as unknown as typeof describe.each;
