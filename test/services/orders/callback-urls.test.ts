import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { CallbackUrls } from '../../../src/services/orders/callback-urls.ts';
import { createTaskId } from '../../../src/services/tasks/task-id.ts';

const baseUrl = 'https://bot.example/callbacks';
const secret = 'a secret of the store';
const addresses = new CallbackUrls(baseUrl, secret);
const id = createTaskId(Date.UTC(2026, 0, 1));
const pathOf = (url: string): string => new URL(url).pathname;

describe('The URL that a gateway calls back', () => {
  it('A callback URL identifies its task, even behind a proxy that removes the path, and after a restart', () => {
    const url = addresses.urlFor(id);
    expect(url.startsWith(`${baseUrl}/`)).toBe(true);
    expect(addresses.taskIdIn(pathOf(url))).toBe(id);
    expect(addresses.taskIdIn(pathOf(url).replace('/callbacks', ''))).toBe(id);
    const addressesAfterRestart = new CallbackUrls(baseUrl, secret);
    expect(addressesAfterRestart.urlFor(id)).toBe(url);
    expect(addressesAfterRestart.taskIdIn(pathOf(url))).toBe(id);
  });

  it('A callback URL reveals nothing about its task, and the URLs of similar tasks have nothing in common', () => {
    const [firstToken = '', secondToken = ''] = [id, `${id.slice(0, -1)}${id.endsWith('0') ? '1' : '0'}`].map((task) =>
      addresses.urlFor(task).slice(baseUrl.length + 1),
    );
    const bytes = Buffer.from(firstToken, 'base64url');
    expect(bytes.includes(id)).toBe(false);
    expect(bytes.includes(id.slice(0, 9))).toBe(false);
    const equalBytes = bytes.filter((byte, index) => byte === Buffer.from(secondToken, 'base64url')[index]);
    expect(equalBytes.length).toBeLessThan(6);
  });

  it('A callback URL from another store, one with a changed character, and a guessed one identify no task', () => {
    const foreignUrl = new CallbackUrls(baseUrl, 'another secret').urlFor(id);
    expect(addresses.taskIdIn(pathOf(foreignUrl))).toBeUndefined();
    const token = addresses.urlFor(id).slice(baseUrl.length + 1);
    for (const index of token.split('').keys()) {
      const character = token[index] === 'A' ? 'B' : 'A';
      const changedToken = token.slice(0, index) + character + token.slice(index + 1);
      // The last character has bits that are not part of any byte.
      if (Buffer.from(changedToken, 'base64url').equals(Buffer.from(token, 'base64url'))) continue;
      expect(addresses.taskIdIn(`/${changedToken}`), String(index)).toBeUndefined();
    }
    for (let guess = 0; guess < 2_000; guess += 1)
      expect(addresses.taskIdIn(`/${randomBytes(33).toString('base64url')}`)).toBeUndefined();
    for (const invalidPath of ['', '/', `/${token}/`, `/${token}x`, `/${token}?a=b`, '/../../etc/passwd', `/${id}`])
      expect(addresses.taskIdIn(invalidPath), invalidPath).toBeUndefined();
  });
});
