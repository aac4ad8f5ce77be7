import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

// Makes an image, a voice message, decoded audio and a chart as the bot does, and reports which modules the main
// process has loaded for that.
const loaded = new Set<string>();
registerHooks({
  load(url, context, next) {
    loaded.add(url);
    return next(url, context);
  },
});
await import('../../../../src/app.ts');
// The app loads the role that it starts.
await import('../../../../src/roles/all.ts');
await import('../../../../src/roles/shard.ts');
await import('../../../../src/roles/worker.ts');
const { systemClock } = await import('../../../../src/lib/clock.ts');
const { createLogger } = await import('../../../../src/lib/log.ts');
const { memoryContent } = await import('../../../../src/services/media/content.ts');
const { openMedia } = await import('../../../../src/services/media/media.ts');
const { MediaProcess } = await import('../../../../src/services/media/media-process.ts');
const { openAudio } = await import('../../../../src/services/media/audio.ts');
const { createUsageReader } = await import('../../../../src/services/money/usage-reader.ts');

const clock = systemClock;
const log = createLogger({ level: 'silent', secrets: [], isPretty: false, write: () => undefined });
const mediaProcess = new MediaProcess({ clock, log });
const gatewayOrigin = 'http://127.0.0.1:1';
const media = openMedia(
  { gatewayOrigin, apiKey: 'sk-unused', allowPrivate: false },
  { log, clock, process: mediaProcess },
);
const audio = openAudio({ log, process: mediaProcess });
const usage = createUsageReader(
  { get: async () => ({ total: undefined, rows: [] }) },
  { queryUsage: async () => [] },
  undefined,
  mediaProcess,
  log,
);

const mask = await media.createSideMask('left', { width: 64, height: 64 });
const { bytes: image } = await media.checkImage(mask);
const voice = audio.startVoice({ maxSeconds: 5 });
voice.add(new Int16Array(24_000));
const voiceMessage = await voice.finish();
const samples = await audio.decode(memoryContent(voiceMessage.bytes), { maxSeconds: 5 });
const chart = await usage.drawChart({
  title: 'T',
  language: 'en',
  facts: [],
  bars: 'upright',
  entries: [{ label: 'a', amount: '1', text: '1' }],
});
const maps = process.platform === 'linux' ? readFileSync('/proc/self/maps', 'latin1') : '';
const native = [...maps.matchAll(/\S+\.node$/gm)].map(([path]) => path);
const done = [image.length, voiceMessage.bytes.length, samples.length, chart?.length];
process.stdout.write(JSON.stringify({ done, loaded: [...loaded], native: [...new Set(native)] }));
await Promise.all([media.close(), audio.close(), mediaProcess.close()]);
