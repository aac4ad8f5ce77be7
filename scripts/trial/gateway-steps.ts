import sharp from 'sharp';
import { dayOf, pause, systemClock } from '../../src/lib/clock.ts';
import { PCM_RATE, wavOf } from '../../src/lib/pcm.ts';
import type { ModelKind } from '../../src/services/gateway/model-families.ts';
import type { Snapshot, Submission } from '../../src/services/gateway/snapshot.ts';
import type { TextRequest, TextTool } from '../../src/services/gateway/text-request.ts';
import type { Source } from '../../src/services/tasks/kind.ts';
import { modelsOfKind } from '../setup/gateway-side.ts';
import type { PricedJob } from './prices.ts';
import { LeftOut, orRefusal, type Step, stepsOf, Unexpected } from './run.ts';
import { PROMPT, type Sides } from './sides.ts';

/** No gateway has a model or a task with this name. */
const UNKNOWN = 'atelier-trial-unknown';
const SHORTEST_VIDEO_SECONDS = 5;
const IMAGE_SIDE = 256;
/** Longer than a video takes. */
const MAX_JOB_MS = 14 * 60_000;
const UNIT = { unit: { type: 'string' } };
const once = { attempts: 1 };

interface Job extends PricedJob {
  model?: ModelKind;
  /** What the id of the model must contain. */
  pattern?: RegExp;
  run(model: string): Promise<unknown>;
}

/** Each family of endpoints once, by the typed client, with the cheapest model that the gateway lists for it. */
export function gatewaySteps(sides: Sides): Step[] {
  const { config, models, prices } = sides;
  const { talk: voice, ...preferred } = config.models;
  const defaults: Partial<Record<ModelKind, string | undefined>> = { ...preferred, voice };
  const jobs = Object.entries({ ...textJobs(sides), ...taskJobs(sides), ...otherJobs(sides) });
  const paidSteps = jobs.map(([name, { run, ...job }]): Step => {
    const { model: kind, pattern = /./ } = job;
    const fitting = kind ? modelsOfKind(kind, models, config.modelKinds).filter(({ id }) => pattern.test(id)) : [];
    const model = prices.cheapestOf(fitting, job, kind && defaults[kind]);
    if (kind === undefined || model !== undefined)
      return { side: 'gateway', name, cost: { estimate: prices.estimateOf(job, model) }, run: () => run(model ?? '') };
    return { side: 'gateway', name, run: () => Promise.reject(new LeftOut('the gateway lists no model for it')) };
  });
  return [...stepsOf('gateway', freeReads(sides)), ...paidSteps];
}

function freeReads({ gateway, models, pricingPath }: Sides): Record<string, Step['run']> {
  const { imgx, imageJobs: jobs, videos, v1Videos, imageToVideo, music, fineTunes, usage } = gateway;
  const request = { model: UNKNOWN, prompt: PROMPT };
  const today = dayOf(systemClock.now());
  return {
    'List of models': () => gateway.models.list(once),
    'One model': () => gateway.models.get(models[0]?.id ?? UNKNOWN, once),
    'Unknown model': () => orRefusal(gateway.models.get(UNKNOWN, once)),
    'Compatible list of models': () => orRefusal(gateway.models.listCompat(once)),
    'Price list': () => orRefusal(gateway.prices.get(pricingPath, once)),
    Usage: () => orRefusal(usage.get({ start: today, end: today }, once)),
    'Limit of the account': () => orRefusal(usage.limit(once)),
    'Unknown fine-tuning job': () => orRefusal(fineTunes.events(UNKNOWN, once)),
    'Unknown imagine task': () => orRefusal(imgx.get(UNKNOWN, once)),
    'Unknown image job': () => orRefusal(jobs.get(UNKNOWN, once)),
    'Unknown video': () => orRefusal(videos.get(UNKNOWN, once)),
    'Unknown video of the second entry': () => orRefusal(v1Videos.get(UNKNOWN, once)),
    'Unknown video of the vendor path': () => orRefusal(imageToVideo.get(UNKNOWN, once)),
    'Unknown song': () => orRefusal(music.get(UNKNOWN, once)),
    'Unknown songs together': () => orRefusal(music.getMany([UNKNOWN], once)),
    'Image job of an unknown model': () => orRefusal(jobs.create(request, newKey())),
    'Video of an unknown model': () => orRefusal(videos.create(request)),
    'Answer of an unknown model': () => orRefusal(answer(gateway, { model: UNKNOWN, input: PROMPT }, true)),
    'Action on an unknown task': () => orRefusal(imgx.action({ taskId: UNKNOWN, customId: UNKNOWN })),
  };
}

const newKey = () => ({ idempotencyKey: `trial-${crypto.randomUUID()}` });

async function answer({ responses }: Sides['gateway'], request: TextRequest, isBuffered: boolean): Promise<void> {
  const events = await Array.fromAsync(responses.stream(request, { isBuffered }));
  const last = events.at(-1);
  if (!last || !('response' in last)) throw new Unexpected('the answer has no end');
  if (last.response.error) throw last.response.error;
}

const THERMOMETER: TextTool = {
  type: 'function',
  name: 'read_thermometer',
  description: 'Reads the thermometer at the window.',
  parameters: { type: 'object', properties: UNIT, required: ['unit'], additionalProperties: false },
};

function textJobs({ gateway }: Sides): Record<string, Job> {
  const ask = (isBuffered: boolean, request: Partial<TextRequest> = {}): Job => ({
    kind: 'ask',
    model: 'text',
    run: (model) => answer(gateway, { model, input: 'Reply with the single word: ready.', ...request }, isBuffered),
  });
  return {
    'Answer in one piece': ask(true),
    'Streamed answer': ask(false),
    'Streamed answer with a tool': ask(false, { input: 'How warm is it? Call the tool.', tools: [THERMOMETER] }),
  };
}

/** Polls until the task ends, as the bot does. A failed job is a failed step, although its response is recorded all the same. */
async function follow(
  { recorder, pollMs }: Sides,
  endpoint: Source['endpoint'],
  { remoteId }: Submission,
): Promise<Snapshot> {
  const end = systemClock.now() + MAX_JOB_MS;
  while (systemClock.now() < end) {
    const snapshot = await endpoint.get(remoteId, once);
    recorder.label(snapshot.state);
    if (snapshot.state === 'failed') throw new Unexpected('the job failed');
    if (snapshot.state === 'needs-input') throw new Unexpected('the job waits for a prompt');
    if (snapshot.state === 'succeeded') {
      if (snapshot.isEmpty) throw new Unexpected('the job succeeded without a result that our reader finds');
      return snapshot;
    }
    await pause(systemClock, pollMs);
  }
  throw new Unexpected('the job did not end within 14 minutes');
}

function taskJobs(sides: Sides): Record<string, Job> {
  const { imgx, imageJobs, videos, v1Videos, imageToVideo } = sides.gateway;
  let latest: Snapshot | undefined;
  const task = (
    endpoint: Source['endpoint'],
    job: Omit<Job, 'run'>,
    submit: (model: string) => Promise<Submission>,
  ) => ({
    ...job,
    run: async (model: string) => {
      latest = await follow(sides, endpoint, await submit(model));
    },
  });
  const imgxTask = (kind: string, submit: () => Promise<Submission>): Job =>
    task(imgx, { kind, listName: `mj_${kind}` }, submit);
  const upscale = async (): Promise<Submission> => {
    const button = latest?.actions.find(({ customId }) => /upsample::1/i.test(customId));
    if (!latest?.remoteId || !button) throw new LeftOut('there is no grid with an upscale button');
    return imgx.action({ taskId: latest.remoteId, customId: button.customId });
  };
  const video = { kind: 'video', model: 'video', seconds: String(SHORTEST_VIDEO_SECONDS) } as const;
  const request = (model: string) => ({ model, prompt: PROMPT, duration: SHORTEST_VIDEO_SECONDS });
  return {
    'Image job': task(imageJobs, { kind: 'image', model: 'image' }, (model) =>
      imageJobs.create({ model, prompt: PROMPT }, newKey()),
    ),
    Imagine: imgxTask('imagine', () => imgx.imagine({ prompt: PROMPT })),
    Upscale: imgxTask('upscale', upscale),
    Shorten: imgxTask('shorten', () => imgx.shorten({ prompt: `${PROMPT}, in great detail, very beautiful` })),
    Describe: imgxTask('describe', async () => imgx.describe({ images: [await dataUriOf(RED)] })),
    Blend: imgxTask('blend', async () => imgx.blend({ images: [await dataUriOf(RED), await dataUriOf('#2040a0')] })),
    Video: task(videos, video, (model) => videos.create(request(model))),
    'Video of the second entry': task(v1Videos, video, (model) => v1Videos.create(request(model))),
    'Video of the vendor path': task(imageToVideo, video, async (model) => {
      const [image = ''] = await imgx.upload({ images: [await dataUriOf(RED)] });
      return imageToVideo.create({ ...request(model), image });
    }),
  };
}

const RED = '#b03020';

export const pngOf = (background: string): Promise<Buffer> =>
  sharp({ create: { width: IMAGE_SIDE, height: IMAGE_SIDE, channels: 3, background } })
    .png()
    .toBuffer();

const dataUriOf = async (background: string): Promise<string> =>
  `data:image/png;base64,${(await pngOf(background)).toString('base64')}`;

function otherJobs(sides: Sides): Record<string, Job> {
  const { moderation, gateway } = sides;
  const { music, realtime, transcriptions } = gateway;
  return {
    ...(moderation && {
      Moderation: {
        kind: 'moderation',
        run: async () => {
          const judgements = [await moderation.judgeText(PROMPT), await moderation.judgeImage(await dataUriOf(RED))];
          if (judgements.includes(undefined)) throw new Unexpected('there is no judgement that our reader finds');
        },
      },
    }),
    Song: {
      kind: 'music',
      listName: 'suno_music',
      run: async () => {
        const submission = await music.makeSong({ about: 'a short calm tune', instrumental: true });
        await follow(sides, music, submission);
        await music.getMany([submission.remoteId], once);
      },
    },
    'Live conversation': {
      kind: 'talk',
      model: 'voice',
      run: async (model) => {
        const session = await realtime.open({ model });
        const reply = await session.say({ text: 'Say only: ready.' });
        for await (const event of reply.events)
          if (event.type === 'end' && event.response.error) throw event.response.error;
        await session.close();
      },
    },
    Transcription: {
      kind: 'transcription',
      model: 'speech',
      pattern: /whisper|transcri/i,
      run: (model) => transcriptions.create({ model, wav: wavOf(tone()) }),
    },
  };
}

/** One second of a quiet tone. */
export const tone = (): Int16Array => Int16Array.from({ length: PCM_RATE }, (_, index) => 4_000 * Math.sin(index / 10));
