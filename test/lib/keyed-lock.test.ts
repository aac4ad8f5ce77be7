import { describe, expect, it } from 'vitest';
import { KeyedLock } from '../../src/lib/keyed-lock.ts';

describe('work on the same key', () => {
  it('Work on the same key goes one after the other, in the order in which it was asked for', async () => {
    const lock = new KeyedLock();
    const log: string[] = [];
    const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const works = gates.map((gate, index) =>
      lock.run('a', async () => {
        log.push(`begins ${index}`);
        await gate.promise;
        log.push(`ends ${index}`);
      }),
    );
    gates[1]?.resolve();
    gates[0]?.resolve();
    await Promise.all(works);
    expect(log).toEqual(['begins 0', 'ends 0', 'begins 1', 'ends 1']);
  });

  it('Work on the same key goes on after work that failed, whose own caller hears of it', async () => {
    const lock = new KeyedLock();
    const failing = lock.run('a', () => Promise.reject(new Error('no')));
    const next = lock.run('a', () => Promise.resolve('yes'));
    await expect(failing).rejects.toThrow('no');
    expect(await next).toBe('yes');
  });
});

it('A keyed lock lets different keys work at the same time', async () => {
  const lock = new KeyedLock();
  const gate = Promise.withResolvers<string>();
  const waiting = lock.run('a', () => gate.promise);
  expect(await lock.run('b', () => Promise.resolve('at once'))).toBe('at once');
  gate.resolve('later');
  expect(await waiting).toBe('later');
});
