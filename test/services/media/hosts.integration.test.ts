import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createGuardedLookup } from '../../../src/services/media/hosts.ts';
import { file, redirect } from './file-host.ts';
import { apiKey, failureOf, type MediaFixture, openFixture } from './fixture.ts';

const authorization = `Bearer ${apiKey}`;

describe('The hosts that a file is fetched from', () => {
  let fixture: MediaFixture;
  beforeEach(async () => {
    fixture = await openFixture();
  });
  afterEach(() => fixture.close());

  describe('and the API key', () => {
    it('The key is sent to the gateway and to no other host', async () => {
      const media = fixture.open(true);
      await media.fetch({ address: fixture.gateway.on('/own', file(fixture.png)) });
      await media.fetch({ address: fixture.thirdParty.on('/foreign', file(fixture.png)) });
      expect(fixture.gateway.requests[0]?.headers.authorization).toBe(authorization);
      expect(fixture.thirdParty.requests[0]?.headers).not.toHaveProperty('authorization');
      expect(JSON.stringify(fixture.thirdParty.requests)).not.toContain(apiKey);
    });

    it('The key is still sent while the gateway redirects to itself', async () => {
      fixture.gateway.on('/own', file(fixture.png));
      await fixture.open(false).fetch({ address: fixture.gateway.on('/first', redirect('/own')) });
      expect(fixture.gateway.requests.map(({ headers }) => headers.authorization)).toEqual([
        authorization,
        authorization,
      ]);
    });

    it('The key is no longer sent once a redirect leads to another host, even if the next redirect leads back', async () => {
      fixture.gateway.on('/own', file(fixture.png));
      const redirectUrl = fixture.thirdParty.on('/back', redirect(`${fixture.gateway.origin}/own`));
      await fixture.open(true).fetch({ address: fixture.gateway.on('/first', redirect(redirectUrl)) });
      expect(fixture.gateway.requests.map(({ headers }) => headers.authorization)).toEqual([authorization, undefined]);
      expect(fixture.thirdParty.requests[0]?.headers.authorization).toBeUndefined();
    });

    it('The key is not sent when another host redirects to the gateway', async () => {
      fixture.gateway.on('/own', file(fixture.png));
      await fixture
        .open(true)
        .fetch({ address: fixture.thirdParty.on('/to-gateway', redirect(`${fixture.gateway.origin}/own`)) });
      expect(fixture.gateway.requests[0]?.headers.authorization).toBeUndefined();
    });
  });

  describe('only on the public internet', () => {
    it('A fetch limited to the public internet allows the gateway at any address, but not another port on its host', async () => {
      const media = fixture.open(false);
      await media.fetch({ address: fixture.gateway.on('/own', file(fixture.png)) });
      const error = await failureOf(media.fetch({ address: fixture.thirdParty.on('/secret', file(fixture.png)) }));
      expect(error.kind).toBe('forbidden-address');
      expect(fixture.thirdParty.requests).toEqual([]);
      expect(fixture.warnings).toHaveLength(1);
    });

    it('A fetch limited to the public internet refuses a redirect from the gateway into a private network', async () => {
      const url = fixture.gateway.on('/in', redirect(fixture.thirdParty.on('/secret', file(fixture.png))));
      expect(await failureOf(fixture.open(false).fetch({ address: url }))).toMatchObject({ kind: 'forbidden-address' });
      expect(fixture.thirdParty.requests).toEqual([]);
    });

    it.each(['127.1', '2130706433', '0x7f.1', '0177.0.0.1', '127.0.0.1.', '0', '①②⑦.0.0.1', '%31%32%37.0.0.1'])(
      'A fetch limited to the public internet refuses the loopback address written as %s',
      async (host) => {
        const { port } = new URL(fixture.thirdParty.origin);
        const url = `http://${host}:${port}/secret`;
        fixture.thirdParty.on('/secret', file(fixture.png));
        expect(await failureOf(fixture.open(false).fetch({ address: url }))).toMatchObject({
          kind: 'forbidden-address',
        });
        expect(fixture.thirdParty.requests).toEqual([]);
      },
    );

    it.each(['[::1]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[64:ff9b::127.0.0.1]', '[fe80::1]', '[fd00:ec2::254]'])(
      'A fetch limited to the public internet refuses the special address %s',
      async (host) => {
        const error = await failureOf(fixture.open(false).fetch({ address: `http://${host}/` }));
        expect(error.kind).toBe('forbidden-address');
      },
    );

    it.each([
      ['loopback', [{ address: '127.0.0.1', family: 4 }]],
      [
        'a private and a public address',
        [
          { address: '9.9.9.9', family: 4 },
          { address: '10.0.0.1', family: 4 },
        ],
      ],
      ["a cloud's metadata service", [{ address: '169.254.169.254', family: 4 }]],
      ['loopback in IPv6', [{ address: '::1', family: 6 }]],
      ['nothing', []],
    ])('A fetch limited to the public internet refuses a name that resolves to %s', async (_where, addresses) => {
      const { port } = new URL(fixture.thirdParty.origin);
      const media = fixture.open(false, { resolve: async () => addresses });
      const url = `http://files.example:${port}/secret`;
      expect(await failureOf(media.fetch({ address: url }))).toMatchObject({ kind: 'forbidden-address' });
      expect(fixture.thirdParty.requests).toEqual([]);
    });

    it('A fetch limited to the public internet connects to exactly the checked addresses, and checks every look-up again', async () => {
      const lookups: string[] = [];
      const answers = [[{ address: '93.184.215.14', family: 4 }], [{ address: '127.0.0.1', family: 4 }]];
      const lookup = createGuardedLookup(async (name) => answers[lookups.push(name) - 1] ?? []);
      const lookUp = () =>
        new Promise((resolve, reject) => {
          lookup('rebinding.example', { all: true }, (error, addresses) =>
            error ? reject(error) : resolve(addresses),
          );
        });
      // A socket connects to this result without another look-up.
      expect(await lookUp()).toEqual([{ address: '93.184.215.14', family: 4 }]);
      await expect(lookUp()).rejects.toMatchObject({ kind: 'forbidden-address' });
      expect(lookups).toEqual(['rebinding.example', 'rebinding.example']);
    });

    it('A fetch limited to the public internet reports a host as unreachable if its name does not resolve', async () => {
      const resolve = () => Promise.reject(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }));
      const error = await failureOf(fixture.open(false, { resolve }).fetch({ address: 'https://gone.example/a.png' }));
      expect(error).toMatchObject({ kind: 'unreachable', code: 'ENOTFOUND' });
    });

    it('A fetch reaches private addresses when these are allowed', async () => {
      const fetched = await fixture.open(true).fetch({ address: fixture.thirdParty.on('/own', file(fixture.png)) });
      expect(fetched.bytes?.equals(fixture.png)).toBe(true);
    });
  });

  describe('from a member, while private addresses are allowed for results', () => {
    const givenBy = 'member';

    it('A URL from a member is fetched from the public internet only, even after a redirect from the gateway', async () => {
      const media = fixture.open(true);
      const secret = fixture.thirdParty.on('/secret', file(fixture.png));
      const redirectUrl = fixture.gateway.on('/away', redirect(secret));
      for (const url of [secret, redirectUrl])
        expect(await failureOf(media.fetch({ address: url }, { givenBy }))).toMatchObject({
          kind: 'forbidden-address',
        });
      expect(await failureOf(media.fetchDocument(secret, { givenBy }))).toMatchObject({ kind: 'forbidden-address' });
      expect(fixture.thirdParty.requests).toEqual([]);
      expect((await media.fetch({ address: secret })).bytes?.equals(fixture.png)).toBe(true);
    });

    it('A URL from a member to a gateway in a private network is only fetched if it names a stored result, without the key', async () => {
      fixture.gateway.on('/own', file(fixture.png));
      const result = fixture.gateway.on('/result', redirect('/own'));
      const asked: string[][] = [];
      const isStoredResult = async (...question: string[]) => {
        asked.push(question);
        return question[0] === result;
      };
      const media = fixture.open(true, { isStoredResult });
      for (const path of ['/own', '/admin', '/result?x=1'])
        expect(
          await failureOf(media.fetch({ address: `${fixture.gateway.origin}${path}` }, { givenBy })),
        ).toMatchObject({ kind: 'forbidden-address' });
      expect(fixture.gateway.requests).toEqual([]);
      expect((await media.fetch({ address: result }, { givenBy })).type.mime).toBe('image/png');
      expect(fixture.gateway.requests.map(({ headers }) => headers.authorization)).toEqual([undefined, undefined]);
      expect(asked.at(-1)).toEqual([result, givenBy]);
      const there = fixture.thirdParty.on('/there', redirect(result));
      expect(await failureOf(media.fetch({ address: there }, { givenBy }))).toMatchObject({
        kind: 'forbidden-address',
      });
      const away = fixture.gateway.on('/result', redirect(there));
      expect(await failureOf(media.fetch({ address: away }, { givenBy }))).toMatchObject({ kind: 'forbidden-address' });
      expect(fixture.thirdParty.requests).toEqual([]);
    });

    it.each([
      ...['127.1', '2130706433', '0x7f000001', '0x7f.1', '0177.0.0.1', '127.0.0.1.', '[::1]', '[::ffff:127.0.0.1]'],
      ...['[::ffff:7f00:1]', '[64:ff9b::7f00:1]', '[2002:7f00:1::]', '[2001:0:7f00:1::]', '10.0.0.1', '[fe80::1]'],
      ...['169.254.169.254', '[fd00:ec2::254]', '[::127.0.0.1]', '[64:ff9b:1::a00:1]', '192.168.257', '0300.0250.0.1'],
    ])('A URL from a member to a private address is refused without a connection attempt: %s', async (host) => {
      const { port } = new URL(fixture.thirdParty.origin);
      const lookups: string[] = [];
      const media = fixture.open(true, {
        resolve: async (name) => {
          lookups.push(name);
          return [];
        },
      });
      const error = await failureOf(media.fetch({ address: `http://${host}:${port}/secret` }, { givenBy }));
      expect(error).toMatchObject({ kind: 'forbidden-address' });
      expect({ lookups, requests: fixture.thirdParty.requests }).toEqual({ lookups: [], requests: [] });
    });

    it.each(['localhost', 'localhost.', 'files.internal', 'files.internal.'])(
      'A URL from a member is refused if a name like %s resolves into a private network',
      async (name) => {
        const { port } = new URL(fixture.thirdParty.origin);
        const lookups: string[] = [];
        const resolve = async (host: string) => {
          lookups.push(host);
          return [{ address: '127.0.0.1', family: 4 }];
        };
        const media = fixture.open(true, { resolve });
        const error = await failureOf(media.fetch({ address: `http://${name}:${port}/secret` }, { givenBy }));
        expect(error).toMatchObject({ kind: 'forbidden-address' });
        expect(lookups).toEqual([name]);
        expect(fixture.thirdParty.requests).toEqual([]);
      },
    );
  });
});
