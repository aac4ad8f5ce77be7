import sharp, { type Sharp } from 'sharp';
import { describe, expect, it } from 'vitest';
import { openStudio } from '../../../sandbox/gateway/studio/index.ts';
import { type Bench, bench, pngUri } from './bench.ts';

async function imageFile(fixture: Bench, body: object = {}): Promise<string> {
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
  it('Result files require no key and are drawn once, at the first request', async () => {
    const fixture = await bench();
    const path = await imageFile(fixture);
    expect(fixture.drawn.calls).toHaveLength(0);
    const [one, two] = await Promise.all([fixture.get(path, { key: null }), fixture.get(path, { key: null })]);
    expect(one.status).toBe(200);
    expect(one.headers).toMatchObject({
      'content-type': 'image/png',
      'accept-ranges': 'bytes',
      'content-length': String(one.bytes.length),
    });
    expect(two.bytes.equals(one.bytes)).toBe(true);
    await fixture.get(path);
    expect(fixture.drawn.calls).toHaveLength(1);
  });

  it('HEAD on a result file returns only the size', async () => {
    const fixture = await bench();
    const path = await imageFile(fixture);
    const head = await fixture.call('HEAD', path, { key: null });
    const whole = await fixture.get(path);
    expect(head).toMatchObject({ status: 200, text: '' });
    expect(head.headers['content-length']).toBe(String(whole.bytes.length));
    expect(head.headers['content-type']).toBe('image/png');
  });

  it('A range request returns that part, and other ranges are handled as in the standard', async () => {
    const fixture = await bench();
    const path = await imageFile(fixture);
    const { bytes } = await fixture.get(path);
    const ranged = async (range: string) => await fixture.get(path, { headers: { range } });
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
      const answer = await ranged(range);
      expect([answer.status, answer.headers['content-range']], range).toEqual([status, contentRange]);
      expect(answer.bytes.equals(part), range).toBe(true);
    }
  });

  it('Expired result files return 403 and unknown ones 404', async () => {
    const fixture = await bench();
    const path = await imageFile(fixture);
    const [, , id = ''] = path.split('/');
    fixture.gateway.jobs.expireFiles(id);
    expect((await fixture.get(path)).status).toBe(403);
    for (const other of [`/files/${id}x/1.png`, '/files/none/1.png'])
      expect((await fixture.get(other)).status).toBe(404);
    const { json } = await fixture.post('/imgx/submit/imagine', { prompt: 'a' });
    expect((await fixture.get(`/files/${json.id}/1.png`)).status).toBe(404);
    expect((await fixture.get(`/files/${json.id}/2.png`)).status).toBe(404);
    expect((await fixture.get(`/files/${json.id}/preview-40.webp`)).status).toBe(404);
  });

  it('Cheap videos are drawn during their job, expensive ones on request', async () => {
    const fixture = await bench();
    const video = async (body: object) =>
      (await fixture.post('/v1/video/generations', { model: 'reel-2', prompt: 'a', ...body })).json.task_id;
    const cheap = await video({ size: '640x360', duration: 5 });
    const dear = await video({ size: '1920x1080', duration: 10 });
    fixture.clock.advance(30_000);
    expect(fixture.gateway.jobs.get(dear)?.state).toBe('running');
    expect(fixture.drawn.calls.map(({ options }) => options.width)).toEqual([640]);
    await fixture.runToEnd(dear);
    await fixture.runToEnd(cheap);
    await fixture.get(`/files/${cheap}/1.mp4`);
    expect(fixture.drawn.calls).toHaveLength(1);
    await fixture.get(`/files/${dear}/1.mp4`);
    expect(fixture.drawn.calls).toHaveLength(2);
  });

  it('A result file can be 60 MB large and still be a valid image', async () => {
    const fixture = await bench();
    fixture.gateway.faults.add({ do: 'huge-file' });
    const { bytes } = await fixture.get(await imageFile(fixture));
    expect(bytes.length).toBe(60 * 1024 * 1024);
    const { format, width } = await sharp(bytes).metadata();
    expect([format, width]).toEqual(['png', 16]);
    expect((await sharp(bytes).raw().toBuffer()).length).toBeGreaterThan(0);
  });

  it.each([
    ['html-as-picture', '<!doctype html>'],
    ['executable-as-picture', 'MZ'],
  ] as const)('A result file can have a content that differs from its type (%s)', async (fault, beginning) => {
    const fixture = await bench();
    fixture.gateway.faults.add({ do: fault });
    const answer = await fixture.get(await imageFile(fixture));
    expect(answer.headers['content-type']).toBe('image/png');
    expect(answer.bytes.toString('latin1').startsWith(beginning)).toBe(true);
  });

  it('Result URLs can point to localhost, and the gateway still serves that path', async () => {
    const fixture = await bench({ quirks: { localhostPictures: true } });
    const { json } = await fixture.post('/imgx/submit/imagine', { prompt: 'a' });
    await fixture.runToEnd(json.id);
    const { imageUrl } = (await fixture.get(`/imgx/task/${json.id}/fetch`)).json;
    expect(imageUrl).toBe(`http://localhost:3000/imgx/image/${json.id}`);
    expect((await fixture.get(new URL(imageUrl).pathname, { key: null })).headers['content-type']).toBe('image/png');
    const unknown = await fixture.get('/imgx/image/5', { key: null });
    expect([unknown.status, unknown.json]).toEqual([400, { error: 'task_not_found' }]);
  });
});

describe('Results of the real studio', () => {
  it('A grid has the requested shape, and an upscale shows its quadrant larger', async () => {
    const studio = openStudio();
    const fixture = await bench({ studio });
    const grid = (await fixture.post('/imgx/submit/imagine', { prompt: 'a lighthouse --ar 3:2' })).json.id;
    await fixture.runToEnd(grid);
    const whole = (await fixture.get(`/files/${grid}/1.png`)).bytes;
    expect(await sharp(whole).metadata()).toMatchObject({ format: 'png', width: 1_536, height: 1_024 });
    const { json } = await fixture.post('/imgx/submit/change', { taskId: grid, action: 'UPSCALE', index: 1 });
    await fixture.runToEnd(json.id);
    const single = (await fixture.get(`/files/${json.id}/1.png`)).bytes;
    const small = (image: Sharp) => image.removeAlpha().resize(24, 16, { fit: 'fill' }).raw().toBuffer();
    const quadrant = await small(
      sharp(await sharp(whole).extract({ left: 0, top: 0, width: 760, height: 506 }).toBuffer()),
    );
    const large = await small(sharp(single));
    const difference =
      quadrant.reduce((sum, value, at) => sum + Math.abs(value - (large[at] ?? 0)), 0) / quadrant.length;
    expect(difference).toBeLessThan(12);
    await studio.close();
  });

  it('A preview, an edit with a mask, a video and a song are valid files', async () => {
    const studio = openStudio();
    const fixture = await bench({ studio });
    const { json } = await fixture.post('/v1/video/generations', {
      model: 'reel-2',
      prompt: 'waves',
      size: '160x90',
      duration: 1,
    });
    await fixture.runToEnd(json.task_id);
    // Every new studio starts a worker for each of them.
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
