import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { dockerfile, readImage } from './dockerfile.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The user of the image. Only root can switch to another user. */
export const imageUser = process.getuid?.() === 0 ? { uid: 1000, gid: 1000 } : {};

/** Finds the folder of an installed package, as Node resolves it from the folder of another package. */
function locate(name: string, startFolder: string): string | undefined {
  const folder = join(startFolder, 'node_modules', name);
  if (existsSync(folder)) return folder;
  return startFolder === dirname(root) ? undefined : locate(name, dirname(startFolder));
}

/** Returns the folders of these packages and all of their dependencies. Packages for other systems are not installed. */
function dependencyFolders(
  names: readonly string[],
  startFolder: string,
  folders = new Set<string>(),
): ReadonlySet<string> {
  for (const name of names) {
    const folder = locate(name, startFolder);
    if (folder === undefined || folders.has(folder)) continue;
    folders.add(folder);
    const { dependencies, optionalDependencies, peerDependencies } = JSON.parse(
      readFileSync(join(folder, 'package.json'), 'utf8'),
    );
    dependencyFolders(Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies }), folder, folders);
  }
  return folders;
}

/** Creates a copy of the image's content with the steps of the Dockerfile and the packages that are installed here. */
export function createImageFolder(): { folder: string; data: string; temporary: string } {
  const folder = mkdtempSync(join(tmpdir(), 'atelier-image-'));
  chmodSync(folder, 0o755);
  /** Runs the command of the Dockerfile that matches. */
  const runStep = (command: RegExp): void => {
    const { status, stderr } = spawnSync('sh', ['-c', command.exec(dockerfile)?.[0] ?? 'false'], {
      cwd: folder,
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(`${command} failed: ${stderr}`);
  };
  const packagePath = join(folder, 'package.json');
  cpSync(join(root, 'package.json'), packagePath);
  runStep(/npm pkg delete .*(?= \\\n)/);
  const { dependencies, devDependencies, optionalDependencies, peerDependencies } = JSON.parse(
    readFileSync(packagePath, 'utf8'),
  );
  const names = Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies, ...peerDependencies });
  for (const packageFolder of dependencyFolders(names, root))
    cpSync(packageFolder, join(folder, relative(root, packageFolder)), {
      recursive: true,
      filter: (path) => basename(path) !== 'node_modules',
    });
  runStep(/find node_modules .*/);
  for (const path of readImage().copiedPaths) cpSync(join(root, path), join(folder, path), { recursive: true });
  const data = join(folder, 'data');
  const temporary = join(folder, 'tmp');
  for (const path of [data, temporary]) {
    mkdirSync(path);
    if (imageUser.uid !== undefined) chownSync(path, imageUser.uid, imageUser.gid);
  }
  return { folder, data, temporary };
}
