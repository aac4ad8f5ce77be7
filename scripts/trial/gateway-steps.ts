import sharp from 'sharp';
import { type Clock, dayOf, pause } from '../../src/lib/clock.ts';
import { PCM_RATE, wavOf } from '../../src/lib/pcm.ts';
import type { Model } from '../../src/services/gateway/endpoints/models.ts';
import type { Gateway } from '../../src/services/gateway/gateway.ts';
import type { KindOverrides, ModelKind } from '../../src/services/gateway/model-families.ts';
import type { Snapshot, Submission } from '../../src/services/gateway/snapshot.ts';
import type { TextRequest, TextTool } from '../../src/services/gateway/text-request.ts';
import type { ModerationService } from '../../src/services/safety/moderation-service.ts';
import { modelsOf, type PricedJob, type TrialPrices } from './prices.ts';
import type { Recorder } from './recorder.ts';
import { LeftOut, orRefusal, type Step, Unexpected } from './run.ts';

export const PROMPT = 'a red kite above a quiet harbour at dawn';
/** No gateway has a model or a task with this name. */
const UNKNOWN = 'atelier-trial-unknown';
const SHORTEST_VIDEO_SECONDS = 5;
const IMAGE_SIDE = 256;

export interface GatewaySide {
  gateway: Gateway;
  moderation: ModerationService | undefined;
  recorder: Recorder;
  clock: Clock;
  models: readonly Model[];
  overrides: KindOverrides;
  prices: TrialPrices;
  /** The models that the operator has set as defaults, by kind. */
  preferred: Partial<Record<ModelKind, string | undefined>>;
  pricingPath: string;
  pollMs: number;
}

interface Job extends PricedJob {
  name: string;
  model?: ModelKind;
  /** What the id of the model must contain. */
  pattern?: RegExp;
  run(model: string): Promise<void>;
}

/** Each family of endpoints once, by the typed client, with the cheapest model that the gateway lists for it. */
export function gatewaySteps(side: GatewaySide): Step[] {
  const free = (name: string, run: () => Promise<void>): Step => ({ side: 'gateway', name, run });
  return [
    ...freeReads(side).map(([name, run]) => free(name, run)),
    ...[...textJobs(side), ...imageJobs(side), ...otherJobs(side)].map(
      ({ name, model: kind, pattern, run, ...job }): Step => {
        const models = kind === undefined ? [] : modelsOf(kind, side.models, side.overrides);
        const fitting = models.filter(({ id }) => pattern?.test(id) ?? true);
        const model = side.prices.cheapestOf(fitting, job, kind && side.preferred[kind]);
        if (kind !== undefined && model === undefined)
          return free(name, async () => {
            throw new LeftOut('the gateway lists no model for it');
          });
        return { ...free(name, () => run(model ?? '')), cost: { estimate: side.prices.estimateOf(job, model) } };
      },
    ),
  ];
}

function freeReads({ gateway, models, clock, pricingPath }: GatewaySide): [string, () => Promise<void>][] {
  const { imgx, imageJobs: jobs, videos, v1Videos, imageToVideo, music, fineTunes, usage } = gateway;
  const once = { attempts: 1 };
  const request = { model: UNKNOWN, prompt: PROMPT };
  return [
    ['List of models', async () => void (await gateway.models.list(once))],
    ['One model', async () => void (await gateway.models.get(models[0]?.id ?? UNKNOWN, once))],
    ['Unknown model', () => orRefusal(gateway.models.get(UNKNOWN, once))],
    ['Compatible list of models', () => orRefusal(gateway.models.listCompat(once))],
    ['Price list', () => orRefusal(gateway.prices.get(pricingPath, once))],
    ['Usage', () => orRefusal(usage.get({ start: dayOf(clock.now()), end: dayOf(clock.now()) }, once))],
    ['Limit of the account', () => orRefusal(usage.limit(once))],
    ['Unknown fine-tuning job', () => orRefusal(fineTunes.events(UNKNOWN, once))],
    ...Object.entries({
      'Unknown imagine task': imgx,
      'Unknown image job': jobs,
      'Unknown video': videos,
      'Unknown video of the second entry': v1Videos,
      'Unknown video of the vendor path': imageToVideo,
      'Unknown song': music,
    }).map(([name, family]): [string, () => Promise<void>] => [name, () => orRefusal(family.get(UNKNOWN, once))]),
    ['Unknown songs together', () => orRefusal(music.getMany([UNKNOWN], once))],
    [
      'Image job of an unknown model',
      () => orRefusal(jobs.create(request, { idempotencyKey: `trial-${crypto.randomUUID()}` })),
    ],
    ['Video of an unknown model', () => orRefusal(videos.create(request))],
    ['Answer of an unknown model', () => orRefusal(answer(gateway, { model: UNKNOWN, input: PROMPT }, true))],
    ['Action on an unknown task', () => orRefusal(imgx.action({ taskId: UNKNOWN, customId: UNKNOWN }))],
  ];
}

async function answer({ responses }: Gateway, request: TextRequest, isBuffered: boolean): Promise<void> {
  const events = await Array.fromAsync(responses.stream(request, { isBuffered }));
  const last = events.at(-1);
  if (!last || !('response' in last)) throw new Unexpected('the answer has no end');
  if (last.response.error) throw last.response.error;
}

const THERMOMETER: TextTool = {
  type: 'function',
  name: 'read_thermometer',
  description: 'Reads the thermometer at the window.',
  parameters: {
    type: 'object',
    properties: { unit: { type: 'string' } },
    required: ['unit'],
    additionalProperties: false,
  },
};

function textJobs({ gateway }: GatewaySide): Job[] {
  const input = 'Reply with the single word: ready.';
  const ask = (name: string, isBuffered: boolean, extra: Partial<TextRequest> = {}): Job => ({
    name,
    kind: 'ask',
    model: 'text',
    run: (model) => answer(gateway, { model, input, ...extra }, isBuffered),
  });
  return [
    ask('Answer in one piece', true),
    ask('Streamed answer', false),
    ask('Streamed answer with a tool', false, { input: 'How warm is it? Call the tool.', tools: [THERMOMETER] }),
  ];
}

/** Longer than a video takes. */
const MAX_JOB_MS = 14 * 60_000;

/** Polls until the task ends, as the bot does. A failed job is a failed step, although its response is recorded all the same. */
async function follow(
  { recorder, clock, pollMs }: GatewaySide,
  submission: Submission,
  get: (id: string) => Promise<Snapshot>,
): Promise<Snapshot> {
  const end = clock.now() + MAX_JOB_MS;
  while (clock.now() < end) {
    const snapshot = await get(submission.remoteId);
    recorder.label(snapshot.state);
    if (snapshot.state === 'failed') throw new Unexpected('the job failed');
    if (snapshot.state === 'needs-input') throw new Unexpected('the job waits for a prompt');
    if (snapshot.state === 'succeeded') {
      if (snapshot.isEmpty) throw new Unexpected('the job succeeded without a result that our reader finds');
      return snapshot;
    }
    await pause(clock, pollMs);
  }
  throw new Unexpected('the job did not end within 14 minutes');
}

function imageJobs(side: GatewaySide): Job[] {
  const { imgx, imageJobs: jobs } = side.gateway;
  let grid: Snapshot | undefined;
  const imgxJob = (kind: string, submit: () => Promise<Submission>, name = kind): Job => ({
    name,
    kind,
    listName: `mj_${kind}`,
    run: async () => {
      const end = await follow(side, await submit(), (id) => imgx.get(id, { attempts: 1 }));
      if (kind === 'imagine') grid = end;
    },
  });
  const upscale = async (): Promise<Submission> => {
    const button = grid?.actions.find(({ customId }) => /upsample::1/i.test(customId));
    if (!grid?.remoteId || !button) throw new LeftOut('there is no grid with an upscale button');
    return imgx.action({ taskId: grid.remoteId, customId: button.customId });
  };
  return [
    {
      name: 'Image job',
      kind: 'image',
      model: 'image',
      run: async (model) => {
        const submission = await jobs.create(
          { model, prompt: PROMPT },
          { idempotencyKey: `trial-${crypto.randomUUID()}` },
        );
        await follow(side, submission, (id) => jobs.get(id, { attempts: 1 }));
      },
    },
    imgxJob('imagine', () => imgx.imagine({ prompt: PROMPT }), 'Imagine'),
    imgxJob('upscale', upscale, 'Upscale'),
    imgxJob('shorten', () => imgx.shorten({ prompt: `${PROMPT}, in great detail, very beautiful` }), 'Shorten'),
    imgxJob('describe', async () => imgx.describe({ images: [await dataUriOf('#b03020')] }), 'Describe'),
    imgxJob(
      'blend',
      async () => imgx.blend({ images: [await dataUriOf('#b03020'), await dataUriOf('#2040a0')] }),
      'Blend',
    ),
  ];
}

export const pngOf = (background: string): Promise<Buffer> =>
  sharp({ create: { width: IMAGE_SIDE, height: IMAGE_SIDE, channels: 3, background } })
    .png()
    .toBuffer();

const dataUriOf = async (background: string): Promise<string> =>
  `data:image/png;base64,${(await pngOf(background)).toString('base64')}`;

function otherJobs(side: GatewaySide): Job[] {
  const { imgx, videos, v1Videos, imageToVideo, music, realtime, transcriptions } = side.gateway;
  const { moderation } = side;
  const once = { attempts: 1 };
  const request = (model: string) => ({ model, prompt: PROMPT, duration: SHORTEST_VIDEO_SECONDS });
  const video = (
    name: string,
    endpoint: Pick<typeof videos, 'get'>,
    create: (model: string) => Promise<Submission>,
  ): Job => ({
    name,
    kind: 'video',
    model: 'video',
    seconds: String(SHORTEST_VIDEO_SECONDS),
    run: async (model) => void (await follow(side, await create(model), (id) => endpoint.get(id, once))),
  });
  return [
    video('Video', videos, (model) => videos.create(request(model))),
    video('Video of the second entry', v1Videos, (model) => v1Videos.create(request(model))),
    video('Video of the vendor path', imageToVideo, async (model) => {
      const [image = ''] = await imgx.upload({ images: [await dataUriOf('#b03020')] });
      return imageToVideo.create({ ...request(model), image });
    }),
    {
      name: 'Moderation',
      kind: 'moderation',
      run: async () => {
        if (!moderation) throw new LeftOut('no moderation service is set');
        const judgements = [
          await moderation.judgeText(PROMPT),
          await moderation.judgeImage(await dataUriOf('#b03020')),
        ];
        if (judgements.includes(undefined)) throw new Unexpected('there is no judgement that our reader finds');
      },
    },
    {
      name: 'Song',
      kind: 'music',
      listName: 'suno_music',
      run: async () => {
        const submission = await music.makeSong({ about: 'a short calm tune', instrumental: true });
        await follow(side, submission, (id) => music.get(id, once));
        await music.getMany([submission.remoteId], once);
      },
    },
    {
      name: 'Live conversation',
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
    {
      name: 'Transcription',
      kind: 'transcription',
      model: 'speech',
      pattern: /whisper|transcri/i,
      run: async (model) => void (await transcriptions.create({ model, wav: wavOf(tone()) })),
    },
  ];
}

/** One second of a quiet tone. */
export const tone = (): Int16Array => Int16Array.from({ length: PCM_RATE }, (_, index) => 4_000 * Math.sin(index / 10));
