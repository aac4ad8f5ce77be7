import { relative } from 'node:path';
import type { Plugin } from 'vitest/config';
import { sources } from './sources.ts';

/** Node alone would load the files as they are. */
export const experimental = { viteModuleRunner: true };

/** Lets tests load a changed text of the measured files, while the files themselves stay as they are. */
export function changedSources(change: (path: string, text: string) => string): Plugin {
  const pathOf = (id: string): string | undefined => sources.find((path) => path === relative(process.cwd(), id));
  return {
    name: 'changed-sources',
    enforce: 'pre',
    // Vitest keeps what it loads in files, by the text before the change.
    configureVitest: ({ defineCacheKeyGenerator }) =>
      defineCacheKeyGenerator(({ id }) => (pathOf(id) === undefined ? undefined : false)),
    transform(text, id) {
      const path = pathOf(id);
      return path === undefined ? undefined : { code: change(path, text), map: null };
    },
  };
}
