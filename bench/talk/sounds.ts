import { spokenWordsOf, synthesizeWord } from '../../sandbox/gateway/realtime/voice.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { createLogger } from '../../src/lib/log.ts';
import { PCM_RATE, type Pcm } from '../../src/lib/pcm.ts';
import type { AudioService } from '../../src/services/media/audio.ts';
import { openAudio } from '../../src/services/media/audio.ts';
import { memoryContent } from '../../src/services/media/content.ts';
import { MediaProcess } from '../../src/services/media/media-process.ts';
import type { VoiceMessage } from '../../src/services/media/voice-queue.ts';
import { median, percentile, table } from '../table.ts';

const VOICE_SECONDS = 10;
const ROUNDS = 20;
const TEXT = 'The snow fell on the harbour all night, and in the morning the boats looked like the hills. ';

export function openBenchAudio(): AudioService {
  const write = (line: string) => process.stderr.write(line);
  const log = createLogger({ level: 'error', secrets: [], isPretty: false, write });
  return openAudio({ log, process: new MediaProcess({ clock: systemClock, log }) });
}

export function encodeVoiceMessage(audio: AudioService, voice: Pcm): Promise<VoiceMessage> {
  const writer = audio.startVoice({ maxSeconds: voice.length / PCM_RATE });
  writer.add(voice);
  return writer.finish();
}

/** Measures the cost of encoding and decoding a voice message of ten seconds. */
export async function measureVoiceCodec(): Promise<void> {
  const audio = openBenchAudio();
  try {
    const voice = voiceFor(VOICE_SECONDS);
    const startedAt = performance.now();
    const { bytes } = await encodeVoiceMessage(audio, voice);
    const firstMs = performance.now() - startedAt;
    const rows = [
      ['encoding, Ogg Opus and waveform', ...(await cost(() => encodeVoiceMessage(audio, voice)))],
      ['decoding, Ogg Opus', ...(await cost(() => audio.decode(memoryContent(bytes), { maxSeconds: 60 })))],
    ];
    console.log(
      `\n${VOICE_SECONDS} s of voice, median of ${ROUNDS}; the first one, including the start of its thread and codec: ${firstMs.toFixed(0)} ms\n`,
    );
    console.log(table(['', 'ms', 'p95', 'CPU ms', 'CPU ms per second of voice'], rows));
  } finally {
    await audio.close();
  }
}

async function cost(work: () => Promise<unknown>): Promise<string[]> {
  await work();
  const durations: number[] = [];
  const cpuBefore = process.cpuUsage();
  for (let round = 0; round < ROUNDS; round++) {
    const start = performance.now();
    await work();
    durations.push(performance.now() - start);
  }
  const { user, system } = process.cpuUsage(cpuBefore);
  const cpu = (user + system) / 1_000 / ROUNDS;
  return [
    median(durations).toFixed(1),
    percentile(durations, 0.95).toFixed(1),
    cpu.toFixed(1),
    (cpu / VOICE_SECONDS).toFixed(2),
  ];
}

function voiceFor(seconds: number): Pcm {
  const voice = new Int16Array(seconds * PCM_RATE);
  const words = spokenWordsOf(TEXT).map((word) => synthesizeWord(word, 'sage'));
  for (let offset = 0, word = 0; offset < voice.length; word++) {
    const sound = words[word % words.length]?.subarray(0, voice.length - offset) ?? voice;
    voice.set(sound, offset);
    offset += sound.length;
  }
  return voice;
}
