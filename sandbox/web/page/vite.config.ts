import type { UserConfig } from 'vite';

/** Only current browsers, because the page is for local use. */
const browsers = ['chrome123', 'firefox121', 'safari17.5'];

/** Nothing is inlined, so the policy `script-src 'self'` suffices. */
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
