import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { type Json, pngUri, profiles, startTestGateway, type TestGateway, type TestResponse } from './bench.ts';

const idOf = ({ json }: TestResponse): string => String(json.result ?? json.id);
const customIds = (task: Json): string[] => task.buttons.map((button: { customId: string }) => button.customId);

async function finishTask(fixture: TestGateway, response: TestResponse): Promise<Json> {
  const id = idOf(response);
  await fixture.runToEnd(id);
  return (await fixture.get(`/imgx/task/${id}/fetch`)).json;
}

const imagine = async (fixture: TestGateway, prompt = 'a lighthouse --ar 3:2') =>
  await finishTask(fixture, await fixture.post('/imgx/submit/imagine', { prompt }));

const pressButton = (fixture: TestGateway, taskId: string, customId: string) =>
  fixture.post('/imgx/submit/action', { taskId, customId });

const customIdOf = (task: Json, part: string): string => {
  const customId = customIds(task).find((id) => id.includes(part));
  expect(customId, part).toBeDefined();
  return customId ?? '';
};

describe('The imagine tasks of the gateway', () => {
  it('An imagine task changes from queued to succeeded in the format of the specification, with a preview in between', async () => {
    const fixture = await startTestGateway();
    const submitResponse = await fixture.post('/imgx/submit/imagine', { prompt: 'a lighthouse', state: 'mine' });
    expect(submitResponse.json).toMatchObject({
      status: 'queued',
      progress: 0,
      action: 'IMAGINE',
      state: 'mine',
      prompt: 'a lighthouse',
    });
    const { id } = submitResponse.json;
    expect(id).toMatch(/^\d{16,19}$/);
    fixture.clock.advance(20_000);
    const runningTask = (await fixture.get(`/imgx/task/${id}/fetch`)).json;
    expect(runningTask).toMatchObject({
      status: 'running',
      buttons: [],
      startTime: expect.any(Number),
      finishTime: null,
    });
    expect(runningTask.progress).toBeGreaterThan(0);
    const preview = await fixture.get(new URL(runningTask.imageUrl).pathname, { key: null });
    expect(preview.headers['content-type']).toBe('image/webp');
    expect(fixture.recorder.calls[0]?.options.finished).toBeCloseTo(runningTask.progress / 100);
    const task = await finishTask(fixture, submitResponse);
    expect(task).toMatchObject({
      status: 'succeeded',
      progress: 100,
      failReason: null,
      properties: { finalPrompt: 'a lighthouse' },
    });
    expect(task.imageUrl).toContain(`/files/${id}/1.png`);
  });

  it('An imagine task in the stock profile has response codes, upper-case statuses, percentages and millisecond timestamps', async () => {
    const fixture = await startTestGateway({ profile: 'stock' });
    const submitResponse = await fixture.post('/imgx/submit/imagine', { prompt: 'a lighthouse' });
    expect(submitResponse.json).toMatchObject({
      code: 1,
      result: expect.stringMatching(/^\d{16,19}$/),
      properties: { discordInstanceId: expect.any(String) },
    });
    const id = submitResponse.json.result;
    expect((await fixture.get(`/imgx/task/${id}/fetch`)).json.status).toBe('');
    fixture.clock.advance(20_000);
    const runningTask = (await fixture.get(`/imgx/task/${id}/fetch`)).json;
    expect(runningTask).toMatchObject({
      id,
      status: 'IN_PROGRESS',
      progress: expect.stringMatching(/^\d+%$/),
      finishTime: 0,
      failReason: '',
    });
    const task = await finishTask(fixture, submitResponse);
    expect(task).toMatchObject({ status: 'SUCCESS', progress: '100%', submitTime: expect.any(Number) });
    expect(task.finishTime).toBeGreaterThan(1e12);
  });

  it('An imagine task has the buttons of a grid with its own uuid', async () => {
    const ids = customIds(await imagine(await startTestGateway()));
    expect(ids).toHaveLength(9);
    const uuid = ids[0]?.split('::')[4] ?? '';
    expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(ids).toContain(`MJ::JOB::upsample::1::${uuid}`);
    expect(ids).toContain(`MJ::JOB::variation::4::${uuid}`);
    expect(ids).toContain(`MJ::JOB::reroll::0::${uuid}::SOLO`);
  });

  it('An imagine task applies --ar and --seed, and returns the seed', async () => {
    const fixture = await startTestGateway();
    const task = await imagine(fixture, 'a lighthouse --ar 2:1 --seed 99');
    await fixture.get(new URL(task.imageUrl).pathname);
    const { options, scenes } = fixture.recorder.calls[0] ?? { options: {} as Record<string, unknown>, scenes: [] };
    expect(Number(options.width) / Number(options.height)).toBeCloseTo(2);
    expect(scenes.map(({ seed }) => seed)).toEqual([99, 100, 101, 102]);
    expect((await fixture.get(`/imgx/task/${task.id}/image-seed`)).json).toEqual({
      code: 1,
      description: expect.any(String),
      result: '99',
    });
  });

  it('A failed imagine task has a reason in both profiles', async () => {
    for (const profile of profiles) {
      const fixture = await startTestGateway({ profile });
      fixture.gateway.faults.add({ do: { type: 'fail', reason: 'Out of paint.' } });
      const task = await imagine(fixture);
      expect(task.failReason).toBe('Out of paint.');
      expect(task.status).toBe(profile === 'spec' ? 'failed' : 'FAILURE');
      expect(task.buttons).toEqual([]);
    }
  });

  it.each([
    ['spec', 1],
    ['stock', 2],
  ] as const)(
    'An imagine task uses the URLs before its prompt, and base64 only in the stock profile (%s)',
    async (profile, count) => {
      const fixture = await startTestGateway({ profile });
      const upload = await fixture.post('/imgx/submit/upload-discord-images', { base64Array: [await pngUri()] });
      const [url] = upload.json.result;
      const task = await finishTask(
        fixture,
        await fixture.post('/imgx/submit/imagine', {
          prompt: `${url} a boat`,
          base64Array: [await pngUri('#00f')],
        }),
      );
      expect(task.status.toLowerCase()).toMatch(/^succe/);
      await fixture.get(new URL(task.imageUrl).pathname);
      expect(fixture.recorder.calls[0]?.options.references).toHaveLength(count);
      expect(fixture.recorder.calls[0]?.scenes[0]?.prompt).toBe('a boat');
    },
  );
});

describe('The other submit endpoints', () => {
  it.each(profiles)(
    'The describe endpoint returns four prompts and buttons that imagine them (%s)',
    async (profile) => {
      for (const image of [{ base64Array: [await pngUri()] }, { base64: await pngUri() }]) {
        const fixture = await startTestGateway({ profile });
        const task = await finishTask(fixture, await fixture.post('/imgx/submit/describe', image));
        expect(task.action).toBe('DESCRIBE');
        const lines = task.properties.finalPrompt.split('\n\n');
        expect(lines).toHaveLength(4);
        expect(lines[0]).toMatch(/^1\ufe0f\u20e3 \S/);
        expect(task.promptEn).toBe(task.properties.finalPrompt);
        expect(customIds(task)).toEqual([
          ...[1, 2, 3, 4].map((line) => `MJ::Job::PicReader::${line}`),
          'MJ::Picread::Retry',
          'MJ::Job::PicReader::all',
        ]);
        expect(task.imageUrl).toBe('');
      }
    },
  );

  it('The shorten endpoint returns drafts and a button for each', async () => {
    const fixture = await startTestGateway();
    const prompt =
      'a very very beautiful and quite extraordinarily detailed old lighthouse standing on a rock in the middle of a storm';
    const task = await finishTask(fixture, await fixture.post('/imgx/submit/shorten', { prompt }));
    expect(task.description).toContain('Shortened prompts');
    expect(customIds(task)[0]).toBe('MJ::Job::PromptAnalyzer::1');
    expect(customIds(task).length).toBeLessThanOrEqual(5);
    const modalTask = await pressButton(fixture, task.id, 'MJ::Job::PromptAnalyzer::2');
    expect(task.description).toContain(modalTask.json.properties.finalPrompt);
  });

  it('The blend endpoint accepts two to five images and applies the requested shape', async () => {
    const fixture = await startTestGateway();
    const uri = await pngUri();
    expect((await fixture.post('/imgx/submit/blend', { base64Array: [uri] })).status).toBe(400);
    expect((await fixture.post('/imgx/submit/blend', { base64Array: Array(6).fill(uri) })).status).toBe(400);
    const task = await finishTask(
      fixture,
      await fixture.post('/imgx/submit/blend', { base64Array: [uri, uri], dimensions: 'PORTRAIT' }),
    );
    await fixture.get(new URL(task.imageUrl).pathname);
    const options = fixture.recorder.calls[0]?.options ?? {};
    expect(Number(options.width) / Number(options.height)).toBeCloseTo(2 / 3);
    expect(options.references).toHaveLength(2);
  });

  it.each(profiles)('The upload endpoint returns URLs that serve the same bytes (%s)', async (profile) => {
    const fixture = await startTestGateway({ profile });
    const uri = await pngUri();
    const { json } = await fixture.post('/imgx/submit/upload-discord-images', { base64Array: [uri, uri] });
    expect(json).toMatchObject({
      code: 1,
      result: [expect.stringContaining('/1.png'), expect.stringContaining('/2.png')],
    });
    const file = await fixture.get(new URL(json.result[1]).pathname, { key: null });
    expect(file.bytes.toString('base64')).toBe(uri.split(',')[1]);
    const rejectedResponse = await fixture.post('/imgx/submit/upload-discord-images', { base64Array: ['QUJD'] });
    expect(rejectedResponse.status).toBe(400);
  });

  it('The edits endpoint draws a grid from the image and the prompt', async () => {
    const fixture = await startTestGateway();
    expect((await fixture.post('/imgx/submit/edits', { prompt: 'make it blue' })).json.error.message).toBe(
      'image is required',
    );
    const task = await finishTask(
      fixture,
      await fixture.post('/imgx/submit/edits', { prompt: 'make it blue', image: await pngUri() }),
    );
    expect(task).toMatchObject({ action: 'EDITS', status: 'succeeded' });
    await fixture.get(new URL(task.imageUrl).pathname);
    expect(fixture.recorder.calls[0]?.options.references).toHaveLength(1);
  });

  it('The video endpoint creates the requested number of videos, which can be extended and upscaled', async () => {
    const fixture = await startTestGateway();
    const task = await finishTask(
      fixture,
      await fixture.post('/imgx/submit/video', {
        prompt: 'waves',
        motion: 'high',
        batchSize: 2,
        videoType: 'vid_1.1_i2v_720',
        image: await pngUri(),
      }),
    );
    expect(task).toMatchObject({ action: 'VIDEO', imageUrl: '', videoUrl: task.videoUrls[0].url });
    expect(task.videoUrls).toHaveLength(2);
    expect((await fixture.get(new URL(task.videoUrls[1].url).pathname)).headers['content-type']).toBe('video/mp4');
    expect(fixture.recorder.calls.at(-1)?.options).toMatchObject({ width: 1_280, height: 720, seconds: 5 });
    const upscaledVideo = await finishTask(
      fixture,
      await pressButton(fixture, task.id, customIdOf(task, 'video_virtual_upscale::2')),
    );
    expect(upscaledVideo).toMatchObject({ action: 'UPSCALE', videoUrls: [{ url: expect.any(String) }] });
    const modalTask = await fixture.post('/imgx/submit/video', {
      action: 'extend',
      taskId: task.id,
      index: 1,
      prompt: '',
    });
    expect(modalTask.json).toMatchObject({ code: 21, properties: { remix: true, finalPrompt: 'waves' } });
    const extendedVideo = await finishTask(
      fixture,
      await fixture.post('/imgx/submit/modal', { taskId: modalTask.json.id, prompt: 'higher waves' }),
    );
    await fixture.get(new URL(extendedVideo.videoUrl).pathname);
    expect(fixture.recorder.calls.at(-1)?.options.seconds).toBe(9);
  });

  it('The submit endpoints refuse invalid requests in the format of each profile', async () => {
    const [spec, stock] = [await startTestGateway(), await startTestGateway({ profile: 'stock' })];
    const invalidRequests: [string, object, RegExp, RegExp][] = [
      ['imagine', { prompt: ' ' }, /prompt is required/, /^prompt_is_required $/],
      ['describe', {}, /base64Array is required/, /^base64_array_is_required $/],
      ['describe', { base64Array: ['%%%'] }, /base64Array.0/, /base64/],
      ['describe', { base64Array: ['data:image/png;base64,A'] }, /malformed/, /malformed/],
      ['action', { taskId: '1' }, /customId is required/, /^custom_id_is_required $/],
      ['change', { taskId: '1', action: 'UPSCALE' }, /index is required/, /^index_is_required $/],
      ['change', { taskId: '1', action: 'UPSCALE', index: 5 }, /index must be from 1 to 4/, /index/],
      ['change', { taskId: '1', action: 'UPSCALE', index: 0 }, /index must be from 1 to 4/, /index/],
      ['change', { taskId: '1', action: 'FLIP', index: 1 }, /action/, /action/],
      ['simple-change', { content: '1  U2' }, /content/, /content/],
      ['simple-change', { content: 'U5 1' }, /content/, /content/],
      ['video', {}, /prompt is required/, /^prompt_is_required $/],
      ['video', { prompt: 'a', action: 'extend' }, /taskId is required/, /^task_id_is_required $/],
    ];
    for (const [name, body, message, description] of invalidRequests) {
      const specResponse = await spec.post(`/imgx/submit/${name}`, body);
      expect([specResponse.status, specResponse.json.error.message], name).toEqual([
        400,
        expect.stringMatching(message),
      ]);
      const stockResponse = await stock.post(`/imgx/submit/${name}`, body);
      expect([stockResponse.status, stockResponse.json], name).toEqual([
        400,
        { code: 4, type: 'upstream_error', description: expect.stringMatching(description) },
      ]);
    }
    expect((await stock.post('/imgx/submit/change', { taskId: '1', action: 'REROLL' })).json.description).toBe(
      'index_is_required ',
    );
  });
});

describe('The follow-ups of a task', () => {
  it('Each button of a grid starts a task when its custom id is submitted', async () => {
    const fixture = await startTestGateway();
    const grid = await imagine(fixture);
    const actions = new Map<string, string>();
    for (const id of customIds(grid)) {
      const response = await pressButton(fixture, grid.id, id);
      expect(response.json.status, id).toBe('queued');
      const task = await finishTask(fixture, response);
      expect(task.status, id).toBe('succeeded');
      actions.set(id.split('::')[2] ?? '', task.action);
    }
    expect(Object.fromEntries(actions)).toEqual({ upsample: 'UPSCALE', variation: 'VARIATION', reroll: 'REROLL' });
  });

  it('An upscale shows the same scene enlarged, a variation shows a similar scene, and a reroll shows new scenes', async () => {
    const fixture = await startTestGateway();
    const grid = await imagine(fixture);
    const draw = async (task: Json) => {
      await fixture.get(new URL(task.imageUrl).pathname);
      return fixture.recorder.calls.at(-1);
    };
    const gridCall = await draw(grid);
    const upscale = await draw(
      await finishTask(fixture, await pressButton(fixture, grid.id, customIdOf(grid, 'upsample::3'))),
    );
    expect(upscale?.kind).toBe('image');
    expect(upscale?.scenes[0]).toEqual(gridCall?.scenes[2]);
    const variation = await draw(
      await finishTask(fixture, await pressButton(fixture, grid.id, customIdOf(grid, 'variation::2'))),
    );
    expect(variation?.scenes).toHaveLength(4);
    for (const scene of variation?.scenes ?? []) {
      expect(scene.seed).toBe(gridCall?.scenes[1]?.seed);
      expect(scene).not.toEqual(gridCall?.scenes[1]);
    }
    const reroll = await draw(
      await finishTask(fixture, await pressButton(fixture, grid.id, customIdOf(grid, 'reroll'))),
    );
    const seeds = new Set(gridCall?.scenes.map(({ seed }) => seed));
    for (const scene of reroll?.scenes ?? []) expect(seeds.has(scene.seed)).toBe(false);
  });

  it('Each button of a single image starts a task or asks for a prompt', async () => {
    const fixture = await startTestGateway();
    const grid = await imagine(fixture);
    const single = await finishTask(fixture, await pressButton(fixture, grid.id, customIdOf(grid, 'upsample::1')));
    const ids = customIds(single);
    expect(ids.length).toBeGreaterThanOrEqual(14);
    expect(ids.length).toBeLessThanOrEqual(25);
    for (const id of ids) {
      expect(id.length).toBeLessThanOrEqual(100);
      const response = await pressButton(fixture, single.id, id);
      const needsPrompt = /CustomZoom|Inpaint/.test(id);
      expect(response.json.status, id).toBe(needsPrompt ? 'modal' : 'queued');
      if (needsPrompt) continue;
      const task = await finishTask(fixture, response);
      expect(task.status, id).toBe('succeeded');
      const url = task.imageUrl || task.videoUrl;
      expect((await fixture.get(new URL(url).pathname)).status, id).toBe(200);
    }
  });

  it('A zoom shows more of the scene and a pan shows the neighbouring area, in the same shape', async () => {
    const fixture = await startTestGateway();
    const grid = await imagine(fixture);
    const single = await finishTask(fixture, await pressButton(fixture, grid.id, customIdOf(grid, 'upsample::1')));
    const drawFollowUp = async (part: string) => {
      const task = await finishTask(fixture, await pressButton(fixture, single.id, customIdOf(single, part)));
      await fixture.get(new URL(task.imageUrl).pathname);
      return fixture.recorder.calls.at(-1);
    };
    expect((await drawFollowUp('Outpaint::50'))?.scenes[0]?.view.zoom).toBe(2);
    expect((await drawFollowUp('Outpaint::75'))?.scenes[0]?.view.zoom).toBe(1.5);
    const pan = await drawFollowUp('pan_left');
    expect(pan?.scenes[0]?.view.x).toBeLessThan(0);
    expect(Number(pan?.options.width) / Number(pan?.options.height)).toBeCloseTo(1.5);
  });

  it('Unknown custom ids and those of another task are refused with an error that names them', async () => {
    for (const profile of profiles) {
      const fixture = await startTestGateway({ profile });
      const grid = await imagine(fixture);
      const otherGrid = await imagine(fixture);
      for (const customId of ['MJ::JOB::teleport::1::x', customIdOf(otherGrid, 'upsample::1'), `MJ::BOOKMARK::x`]) {
        const { status, json } = await pressButton(fixture, grid.id, customId);
        expect(status).toBe(400);
        if (profile === 'spec')
          expect(json.error).toMatchObject({ message: `unknown_action:${customId}`, code: 'unknown_action' });
        else expect(json).toMatchObject({ code: 4, description: `unknown_action:${customId} ` });
      }
    }
  });

  it('A follow-up requires a successful parent', async () => {
    const [spec, stock] = [await startTestGateway(), await startTestGateway({ profile: 'stock' })];
    expect((await pressButton(spec, '123', 'MJ::x')).status).toBe(404);
    const unknownTaskResponse = await pressButton(stock, '123', 'MJ::x');
    expect([unknownTaskResponse.status, unknownTaskResponse.json.code]).toEqual([200, 3]);
    const queuedResponse = await spec.post('/imgx/submit/imagine', { prompt: 'a' });
    expect((await pressButton(spec, idOf(queuedResponse), 'MJ::x')).json.error.code).toBe('task_status_not_success');
  });

  it('The change and simple-change endpoints support U, V and R', async () => {
    const fixture = await startTestGateway();
    const grid = await imagine(fixture);
    const finishedAction = async (response: TestResponse) => (await finishTask(fixture, response)).action;
    const change = (body: object) => fixture.post('/imgx/submit/change', { taskId: grid.id, ...body });
    expect(await finishedAction(await change({ action: 'UPSCALE', index: 2 }))).toBe('UPSCALE');
    expect(await finishedAction(await change({ action: 'VARIATION', index: 4 }))).toBe('VARIATION');
    expect(await finishedAction(await change({ action: 'REROLL' }))).toBe('REROLL');
    const simpleChange = (content: string) => fixture.post('/imgx/submit/simple-change', { content });
    expect(await finishedAction(await simpleChange(`U2 ${grid.id}`))).toBe('UPSCALE');
    expect(await finishedAction(await simpleChange(`V3 ${grid.id}`))).toBe('VARIATION');
    expect(await finishedAction(await simpleChange(`R ${grid.id}`))).toBe('REROLL');
    expect((await simpleChange(`${grid.id} U2`)).status).toBe(400);
    const single = await finishTask(fixture, await change({ action: 'UPSCALE', index: 1 }));
    expect((await fixture.post('/imgx/submit/change', { taskId: single.id, action: 'UPSCALE', index: 1 })).status).toBe(
      400,
    );
  });
});

describe('A modal task', () => {
  async function openModal(fixture: TestGateway, part: string): Promise<{ response: TestResponse; single: Json }> {
    const grid = await imagine(fixture, 'a lighthouse');
    const single = await finishTask(fixture, await pressButton(fixture, grid.id, customIdOf(grid, 'upsample::1')));
    return { response: await pressButton(fixture, single.id, customIdOf(single, part)), single };
  }

  it('A modal task is created with code 21, waits indefinitely and is not charged until its prompt is submitted', async () => {
    const fixture = await startTestGateway();
    const requestsBefore = fixture.gateway.usage.rows('sk-sandbox')[0]?.requests ?? 0;
    const { response } = await openModal(fixture, 'CustomZoom');
    expect(response.json).toMatchObject({
      code: 21,
      status: 'modal',
      properties: { finalPrompt: 'a lighthouse --zoom 2', remix: true },
    });
    fixture.clock.advance(86_400_000);
    expect((await fixture.get(`/imgx/task/${response.json.id}/fetch`)).json.status).toBe('modal');
    const requestsAfter = fixture.gateway.usage.rows('sk-sandbox')[0]?.requests ?? 0;
    expect(requestsAfter - requestsBefore).toBe(2);
    await fixture.post('/imgx/submit/modal', { taskId: response.json.id, prompt: 'a lighthouse --zoom 1.4' });
    expect(fixture.gateway.usage.rows('sk-sandbox').reduce((sum, row) => sum + row.requests, 0)).toBe(3);
    const task = await finishTask(fixture, response);
    await fixture.get(new URL(task.imageUrl).pathname);
    expect(fixture.recorder.calls.at(-1)?.scenes[0]?.view.zoom).toBe(1.4);
  });

  it('A modal task has the status MODAL in the stock profile, where local edit and custom zoom keep code 21', async () => {
    const fixture = await startTestGateway({ profile: 'stock' });
    const { response } = await openModal(fixture, 'Inpaint');
    expect(response.json).toMatchObject({
      code: 21,
      description: 'Waiting for window confirm',
      properties: { remix: true },
    });
    const task = (await fixture.get(`/imgx/task/${response.json.result}/fetch`)).json;
    expect(task).toMatchObject({ status: 'MODAL', progress: '0%', action: 'INPAINT' });
  });

  it('A modal task accepts a mask that limits the edit', async () => {
    const fixture = await startTestGateway();
    const { response, single } = await openModal(fixture, 'Inpaint');
    const mask = await pngUri('#fff');
    expect(
      (await fixture.post('/imgx/submit/modal', { taskId: response.json.id, prompt: 'a boat', maskBase64: 'QUJD' }))
        .status,
    ).toBe(400);
    const task = await finishTask(
      fixture,
      await fixture.post('/imgx/submit/modal', { taskId: response.json.id, prompt: 'a boat', maskBase64: mask }),
    );
    expect(task).toMatchObject({ id: response.json.id, status: 'succeeded', prompt: 'a boat', action: 'INPAINT' });
    await fixture.get(new URL(single.imageUrl).pathname);
    const originalScene = fixture.recorder.calls.at(-1)?.scenes[0];
    await fixture.get(new URL(task.imageUrl).pathname);
    const edit = fixture.recorder.calls.at(-1);
    expect(edit?.kind).toBe('edit');
    expect(edit?.scenes[0]).toEqual(originalScene);
    expect(edit?.scenes[1]?.prompt).toBe('a boat');
    expect((await sharp(edit?.options.mask as Buffer).metadata()).width).toBe(8);
  });

  it('A modal task imagines the selected line of a description, or another prompt', async () => {
    const fixture = await startTestGateway();
    const description = await finishTask(
      fixture,
      await fixture.post('/imgx/submit/describe', { base64Array: [await pngUri()] }),
    );
    const response = await pressButton(fixture, description.id, 'MJ::Job::PicReader::2');
    expect(description.properties.finalPrompt).toContain(response.json.properties.finalPrompt);
    const unchangedPrompt = await finishTask(
      fixture,
      await fixture.post('/imgx/submit/modal', { taskId: response.json.id, prompt: '' }),
    );
    expect(unchangedPrompt).toMatchObject({ action: 'IMAGINE', prompt: response.json.properties.finalPrompt });
    const allLines = await finishTask(fixture, await pressButton(fixture, description.id, 'MJ::Job::PicReader::all'));
    expect(allLines.buttons).toHaveLength(9);
    const repeatedDescription = await finishTask(
      fixture,
      await pressButton(fixture, description.id, 'MJ::Picread::Retry'),
    );
    expect(repeatedDescription.properties.finalPrompt).toBe(description.properties.finalPrompt);
  });

  it('Variation, reroll, pan and animate create a modal task only in remix mode', async () => {
    const fixture = await startTestGateway({ quirks: { remix: true } });
    const grid = await imagine(fixture);
    for (const part of ['variation::1', 'reroll']) {
      const response = await pressButton(fixture, grid.id, customIdOf(grid, part));
      expect(response.json.code, part).toBe(21);
      const task = await finishTask(
        fixture,
        await fixture.post('/imgx/submit/modal', { taskId: response.json.id, prompt: 'a tower --ar 1:1' }),
      );
      expect(task).toMatchObject({ status: 'succeeded', prompt: 'a tower --ar 1:1' });
    }
    expect((await pressButton(fixture, grid.id, customIdOf(grid, 'upsample::1'))).json.status).toBe('queued');
    const single = await finishTask(fixture, await pressButton(fixture, grid.id, customIdOf(grid, 'upsample::2')));
    for (const part of ['pan_left', 'animate_high']) {
      const response = await pressButton(fixture, single.id, customIdOf(single, part));
      expect(response.json.code, part).toBe(21);
    }
  });

  it('A modal task cannot be submitted twice, and other tasks cannot be submitted as modal tasks', async () => {
    const fixture = await startTestGateway();
    const { response, single } = await openModal(fixture, 'CustomZoom');
    const modalRequest = { taskId: response.json.id, prompt: 'a --zoom 2' };
    expect((await fixture.post('/imgx/submit/modal', modalRequest)).status).toBe(200);
    expect((await fixture.post('/imgx/submit/modal', modalRequest)).status).toBe(400);
    expect((await fixture.post('/imgx/submit/modal', { ...modalRequest, taskId: single.id })).status).toBe(400);
    expect((await fixture.post('/imgx/submit/modal', { ...modalRequest, taskId: '5' })).status).toBe(404);
  });
});

describe('The list of tasks by ids', () => {
  it.each(profiles)(
    'The list of tasks is a plain array without unknown ids, and empty for no ids (%s)',
    async (profile) => {
      const fixture = await startTestGateway({ profile });
      const firstId = idOf(await fixture.post('/imgx/submit/imagine', { prompt: 'a' }));
      const secondId = idOf(await fixture.post('/imgx/submit/imagine', { prompt: 'b' }));
      const list = async (body: object) => (await fixture.post('/imgx/task/list-by-condition', body)).json;
      expect((await list({ ids: [secondId, 'unknown', firstId] })).map((task: Json) => task.id)).toEqual([
        secondId,
        firstId,
      ]);
      expect(await list({ ids: [] })).toEqual([]);
      await fixture.runToEnd(firstId);
      expect(
        (await list({ status: profile === 'spec' ? 'succeeded' : 'SUCCESS' })).map((task: Json) => task.id),
      ).toContain(firstId);
      expect(await list({ ids: [firstId], status: 'failed' })).toEqual([]);
    },
  );
});
