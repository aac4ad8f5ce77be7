import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { hasCertainlyEnded, nameHolder } from '../../../src/services/store/holder.ts';

const isLinux = process.platform === 'linux';

/** A process that has ended and has been reaped. */
async function endedPid(): Promise<number> {
  const child = spawn(process.execPath, ['-e', '']);
  await once(child, 'exit');
  return child.pid ?? 0;
}

function renamed(change: Partial<Record<'boot' | 'namespaces' | 'pid' | 'started', string>>): string {
  const [id = '', boot = '', namespaces = '', pid = '', started = ''] = nameHolder().split(' ');
  const place = { boot, namespaces, pid, started, ...change };
  return [id, place.boot, place.namespaces, place.pid, place.started].join(' ');
}

describe.skipIf(!isLinux)('The holder of a lease (needs /proc of Linux)', () => {
  it('Every holder has a different name, and one whose process runs has not ended', () => {
    expect(nameHolder()).not.toBe(nameHolder());
    expect(hasCertainlyEnded(nameHolder())).toBe(false);
  });

  it('A holder has ended if its process is gone, or if another process has its id', async () => {
    expect(hasCertainlyEnded(renamed({ pid: String(await endedPid()) }))).toBe(true);
    expect(hasCertainlyEnded(renamed({ started: '1' }))).toBe(true);
  });

  it('Nothing is certain about a process from another boot, machine or container', async () => {
    const pid = String(await endedPid());
    expect(hasCertainlyEnded(renamed({ pid, boot: '00000000-0000-4000-8000-000000000000' }))).toBe(false);
    expect(hasCertainlyEnded(renamed({ pid, namespaces: 'pid:[1],time:[1]' }))).toBe(false);
  });

  it('Nothing is certain about a holder whose name identifies no process, or is forged', () => {
    for (const name of [
      '',
      'a6d9c1f0',
      `${nameHolder()} more`,
      renamed({ pid: '0' }),
      renamed({ pid: '-1' }),
      renamed({ pid: '1e3' }),
    ])
      expect(hasCertainlyEnded(name), name).toBe(false);
  });
});
