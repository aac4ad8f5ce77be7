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
export const LONGER_THAN_ANY_JOB_MS = 3_600_000;

/** Any JSON; the tests check its format. */
export type Json = ReturnType<typeof JSON.parse>;

export interface TestResponse {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly bytes: Buffer;
  readonly text: string;
  readonly json: Json;
}

interface TestRequest {
  readonly body?: unknown;
  readonly raw?: string | Buffer;
  readonly headers?: Record<string, string>;
  readonly key?: string | null;
  /** Milliseconds until the client gives up. */
  readonly timeoutMs?: number;
}

export interface TestGateway {
  readonly gateway: EmbeddedGateway;
  readonly clock: ManualClock;
  readonly recorder: StudioRecorder;
  call(method: string, path: string, request?: TestRequest): Promise<TestResponse>;
  get(path: string, request?: TestRequest): Promise<TestResponse>;
  post(path: string, body?: unknown, request?: TestRequest): Promise<TestResponse>;
  /** Advances the clock until the job has ended, and waits for its downloads. */
  runToEnd(id: string): Promise<Job>;
}

interface StudioRecorder {
  readonly calls: {
    readonly kind: string;
    readonly scenes: readonly Scene[];
    readonly options: Record<string, unknown>;
  }[];
}

export async function startTestGateway(options: GatewayOptions = {}): Promise<TestGateway> {
  const clock = new ManualClock();
  const { studio, recorder } = fakeStudio();
  const gateway = await startGateway({ clock, seed: 7, studio, ...options });
  // Each test has its own connection, so a reset or a hang does not affect other tests.
  onTestFinished(() => gateway.close());
  const call = async (method: string, path: string, request: TestRequest = {}) =>
    await send(gateway.url, method, path, request);
  return {
    gateway,
    clock,
    recorder,
    call,
    get: (path, request) => call('GET', path, request),
    post: (path, body, request) => call('POST', path, { ...request, body }),
    runToEnd: async (id) => {
      const hasEnded = (job: Job) => job.state === 'succeeded' || job.state === 'failed';
      clock.advance(LONGER_THAN_ANY_JOB_MS);
      for (;;) {
        const job = gateway.jobs.get(id);
        if (!job) throw new Error(`There is no job ${id}.`);
        if (hasEnded(job)) return job;
        await once(gateway.jobs, 'change');
      }
    },
  };
}

async function send(url: string, method: string, path: string, request: TestRequest): Promise<TestResponse> {
  const client = new Client(url, {
    headersTimeout: request.timeoutMs ?? 5_000,
    bodyTimeout: request.timeoutMs ?? 5_000,
  });
  try {
    const { key = KEY } = request;
    const body = request.raw ?? (request.body === undefined ? undefined : JSON.stringify(request.body));
    const response = await client.request({
      method: method as 'GET',
      path,
      headers: {
        ...(key === null ? {} : { authorization: `Bearer ${key}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...request.headers,
      },
      ...(body === undefined ? {} : { body }),
    });
    const bytes = Buffer.from(await response.body.arrayBuffer());
    return new ReceivedResponse(response.statusCode, response.headers, bytes);
  } finally {
    await client.destroy();
  }
}

/** Decodes text and JSON only on access, because some responses are images of 60 MB. */
class ReceivedResponse implements TestResponse {
  readonly status: number;
  readonly headers: TestResponse['headers'];
  readonly bytes: Buffer;

  constructor(status: number, headers: TestResponse['headers'], bytes: Buffer) {
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

/** Creates a studio that returns minimal files immediately, and records its calls. */
function fakeStudio(): { studio: Studio; recorder: StudioRecorder } {
  const recorder: StudioRecorder = { calls: [] };
  const drawMinimalImage = async (
    kind: string,
    scenes: readonly Scene[],
    options: { width: number; height: number; format?: string },
  ) => {
    recorder.calls.push({ kind, scenes, options: { ...options } });
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
    drawImage: (scene, options) => drawMinimalImage('image', [scene], options),
    drawGrid: (scenes, options) => drawMinimalImage('grid', scenes, options),
    drawEdit: (originalScene, editedScene, mask, options) =>
      drawMinimalImage('edit', [originalScene, editedScene], { ...options, mask } as never),
    drawVideo: async (scene, options) => {
      recorder.calls.push({ kind: 'video', scenes: [scene], options: { ...options } });
      const { width, height, seconds } = options;
      return { bytes: Buffer.from('\0\0\0\u0018ftypmp42 a video'), mime: 'video/mp4', width, height, seconds };
    },
    compose: async (prompt, seed, seconds) => {
      recorder.calls.push({ kind: 'song', scenes: [], options: { prompt, seed, seconds } });
      return { bytes: Buffer.from('RIFF....WAVE a song'), mime: 'audio/wav', seconds };
    },
    close: async () => undefined,
  };
  return { studio, recorder };
}

export async function pngUri(colour = '#c33', side = 8): Promise<string> {
  const bytes = await sharp({ create: { width: side, height: side, channels: 3, background: colour } })
    .png()
    .toBuffer();
  return `data:image/png;base64,${bytes.toString('base64')}`;
}
