import { readFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { systemClock } from '../../src/lib/clock.ts';
import { createLogger } from '../../src/lib/log.ts';
import { PCM_RATE } from '../../src/lib/pcm.ts';
import { openAudio } from '../../src/services/media/audio.ts';
import { MediaError } from '../../src/services/media/errors.ts';
import { openMedia } from '../../src/services/media/media.ts';
import { MediaProcess } from '../../src/services/media/media-process.ts';
import { mediaTypes } from '../../src/services/media/media-types.ts';
import { table } from '../table.ts';
import { decompressionBombPng, incompressiblePng } from './images.ts';

/** Long enough for a thousand samples of the event loop's delay. */
const IDLE_MS = 3_000;
const UPLOAD_LIMIT = 10 * 2 ** 20;
const VOICE_SECONDS = 60;

/** Measures how long the event loop of this process, which stands in for the bot's, is blocked while the media process handles files. */
export async function measureMedia(): Promise<void> {
  const log = createLogger({ level: 'silent', secrets: [], isPretty: false, write: () => undefined });
  const mediaProcess = new MediaProcess({ clock: systemClock, log });
  const settings = { gatewayOrigin: 'http://127.0.0.1:1', apiKey: 'sk-unused', allowPrivate: false };
  const media = openMedia(settings, { log, process: mediaProcess });
  const audio = openAudio({ log, process: mediaProcess });
  const rows: string[][] = [];
  const measure = async (name: string, work: () => Promise<unknown>): Promise<void> => {
    const delay = monitorEventLoopDelay({ resolution: 1 });
    const start = performance.now();
    const cpu = process.cpuUsage();
    delay.enable();
    await work();
    delay.disable();
    const { user, system } = process.cpuUsage(cpu);
    const ms = (nanoseconds: number): string => (nanoseconds / 1e6).toFixed(1);
    rows.push([
      name,
      (performance.now() - start).toFixed(0),
      ((user + system) / 1000).toFixed(0),
      ms(delay.percentile(50)),
      ms(delay.percentile(99)),
      ms(delay.max),
      peakMebibytes(process.pid),
      mediaProcess.pid === undefined ? '-' : peakMebibytes(mediaProcess.pid),
    ]);
  };

  const bytes = incompressiblePng();
  const voice = voiceChunks();
  const decompressionBomb = await decompressionBombPng();
  await measure('idle', () => new Promise((resolve) => setTimeout(resolve, IDLE_MS)));
  await measure('start and first image', () => media.imageFacts(bytes));
  await measure(`fit ${(bytes.length / 1e6).toFixed(0)} MB`, () =>
    media.fit({ bytes, type: mediaTypes.png }, UPLOAD_LIMIT),
  );
  await measure('check 20 MB', () => media.checkImage(bytes));
  await measure('write a minute of voice', async () => {
    const writer = audio.startVoice({ maxSeconds: VOICE_SECONDS });
    // In small pieces, as a model sends them.
    for (const piece of voice) writer.add(piece);
    return await writer.finish();
  });
  await measure('refuse 79 million pixels', async () => {
    await media.checkImage(decompressionBomb).catch((error: unknown) => {
      if (!(error instanceof MediaError)) throw error;
    });
  });
  await measure('idle again', () => new Promise((resolve) => setTimeout(resolve, IDLE_MS)));
  console.log(table(['operation', 'ms', 'CPU ms', 'delay p50', 'p99', 'max', 'bot MiB', 'media MiB'], rows));
  console.log('Delays of the event loop in ms, at a resolution of 1 ms; memory is each process’s peak so far.');
  await Promise.all([media.close(), audio.close(), mediaProcess.close()]);
}

function voiceChunks(): Int16Array[] {
  const piece = Int16Array.from(
    { length: PCM_RATE / 5 },
    (_, index) => 8_000 * Math.sin((index * 2 * Math.PI * 220) / PCM_RATE),
  );
  return Array<Int16Array>(VOICE_SECONDS * 5).fill(piece);
}

/** The peak memory use of a process so far. */
function peakMebibytes(pid: number): string {
  const status = readFileSync(`/proc/${pid}/status`, 'latin1');
  return (Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024).toFixed(0);
}
