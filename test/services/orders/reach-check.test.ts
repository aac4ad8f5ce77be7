import { describe, expect, it } from 'vitest';
import { signatureExpiry } from '../../../src/services/media/signed-urls.ts';
import { createReachCheck } from '../../../src/services/orders/reach-check.ts';

describe('A URL that the gateway can reach', () => {
  const addressesByName: Record<string, readonly string[]> = {
    'public.example': ['93.184.215.14', '2606:2800:21f::1'],
    'home.example': ['192.168.1.5'],
    'both.example': ['93.184.215.14', '10.0.0.1'],
    'empty.example': [],
    'gateway.example': ['93.184.215.20'],
    localhost: ['127.0.0.1', '::1'],
  };
  const resolve = async (name: string) => {
    const addresses = addressesByName[name];
    if (!addresses) throw Object.assign(new Error('not found'), { code: 'ENOTFOUND' });
    return addresses.map((ipAddress) => ({ address: ipAddress }));
  };
  const createCheck = (gatewayOrigin: string, allowPrivate: boolean) =>
    createReachCheck({ gatewayOrigin, extraOrigins: ['http://127.0.0.1:4020'], allowPrivate, resolve });

  it.each([
    ['https://public.example/a.png', true],
    ['https://93.184.215.14/a.png', true],
    ['https://[2606:2800:21f::1]/a.png', true],
    // This host does not exist, but that is found out only when the file is fetched.
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
  ])('A gateway on the public internet can reach %s: %s', async (url, isReachable) => {
    expect(await createCheck('https://gateway.example', false)(url)).toBe(isReachable);
    // Allowing private addresses makes no difference for a gateway outside the private network.
    expect(await createCheck('https://gateway.example', true)(url)).toBe(isReachable);
  });

  it.each(['http://127.0.0.1:3000', 'http://localhost:3000', 'https://home.example'])(
    "A gateway at %s can reach its own private files and Discord's files if private addresses are allowed",
    async (origin) => {
      const canReach = createCheck(origin, true);
      for (const privateUrl of [`${origin}/a.png`, 'http://127.0.0.1:4020/a.png']) {
        expect(await canReach(privateUrl)).toBe(true);
        expect(await createCheck(origin, false)(privateUrl)).toBe(false);
      }
      expect(await canReach('https://public.example/a.png')).toBe(true);
      for (const foreignUrl of [
        'http://10.0.0.1/a.png',
        'http://169.254.169.254/latest',
        'http://127.0.0.1:4021/a.png',
      ])
        expect(await canReach(foreignUrl)).toBe(false);
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
  ])("The expiry of a URL is read from Discord's signature: %s", (url, expiry) => {
    expect(signatureExpiry(url)).toBe(expiry);
  });
});
