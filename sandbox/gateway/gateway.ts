import { randomInt } from 'node:crypto';
import websocket from '@fastify/websocket';
import fastify, { type FastifyInstance } from 'fastify';
import { type Clock, machineClock } from '../clock.ts';
import { usageEntryOf, viewOf } from './accept-job.ts';
import { addBodyParser } from './body.ts';
import { Callbacks, type SentCallback } from './callbacks.ts';
import { controlRoutes } from './control.ts';
import { FaultQueue } from './faults.ts';
import { Files } from './files.ts';
import { isImgx } from './follow-ups.ts';
import { Idempotency } from './idempotency.ts';
import type { Job } from './job.ts';
import { JobStore } from './job-store.ts';
import { type KeyGrant, KeyStore } from './keys.ts';
import { Pace } from './pace.ts';
import type { Parts } from './parts.ts';
import { PowerSwitch } from './power.ts';
import type { Profile, Quirks } from './quirks.ts';
import { randomOf } from './random.ts';
import { LiveSessions } from './realtime/live-sessions.ts';
import { ReferenceFetcher } from './reference-fetcher.ts';
import { ReferenceImages } from './reference-images.ts';
import { addRequestHooks, asApiError, sendError } from './request-hooks.ts';
import { type RecordedGatewayRequest, RequestLog } from './request-log.ts';
import { accountRoutes } from './routes/account.ts';
import { fileRoutes } from './routes/files.ts';
import { imageJobRoutes } from './routes/image-jobs.ts';
import { imgxSubmitRoutes } from './routes/imgx-submit.ts';
import { imgxTaskRoutes } from './routes/imgx-task.ts';
import { imgxUploadRoutes } from './routes/imgx-upload.ts';
import { modelRoutes } from './routes/models.ts';
import { moderationRoutes } from './routes/moderations.ts';
import { musicRoutes } from './routes/music.ts';
import { realtimeRoutes } from './routes/realtime.ts';
import { textRoutes } from './routes/text.ts';
import { transcriptionRoutes } from './routes/transcriptions.ts';
import { videoRoutes } from './routes/video.ts';
import { Settings } from './settings.ts';
import { Sockets } from './sockets.ts';
import { createStudio, type Studio } from './studio/index.ts';
import { Tally } from './tally.ts';
import { UsageLedger } from './usage-ledger.ts';
import { imgxTask } from './wire/imgx.ts';
import { isMusic, musicTask } from './wire/music.ts';
import { isVideo, vendorPathTask, videosEndpointTask, videoTask } from './wire/video.ts';
import type { View } from './wire/view.ts';

export type { KeyGrant, Profile, Quirks };

export interface GatewayOptions {
  /** Any free port by default. */
  readonly port?: number;
  /** The factor by which the gateway's own time runs faster than the clock. */
  readonly speed?: number;
  readonly keys?: readonly KeyGrant[];
  readonly profile?: Profile;
  /** Overrides of the profile's quirks. */
  readonly quirks?: Partial<Quirks>;
  readonly clock?: Clock;
  readonly seed?: number;
  /** Generates the media. A studio that is passed in must be closed by the caller. */
  readonly studio?: Studio;
}

export interface EmbeddedGateway {
  readonly url: string;
  readonly settings: { profile: Profile; quirks: Quirks; readonly speed: number };
  setSpeed(speed: number): void;
  readonly faults: FaultQueue;
  readonly jobs: JobStore;
  readonly tally: Tally;
  readonly requests: readonly RecordedGatewayRequest[];
  readonly usage: UsageLedger;
  readonly realtime: LiveSessions;
  /** The number of responses that are being streamed. */
  readonly streamCount: number;
  /** Calls the listener with every request that has been responded to; returns a function that removes it. */
  onRequest(listener: (request: RecordedGatewayRequest) => void): () => void;
  /** Calls the listener with every callback that was sent; returns a function that removes it. */
  onCallback(listener: (sent: SentCallback) => void): () => void;
  /** While the gateway is down, connections to it are refused, but its jobs continue. */
  setDown(isDown: boolean): Promise<void>;
  readonly isDown: boolean;
  close(): Promise<void>;
}

const MAX_SEGMENT_LENGTH = 4_096;
/** Larger than any valid event; a larger frame ends the session. */
const MAX_FRAME_BYTES = 20 * 1024 * 1024;
const routes = [
  modelRoutes,
  accountRoutes,
  imageJobRoutes,
  imgxSubmitRoutes,
  imgxUploadRoutes,
  imgxTaskRoutes,
  videoRoutes,
  musicRoutes,
  textRoutes,
  transcriptionRoutes,
  moderationRoutes,
  realtimeRoutes,
  fileRoutes,
  controlRoutes,
];

export async function startGateway(options: GatewayOptions = {}): Promise<EmbeddedGateway> {
  const {
    port = 0,
    speed = 1,
    keys = [{ key: 'sk-sandbox' }],
    profile = 'spec',
    quirks = {},
    clock = machineClock,
  } = options;
  const studio = options.studio ?? createStudio();
  const pace = new Pace(clock, speed);
  const random = randomOf(options.seed ?? randomInt(2 ** 32));
  const references = new ReferenceFetcher();
  const callbacks = new Callbacks(clock);
  const referenceImages = new ReferenceImages(references);
  let url = '';
  const files = new Files(studio, referenceImages, () => url);
  const prepare = (job: Job) => {
    const preparation = referenceImages.load(job);
    if (preparation === undefined) files.startEarly(job);
    // A video is started only once its references are available. If they cannot be loaded, the job fails and says why.
    else preparation.then(() => files.startEarly(job)).catch(() => undefined);
    return preparation;
  };
  const parts: Parts = {
    settings: new Settings(profile, quirks, pace),
    keys: new KeyStore(keys),
    jobs: new JobStore(pace, random, prepare),
    tally: new Tally(),
    usage: new UsageLedger(),
    faults: new FaultQueue(),
    files,
    requestLog: new RequestLog(),
    idempotency: new Idempotency(),
    openStreams: new Set(),
    realtime: new LiveSessions(),
    pace,
    clock,
    random,
    url: () => url,
  };
  watchJobs(parts, referenceImages, callbacks);
  callbacks.on('sent', ({ jobId }) => parts.tally.countCallback(jobId));
  const server = await createServer(parts, clock);
  const sockets = new Sockets(server.server);
  const close = async () => {
    pace.stop();
    sockets.destroy();
    await server.close();
    await Promise.all([callbacks.close(), references.close()]);
    if (!options.studio) await studio.close();
  };
  try {
    url = await server.listen({ port, host: '127.0.0.1' });
  } catch (error) {
    await close();
    throw error;
  }
  const { settings, jobs, tally, usage, faults, requestLog: requests, realtime } = parts;
  const power = new PowerSwitch(server.server, sockets);
  return {
    url,
    settings,
    faults,
    jobs,
    tally,
    usage,
    realtime,
    close,
    requests: requests.entries,
    setSpeed: (next) => pace.setSpeed(next),
    onRequest: (listener) => {
      requests.on('answered', listener);
      return () => requests.off('answered', listener);
    },
    onCallback: (listener) => {
      callbacks.on('sent', listener);
      return () => callbacks.off('sent', listener);
    },
    setDown: (isDown) => power.set(!isDown),
    get streamCount() {
      return parts.openStreams.size;
    },
    get isDown() {
      return !power.isOn;
    },
  };
}

async function createServer(parts: Parts, clock: Clock): Promise<FastifyInstance> {
  const server = fastify({
    // Ends pending responses when the server closes.
    forceCloseConnections: true,
    // Clients send HEAD requests only for files; adding a HEAD route takes as long as adding the route itself.
    exposeHeadRoutes: false,
    routerOptions: { maxParamLength: MAX_SEGMENT_LENGTH },
    // Some model ids contain a percent sign, and clients forget to encode it.
    rewriteUrl: (request) => (request.url ?? '/').replace(/%(?![0-9a-f]{2})/gi, '%25'),
    frameworkErrors: (error, request, reply) => {
      sendError(asApiError(error), request, reply, parts);
    },
  });
  // Registered before the hooks, so a socket that they refuse is closed after the response.
  await server.register(websocket, { options: { maxPayload: MAX_FRAME_BYTES } });
  addBodyParser(server, () => parts.settings.quirks.bodyLimit);
  addRequestHooks(server, parts, clock);
  for (const add of routes) add(server, parts);
  return server;
}

/** A job in the format that its query endpoint returns. */
function taskOf(job: Job, view: View): unknown {
  if (isImgx(job)) return imgxTask(job, view);
  if (isMusic(job)) return musicTask(job, view);
  if (!isVideo(job)) throw new Error(`A job of the kind ${job.kind} has no callbacks.`);
  if (job.details.endpoint === 'image2video') return vendorPathTask(job, view);
  return job.details.endpoint === 'videos' ? videosEndpointTask(job, view) : videoTask(job, view);
}

/** Sends callbacks, refunds failed jobs, and cleans up after dropped jobs. */
function watchJobs(parts: Parts, referenceImages: ReferenceImages, callbacks: Callbacks): void {
  parts.jobs.on('change', (job, previous) => {
    if (job.state === 'failed' && previous?.state !== 'failed' && job.charge > 0n)
      parts.usage.refund(usageEntryOf(job));
    if (job.state === previous?.state && job.progress === previous.progress) return;
    const hook = 'notifyHook' in job.details ? job.details.notifyHook : undefined;
    if (hook !== undefined) callbacks.notify(job, hook, taskOf(job, viewOf(parts)), parts.settings.quirks.callbacks);
  });
  parts.jobs.on('drop', (job) => {
    parts.files.deleteFiles(job);
    referenceImages.delete(job);
    parts.idempotency.deleteJob(job.id);
    parts.tally.delete(job.id);
  });
}
