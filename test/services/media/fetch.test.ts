import sharp from 'sharp';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Media, MediaError, openMedia } from '../../../src/services/media/index.ts';
import type { MediaLimits } from '../../../src/services/media/limits.ts';
import type { MediaTools } from '../../../src/services/media/settings.ts';
import { chunked, type FileHost, file, openFileHost, redirect } from './file-host.ts';

const apiKey = 'sk-secret-of-the-gateway';
const authorization = `Bearer ${apiKey}`;

describe('fetching a result', () => {
  let gateway: FileHost;
  let stranger: FileHost;
  let png: Buffer;
  let opened: Media[];
  let warnings: string[];

  beforeEach(async () => {
    opened = [];
    warnings = [];
    gateway = await openFileHost();
    stranger = await openFileHost();
    png = await sharp({ create: { width: 8, height: 8, channels: 3, background: 'teal' } })
      .png()
      .toBuffer();
  });
  afterEach(async () => {
    for (const media of opened) await media.close();
    await gateway.close();
    await stranger.close();
  });

  function open(allowPrivate: boolean, tools: Partial<MediaTools> = {}, limits: Partial<MediaLimits> = {}): Media {
    const log = { warn: (facts: object, sentence: string) => void warnings.push(JSON.stringify(facts) + sentence) };
    const media = openMedia({ gatewayOrigin: gateway.origin, apiKey, allowPrivate }, { log, ...tools }, limits);
    opened.push(media);
    return media;
  }

  const failureOf = async (work: Promise<unknown>): Promise<MediaError> => {
    const error = await work.then(
      () => 'nothing failed',
      (reason: unknown) => reason,
    );
    if (error instanceof MediaError) return error;
    throw error;
  };

  describe('by its address', () => {
    it('brings the bytes and what they are, whatever name and header say', async () => {
      const address = gateway.on('/film.mp4', file(png, { 'content-type': 'video/mp4' }));
      const fetched = await open(false).fetch({ address });
      expect(fetched.bytes.equals(png)).toBe(true);
      expect(fetched.type).toEqual({ kind: 'image', mime: 'image/png', extension: 'png' });
    });

    it('brings a file of unknown size to its last byte', async () => {
      const large = Buffer.concat([png, Buffer.alloc(5_000_000, 7)]);
      const fetched = await open(false).fetch({ address: gateway.on('/large', chunked(large)) });
      expect(fetched.bytes.equals(large)).toBe(true);
    });

    it('asks for the file as it is and decompresses nothing', async () => {
      const { gzipSync } = await import('node:zlib');
      const address = gateway.on('/packed', file(gzipSync(png), { 'content-encoding': 'gzip' }));
      const error = await failureOf(open(false).fetch({ address }));
      expect(error.kind).toBe('not-media');
      expect(gateway.heard[0]?.headers['accept-encoding']).toBe('identity');
    });

    it.each([403, 404, 410])('says that an address is no longer good when the host answers %i', async (status) => {
      const address = gateway.on('/old', (response) => response.writeHead(status).end('<Error>Expired</Error>'));
      expect(await failureOf(open(false).fetch({ address }))).toMatchObject({ kind: 'expired', status });
    });

    it.each([400, 401, 429, 500, 503])('says that the host gave no file when it answers %i', async (status) => {
      const address = gateway.on('/ill', (response) => response.writeHead(status).end());
      expect(await failureOf(open(false).fetch({ address }))).toMatchObject({ kind: 'unreachable', status });
    });

    it.each([
      ['nothing at all', Buffer.alloc(0)],
      ['a page', Buffer.from('<!doctype html><title>Sign in</title>')],
      ['a drawing that is a program', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>1</script></svg>')],
      ['an answer in JSON', Buffer.from('{"error":{"message":"quota"}}')],
    ])('does not take %s for media', async (_what, bytes) => {
      const address = gateway.on('/odd.png', file(bytes, { 'content-type': 'image/png' }));
      expect(await failureOf(open(false).fetch({ address }))).toMatchObject({ kind: 'not-media' });
    });

    it.each(['ftp://files.example/a.png', 'file:///etc/passwd', 'data:text/plain,hello', 'javascript:1', '', 'a.png'])(
      'refuses %j, which is no address of the web',
      async (address) => {
        expect(await failureOf(open(true).fetch({ address }))).toMatchObject({ kind: 'forbidden-address' });
      },
    );

    it('tells of the host alone, for the rest of an address may be signed', async () => {
      const address = gateway.on('/old', (response) => response.writeHead(403).end());
      const error = await failureOf(open(false).fetch({ address: `${address}?signature=of-somebody` }));
      expect(error.message).toContain('127.0.0.1');
      expect(JSON.stringify([error.message, error.stack, String(error.cause)])).not.toMatch(/signature|sk-secret/);
    });
  });

  describe('and the key', () => {
    it('shows it to the gateway and to nobody else', async () => {
      const media = open(true);
      await media.fetch({ address: gateway.on('/own', file(png)) });
      await media.fetch({ address: stranger.on('/foreign', file(png)) });
      expect(gateway.heard[0]?.headers.authorization).toBe(authorization);
      expect(stranger.heard[0]?.headers).not.toHaveProperty('authorization');
      expect(JSON.stringify(stranger.heard)).not.toContain(apiKey);
    });

    it('keeps it while the gateway redirects to itself', async () => {
      gateway.on('/own', file(png));
      await open(false).fetch({ address: gateway.on('/first', redirect('/own')) });
      expect(gateway.heard.map(({ headers }) => headers.authorization)).toEqual([authorization, authorization]);
    });

    it('drops it for good when a redirect leads away, even if the next one leads back', async () => {
      gateway.on('/own', file(png));
      const away = stranger.on('/back', redirect(`${gateway.origin}/own`));
      await open(true).fetch({ address: gateway.on('/first', redirect(away)) });
      expect(gateway.heard.map(({ headers }) => headers.authorization)).toEqual([authorization, undefined]);
      expect(stranger.heard[0]?.headers.authorization).toBeUndefined();
    });

    it('does not show it when a stranger sends us to the gateway', async () => {
      gateway.on('/own', file(png));
      await open(true).fetch({ address: stranger.on('/to-gateway', redirect(`${gateway.origin}/own`)) });
      expect(gateway.heard[0]?.headers.authorization).toBeUndefined();
    });
  });

  describe('through redirects', () => {
    it.each([301, 302, 303, 307, 308])('follows a %i', async (status) => {
      gateway.on('/there', file(png));
      const fetched = await open(false).fetch({ address: gateway.on('/here', redirect('./there', status)) });
      expect(fetched.bytes.equals(png)).toBe(true);
    });

    it('follows three and not four', async () => {
      gateway.on('/3', file(png));
      for (const step of [0, 1, 2]) gateway.on(`/${step}`, redirect(`/${step + 1}`));
      const before = gateway.on('/before', redirect('/0'));
      const media = open(false);
      expect((await media.fetch({ address: `${gateway.origin}/0` })).bytes.equals(png)).toBe(true);
      expect(await failureOf(media.fetch({ address: before }))).toMatchObject({
        kind: 'unreachable',
        code: 'redirects',
      });
    });

    it.each(['ftp://files.example/a', 'file:///etc/passwd', 'http://', 'javascript:1'])(
      'does not follow one to %s',
      async (location) => {
        const address = gateway.on('/astray', redirect(location));
        expect(await failureOf(open(true).fetch({ address }))).toMatchObject({ kind: 'forbidden-address' });
      },
    );

    it('does not wait for what a redirecting host goes on saying', async () => {
      gateway.on('/there', file(png));
      const address = gateway.on('/talkative', (response) => {
        response.writeHead(302, { location: '/there' });
        const talk = (): void => {
          if (!response.destroyed) response.write(Buffer.alloc(64 * 1024), () => setImmediate(talk));
        };
        talk();
      });
      expect((await open(false).fetch({ address })).bytes.equals(png)).toBe(true);
    });

    it('takes a redirect to nowhere for a host without the file', async () => {
      const address = gateway.on('/nowhere', (response) => response.writeHead(302).end());
      expect(await failureOf(open(false).fetch({ address }))).toMatchObject({ kind: 'unreachable', status: 302 });
    });
  });

  describe('only from the public internet', () => {
    it('allows the gateway wherever it stands, and its neighbour on another port not', async () => {
      const media = open(false);
      await media.fetch({ address: gateway.on('/own', file(png)) });
      const error = await failureOf(media.fetch({ address: stranger.on('/secret', file(png)) }));
      expect(error.kind).toBe('forbidden-address');
      expect(stranger.heard).toEqual([]);
      expect(warnings).toHaveLength(1);
    });

    it('does not follow the gateway into a private network', async () => {
      const address = gateway.on('/in', redirect(stranger.on('/secret', file(png))));
      expect(await failureOf(open(false).fetch({ address }))).toMatchObject({ kind: 'forbidden-address' });
      expect(stranger.heard).toEqual([]);
    });

    it.each(['127.1', '2130706433', '0x7f.1', '0177.0.0.1', '127.0.0.1.', '0', '①②⑦.0.0.1', '%31%32%37.0.0.1'])(
      'knows this machine when it is spelt %s',
      async (host) => {
        const { port } = new URL(stranger.origin);
        const address = `http://${host}:${port}/secret`;
        stranger.on('/secret', file(png));
        expect(await failureOf(open(false).fetch({ address }))).toMatchObject({ kind: 'forbidden-address' });
        expect(stranger.heard).toEqual([]);
      },
    );

    it.each(['[::1]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[64:ff9b::127.0.0.1]', '[fe80::1]', '[fd00:ec2::254]'])(
      'knows the special address %s',
      async (host) => {
        const error = await failureOf(open(false).fetch({ address: `http://${host}/` }));
        expect(error.kind).toBe('forbidden-address');
      },
    );

    it.each([
      ['this machine', [{ address: '127.0.0.1', family: 4 }]],
      [
        'a private address beside a public one',
        [
          { address: '9.9.9.9', family: 4 },
          { address: '10.0.0.1', family: 4 },
        ],
      ],
      ['a cloud’s metadata', [{ address: '169.254.169.254', family: 4 }]],
      ['this machine in IPv6', [{ address: '::1', family: 6 }]],
      ['nothing', []],
    ])('refuses a name that leads to %s', async (_where, addresses) => {
      const { port } = new URL(stranger.origin);
      const media = open(false, { resolve: async () => addresses });
      const address = `http://files.example:${port}/secret`;
      expect(await failureOf(media.fetch({ address }))).toMatchObject({ kind: 'forbidden-address' });
      expect(stranger.heard).toEqual([]);
    });

    it('asks for a name once a connection, so that a second answer cannot lead elsewhere', async () => {
      const { port } = new URL(stranger.origin);
      const asked: string[] = [];
      // Nobody has this address; an IPv6 network that was given back.
      const answers = [[{ address: '3ffe::1', family: 6 }], [{ address: '127.0.0.1', family: 4 }]];
      const resolve = async (name: string) => answers[asked.push(name) - 1] ?? [];
      const media = open(false, { resolve }, { connectMs: 200 });
      const address = `http://rebinding.example:${port}/secret`;
      expect((await failureOf(media.fetch({ address }))).kind).toMatch(/unreachable|timeout/);
      expect(asked).toEqual(['rebinding.example']);
      expect(await failureOf(media.fetch({ address }))).toMatchObject({ kind: 'forbidden-address' });
      expect(stranger.heard).toEqual([]);
    });

    it('says that a name leads nowhere', async () => {
      const resolve = () => Promise.reject(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }));
      const error = await failureOf(open(false, { resolve }).fetch({ address: 'https://gone.example/a.png' }));
      expect(error).toMatchObject({ kind: 'unreachable', code: 'ENOTFOUND' });
    });

    it('goes wherever it is sent when private addresses are allowed', async () => {
      const fetched = await open(true).fetch({ address: stranger.on('/own', file(png)) });
      expect(fetched.bytes.equals(png)).toBe(true);
    });
  });

  describe('as base64', () => {
    it.each([
      ['plain', (bytes: Buffer) => bytes.toString('base64')],
      ['as a data URI', (bytes: Buffer) => `data:image/jpeg;base64,${bytes.toString('base64')}`],
      ['as a data URI with parameters', (bytes: Buffer) => `DATA:;charset=utf-8;BASE64,${bytes.toString('base64')}`],
      ['in the alphabet for addresses, without padding', (bytes: Buffer) => bytes.toString('base64url')],
      ['in lines', (bytes: Buffer) => `\n${bytes.toString('base64').replace(/.{76}/g, '$&\r\n')}\n`],
    ])('reads it %s', async (_how, spell) => {
      const fetched = await open(false).fetch({ base64: spell(png) });
      expect(fetched.bytes.equals(png)).toBe(true);
      expect(fetched.type.mime).toBe('image/png');
    });

    it.each([
      ['letters of no alphabet', '!!!!', 'damaged'],
      ['padding in the middle', 'iVBORw0K=Ggo', 'damaged'],
      ['a data URI that is not base64', 'data:image/png,abc', 'damaged'],
      ['nothing', '', 'not-media'],
      ['text', Buffer.from('hello, this is no picture').toString('base64'), 'not-media'],
    ])('does not take %s', async (_what, base64, kind) => {
      expect(await failureOf(open(false).fetch({ base64 }))).toMatchObject({ kind });
    });

    it('refuses what would be too large before decoding it', async () => {
      const media = open(false, {}, { fileBytes: 1_000 });
      expect(await failureOf(media.fetch({ base64: 'A'.repeat(1_336) }))).toMatchObject({ kind: 'too-large' });
      expect(await failureOf(media.fetch({ base64: 'A'.repeat(10_000_000) }))).toMatchObject({ kind: 'too-large' });
      expect(await failureOf(media.fetch({ base64: 'A'.repeat(1_332) }))).toMatchObject({ kind: 'not-media' });
    });
  });

  describe('after closing', () => {
    it('refuses everything', async () => {
      const media = open(true);
      await media.close();
      const address = gateway.on('/own', file(png));
      expect(await failureOf(media.fetch({ address }))).toMatchObject({ kind: 'unreachable', code: 'closed' });
      expect(await failureOf(media.fetch({ base64: png.toString('base64') }))).toMatchObject({ code: 'closed' });
      expect(await failureOf(media.checkedPicture(png))).toMatchObject({ code: 'closed' });
      expect(gateway.heard).toEqual([]);
    });
  });
});
