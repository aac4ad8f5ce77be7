import { wordIn, wordsSpoken } from '../../sandbox/gateway/realtime/voice.ts';
import { openLog } from '../../src/lib/log.ts';
import { PCM_RATE, type Pcm } from '../../src/lib/pcm.ts';
import { memoryContent } from '../../src/services/media/content.ts';
import type { AudioService } from '../../src/services/sound/audio.ts';
import { openAudio } from '../../src/services/sound/audio.ts';
import type { VoiceMessage } from '../../src/services/sound/voice-queue.ts';
import { median, table } from '../table.ts';
import { percentile } from '../tasks/percentile.ts';

const SECONDS = 10;
const ROUNDS = 20;
const TEXT = 'The snow fell on the harbour all night, and in the morning the boats looked like the hills. ';

export const sounds = (): AudioService =>
  openAudio({
    log: openLog({ level: 'error', secrets: [], readable: false, write: (line) => process.stderr.write(line) }),
  });

export function encodeVoiceMessage(room: AudioService, voice: Pcm): Promise<VoiceMessage> {
  const writer = room.writing({ maxSeconds: voice.length / PCM_RATE });
  writer.add(voice);
  return writer.finish();
}

/** Measures the cost of a voice message of ten seconds, both ways. */
export async function measureSounds(): Promise<void> {
  const room = sounds();
  try {
    const voice = voiceFor(SECONDS);
    const begun = performance.now();
    const { bytes } = await encodeVoiceMessage(room, voice);
    const cold = performance.now() - begun;
    const rows = [
      ['written, Ogg Opus and waveform', ...(await cost(() => encodeVoiceMessage(room, voice)))],
      ['read, Ogg Opus', ...(await cost(() => room.decoded(memoryContent(bytes), { maxSeconds: 60 })))],
    ];
    console.log(
      `\n${SECONDS} s of voice, median of ${ROUNDS}; the very first, with its thread and codec: ${cold.toFixed(0)} ms\n`,
    );
    console.log(table(['', 'ms', 'p95', 'CPU ms', 'CPU ms a second of voice'], rows));
  } finally {
    await room.close();
  }
}

async function cost(work: () => Promise<unknown>): Promise<string[]> {
  await work();
  const walls: number[] = [];
  const before = process.cpuUsage();
  for (let round = 0; round < ROUNDS; round++) {
    const start = performance.now();
    await work();
    walls.push(performance.now() - start);
  }
  const { user, system } = process.cpuUsage(before);
  const cpu = (user + system) / 1_000 / ROUNDS;
  return [median(walls).toFixed(1), percentile(walls, 0.95).toFixed(1), cpu.toFixed(1), (cpu / SECONDS).toFixed(2)];
}

function voiceFor(seconds: number): Pcm {
  const voice = new Int16Array(seconds * PCM_RATE);
  const words = wordsSpoken(TEXT).map((word) => wordIn(word, 'sage'));
  for (let at = 0, word = 0; at < voice.length; word++) {
    const sound = words[word % words.length]?.subarray(0, voice.length - at) ?? voice;
    voice.set(sound, at);
    at += sound.length;
  }
  return voice;
}
