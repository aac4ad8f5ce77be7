import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const pageFolder = join(root, 'sandbox/web/page');
const cacheFolder = join(root, 'node_modules/.cache/atelier-page');
/** The build inputs outside the page's folder: its types and the package versions. */
const otherInputs = ['sandbox/web/protocol.ts', 'package-lock.json'].map((file) => join(root, file));

const WEEK_MS = 7 * 24 * 60 * 60 * 1_000;

export interface BuiltPage {
  readonly folder: string;
  /** Whether the page had already been built. */
  readonly isCached: boolean;
}

/** Builds the page with Vite and caches it under a hash of its inputs, so that an unchanged page is built only once. */
export async function buildPage(): Promise<BuiltPage> {
  const folder = join(cacheFolder, await fingerprint());
  if (existsSync(join(folder, 'index.html'))) return { folder, isCached: true };
  // Built in a temporary folder and renamed, so an interrupted start leaves no partial build.
  const temporaryFolder = `${folder}.${process.pid}`;
  await mkdir(cacheFolder, { recursive: true });
  try {
    // Loaded only here, because a cached page does not need Vite.
    const { build } = await import('vite');
    await build({
      configFile: join(pageFolder, 'vite.config.ts'),
      root: pageFolder,
      logLevel: 'error',
      build: { outDir: temporaryFolder, emptyOutDir: true },
    });
    await rename(temporaryFolder, folder).catch((error: NodeJS.ErrnoException) => {
      // Another sandbox has built the same page.
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    });
  } finally {
    await rm(temporaryFolder, { recursive: true, force: true });
  }
  await removeOldBuilds();
  return { folder, isCached: false };
}

/** Removes builds older than a week, because development creates many every day. */
async function removeOldBuilds(): Promise<void> {
  for (const name of await readdir(cacheFolder)) {
    const folder = join(cacheFolder, name);
    const { mtimeMs } = await stat(folder);
    if (Date.now() - mtimeMs > WEEK_MS) await rm(folder, { recursive: true, force: true });
  }
}

async function fingerprint(): Promise<string> {
  const hash = createHash('sha256');
  const entries = await readdir(pageFolder, { recursive: true, withFileTypes: true });
  const files = entries.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name));
  for (const file of [...files.sort(), ...otherInputs])
    hash.update(`${relative(root, file)}\0`).update(await readFile(file));
  return hash.digest('hex').slice(0, 24);
}
