import type { UserConfig } from 'vite';

/** Current browsers alone: the page is for the machine that it runs on. */
const browsers = ['chrome123', 'firefox121', 'safari17.5'];

/** Nothing inline, so that a policy of `script-src 'self'` is enough. */
export default {
  root: import.meta.dirname,
  base: './',
  publicDir: false,
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    target: browsers,
    assetsInlineLimit: 0,
    modulePreload: false,
    reportCompressedSize: false,
    emptyOutDir: true,
  },
} satisfies UserConfig;
