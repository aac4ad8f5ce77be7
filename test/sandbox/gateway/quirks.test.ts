import { describe, expect, it } from 'vitest';
import type { Quirks } from '../../../sandbox/gateway/gateway.ts';
import { quirksOf } from '../../../sandbox/gateway/quirks.ts';
import { LONGER_THAN_ANY_JOB_MS, startTestGateway, type TestGateway } from './bench.ts';

const imaginePath = '/imgx/submit/imagine';
const videoPath = '/v1/video/generations';
const promptBody = { prompt: 'a boat' };
const videoRequest = { model: 'reel-2', prompt: 'a wave' };

async function finishGrid(fixture: TestGateway): Promise<string> {
  const { json } = await fixture.post(imaginePath, promptBody);
  const id = String(json.result ?? json.id);
  await fixture.runToEnd(id);
  return id;
}

async function finishVideo(fixture: TestGateway) {
  const { json } = await fixture.post(videoPath, videoRequest);
  await fixture.runToEnd(json.task_id);
  return (await fixture.get(`${videoPath}/${json.task_id}`)).json;
}

describe('The quirks of the gateway', () => {
  it('Quirks override those of the profile, even after the profile changes', async () => {
    const { gateway } = await startTestGateway({ quirks: { remix: true } });
    expect(gateway.settings.quirks).toEqual({ ...quirksOf('spec'), remix: true });
    gateway.settings.profile = 'stock';
    expect(gateway.settings.quirks).toEqual({ ...quirksOf('stock'), remix: true });
  });

  it('With rewriteCodes, a task that is waiting for a prompt returns code 1, except local edit and custom zoom', async () => {
    for (const rewriteCodes of [true, false]) {
      const fixture = await startTestGateway({ profile: 'stock', quirks: { remix: true, rewriteCodes } });
      const id = await finishGrid(fixture);
      const { buttons } = (await fixture.get(`/imgx/task/${id}/fetch`)).json;
      const rerollCustomId = buttons.find((button: { customId: string }) =>
        button.customId.includes('reroll'),
      ).customId;
      const { json } = await fixture.post('/imgx/submit/action', { taskId: id, customId: rerollCustomId });
      expect(json).toMatchObject({ code: rewriteCodes ? 1 : 21, properties: { remix: true } });
      expect((await fixture.get(`/imgx/task/${json.result}/fetch`)).json.status).toBe('MODAL');
    }
  });

  it('With queuedFrom and fullFrom, submits return code 22 with the queue length, then 23 without a task', async () => {
    const fixture = await startTestGateway({
      profile: 'stock',
      quirks: { rewriteCodes: false, queuedFrom: 1, fullFrom: 2 },
    });
    expect((await fixture.post(imaginePath, promptBody)).json.code).toBe(1);
    expect((await fixture.post(imaginePath, promptBody)).json).toMatchObject({
      code: 22,
      result: expect.any(String),
      properties: { numberOfQueues: 1 },
    });
    const fullQueueResponse = await fixture.post(imaginePath, promptBody);
    expect([fullQueueResponse.status, fullQueueResponse.json.code, fullQueueResponse.json.result]).toEqual([
      200,
      23,
      '',
    ]);
    expect(fixture.gateway.jobs.list()).toHaveLength(2);
    fixture.clock.advance(LONGER_THAN_ANY_JOB_MS);
    expect((await fixture.post(imaginePath, promptBody)).json.code).toBe(1);
    fixture.gateway.settings.quirks.rewriteCodes = true;
    expect((await fixture.post(imaginePath, promptBody)).json.code).toBe(1);
  });

  it('A banned word returns code 24 in the stock profile and a plain refusal in the spec profile', async () => {
    const prompt = { prompt: 'a Banned-Word on a wall' };
    const stock = await (await startTestGateway({ profile: 'stock' })).post(imaginePath, prompt);
    expect([stock.status, stock.json]).toEqual([
      200,
      expect.objectContaining({ code: 24, properties: { promptEn: prompt.prompt, bannedWord: 'banned-word' } }),
    ]);
    const spec = await (await startTestGateway()).post(imaginePath, prompt);
    expect([spec.status, spec.json.error.code]).toEqual([400, 'sensitive_words_detected']);
  });

  it('With emptyStatus, a task has no status until it runs', async () => {
    const fixture = await startTestGateway({ quirks: { emptyStatus: true } });
    const { json } = await fixture.post(imaginePath, promptBody);
    expect(json.status).toBe('');
    fixture.clock.advance(20_000);
    expect((await fixture.get(`/imgx/task/${json.id}/fetch`)).json.status).toBe('running');
  });

  it('With repeatsKnown, a repeated upscale returns code 21 with the existing task', async () => {
    const fixture = await startTestGateway({ profile: 'stock', quirks: { rewriteCodes: false } });
    const taskId = await finishGrid(fixture);
    const upscale = async () =>
      (await fixture.post('/imgx/submit/change', { taskId, action: 'UPSCALE', index: 2 })).json;
    const first = await upscale();
    await fixture.runToEnd(first.result);
    const totalBefore = fixture.gateway.usage.total('sk-sandbox');
    expect(await upscale()).toMatchObject({
      code: 21,
      result: first.result,
      properties: { status: 'SUCCESS', imageUrl: expect.stringContaining('http') },
    });
    expect(fixture.gateway.usage.total('sk-sandbox')).toBe(totalBefore);
  });

  it('With refusedActions, actions that a stock gateway cannot charge are refused, and a favourite button is shown', async () => {
    const fixture = await startTestGateway({ profile: 'stock' });
    const taskId = await finishGrid(fixture);
    const { result } = (await fixture.post('/imgx/submit/change', { taskId, action: 'UPSCALE', index: 1 })).json;
    await fixture.runToEnd(result);
    const { buttons } = (await fixture.get(`/imgx/task/${result}/fetch`)).json;
    const refusedActions: string[] = [];
    for (const { customId } of buttons) {
      const { status, json } = await fixture.post('/imgx/submit/action', { taskId: result, customId });
      if (status === 400) refusedActions.push(json.description.replace(/::[0-9a-f-]{36}.*/, '').trim());
    }
    expect(refusedActions).toEqual([
      'unknown_action:MJ::JOB::animate_high::1',
      'unknown_action:MJ::JOB::animate_low::1',
      'unknown_action:MJ::BOOKMARK',
    ]);
  });

  it('With listsAsText, buttons and videoUrls are JSON strings', async () => {
    const fixture = await startTestGateway({ quirks: { listsAsText: true } });
    const task = (await fixture.get(`/imgx/task/${await finishGrid(fixture)}/fetch`)).json;
    expect(JSON.parse(task.buttons)).toHaveLength(9);
    expect(task.videoUrls).toBe('[]');
  });

  it.each(['spec', 'stock'] as const)('With numericIds, ids are exact numbers (%s)', async (profile) => {
    const fixture = await startTestGateway({ profile, quirks: { numericIds: true } });
    const { text } = await fixture.post(imaginePath, promptBody);
    const [job] = fixture.gateway.jobs.list();
    expect(text).toContain(`"${profile === 'spec' ? 'id' : 'result'}":${job?.id}`);
    expect((await fixture.get(`/imgx/task/${job?.id}/fetch`)).text).toContain(`"id":${job?.id},`);
    await fixture.runToEnd(job?.id ?? '');
    const content = profile === 'spec' ? `U1 ${job?.id}` : `${job?.id} U1`;
    const followUp = await fixture.call('POST', '/imgx/submit/simple-change', { raw: `{"content":"${content}"}` });
    expect(followUp.status).toBe(200);
  });

  it.each(['spec', 'stock'] as const)(
    'With unknownEnvelopes, a task is nested deeper, under other names, with a number as its id (%s)',
    async (profile) => {
      const fixture = await startTestGateway({ profile, quirks: { unknownEnvelopes: true } });
      const { text } = await fixture.post(imaginePath, promptBody);
      const [job] = fixture.gateway.jobs.list();
      expect(text).toMatch(
        new RegExp(`^\\{"Ok":true,"TraceId":"[^"]+","Envelope":\\{"UserId":7,"Parcel":\\{"GenerationRef":${job?.id},`),
      );
      const { json } = await fixture.get(`/imgx/task/${job?.id}/fetch`);
      expect(json.Envelope.Parcel).toMatchObject({ JobPhase: expect.any(String), PercentComplete: expect.anything() });
    },
  );

  it('With successWithoutAddress, the tasks of every family succeed without a URL', async () => {
    const fixture = await startTestGateway({ quirks: { successWithoutAddress: true } });
    expect((await fixture.get(`/imgx/task/${await finishGrid(fixture)}/fetch`)).json).toMatchObject({
      status: 'succeeded',
      imageUrl: '',
    });
    const task = await finishVideo(fixture);
    expect(task.status).toBe('succeeded');
    expect(task).not.toHaveProperty('url');
    const image = (await fixture.post('/v1/images/generations/jobs', { model: 'lumen-image-1', ...promptBody })).json
      .id;
    await fixture.runToEnd(image);
    expect((await fixture.get(`/v1/images/generations/jobs/${image}`)).json).toMatchObject({
      status: 'succeeded',
      data: [],
    });
    const song = (await fixture.post('/music/submit/music', promptBody)).json.id;
    await fixture.runToEnd(song);
    expect((await fixture.get(`/music/fetch/${song}`)).json).toMatchObject({ status: 'succeeded', data: [] });
  });

  it('With videoShape, each of the five formats has the URL in a different field', async () => {
    const fixture = await startTestGateway();
    const file = expect.stringContaining('/files/task_');
    const expectedTasks = {
      flat: { status: 'succeeded', url: file },
      wrapped: { code: 'success', data: { status: 'SUCCESS', result_url: file } },
      short: { code: 'success', data: { status: 'succeeded', url: file, error: null, format: 'mp4' } },
      legacy: { code: 'success', data: { status: 'SUCCESS', fail_reason: file } },
      native: { code: 0, data: { task_status: 'succeed', task_result: { videos: [{ url: file }] } } },
    } satisfies Record<Quirks['videoShape'], object>;
    for (const shape of Object.keys(expectedTasks) as Quirks['videoShape'][]) {
      fixture.gateway.settings.quirks.videoShape = shape;
      expect(await finishVideo(fixture), shape).toMatchObject(expectedTasks[shape]);
    }
  });

  it('With vendorPathNative, the vendor endpoint uses its own format and not that of the other endpoints', async () => {
    const fixture = await startTestGateway({ quirks: { vendorPathNative: true } });
    const { json } = await fixture.post(videoPath, videoRequest);
    expect((await fixture.get(`/videoa/v1/videos/image2video/${json.task_id}`)).json.code).toBe(0);
    expect((await fixture.get(`${videoPath}/${json.task_id}`)).json.status).toBe('queued');
  });

  it('With innerContradiction, the inner vendor status of a finished video is still `processing`', async () => {
    const fixture = await startTestGateway({ profile: 'stock', quirks: { innerContradiction: true } });
    expect(await finishVideo(fixture)).toMatchObject({
      data: { status: 'SUCCESS', result_url: expect.stringContaining('http'), data: { status: 'processing' } },
    });
  });

  it.each(['spec', 'stock'] as const)(
    'With lateTask, a task does not exist for its first second (%s)',
    async (profile) => {
      const fixture = await startTestGateway({ profile, speed: 2, quirks: { lateTask: true } });
      const { task_id } = (await fixture.post(videoPath, videoRequest)).json;
      const song = (await fixture.post('/music/submit/music', promptBody)).json;
      const paths = [`${videoPath}/${task_id}`, `/music/fetch/${song.id ?? song.data}`];
      for (const path of paths) expect((await fixture.get(path)).status).toBe(profile === 'spec' ? 404 : 400);
      fixture.clock.advance(500);
      for (const path of paths) expect((await fixture.get(path)).status).toBe(200);
    },
  );

  it('With contentOnly, a finished video is available only under /content', async () => {
    const fixture = await startTestGateway({ quirks: { contentOnly: true } });
    const { json } = await fixture.post('/v1/videos', videoRequest);
    await fixture.runToEnd(json.id);
    const task = (await fixture.get(`/v1/videos/${json.id}`)).json;
    expect(JSON.stringify(task)).not.toContain('http');
    expect((await fixture.get(`/v1/videos/${json.id}/content`)).status).toBe(200);
  });

  it('The quirks fineTunesMissing, usageIgnoresDates and unknownModelUnavailable also apply to the spec profile', async () => {
    const fixture = await startTestGateway({
      quirks: { fineTunesMissing: true, usageIgnoresDates: true, unknownModelUnavailable: true },
    });
    expect((await fixture.get('/v1/fine-tunes/ft-sandbox-1/events')).status).toBe(501);
    await fixture.post('/music/submit/lyrics', promptBody);
    expect(
      (await fixture.get('/v1/dashboard/billing/usage?start_date=1999-01-01&end_date=1999-01-02')).json.data,
    ).toHaveLength(1);
    const unknownModelResponse = await fixture.post(videoPath, { ...videoRequest, model: 'none' });
    expect([unknownModelResponse.status, unknownModelResponse.json.error.code]).toEqual([503, 'model_not_found']);
  });
});
