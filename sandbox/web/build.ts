import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const page = join(root, 'sandbox/web/page');
const cache = join(root, 'node_modules/.cache/atelier-page');
/** Besides the page's own folder: its types, and which packages it is built from and with. */
const besides = ['sandbox/web/protocol.ts', 'package-lock.json'].map((file) => join(root, file));

const WEEK = 7 * 24 * 60 * 60 * 1_000;

export interface BuiltPage {
  readonly folder: string;
  /** Whether it was there already. */
  readonly cached: boolean;
}

/** The page as Vite builds it, kept under a hash of everything that it is made of: the second start builds nothing. */
export async function buildPage(): Promise<BuiltPage> {
  const folder = join(cache, await fingerprint());
  if (existsSync(join(folder, 'index.html'))) return { folder, cached: true };
  // Built beside its place and moved there whole, so that a start that is cut short leaves nothing half.
  const unfinished = `${folder}.${process.pid}`;
  await mkdir(cache, { recursive: true });
  try {
    // Loaded here, because a page that is built already needs no Vite.
    const { build } = await import('vite');
    await build({
      configFile: join(page, 'vite.config.ts'),
      root: page,
      logLevel: 'error',
      build: { outDir: unfinished, emptyOutDir: true },
    });
    await rename(unfinished, folder).catch((problem: NodeJS.ErrnoException) => {
      // Another sandbox was faster, with the very same page.
      if (problem.code !== 'ENOTEMPTY' && problem.code !== 'EEXIST') throw problem;
    });
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
  await forgetOld();
  return { folder, cached: false };
}

/** A page that is being worked on is built many times a day. */
async function forgetOld(): Promise<void> {
  for (const name of await readdir(cache)) {
    const folder = join(cache, name);
    const { mtimeMs } = await stat(folder);
    if (Date.now() - mtimeMs > WEEK) await rm(folder, { recursive: true, force: true });
  }
}

async function fingerprint(): Promise<string> {
  const hash = createHash('sha256');
  const entries = await readdir(page, { recursive: true, withFileTypes: true });
  const files = entries.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name));
  for (const file of [...files.sort(), ...besides])
    hash.update(`${relative(root, file)}\0`).update(await readFile(file));
  return hash.digest('hex').slice(0, 24);
}
