// Loaded with `--import` before the bot. TypeScript that Node has stripped and compiled once is kept beside the packages, so
// that the next start need not load the stripper at all: it is half as long and takes some 25 MB less. What is kept is known
// by its content, so a change is never missed; if nothing can be written, the bot starts as it would without.
import { statSync } from 'node:fs';
import { enableCompileCache, registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';

enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/atelier', import.meta.url)));

// An import of a file of ours names that file, a package that we import is the same for all our files, and a package's own `require` nearly
// always lacks just its `.js`, so there is little to search for. Node would still ask the disk several times for each of some two thousand,
// which is a tenth of the start.
const packages = new Map();
registerHooks({
  resolve(specifier, context, next) {
    if (specifier.endsWith('.ts') && specifier.startsWith('.')) {
      return { url: new URL(specifier, context.parentURL).href, format: 'module-typescript', shortCircuit: true };
    }
    if (specifier.startsWith('.') && context.conditions.includes('require')) {
      const file = new URL(specifier.endsWith('.js') ? specifier : `${specifier}.js`, context.parentURL);
      if (statSync(file, { throwIfNoEntry: false })?.isFile()) return { url: file.href, shortCircuit: true };
    }
    // The messages of zod in fifty languages, which members never see.
    if (specifier === '../locales/index.js') return next('../locales/en.js', context);
    if (specifier.startsWith('.') || !context.parentURL?.endsWith('.ts')) return next(specifier, context);
    // The CommonJS of these takes less memory than their modules.
    const conditions = specifier.startsWith('@discordjs/') ? ['node', 'require'] : context.conditions;
    const found = packages.get(specifier) ?? { ...next(specifier, { ...context, conditions }), shortCircuit: true };
    packages.set(specifier, found);
    return found;
  },
});

// @discordjs/rest looks for it, and would thereby load Node's own fetch beside the undici that it uses.
Reflect.deleteProperty(globalThis, 'FormData');
