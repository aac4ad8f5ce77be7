import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readWhole } from '../../../src/services/media/content.ts';
import { chunked, file, redirect } from './file-host.ts';
import { failureOf, type MediaFixture, openFixture } from './fixture.ts';

describe('Fetching a result', () => {
  let fixture: MediaFixture;
  beforeEach(async () => {
    fixture = await openFixture();
  });
  afterEach(() => fixture.close());

  describe('by its URL', () => {
    it('A fetch by URL returns the bytes and their real type, regardless of name and header', async () => {
      const url = fixture.gateway.on('/film.mp4', file(fixture.png, { 'content-type': 'video/mp4' }));
      const fetched = await fixture.open(false).fetch({ address: url });
      expect(fetched.bytes?.equals(fixture.png)).toBe(true);
      expect(fetched.type).toEqual({ kind: 'image', mime: 'image/png', extension: 'png' });
    });

    it('A fetch by URL returns a file of unknown size to its last byte', async () => {
      const large = Buffer.concat([fixture.png, Buffer.alloc(5_000_000, 7)]);
      const fetched = await fixture.open(false).fetch({ address: fixture.gateway.on('/large', chunked(large)) });
      expect((await readWhole(fetched)).equals(large)).toBe(true);
    });

    it('A fetch by URL requests the file unencoded and decompresses nothing', async () => {
      const url = fixture.gateway.on('/packed', file(gzipSync(fixture.png), { 'content-encoding': 'gzip' }));
      const error = await failureOf(fixture.open(false).fetch({ address: url }));
      expect(error.kind).toBe('not-media');
      expect(fixture.gateway.requests[0]?.headers['accept-encoding']).toBe('identity');
    });

    it.each([403, 404, 410])(
      'A fetch by URL reports the URL as expired if the host responds with %i',
      async (status) => {
        const url = fixture.gateway.on('/old', (response) => response.writeHead(status).end('<Error>Expired</Error>'));
        expect(await failureOf(fixture.open(false).fetch({ address: url }))).toMatchObject({ kind: 'expired', status });
      },
    );

    it.each([400, 401, 429, 500, 503])(
      'A fetch by URL reports the host as unreachable if it responds with %i',
      async (status) => {
        const url = fixture.gateway.on('/ill', (response) => response.writeHead(status).end());
        expect(await failureOf(fixture.open(false).fetch({ address: url }))).toMatchObject({
          kind: 'unreachable',
          status,
        });
      },
    );

    it.each([
      ['an empty body', Buffer.alloc(0)],
      ['an HTML page', Buffer.from('<!doctype html><title>Sign in</title>')],
      ['an SVG with a script', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>1</script></svg>')],
      ['a JSON response', Buffer.from('{"error":{"message":"quota"}}')],
    ])('A fetch by URL does not accept %s as media', async (_what, bytes) => {
      const url = fixture.gateway.on('/odd.png', file(bytes, { 'content-type': 'image/png' }));
      expect(await failureOf(fixture.open(false).fetch({ address: url }))).toMatchObject({ kind: 'not-media' });
    });

    it.each(['ftp://files.example/a.png', 'file:///etc/passwd', 'data:text/plain,hello', 'javascript:1', '', 'a.png'])(
      'A fetch by URL refuses %j, which is not a web URL',
      async (url) => {
        expect(await failureOf(fixture.open(true).fetch({ address: url }))).toMatchObject({
          kind: 'forbidden-address',
        });
      },
    );

    it('A fetch by URL reports only the host, because the rest of a URL may be signed', async () => {
      const url = fixture.gateway.on('/old', (response) => response.writeHead(403).end());
      const error = await failureOf(fixture.open(false).fetch({ address: `${url}?signature=of-a-member` }));
      expect(error.message).toContain('127.0.0.1');
      expect(JSON.stringify([error.message, error.stack, String(error.cause)])).not.toMatch(/signature|sk-secret/);
    });
  });

  describe('through redirects', () => {
    it.each([301, 302, 303, 307, 308])('A fetch follows a redirect with status %i', async (status) => {
      fixture.gateway.on('/there', file(fixture.png));
      const fetched = await fixture
        .open(false)
        .fetch({ address: fixture.gateway.on('/here', redirect('./there', status)) });
      expect(fetched.bytes?.equals(fixture.png)).toBe(true);
    });

    it('A fetch follows three redirects but not four', async () => {
      fixture.gateway.on('/3', file(fixture.png));
      for (const step of [0, 1, 2]) fixture.gateway.on(`/${step}`, redirect(`/${step + 1}`));
      const fourRedirectsUrl = fixture.gateway.on('/before', redirect('/0'));
      const media = fixture.open(false);
      expect((await media.fetch({ address: `${fixture.gateway.origin}/0` })).bytes?.equals(fixture.png)).toBe(true);
      expect(await failureOf(media.fetch({ address: fourRedirectsUrl }))).toMatchObject({
        kind: 'unreachable',
        code: 'redirects',
      });
    });

    it.each(['ftp://files.example/a', 'file:///etc/passwd', 'http://', 'javascript:1'])(
      'A fetch refuses a redirect to %s',
      async (location) => {
        const url = fixture.gateway.on('/astray', redirect(location));
        expect(await failureOf(fixture.open(true).fetch({ address: url }))).toMatchObject({
          kind: 'forbidden-address',
        });
      },
    );

    it('A fetch ignores the body of a redirect', async () => {
      fixture.gateway.on('/there', file(fixture.png));
      const url = fixture.gateway.on('/talkative', (response) => {
        response.writeHead(302, { location: '/there' });
        const writeMore = (): void => {
          if (!response.destroyed) response.write(Buffer.alloc(64 * 1024), () => setImmediate(writeMore));
        };
        writeMore();
      });
      expect((await fixture.open(false).fetch({ address: url })).bytes?.equals(fixture.png)).toBe(true);
    });

    it('A fetch reports the host as unreachable after a redirect without a target', async () => {
      const url = fixture.gateway.on('/nowhere', (response) => response.writeHead(302).end());
      expect(await failureOf(fixture.open(false).fetch({ address: url }))).toMatchObject({
        kind: 'unreachable',
        status: 302,
      });
    });
  });

  describe('as base64', () => {
    it.each([
      ['without a prefix', (bytes: Buffer) => bytes.toString('base64')],
      ['as a data URI', (bytes: Buffer) => `data:image/jpeg;base64,${bytes.toString('base64')}`],
      ['as a data URI with parameters', (bytes: Buffer) => `DATA:;charset=utf-8;BASE64,${bytes.toString('base64')}`],
      ['in the URL-safe alphabet, without padding', (bytes: Buffer) => bytes.toString('base64url')],
      ['split into lines', (bytes: Buffer) => `\n${bytes.toString('base64').replace(/.{76}/g, '$&\r\n')}\n`],
    ])('A fetch reads base64 %s', async (_how, encode) => {
      const fetched = await fixture.open(false).fetch({ base64: encode(fixture.png) });
      expect(fetched.bytes?.equals(fixture.png)).toBe(true);
      expect(fetched.type.mime).toBe('image/png');
    });

    it.each([
      ['characters outside the alphabet', '!!!!', 'damaged'],
      ['padding in the middle', 'iVBORw0K=Ggo', 'damaged'],
      ['a data URI that is not base64', 'data:image/png,abc', 'damaged'],
      ['an empty string', '', 'not-media'],
      ['text', Buffer.from('hello, this is no picture').toString('base64'), 'not-media'],
    ])('A fetch refuses %s as base64', async (_what, base64, kind) => {
      expect(await failureOf(fixture.open(false).fetch({ base64 }))).toMatchObject({ kind });
    });

    it('A fetch refuses oversized base64 before decoding it', async () => {
      const media = fixture.open(false, {}, { fileBytes: 1_000 });
      expect(await failureOf(media.fetch({ base64: 'A'.repeat(1_336) }))).toMatchObject({ kind: 'too-large' });
      expect(await failureOf(media.fetch({ base64: 'A'.repeat(10_000_000) }))).toMatchObject({ kind: 'too-large' });
      expect(await failureOf(media.fetch({ base64: 'A'.repeat(1_332) }))).toMatchObject({ kind: 'not-media' });
    });
  });

  describe('after closing', () => {
    it('A fetch after closing is refused', async () => {
      const media = fixture.open(true);
      await media.close();
      const url = fixture.gateway.on('/own', file(fixture.png));
      expect(await failureOf(media.fetch({ address: url }))).toMatchObject({ kind: 'unreachable', code: 'closed' });
      expect(await failureOf(media.fetch({ base64: fixture.png.toString('base64') }))).toMatchObject({
        code: 'closed',
      });
      expect(await failureOf(media.checkImage(fixture.png))).toMatchObject({ code: 'closed' });
      expect(fixture.gateway.requests).toEqual([]);
    });
  });
});
