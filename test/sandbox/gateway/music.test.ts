import { describe, expect, it } from 'vitest';
import { type Json, startTestGateway } from './bench.ts';

const songRequest = { prompt: 'the tide comes in', tags: 'folk, calm', title: 'Tide', mv: 'chirp-v4' };

describe('The music tasks of the gateway', () => {
  it('A music task is queued, streams and completes in the format of the specification', async () => {
    const { post, get, clock, runToEnd } = await startTestGateway();
    const submitResponse = await post('/music/submit/music', songRequest);
    expect(submitResponse.json).toMatchObject({
      id: submitResponse.json.task_id,
      status: 'queued',
      action: 'MUSIC',
      progress: 0,
      data: [],
    });
    const { id } = submitResponse.json;
    clock.advance(40_000);
    const runningTask = (await get(`/music/fetch/${id}`)).json;
    expect(runningTask).toMatchObject({ task_id: id, status: 'running', fail_reason: '' });
    expect(runningTask.data).toHaveLength(2);
    for (const clip of runningTask.data) expect(clip).toMatchObject({ status: 'streaming', audio_url: '' });
    await runToEnd(id);
    const finishedTask = (await get(`/music/fetch/${id}`)).json;
    expect(finishedTask).toMatchObject({ status: 'succeeded', progress: 100 });
    for (const clip of finishedTask.data) {
      expect(clip).toMatchObject({
        status: 'complete',
        title: 'Tide',
        metadata: { tags: 'folk, calm', prompt: songRequest.prompt, duration: 20 },
      });
      expect((await get(new URL(clip.audio_url).pathname, { key: null })).headers['content-type']).toBe('audio/wav');
      expect((await get(new URL(clip.image_url).pathname, { key: null })).headers['content-type']).toBe('image/png');
    }
  });

  it('In the stock profile, a music task is wrapped in an envelope, and the submit response contains only its id', async () => {
    const { post, get, runToEnd } = await startTestGateway({ profile: 'stock' });
    const submitResponse = await post('/music/submit/music', songRequest);
    expect(submitResponse.json).toEqual({
      code: 'success',
      message: '',
      data: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    const id = submitResponse.json.data;
    expect((await get(`/music/fetch/${id}`)).json.data).toMatchObject({
      status: 'SUBMITTED',
      progress: '0%',
      start_time: 0,
    });
    await runToEnd(id);
    const { data } = (await get(`/music/fetch/${id}`)).json;
    expect(data).toMatchObject({ task_id: id, status: 'SUCCESS', progress: '100%' });
    expect(data.finish_time).toBeLessThan(1e11);
  });

  it('A batch of music tasks omits unknown ids', async () => {
    const { post, runToEnd } = await startTestGateway();
    const ids: string[] = [];
    for (const title of ['one', 'two'])
      ids.push((await post('/music/submit/music', { ...songRequest, title })).json.id);
    await runToEnd(ids[0] ?? '');
    const { json } = await post('/music/fetch', { ids: [...ids, 'unknown', ids[0]] });
    expect(Object.keys(json)).toEqual(['data']);
    expect(json.data.map((task: Json) => task.task_id)).toEqual(ids);
    expect((await post('/music/fetch', { ids: [] })).json).toEqual({ data: [] });
    expect((await post('/music/fetch', {})).status).toBe(400);
    expect((await post('/music/fetch', { ids: [1] })).status).toBe(400);
  });

  it('A batch of music tasks without results is null in the stock profile', async () => {
    const { post } = await startTestGateway({ profile: 'stock' });
    expect((await post('/music/fetch', { ids: ['unknown'] })).json).toEqual({
      code: 'success',
      message: '',
      data: null,
    });
    const id = (await post('/music/submit/music', songRequest)).json.data;
    expect((await post('/music/fetch', { ids: [id] })).json).toMatchObject({
      code: 'success',
      data: [{ task_id: id }],
    });
  });

  it('With looseBatches and batchLimit, a batch is incomplete, unordered and limited in size', async () => {
    const { post } = await startTestGateway({ quirks: { looseBatches: true, batchLimit: 20 } });
    const ids: string[] = [];
    for (let count = 0; count < 20; count += 1) ids.push((await post('/music/submit/music', songRequest)).json.id);
    const returnedIds: string[] = (await post('/music/fetch', { ids })).json.data.map((task: Json) => task.task_id);
    expect(returnedIds.length).toBeGreaterThan(5);
    expect(returnedIds.length).toBeLessThan(20);
    expect(returnedIds).not.toEqual(ids.filter((id) => returnedIds.includes(id)));
    expect((await post('/music/fetch', { ids: [...ids, 'one-more'] })).status).toBe(400);
  });

  it('Lyrics are written from the prompt', async () => {
    const { post, get, runToEnd } = await startTestGateway();
    const submitResponse = await post('/music/submit/lyrics', { prompt: 'lanterns on the river' });
    expect(submitResponse.json).toMatchObject({ action: 'LYRICS', data: null });
    await runToEnd(submitResponse.json.id);
    const { data } = (await get(`/music/fetch/${submitResponse.json.id}`)).json;
    expect(data).toMatchObject({ status: 'complete', title: expect.any(String) });
    expect(data.text.toLowerCase()).toMatch(/lantern|river/);
  });

  it('A failed music task has a reason in the task and in its clips', async () => {
    const { post, get, runToEnd, gateway } = await startTestGateway();
    gateway.faults.add({ do: { type: 'fail', reason: 'Out of tune.' } });
    const { id } = (await post('/music/submit/music', songRequest)).json;
    await runToEnd(id);
    const { json } = await get(`/music/fetch/${id}`);
    expect(json).toMatchObject({ status: 'failed', fail_reason: 'Out of tune.' });
    expect(json.data[0]).toMatchObject({ status: 'error', metadata: { error_message: 'Out of tune.' } });
  });

  it('A music task requires a prompt or a description, and a music model', async () => {
    const { post } = await startTestGateway();
    expect((await post('/music/submit/music', { title: 'x' })).json.error.message).toBe('prompt is required');
    expect((await post('/music/submit/music', { gpt_description_prompt: 'a calm song' })).status).toBe(200);
    expect((await post('/music/submit/music', { ...songRequest, mv: 'chorale-4.5' })).status).toBe(200);
    expect((await post('/music/submit/music', { ...songRequest, mv: 'reel-2' })).status).toBe(400);
    expect((await post('/music/submit/music', { ...songRequest, mv: 'none' })).status).toBe(404);
    expect((await post('/music/submit/lyrics', { prompt: '' })).status).toBe(400);
  });
});
