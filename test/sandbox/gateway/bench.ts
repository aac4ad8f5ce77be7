import { once } from 'node:events';
import sharp from 'sharp';
import { Client } from 'undici';
import { onTestFinished } from 'vitest';
import {
  type EmbeddedGateway,
  type GatewayOptions,
  type Profile,
  startGateway,
} from '../../../sandbox/gateway/gateway.ts';
import type { Job } from '../../../sandbox/gateway/job.ts';
import type { Scene, Studio } from '../../../sandbox/gateway/studio/index.ts';
import { ManualClock } from '../../support/manual-clock.ts';

const KEY = 'sk-sandbox';
export const profiles: readonly Profile[] = ['spec', 'stock'];
/** Longer than the longest job. */
export const LONG = 3_600_000;

/** Any JSON; the tests state their expectations. */
export type Json = ReturnType<typeof JSON.parse>;

export interface Answer {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly bytes: Buffer;
  readonly text: string;
  readonly json: Json;
}

interface Ask {
  readonly body?: unknown;
  readonly raw?: string | Buffer;
  readonly headers?: Record<string, string>;
  readonly key?: string | null;
  /** Milliseconds until the client gives up. */
  readonly timeoutMs?: number;
}

export interface Bench {
  readonly gateway: EmbeddedGateway;
  readonly clock: ManualClock;
  readonly drawn: DrawnBook;
  call(method: string, path: string, ask?: Ask): Promise<Answer>;
  get(path: string, ask?: Ask): Promise<Answer>;
  post(path: string, body?: unknown, ask?: Ask): Promise<Answer>;
  /** Advances the clock until the job has ended, and waits for its downloads. */
  runToEnd(id: string): Promise<Job>;
}

interface DrawnBook {
  readonly calls: {
    readonly what: string;
    readonly scenes: readonly Scene[];
    readonly options: Record<string, unknown>;
  }[];
}

export async function bench(options: GatewayOptions = {}): Promise<Bench> {
  const clock = new ManualClock();
  const { studio, drawn } = quickStudio();
  const gateway = await startGateway({ clock, seed: 7, studio, ...options });
  // Each test has its own connection, so a reset or a hang does not affect other tests.
  onTestFinished(() => gateway.close());
  const call = async (method: string, path: string, ask: Ask = {}) => await send(gateway.url, method, path, ask);
  return {
    gateway,
    clock,
    drawn,
    call,
    get: (path, ask) => call('GET', path, ask),
    post: (path, body, ask) => call('POST', path, { ...ask, body }),
    runToEnd: async (id) => {
      const over = (job: Job) => job.state === 'succeeded' || job.state === 'failed';
      clock.advance(LONG);
      for (;;) {
        const job = gateway.jobs.get(id);
        if (!job) throw new Error(`There is no job ${id}.`);
        if (over(job)) return job;
        await once(gateway.jobs, 'change');
      }
    },
  };
}

async function send(url: string, method: string, path: string, ask: Ask): Promise<Answer> {
  const client = new Client(url, { headersTimeout: ask.timeoutMs ?? 5_000, bodyTimeout: ask.timeoutMs ?? 5_000 });
  try {
    const { key = KEY } = ask;
    const body = ask.raw ?? (ask.body === undefined ? undefined : JSON.stringify(ask.body));
    const answer = await client.request({
      method: method as 'GET',
      path,
      headers: {
        ...(key === null ? {} : { authorization: `Bearer ${key}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...ask.headers,
      },
      ...(body === undefined ? {} : { body }),
    });
    const bytes = Buffer.from(await answer.body.arrayBuffer());
    return new Received(answer.statusCode, answer.headers, bytes);
  } finally {
    await client.destroy();
  }
}

/** Decodes text and JSON only on access: some responses are images of 60 MB. */
class Received implements Answer {
  readonly status: number;
  readonly headers: Answer['headers'];
  readonly bytes: Buffer;

  constructor(status: number, headers: Answer['headers'], bytes: Buffer) {
    this.status = status;
    this.headers = headers;
    this.bytes = bytes;
  }

  get text(): string {
    return this.bytes.toString('utf8');
  }

  get json(): Json {
    try {
      return JSON.parse(this.text);
    } catch {
      return undefined;
    }
  }
}

/** Returns minimal files immediately and records the calls. */
function quickStudio(): { studio: Studio; drawn: DrawnBook } {
  const drawn: DrawnBook = { calls: [] };
  const image = async (
    what: string,
    scenes: readonly Scene[],
    options: { width: number; height: number; format?: string },
  ) => {
    drawn.calls.push({ what, scenes, options: { ...options } });
    const { width, height } = options;
    const format = (options.format ?? 'png') as 'png' | 'jpeg' | 'webp';
    const create = {
      width: Math.ceil(width / 64),
      height: Math.ceil(height / 64),
      channels: 3,
      background: '#248',
    } as const;
    const bytes = await sharp({ create }).toFormat(format).toBuffer();
    return { bytes, width, height, mime: `image/${format}` as const };
  };
  const studio: Studio = {
    drawImage: (scene, options) => image('image', [scene], options),
    drawGrid: (scenes, options) => image('grid', scenes, options),
    drawEdit: (before, after, mask, options) => image('edit', [before, after], { ...options, mask } as never),
    shoot: async (scene, options) => {
      drawn.calls.push({ what: 'video', scenes: [scene], options: { ...options } });
      const { width, height, seconds } = options;
      return { bytes: Buffer.from('\0\0\0\u0018ftypmp42 a video'), mime: 'video/mp4', width, height, seconds };
    },
    compose: async (prompt, seed, seconds) => {
      drawn.calls.push({ what: 'song', scenes: [], options: { prompt, seed, seconds } });
      return { bytes: Buffer.from('RIFF....WAVE a song'), mime: 'audio/wav', seconds };
    },
    close: async () => undefined,
  };
  return { studio, drawn };
}

export async function pngUri(colour = '#c33', side = 8): Promise<string> {
  const bytes = await sharp({ create: { width: side, height: side, channels: 3, background: colour } })
    .png()
    .toBuffer();
  return `data:image/png;base64,${bytes.toString('base64')}`;
}
