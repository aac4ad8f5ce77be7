import { systemClock } from '../../lib/clock.ts';
import { FineTunes } from './fine-tunes.ts';
import { GatewayHttp } from './http.ts';
import { ImageJobs } from './image-jobs.ts';
import { Imgx } from './imgx.ts';
import { Models } from './models.ts';
import { Music } from './music.ts';
import { Realtime } from './realtime.ts';
import { Responses } from './responses.ts';
import {
  defaultLimits,
  type GatewayLimits,
  type GatewaySettings,
  type GatewayTools,
  isReadableOnTheWay,
} from './settings.ts';
import { TaskClient } from './task-client.ts';
import { UsageReports } from './usage.ts';
import { ImageToVideo, SecondVideos, Videos } from './videos.ts';

export { GatewayError, type GatewayErrorKind } from './errors.ts';
export type { Snapshot } from './read/snapshot.ts';
export type { TextEvent, TextResponse } from './responses/events.ts';
export type { TextRequest, TextTool } from './responses/request.ts';
export { refusedParts } from './responses/request.ts';
export { defaultSettings } from './settings.ts';

export type Gateway = Readonly<ReturnType<typeof openGateway>>;

export function openGateway(
  settings: GatewaySettings,
  tools: Partial<GatewayTools> = {},
  limits: Partial<GatewayLimits> = {},
) {
  const http = new GatewayHttp(
    settings,
    { ...defaultLimits, ...limits },
    { log: silent, clock: systemClock, random: Math.random, ...tools },
  );
  if (isReadableOnTheWay(http.baseUrl))
    http.tools.log.warn(
      { host: http.baseUrl.host },
      'GATEWAY_BASE_URL begins with http:// and leads to another machine: the key and all prompts travel unencrypted. Use https://.',
    );
  const tasks = new TaskClient(http, settings);
  const realtime = new Realtime(http, settings);
  return {
    models: new Models(http, settings),
    usage: new UsageReports(http),
    fineTunes: new FineTunes(http),
    imageJobs: new ImageJobs(tasks),
    imgx: new Imgx(tasks),
    videos: new Videos(tasks),
    secondVideos: new SecondVideos(tasks),
    imageToVideo: new ImageToVideo(tasks),
    music: new Music(tasks),
    responses: new Responses(http),
    realtime,
    close: async (): Promise<void> => {
      await realtime.close();
      await http.close();
    },
  };
}

const silent: GatewayTools['log'] = { info: () => undefined, warn: () => undefined };
