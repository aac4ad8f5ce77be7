import { createServer } from 'node:http';
import sharp from 'sharp';
import { describe, expect, it, onTestFinished } from 'vitest';
import { pngUri, startTestGateway } from './bench.ts';

const path = '/v1/images/generations/jobs';
const imageRequest = { model: 'lumen-image-1', prompt: 'a small boat' };

describe('The image jobs of the gateway', () => {
  it('Image jobs are queued, run and succeed with exactly the fields of the specification', async () => {
    const { post, get, clock, runToEnd } = await startTestGateway();
    const submitResponse = await post(path, imageRequest);
    expect(submitResponse.status).toBe(200);
    expect(submitResponse.json).toEqual({ id: expect.any(String), status: 'queued' });
    const { id } = submitResponse.json;
    const statuses = new Set<string>();
    for (let second = 0; second < 200 && !statuses.has('succeeded'); second++) {
      statuses.add((await get(`${path}/${id}`)).json.status);
      clock.advance(1_000);
    }
    expect([...statuses]).toEqual(['queued', 'running', 'succeeded']);
    await runToEnd(id);
    const { json } = await get(`${path}/${id}`);
    expect(json).toEqual({
      id,
      status: 'succeeded',
      data: [{ url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/files\/.*\.png$/) }],
    });
  });

  it('Image jobs report a failure when they are polled and not when they are created', async () => {
    const { post, get, gateway, runToEnd } = await startTestGateway();
    gateway.faults.add({ do: 'moderated' });
    const submitResponse = await post(path, imageRequest);
    expect(submitResponse.json.status).toBe('queued');
    await runToEnd(submitResponse.json.id);
    expect((await get(`${path}/${submitResponse.json.id}`)).json).toEqual({
      id: submitResponse.json.id,
      status: 'failed',
      error: { message: expect.stringContaining('moderation') },
    });
  });

  it('Image jobs in the stock profile have the format that common gateways use', async () => {
    const { post, get, runToEnd } = await startTestGateway({ profile: 'stock' });
    const submitResponse = await post(path, imageRequest);
    expect(submitResponse.status).toBe(202);
    expect(submitResponse.json).toMatchObject({
      object: 'image_generation.job',
      status: 'queued',
      model: imageRequest.model,
      progress: 0,
    });
    await runToEnd(submitResponse.json.id);
    const { json } = await get(`${path}/${submitResponse.json.id}`);
    expect(json).toMatchObject({
      task_id: submitResponse.json.id,
      status: 'completed',
      progress: 100,
      result_url: json.data[0].url,
    });
  });

  it.each([
    ['lumen-image-1', 1_024],
    ['lumen-image-1-2K', 2_048],
    ['lumen-image-1-4K', 4_096],
  ])('Images of the model %s have a longer side of %i pixels', async (model, longerSide) => {
    const { post, get, runToEnd, recorder } = await startTestGateway();
    const { json } = await post(path, { model, prompt: 'a boat', size: '1536x1024' });
    await runToEnd(json.id);
    const [{ url }] = (await get(`${path}/${json.id}`)).json.data;
    expect(recorder.calls).toEqual([]);
    await get(new URL(url).pathname);
    expect(recorder.calls[0]?.options).toMatchObject({
      width: longerSide,
      height: Math.round(longerSide / 1.5 / 2) * 2,
    });
  });

  it('Image jobs produce the requested number of images, in the requested format, from the requested seed', async () => {
    const { post, get, runToEnd, recorder } = await startTestGateway();
    const { json } = await post(path, { ...imageRequest, n: 3, output_format: 'webp', seed: 41 });
    await runToEnd(json.id);
    const { data } = (await get(`${path}/${json.id}`)).json;
    expect(data).toHaveLength(3);
    for (const { url } of data) expect((await get(new URL(url).pathname)).headers['content-type']).toBe('image/webp');
    expect(recorder.calls.map(({ scenes }) => scenes[0]?.seed)).toEqual([41, 42, 43]);
  });

  it('Image jobs return base64 instead of a URL if the quirk `base64Results` is set', async () => {
    const { post, get, runToEnd } = await startTestGateway({ quirks: { base64Results: true } });
    const { json } = await post(path, imageRequest);
    await runToEnd(json.id);
    const [item] = (await get(`${path}/${json.id}`)).json.data;
    expect(Object.keys(item)).toEqual(['b64_json']);
    expect((await sharp(Buffer.from(item.b64_json, 'base64')).metadata()).format).toBe('png');
  });

  it('Image jobs are visible only to the key that created them', async () => {
    const { post, get } = await startTestGateway({ keys: [{ key: 'sk-sandbox' }, { key: 'sk-other' }] });
    const { json } = await post(path, imageRequest);
    expect((await get(`${path}/${json.id}`)).status).toBe(200);
    expect((await get(`${path}/${json.id}`, { key: 'sk-other' })).status).toBe(404);
  });

  it('Invalid requests for an image job are refused', async () => {
    const { post } = await startTestGateway();
    const invalidRequests: [object, RegExp][] = [
      [{ prompt: 'a' }, /model is required/],
      [{ model: 'lumen-image-1' }, /prompt is required/],
      [{ ...imageRequest, prompt: '  ' }, /prompt is required/],
      [{ ...imageRequest, image: 'not base64!' }, /image.0 .*base64/],
      [{ ...imageRequest, image: ['data:image/png;base64,@@@'] }, /image.0 .*malformed/],
      [{ ...imageRequest, size: 'wide' }, /size .*<width>x<height>/],
      [{ ...imageRequest, n: 9 }, /n must be from 1 to 4/],
      [{ ...imageRequest, model: 'reel-2' }, /does not support this endpoint/],
    ];
    for (const [body, message] of invalidRequests) {
      const response = await post(path, body);
      expect(response.status, JSON.stringify(body)).toBe(400);
      expect(response.json.error.message).toMatch(message);
    }
    const unknownModelResponse = await post(path, { ...imageRequest, model: 'none' });
    expect([unknownModelResponse.status, unknownModelResponse.json.error.code]).toEqual([404, 'model_not_found']);
  });
});

describe('The idempotency key of an image job', () => {
  const headers = { 'idempotency-key': 'once' };

  it('The same idempotency key returns the same job, which is charged once', async () => {
    const { post, gateway } = await startTestGateway();
    const first = await post(path, imageRequest, { headers });
    const second = await post(path, { prompt: imageRequest.prompt, model: imageRequest.model }, { headers });
    expect(second.json.id).toBe(first.json.id);
    expect(gateway.jobs.list()).toHaveLength(1);
    expect(gateway.usage.rows('sk-sandbox')).toMatchObject([{ requests: 1 }]);
  });

  it('A reused idempotency key with a different body is refused with 409', async () => {
    const { post } = await startTestGateway();
    await post(path, imageRequest, { headers });
    const conflictResponse = await post(path, { ...imageRequest, prompt: 'a large boat' }, { headers });
    expect([conflictResponse.status, conflictResponse.json.error.code]).toEqual([409, 'idempotency_conflict']);
  });

  it('The same idempotency key with another API key creates another job', async () => {
    const { post } = await startTestGateway({ keys: [{ key: 'sk-sandbox' }, { key: 'sk-other' }] });
    const first = await post(path, imageRequest, { headers });
    const second = await post(path, imageRequest, { headers, key: 'sk-other' });
    expect(second.json.id).not.toBe(first.json.id);
  });

  it('An idempotency key finds a job whose response was lost', async () => {
    const { post, gateway } = await startTestGateway();
    gateway.faults.add({ do: 'accepted-then-500' });
    expect((await post(path, imageRequest, { headers })).status).toBe(500);
    const retryResponse = await post(path, imageRequest, { headers });
    expect(retryResponse.json.id).toBe(gateway.jobs.list()[0]?.id);
    expect(gateway.jobs.list()).toHaveLength(1);
  });

  it('An idempotency key is required if the quirk `idempotencyRequired` is set', async () => {
    const { post } = await startTestGateway({ quirks: { idempotencyRequired: true } });
    const rejectedResponse = await post(path, imageRequest);
    expect([rejectedResponse.status, rejectedResponse.json.error.code]).toEqual([400, 'IDEMPOTENCY_KEY_REQUIRED']);
    expect((await post(path, imageRequest, { headers })).status).toBe(200);
  });
});

describe('The reference images of a job', () => {
  async function startImageServer() {
    const bytes = Buffer.from((await pngUri()).split(',')[1] ?? '', 'base64');
    const requests: string[] = [];
    const server = createServer((request, response) => {
      requests.push(request.url ?? '');
      if (request.url === '/page') return response.setHeader('content-type', 'text/html').end('<html>');
      if (request.url === '/missing') return response.writeHead(404).end();
      if (request.url === '/video') return response.setHeader('content-type', 'video/mp4').end('video');
      return response.setHeader('content-type', 'image/png').end(bytes);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as { port: number };
    return { base: `http://127.0.0.1:${port}`, requests };
  }

  it('Reference images are fetched when the job starts, and used for the result', async () => {
    const { base, requests } = await startImageServer();
    const { post, get, runToEnd, recorder } = await startTestGateway();
    const { json } = await post(path, { ...imageRequest, image: [`${base}/a`, await pngUri()] });
    expect(requests).toEqual([]);
    expect((await runToEnd(json.id)).state).toBe('succeeded');
    expect(requests).toEqual(['/a']);
    await get(`/files/${json.id}/1.png`);
    expect(recorder.calls[0]?.options.references).toHaveLength(2);
  });

  it('An unreadable reference image fails the job with a reason that contains its URL', async () => {
    const { base } = await startImageServer();
    const { post, get, runToEnd } = await startTestGateway();
    const unreadableImages: [string, RegExp][] = [
      [`${base}/page`, /\/page is not an image/],
      [`${base}/missing`, /\/missing could not be fetched: it returned status 404/],
      ['http://127.0.0.1:1/none.png', /127\.0\.0\.1:1\/none\.png could not be fetched: no response/],
      ['https://example.com/a.png', /example\.com\/a\.png does not point to this machine/],
      ['http://127.0.0.1.example.com/a.png', /does not point to this machine/],
    ];
    for (const [image, message] of unreadableImages) {
      const { json } = await post(path, { ...imageRequest, image });
      await runToEnd(json.id);
      const job = await get(`${path}/${json.id}`);
      expect(job.json.status).toBe('failed');
      expect(job.json.error.message).toMatch(message);
    }
    const { json } = await post(path, {
      ...imageRequest,
      image: `data:image/png;base64,${Buffer.from('no image').toString('base64')}`,
    });
    expect((await runToEnd(json.id)).reason).toMatch(/image 1 of the request cannot be read as an image/);
  });
});
