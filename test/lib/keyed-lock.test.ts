import { describe, expect, it } from 'vitest';
import { KeyedLock } from '../../src/lib/keyed-lock.ts';

describe('The keyed lock', () => {
  it('The keyed lock runs tasks with the same key one at a time, in call order', async () => {
    const lock = new KeyedLock();
    const log: string[] = [];
    const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const runs = gates.map((gate, index) =>
      lock.run('a', async () => {
        log.push(`begins ${index}`);
        await gate.promise;
        log.push(`ends ${index}`);
      }),
    );
    gates[1]?.resolve();
    gates[0]?.resolve();
    await Promise.all(runs);
    expect(log).toEqual(['begins 0', 'ends 0', 'begins 1', 'ends 1']);
  });

  it('The keyed lock continues after a failed task and reports the failure only to the caller of that task', async () => {
    const lock = new KeyedLock();
    const failing = lock.run('a', () => Promise.reject(new Error('no')));
    const next = lock.run('a', () => Promise.resolve('yes'));
    await expect(failing).rejects.toThrow('no');
    expect(await next).toBe('yes');
  });
});

it('The keyed lock runs tasks with different keys at the same time', async () => {
  const lock = new KeyedLock();
  const gate = Promise.withResolvers<string>();
  const waiting = lock.run('a', () => gate.promise);
  expect(await lock.run('b', () => Promise.resolve('now'))).toBe('now');
  gate.resolve('later');
  expect(await waiting).toBe('later');
});
