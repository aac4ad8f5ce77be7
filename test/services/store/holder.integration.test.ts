import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { hasCertainlyEnded, nameHolder } from '../../../src/services/store/holder.ts';

const isLinux = process.platform === 'linux';

/** The pid of a process that has ended and has been reaped. */
async function endedPid(): Promise<number> {
  const child = spawn(process.execPath, ['-e', '']);
  await once(child, 'exit');
  return child.pid ?? 0;
}

function holderNameWith(change: Partial<Record<'boot' | 'namespaces' | 'pid' | 'started', string>>): string {
  const [id = '', boot = '', namespaces = '', pid = '', started = ''] = nameHolder().split(' ');
  const parts = { boot, namespaces, pid, started, ...change };
  return [id, parts.boot, parts.namespaces, parts.pid, parts.started].join(' ');
}

describe.skipIf(!isLinux)('The holder of a lease (needs /proc on Linux)', () => {
  it('Every holder has a different name, and a holder whose process runs has not ended', () => {
    expect(nameHolder()).not.toBe(nameHolder());
    expect(hasCertainlyEnded(nameHolder())).toBe(false);
  });

  it('A holder has ended if its process is gone, or if another process now has its pid', async () => {
    expect(hasCertainlyEnded(holderNameWith({ pid: String(await endedPid()) }))).toBe(true);
    expect(hasCertainlyEnded(holderNameWith({ started: '1' }))).toBe(true);
  });

  it('Nothing is certain about a process from another boot, machine or container', async () => {
    const pid = String(await endedPid());
    expect(hasCertainlyEnded(holderNameWith({ pid, boot: '00000000-0000-4000-8000-000000000000' }))).toBe(false);
    expect(hasCertainlyEnded(holderNameWith({ pid, namespaces: 'pid:[1],time:[1]' }))).toBe(false);
  });

  it('Nothing is certain about a holder whose name identifies no process, or is forged', () => {
    for (const name of [
      '',
      'a6d9c1f0',
      `${nameHolder()} more`,
      holderNameWith({ pid: '0' }),
      holderNameWith({ pid: '-1' }),
      holderNameWith({ pid: '1e3' }),
    ])
      expect(hasCertainlyEnded(name), name).toBe(false);
  });
});
