import { describe, expect, it } from 'vitest';
import { startTestGateway } from './bench.ts';

const model = 'reel-2';

async function startGateway() {
  const fixture = await startTestGateway();
  const send = async (path: string, form: FormData) => {
    const response = await fetch(`${fixture.gateway.url}${path}`, {
      method: 'POST',
      headers: { authorization: 'Bearer sk-sandbox' },
      body: form,
    });
    return { status: response.status, json: (await response.json()) as { id: string; message?: string } };
  };
  const { json } = await fixture.get('/v1/models');
  const model =
    (json.data as { id: string }[]).map(({ id }) => id).find((id) => /reel|film|video|kino/i.test(id)) ?? '';
  return { ...fixture, send, model };
}

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

describe('/v1/videos', () => {
  it('/v1/videos accepts JSON and a form with an image file', async () => {
    const { send, gateway, runToEnd } = await startGateway();
    const form = new FormData();
    for (const [name, value] of Object.entries({ model, prompt: 'a fox', seconds: '4', size: '640x360' }))
      form.append(name, value);
    form.append('input_reference', new Blob([png], { type: 'image/png' }), 'fox.png');
    const { status, json } = await send('/v1/videos', form);
    expect(status).toBe(200);
    const job = gateway.jobs.get(json.id);
    expect(job).toMatchObject({
      prompt: 'a fox',
      details: { seconds: 4, width: 640, height: 360, sources: [{ from: 'request', bytes: png, mime: 'image/png' }] },
    });
    expect((await runToEnd(json.id)).state).toBe('succeeded');
  });

  it('/v1/videos accepts several images under one field name, with or without brackets', async () => {
    const { send, gateway } = await startGateway();
    const form = new FormData();
    form.append('model', model);
    form.append('prompt', 'a fox');
    form.append('images[]', new Blob([png], { type: 'image/png' }), '1.png');
    form.append('images[]', new Blob([png], { type: 'image/png' }), '2.png');
    const { json } = await send('/v1/videos', form);
    expect(gateway.jobs.get(json.id)?.details.sources).toHaveLength(2);
  });

  it('/v1/videos refuses a malformed form, and other endpoints refuse all forms', async () => {
    const { post, send } = await startGateway();
    const malformedResponse = await post('/v1/videos', undefined, {
      raw: 'no form at all',
      headers: { 'content-type': 'multipart/form-data; boundary=x' },
    });
    expect(malformedResponse).toMatchObject({ status: 400, text: expect.stringContaining('well-formed form') });
    const form = new FormData();
    form.append('model', model);
    expect((await send('/v1/video/generations', form)).status).toBe(415);
  });
});
