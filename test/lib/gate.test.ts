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
    const [first, second, alone] = [deferred(), deferred(), deferred()];
    const pass = (name: string, wait: Promise<void>) =>
      gate.pass(async () => {
        log.push(`${name} begins`);
        await wait;
        log.push(`${name} ends`);
      });
    const one = pass('one', first.promise);
    const two = pass('two', second.promise);
    const whole = gate.passAlone(async () => {
      log.push('alone begins');
      await alone.promise;
      log.push('alone ends');
    });
    const three = pass('three', Promise.resolve());
    first.resolve();
    await one;
    expect(log).toEqual(['one begins', 'two begins', 'one ends']);
    second.resolve();
    await two;
    alone.resolve();
    await Promise.all([whole, three]);
    expect(log.slice(3)).toEqual(['two ends', 'alone begins', 'alone ends', 'three begins', 'three ends']);
  });

  it('A gate opens again after ordinary or exclusive work failed', async () => {
    const gate = new Gate();
    const fail = async () => Promise.reject(new Error('lost'));
    await expect(gate.pass(fail)).rejects.toThrow('lost');
    await expect(gate.passAlone(fail)).rejects.toThrow('lost');
    await expect(gate.passAlone(async () => 1)).resolves.toBe(1);
    await expect(gate.pass(async () => 2)).resolves.toBe(2);
  });
});
