import type { ChildProcess } from 'node:child_process';

/** Kills the child when this process exits, so that it does not outlive it. */
export function killAtExit(child: ChildProcess): void {
  const kill = (): void => void child.kill('SIGKILL');
  process.once('exit', kill);
  child.once('exit', () => process.off('exit', kill));
}
