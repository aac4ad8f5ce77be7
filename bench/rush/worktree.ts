import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Calls `use` with the root folder of a commit with its own packages, which exists only meanwhile. */
export async function withWorktree(commit: string, use: (root: URL) => Promise<void>): Promise<void> {
  const temporary = await mkdtemp(join(tmpdir(), 'atelier-bench-'));
  const folder = join(temporary, 'worktree');
  const repository = new URL('../../', import.meta.url);
  try {
    await run('git', ['worktree', 'add', '--detach', folder, commit], { cwd: repository });
    await run('npm', ['ci', '--no-audit', '--no-fund'], { cwd: folder });
    await use(pathToFileURL(`${folder}/`));
  } finally {
    await rm(temporary, { recursive: true, force: true });
    await run('git', ['worktree', 'prune'], { cwd: repository });
  }
}
