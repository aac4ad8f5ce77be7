import { describe, expect, it } from 'vitest';
import { Gate } from '../../src/lib/gate.ts';

function deferred() {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  return { promise, resolve, reject };
}

describe('A gate', () => {
  it('A gate runs ordinary work concurrently, and exclusive work only once all earlier work is done', async () => {
    const gate = new Gate();
    const log: string[] = [];
    const [first, second, exclusive] = [deferred(), deferred(), deferred()];
    const runOrdinary = (name: string, wait: Promise<void>) =>
      gate.run(async () => {
        log.push(`${name} begins`);
        await wait;
        log.push(`${name} ends`);
      });
    const one = runOrdinary('one', first.promise);
    const two = runOrdinary('two', second.promise);
    const exclusiveRun = gate.runExclusively(async () => {
      log.push('alone begins');
      await exclusive.promise;
      log.push('alone ends');
    });
    const three = runOrdinary('three', Promise.resolve());
    first.resolve();
    await one;
    expect(log).toEqual(['one begins', 'two begins', 'one ends']);
    second.resolve();
    await two;
    exclusive.resolve();
    await Promise.all([exclusiveRun, three]);
    expect(log.slice(3)).toEqual(['two ends', 'alone begins', 'alone ends', 'three begins', 'three ends']);
  });

  it('A gate opens again after ordinary or exclusive work has failed', async () => {
    const gate = new Gate();
    const fail = async () => Promise.reject(new Error('lost'));
    await expect(gate.run(fail)).rejects.toThrow('lost');
    await expect(gate.runExclusively(fail)).rejects.toThrow('lost');
    await expect(gate.runExclusively(async () => 1)).resolves.toBe(1);
    await expect(gate.run(async () => 2)).resolves.toBe(2);
  });
});
