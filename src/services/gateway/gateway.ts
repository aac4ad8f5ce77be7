import { systemClock } from '../../lib/clock.ts';
import { ImageJobs } from './endpoints/image-jobs.ts';
import { Imgx } from './endpoints/imgx.ts';
import { Models } from './endpoints/models.ts';
import { Music } from './endpoints/music.ts';
import { Realtime } from './endpoints/realtime.ts';
import { Responses } from './endpoints/responses.ts';
import { TaskClient } from './endpoints/task-client.ts';
import { Transcriptions } from './endpoints/transcriptions.ts';
import { ImageToVideo, V1Videos, Videos } from './endpoints/videos.ts';
import { FineTunes } from './fine-tunes.ts';
import { GatewayHttp } from './http.ts';
import { PriceLists } from './price-list.ts';
import {
  defaultGatewayLimits,
  type GatewayLimits,
  type GatewayParts,
  type GatewaySettings,
  isUnencrypted,
} from './settings.ts';
import { UsageReports } from './usage.ts';

export type Gateway = Readonly<ReturnType<typeof createGateway>>;

export function createGateway(
  settings: GatewaySettings,
  parts: Partial<GatewayParts> = {},
  limits: Partial<GatewayLimits> = {},
) {
  const http = new GatewayHttp(
    settings,
    { ...defaultGatewayLimits, ...limits },
    { log: silentLog, clock: systemClock, random: Math.random, ...parts },
  );
  if (isUnencrypted(http.baseUrl))
    http.parts.log.warn(
      { host: http.baseUrl.host },
      'GATEWAY_BASE_URL starts with http:// and points to another machine: the key and all prompts are sent unencrypted. Use https://.',
    );
  const tasks = new TaskClient(http, settings);
  const realtime = new Realtime(http);
  return {
    models: new Models(http),
    usage: new UsageReports(http),
    prices: new PriceLists(http),
    fineTunes: new FineTunes(http),
    /** For the endpoint of a kind that has no member of its own here. */
    jobs: tasks,
    imageJobs: new ImageJobs(tasks),
    imgx: new Imgx(tasks),
    videos: new Videos(tasks),
    v1Videos: new V1Videos(tasks),
    imageToVideo: new ImageToVideo(tasks),
    music: new Music(tasks),
    responses: new Responses(http),
    transcriptions: new Transcriptions(http),
    realtime,
    answeredAt: () => http.answeredAt,
    keyRejectedAt: () => http.keyRejectedAt,
    close: async (): Promise<void> => {
      await realtime.close();
      await http.close();
    },
  };
}

const silentLog: GatewayParts['log'] = { info: () => undefined, warn: () => undefined };
