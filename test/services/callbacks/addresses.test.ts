import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { CallbackAddresses } from '../../../src/services/callbacks/addresses.ts';
import { taskId } from '../../../src/services/tasks/task-id.ts';

const base = 'https://bot.example/callbacks';
const secret = 'a secret of the store';
const addresses = new CallbackAddresses(base, secret);
const id = taskId(Date.UTC(2026, 0, 1));
const target = (address: string): string => new URL(address).pathname;

describe('The URL that a gateway calls back', () => {
  it('A callback URL leads to its task, even through a proxy that removes the path, and after a restart', () => {
    const address = addresses.of(id);
    expect(address.startsWith(`${base}/`)).toBe(true);
    expect(addresses.taskIdIn(target(address))).toBe(id);
    expect(addresses.taskIdIn(target(address).replace('/callbacks', ''))).toBe(id);
    const restarted = new CallbackAddresses(base, secret);
    expect(restarted.of(id)).toBe(address);
    expect(restarted.taskIdIn(target(address))).toBe(id);
  });

  it('A callback URL reveals nothing about its task, and the URLs of similar tasks have nothing in common', () => {
    const [one = '', other = ''] = [id, `${id.slice(0, -1)}${id.endsWith('0') ? '1' : '0'}`].map((task) =>
      addresses.of(task).slice(base.length + 1),
    );
    const bytes = Buffer.from(one, 'base64url');
    expect(bytes.includes(id)).toBe(false);
    expect(bytes.includes(id.slice(0, 9))).toBe(false);
    const equal = bytes.filter((byte, place) => byte === Buffer.from(other, 'base64url')[place]);
    expect(equal.length).toBeLessThan(6);
  });

  it('A callback URL from another store, one with a changed letter, and a guessed one lead nowhere', () => {
    const foreign = new CallbackAddresses(base, 'another secret').of(id);
    expect(addresses.taskIdIn(target(foreign))).toBeUndefined();
    const token = addresses.of(id).slice(base.length + 1);
    for (const place of token.split('').keys()) {
      const letter = token[place] === 'A' ? 'B' : 'A';
      const changed = token.slice(0, place) + letter + token.slice(place + 1);
      // The last letter has bits that are not part of any byte.
      if (Buffer.from(changed, 'base64url').equals(Buffer.from(token, 'base64url'))) continue;
      expect(addresses.taskIdIn(`/${changed}`), String(place)).toBeUndefined();
    }
    for (let guess = 0; guess < 2_000; guess += 1)
      expect(addresses.taskIdIn(`/${randomBytes(33).toString('base64url')}`)).toBeUndefined();
    for (const odd of ['', '/', `/${token}/`, `/${token}x`, `/${token}?a=b`, '/../../etc/passwd', `/${id}`])
      expect(addresses.taskIdIn(odd), odd).toBeUndefined();
  });
});
