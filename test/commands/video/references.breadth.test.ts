import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { expect, it, onTestFinished } from 'vitest';
import { ruleTargets } from '../../../src/commands/index.ts';
import { videoKinds } from '../../../src/commands/video/feature.ts';
import { type VideoValues, videoOrder, videoRequest } from '../../../src/commands/video/request.ts';
import { ConfigError, readConfig } from '../../../src/config.ts';
import { throwIfRefusal } from '../../../src/lib/refusal.ts';
import { createGateway } from '../../../src/services/gateway/gateway.ts';

/** Starts a gateway that accepts every request and records its body. */
async function gatewayServer() {
  const bodies: Record<string, unknown>[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      bodies.push(JSON.parse(Buffer.concat(chunks).toString('utf8')));
      response.setHeader('content-type', 'application/json').end('{"task_id":"1","status":"queued"}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, bodies };
}

const fields = fc.constantFrom('', 'images', 'reference_video_urls', 'video_urls', 'media', 'face');
const settings = fc.record({
  GATEWAY_REFERENCE_VIDEO_FIELD: fields,
  GATEWAY_REFERENCE_AUDIO_FIELD: fields,
  GATEWAY_FACE_CHECK_FIELD: fc.constantFrom('', 'face', 'video_urls'),
});
const medium = fc.constantFrom('image', 'video', 'audio');
const fileNames = (extension: string) =>
  fc.nat(2).map((count) => Array.from({ length: count }, (_, i) => `${i}.${extension}`));
const inputs = fc.record({
  files: fc.array(medium, { maxLength: 7 }),
  links: fc.array(medium, { maxLength: 3 }),
  reference_video: fileNames('mp4'),
  reference_audio: fileNames('mp3'),
  face_check: fc.option(fc.boolean(), { nil: undefined }),
});
const extensions = { image: 'png', video: 'mp4', audio: 'mp3' };

it('Every reference of /video reaches the request body exactly once, whatever field names are configured', async () => {
  const { url, bodies } = await gatewayServer();
  await fc.assert(
    fc.asyncProperty(settings, inputs, async (environment, { files, links, ...options }) => {
      const requiredSettings = { DISCORD_TOKEN: 'a.b.c', GATEWAY_BASE_URL: url, GATEWAY_API_KEY: 'sk-x' };
      const config = orUndefined(() => readConfig({ ...requiredSettings, ...environment }, ruleTargets));
      // The configuration refuses a flag and a list with the same name.
      fc.pre(config !== undefined);
      const urlFor = (prefix: string, name: string) => `https://x.example/${prefix}-${name}`;
      const attachments = files.map((kind, index) => {
        const url = urlFor(`file${index}`, `a.${extensions[kind as 'image']}`);
        return [
          index === 0 ? 'image' : `image${index + 1}`,
          { id: '1', name: 'a', address: url, size: 1, mediaType: undefined },
        ];
      });
      const values: VideoValues = {
        prompt: 'waves',
        ...Object.fromEntries(attachments),
        links: links.map((kind, index) => urlFor(`link${index}`, `a.${extensions[kind as 'image']}`)).join(' '),
        reference_video: options.reference_video.map((name) => urlFor('video', name)).join(' '),
        reference_audio: options.reference_audio.map((name) => urlFor('audio', name)).join(' '),
        face_check: options.face_check,
      };
      const draft = throwIfRefusal(videoRequest(values));
      const order = videoOrder(draft, { model: 'reel-2', fields: config.gateway.fields });
      const gateway = createGateway(config.gateway);
      const references = (order.request.references ?? []).map(({ address }) => {
        const kind = address.endsWith('.png')
          ? ('image' as const)
          : address.endsWith('.mp4')
            ? ('video' as const)
            : ('audio' as const);
        return { medium: kind, uri: address };
      });
      const [kind] = videoKinds({
        gateway,
        imgxKind: () => expect.unreachable('A video is no imgx job.'),
        imagineReferences: 'address',
        videosBody: 'json',
      });
      const requester = { requesterId: '1', route: undefined as never };
      await kind?.submit?.(order.request as never, { id: 'a-task', materials: { references }, requester });
      await gateway.close();
      const sentBody = JSON.stringify(bodies.at(-1));
      const all = references.map((one) => one.uri);
      for (const url of all) expect(sentBody.split(JSON.stringify(url))).toHaveLength(2);
      if (options.face_check !== undefined && environment.GATEWAY_FACE_CHECK_FIELD !== '')
        expect(bodies.at(-1)?.[environment.GATEWAY_FACE_CHECK_FIELD]).toBe(options.face_check);
    }),
    { numRuns: 150 },
  );
});

function orUndefined<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof ConfigError) return undefined;
    throw error;
  }
}
