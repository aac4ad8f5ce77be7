import { describe, expect, it } from 'vitest';
import { createReachCheck, signatureExpiry } from '../../../src/services/inputs/addresses.ts';

describe('A URL that the gateway can reach', () => {
  const names: Record<string, readonly string[]> = {
    'public.example': ['93.184.215.14', '2606:2800:21f::1'],
    'home.example': ['192.168.1.5'],
    'both.example': ['93.184.215.14', '10.0.0.1'],
    'empty.example': [],
    'gateway.example': ['93.184.215.20'],
    localhost: ['127.0.0.1', '::1'],
  };
  const resolve = async (name: string) => {
    const found = names[name];
    if (!found) throw Object.assign(new Error('not found'), { code: 'ENOTFOUND' });
    return found.map((url) => ({ address: url }));
  };
  const reach = (gatewayOrigin: string, allowPrivate: boolean) =>
    createReachCheck({ gatewayOrigin, extraOrigins: ['http://127.0.0.1:4020'], allowPrivate, resolve });

  it.each([
    ['https://public.example/a.png', true],
    ['https://93.184.215.14/a.png', true],
    ['https://[2606:2800:21f::1]/a.png', true],
    // A failed fetch shows later that it is unreachable.
    ['https://nowhere.example/a.png', true],
    ['https://home.example/a.png', false],
    ['https://both.example/a.png', false],
    ['https://empty.example/a.png', false],
    ['http://localhost/a.png', false],
    ['http://127.0.0.1:4010/a.png', false],
    ['http://0x7f.1/a.png', false],
    ['http://[::ffff:10.0.0.1]/a.png', false],
    ['http://169.254.169.254/latest', false],
    ['nonsense', true],
  ])('A gateway on the public internet reaches %s: %s', async (url, isReached) => {
    expect(await reach('https://gateway.example', false)(url)).toBe(isReached);
    // Allowing private addresses says nothing about a gateway outside of the private network.
    expect(await reach('https://gateway.example', true)(url)).toBe(isReached);
  });

  it.each(['http://127.0.0.1:3000', 'http://localhost:3000', 'https://home.example'])(
    "If private addresses are allowed, a gateway at %s reaches private files and Discord's files",
    async (origin) => {
      const allowed = reach(origin, true);
      for (const own of [`${origin}/a.png`, 'http://127.0.0.1:4020/a.png']) {
        expect(await allowed(own)).toBe(true);
        expect(await reach(origin, false)(own)).toBe(false);
      }
      expect(await allowed('https://public.example/a.png')).toBe(true);
      for (const other of ['http://10.0.0.1/a.png', 'http://169.254.169.254/latest', 'http://127.0.0.1:4021/a.png'])
        expect(await allowed(other)).toBe(false);
    },
  );
});

describe('The expiry of a URL', () => {
  it.each([
    ['https://cdn.discordapp.com/attachments/1/2/a.png?ex=6a000000&is=69ff0000&hm=ab&', 0x6a000000 * 1_000],
    ['https://media.discordapp.net/attachments/1/2/a.png?ex=6A000000&is=69ff0000&hm=ab&width=500', 0x6a000000 * 1_000],
    ['https://cdn.discordapp.com/ephemeral-attachments/1/2/a.png?is=69ff0000&ex=6a000000', 0x6a000000 * 1_000],
    ['http://127.0.0.1:4020/attachments/1/2/a.png?ex=1&is=1&hm=ab', 1_000],
    ['https://cdn.discordapp.com/attachments/1/2/a.png', undefined],
    ['https://cdn.discordapp.com/attachments/1/2/a.png?ex=tomorrow', undefined],
    ['https://cdn.discordapp.com/attachments/1/2/a.png?ex=', undefined],
    ['https://cdn.discordapp.com/attachments/1/2/a.png?ex=ffffffffffffffffffff', undefined],
    ['https://shop.example/pictures/a.png?ex=6a000000', undefined],
    ['nonsense', undefined],
  ])("The expiry of a URL is read from Discord's signature: %s", (url, until) => {
    expect(signatureExpiry(url)).toBe(until);
  });
});
