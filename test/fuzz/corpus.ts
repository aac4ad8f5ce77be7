import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** One folder per target, with inputs that were once findings. */
export const CORPUS_FOLDER = fileURLToPath(new URL('./corpus/', import.meta.url));

export function readCorpus(target: string): { name: string; bytes: Buffer }[] {
  const folder = join(CORPUS_FOLDER, target);
  if (!existsSync(folder)) return [];
  return readdirSync(folder).map((name) => ({ name, bytes: readFileSync(join(folder, name)) }));
}
