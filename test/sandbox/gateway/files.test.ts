import sharp, { type Sharp } from 'sharp';
import { describe, expect, it } from 'vitest';
import { createStudio } from '../../../sandbox/gateway/studio/index.ts';
import { itVariants } from '../../support/variants.ts';
import { pngUri, startTestGateway, type TestGateway } from './bench.ts';

async function createImageFile(fixture: TestGateway, body: object = {}): Promise<string> {
  const { json } = await fixture.post('/v1/images/generations/jobs', {
    model: 'lumen-image-1',
    prompt: 'a boat',
    ...body,
  });
  await fixture.runToEnd(json.id);
  const [{ url }] = (await fixture.get(`/v1/images/generations/jobs/${json.id}`)).json.data;
  return new URL(url).pathname;
}

describe('Result files', () => {
  it('Result files require no key and are rendered once, at the first request', async () => {
    const fixture = await startTestGateway();
    const path = await createImageFile(fixture);
    expect(fixture.recorder.calls).toHaveLength(0);
    const [first, second] = await Promise.all([fixture.get(path, { key: null }), fixture.get(path, { key: null })]);
    expect(first.status).toBe(200);
    expect(first.headers).toMatchObject({
      'content-type': 'image/png',
      'accept-ranges': 'bytes',
      'content-length': String(first.bytes.length),
    });
    expect(second.bytes.equals(first.bytes)).toBe(true);
    await fixture.get(path);
    expect(fixture.recorder.calls).toHaveLength(1);
  });

  it('HEAD on a result file returns only the size', async () => {
    const fixture = await startTestGateway();
    const path = await createImageFile(fixture);
    const headResponse = await fixture.call('HEAD', path, { key: null });
    const fullResponse = await fixture.get(path);
    expect(headResponse).toMatchObject({ status: 200, text: '' });
    expect(headResponse.headers['content-length']).toBe(String(fullResponse.bytes.length));
    expect(headResponse.headers['content-type']).toBe('image/png');
  });

  it('A request for a single range returns that part, and other ranges are handled as HTTP specifies', async () => {
    const fixture = await startTestGateway();
    const path = await createImageFile(fixture);
    const { bytes } = await fixture.get(path);
    const getRange = async (range: string) => await fixture.get(path, { headers: { range } });
    const cases: [string, number, Buffer, string | undefined][] = [
      ['bytes=0-9', 206, bytes.subarray(0, 10), `bytes 0-9/${bytes.length}`],
      ['bytes=5-', 206, bytes.subarray(5), `bytes 5-${bytes.length - 1}/${bytes.length}`],
      ['bytes=-4', 206, bytes.subarray(-4), `bytes ${bytes.length - 4}-${bytes.length - 1}/${bytes.length}`],
      ['bytes=2-999999', 206, bytes.subarray(2), `bytes 2-${bytes.length - 1}/${bytes.length}`],
      ['bytes=999999-', 416, Buffer.alloc(0), `bytes */${bytes.length}`],
      ['bytes=0-1,4-5', 200, bytes, undefined],
      ['lines=1-2', 200, bytes, undefined],
      ['bytes=9-3', 200, bytes, undefined],
    ];
    for (const [range, status, part, contentRange] of cases) {
      const response = await getRange(range);
      expect([response.status, response.headers['content-range']], range).toEqual([status, contentRange]);
      expect(response.bytes.equals(part), range).toBe(true);
    }
  });

  it('Expired result files return 403 and unknown ones 404', async () => {
    const fixture = await startTestGateway();
    const path = await createImageFile(fixture);
    const [, , id = ''] = path.split('/');
    fixture.gateway.jobs.expireFiles(id);
    expect((await fixture.get(path)).status).toBe(403);
    for (const unknownPath of [`/files/${id}x/1.png`, '/files/none/1.png'])
      expect((await fixture.get(unknownPath)).status).toBe(404);
    const { json } = await fixture.post('/imgx/submit/imagine', { prompt: 'a' });
    expect((await fixture.get(`/files/${json.id}/1.png`)).status).toBe(404);
    expect((await fixture.get(`/files/${json.id}/2.png`)).status).toBe(404);
    expect((await fixture.get(`/files/${json.id}/preview-40.webp`)).status).toBe(404);
  });

  it('Cheap videos are rendered during their job, expensive ones on request', async () => {
    const fixture = await startTestGateway();
    const video = async (body: object) =>
      (await fixture.post('/v1/video/generations', { model: 'reel-2', prompt: 'a', ...body })).json.task_id;
    const cheapId = await video({ size: '640x360', duration: 5 });
    const expensiveId = await video({ size: '1920x1080', duration: 10 });
    fixture.clock.advance(30_000);
    expect(fixture.gateway.jobs.get(expensiveId)?.state).toBe('running');
    expect(fixture.recorder.calls.map(({ options }) => options.width)).toEqual([640]);
    await fixture.runToEnd(expensiveId);
    await fixture.runToEnd(cheapId);
    await fixture.get(`/files/${cheapId}/1.mp4`);
    expect(fixture.recorder.calls).toHaveLength(1);
    await fixture.get(`/files/${expensiveId}/1.mp4`);
    expect(fixture.recorder.calls).toHaveLength(2);
  });

  it('A result file can be a valid image of 60 MB', { tags: ['breadth'] }, async () => {
    const fixture = await startTestGateway();
    fixture.gateway.faults.add({ do: 'huge-file' });
    const { bytes } = await fixture.get(await createImageFile(fixture));
    expect(bytes.length).toBe(60 * 1024 * 1024);
    const { format, width } = await sharp(bytes).metadata();
    expect([format, width]).toEqual(['png', 16]);
    expect((await sharp(bytes).raw().toBuffer()).length).toBeGreaterThan(0);
  });

  itVariants([
    ['html-as-picture', '<!doctype html>'],
    ['executable-as-picture', 'MZ'],
  ] as const)('The content of a result file can differ from its type (%s)', async (fault, beginning) => {
    const fixture = await startTestGateway();
    fixture.gateway.faults.add({ do: fault });
    const response = await fixture.get(await createImageFile(fixture));
    expect(response.headers['content-type']).toBe('image/png');
    expect(response.bytes.toString('latin1').startsWith(beginning)).toBe(true);
  });

  it('Result URLs can point to localhost, and the gateway still serves that path', async () => {
    const fixture = await startTestGateway({ quirks: { localhostPictures: true } });
    const { json } = await fixture.post('/imgx/submit/imagine', { prompt: 'a' });
    await fixture.runToEnd(json.id);
    const { imageUrl } = (await fixture.get(`/imgx/task/${json.id}/fetch`)).json;
    expect(imageUrl).toBe(`http://localhost:3000/imgx/image/${json.id}`);
    expect((await fixture.get(new URL(imageUrl).pathname, { key: null })).headers['content-type']).toBe('image/png');
    const unknownImageResponse = await fixture.get('/imgx/image/5', { key: null });
    expect([unknownImageResponse.status, unknownImageResponse.json]).toEqual([400, { error: 'task_not_found' }]);
  });
});

describe('Results of the real studio', () => {
  it('A grid has the requested shape, and an upscale shows its quadrant larger', async () => {
    const studio = createStudio();
    const fixture = await startTestGateway({ studio });
    const grid = (await fixture.post('/imgx/submit/imagine', { prompt: 'a lighthouse --ar 3:2' })).json.id;
    await fixture.runToEnd(grid);
    const gridBytes = (await fixture.get(`/files/${grid}/1.png`)).bytes;
    expect(await sharp(gridBytes).metadata()).toMatchObject({ format: 'png', width: 1_536, height: 1_024 });
    const { json } = await fixture.post('/imgx/submit/change', { taskId: grid, action: 'UPSCALE', index: 1 });
    await fixture.runToEnd(json.id);
    const upscaleBytes = (await fixture.get(`/files/${json.id}/1.png`)).bytes;
    const thumbnail = (image: Sharp) => image.removeAlpha().resize(24, 16, { fit: 'fill' }).raw().toBuffer();
    const quadrant = await thumbnail(
      sharp(await sharp(gridBytes).extract({ left: 0, top: 0, width: 760, height: 506 }).toBuffer()),
    );
    const upscale = await thumbnail(sharp(upscaleBytes));
    const difference =
      quadrant.reduce((sum, value, index) => sum + Math.abs(value - (upscale[index] ?? 0)), 0) / quadrant.length;
    expect(difference).toBeLessThan(12);
    await studio.close();
  });

  it('A preview, an edit with a mask, a video and a song are valid files', { tags: ['breadth'] }, async () => {
    const studio = createStudio();
    const fixture = await startTestGateway({ studio });
    const { json } = await fixture.post('/v1/video/generations', {
      model: 'reel-2',
      prompt: 'waves',
      size: '160x90',
      duration: 1,
    });
    await fixture.runToEnd(json.task_id);
    // A new studio has to start a worker for each kind of file first.
    const timeoutMs = 30_000;
    const video = await fixture.get(`/files/${json.task_id}/1.mp4`, { timeoutMs });
    expect(video.bytes.subarray(4, 8).toString()).toBe('ftyp');
    const song = (await fixture.post('/music/submit/music', { prompt: 'waves', duration: 2 })).json.id;
    await fixture.runToEnd(song);
    expect((await fixture.get(`/files/${song}/1.wav`, { timeoutMs })).bytes.subarray(0, 4).toString()).toBe('RIFF');
    const grid = (await fixture.post('/imgx/submit/imagine', { prompt: 'a tower', base64Array: [await pngUri()] })).json
      .id;
    fixture.clock.advance(20_000);
    const preview = new URL((await fixture.get(`/imgx/task/${grid}/fetch`)).json.imageUrl).pathname;
    expect((await sharp((await fixture.get(preview)).bytes).metadata()).format).toBe('webp');
    await studio.close();
  });
});
