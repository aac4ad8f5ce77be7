// Loaded with `--import` before the bot. TypeScript that Node has stripped and compiled once is kept beside the packages, so
// that the next start need not load the stripper at all: it is half as long and takes some 25 MB less. What is kept is known
// by its content, so a change is never missed; if nothing can be written, the bot starts as it would without.
import { statSync } from 'node:fs';
import { enableCompileCache, registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';

enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/atelier', import.meta.url)));

// An import of a file of ours names that file, and a package's own `require` nearly always lacks just its `.js`, so there is little to search
// for. Node would still ask the disk several times for each of some two thousand, which is a tenth of the start.
registerHooks({
  resolve(specifier, context, next) {
    // The modules of @discordjs/rest import node:http, with which Node loads its own fetch: a tenth of the start. Its CommonJS does not.
    if (specifier.startsWith('@discordjs/')) return next(specifier, { ...context, conditions: ['node', 'require'] });
    if (!specifier.startsWith('.')) return next(specifier, context);
    if (specifier.endsWith('.ts')) {
      return { url: new URL(specifier, context.parentURL).href, format: 'module-typescript', shortCircuit: true };
    }
    if (context.conditions.includes('require')) {
      const file = new URL(specifier.endsWith('.js') ? specifier : `${specifier}.js`, context.parentURL);
      if (statSync(file, { throwIfNoEntry: false })?.isFile()) return { url: file.href, shortCircuit: true };
    }
    return next(specifier, context);
  },
});
