import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));

/** How `npm start` and `npm run deploy` begin, but without the operator's `.env`; on a leash, so that none outlives the sandbox. */
const before = ['./scripts/check-node.mjs', './scripts/compile-cache.mjs', './sandbox/web/leash.mjs'];

export const entry = (file: string): string[] => [...before.flatMap((one) => ['--import', one]), file];
