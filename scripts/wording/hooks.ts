import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** With this exit code, git says that no value is set. */
const UNSET = 1;

/** Lets git run `.githooks` in a clone where no folder is set for hooks. Returns whether that is new. */
export function useHooks(clone: string): boolean {
  // A copy without a history can be a part of another repository.
  if (!existsSync(join(clone, '.git'))) return false;
  const hooksPath = (...value: string[]) => spawnSync('git', ['config', 'core.hooksPath', ...value], { cwd: clone });
  // Where the configuration cannot be written, it stays as it is.
  return hooksPath().status === UNSET && hooksPath('.githooks').status === 0;
}
