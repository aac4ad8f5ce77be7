import fc from 'fast-check';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { type Clock, systemClock } from '../../../../src/lib/clock.ts';
import { createLogger } from '../../../../src/lib/log.ts';
import { PCM_RATE } from '../../../../src/lib/pcm.ts';
import { openAudio } from '../../../../src/services/media/audio.ts';
import { memoryContent } from '../../../../src/services/media/content.ts';
import { MediaProcess } from '../../../../src/services/media/media-process.ts';
import { Waveform } from '../../../../src/services/media/sound/opus.ts';
import { VoiceQueue } from '../../../../src/services/media/voice-queue.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { mediaProcess } from '../../../support/media-process.ts';
import { encodeVoiceMessage } from './spoken-by.ts';
import { toneSamples } from './tones.ts';
import { wavOf } from './wav-file.ts';

const createAudio = () =>
  openAudio({
    log: createLogger({ level: 'silent', secrets: [], isPretty: false, write: () => undefined }),
    process: mediaProcess,
  });
/** A queue of voice messages with a media process of its own. */
function createQueue(clock: Clock) {
  const process = new MediaProcess({ clock, log: { warn: () => undefined } });
  onTestFinished(() => process.close());
  return { process, queue: new VoiceQueue(process) };
}
const audio = createAudio();
afterAll(() => audio.close());

const tones = Int16Array.from(toneSamples(PCM_RATE), (value) => Math.round(value * 32_767));
const voiceSamples = (samples: number, first = 0): Int16Array =>
  Int16Array.from({ length: samples }, (_, index) => tones[(first + index) % tones.length] ?? 0);
const second = voiceSamples(PCM_RATE);
/** The outcome of a promise that may have rejected before the test awaits it. */
const outcomeOf = (work: Promise<unknown>): Promise<string> => work.then(() => 'written', String);

describe('A voice message that is written while it is spoken', () => {
  it('A voice message is the same file however it is split into chunks, and with any number of simultaneous speakers', async () => {
    const sizes = fc.array(fc.nat(4_000), { minLength: 1, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(fc.array(sizes, { minLength: 1, maxLength: 4 }), async (voices) => {
        const speakers = voices.map((pieces, number) => ({
          pieces,
          whole: voiceSamples(
            pieces.reduce((sum, size) => sum + size, 1),
            5_000 * number,
          ),
          writer: audio.startVoice({ maxSeconds: 60 }),
          at: 0,
        }));
        for (let turn = 0; turn < 12; turn++) {
          for (const speaker of speakers) {
            const { pieces, whole, writer, at } = speaker;
            speaker.at += pieces[turn] ?? 0;
            writer.add(whole.subarray(at, speaker.at));
          }
          if (turn % 3 === 0) await encodeVoiceMessage(audio, second.subarray(0, 100));
        }
        for (const { whole, writer, at } of speakers) {
          writer.add(whole.subarray(at));
          expect(await writer.finish()).toEqual(await encodeVoiceMessage(audio, whole));
        }
      }),
      { numRuns: 25 },
    );
  });

  it('A voice message is complete even if a stopped bot has left one with the same number', async () => {
    const { process, queue } = createQueue(systemClock);
    const abandonedWriter = queue.begin(60);
    abandonedWriter.add(second);
    await expect.poll(() => abandonedWriter.waitingSamples).toBe(0);
    queue.close();
    const next = new VoiceQueue(process).begin(60);
    next.add(second);
    expect((await next.finish()).seconds).toBe(1);
  });

  it('A voice message can begin long before it ends', async () => {
    const clock = new ManualClock();
    const { process, queue } = createQueue(clock);
    const slowWriter = queue.begin(60);
    slowWriter.add(second);
    await expect.poll(() => slowWriter.waitingSamples).toBe(0);
    // Models pause in the middle of a sentence, and idle workers end.
    clock.advance(600_000);
    slowWriter.add(second);
    const message = await slowWriter.finish();
    expect(message.seconds).toBe(2);
    clock.advance(60_000);
    expect(process.pid).toBeUndefined();
  });

  it('A voice message is truncated at its limit and reports that', async () => {
    const writer = audio.startVoice({ maxSeconds: 2 });
    expect(writer.isEmpty).toBe(true);
    writer.add(new Int16Array());
    expect(writer.isEmpty).toBe(true);
    for (const piece of [second, second.subarray(1), Int16Array.of(7, 8), second]) writer.add(piece);
    expect(writer.isEmpty).toBe(false);
    const { seconds, isTruncated } = await writer.finish();
    expect({ seconds, isTruncated }).toEqual({ seconds: 2, isTruncated: true });
    const exact = audio.startVoice({ maxSeconds: 2 });
    exact.add(voiceSamples(2 * PCM_RATE));
    expect(await exact.finish()).toMatchObject({ seconds: 2, isTruncated: false });
  });

  it('Voice messages are written in turns, so a short one does not wait for a long one', async () => {
    const longWriter = audio.startVoice({ maxSeconds: 60 });
    longWriter.add(voiceSamples(60 * PCM_RATE));
    const order: string[] = [];
    const done = [
      longWriter.finish().then(() => order.push('long')),
      encodeVoiceMessage(audio, second).then(() => order.push('short')),
      audio
        .decode(memoryContent(wavOf([toneSamples(8_000)], 8_000, { bytes: 2 })), { maxSeconds: 2 })
        .then(() => order.push('file')),
    ];
    await Promise.all(done);
    expect(order.at(-1)).toBe('long');
  });

  it('A voice message is discarded once it is dropped, and the others continue', async () => {
    const droppedWriters = Array.from({ length: 5 }, () => audio.startVoice({ maxSeconds: 60 }));
    for (const writer of droppedWriters) writer.add(voiceSamples(10 * PCM_RATE));
    const other = encodeVoiceMessage(audio, second);
    for (const writer of droppedWriters) writer.drop();
    for (const writer of droppedWriters) writer.add(second);
    expect(await outcomeOf(droppedWriters[0]?.finish() ?? other)).toContain('dropped');
    expect((await other).seconds).toBe(1);
  });

  it('A voice message keeps what was written when it is dropped after its end', async () => {
    const writer = audio.startVoice({ maxSeconds: 60 });
    writer.add(second);
    const message = await writer.finish();
    writer.drop();
    expect(await writer.finish()).toBe(message);
  });

  it('A voice message fails together with the process that holds its beginning, and the next one is written', async () => {
    const { process: mediaProcess, queue } = createQueue(systemClock);
    const [first, next] = [queue.begin(60), queue.begin(60)];
    first.add(second);
    await expect.poll(() => first.waitingSamples).toBe(0);
    process.kill(mediaProcess.pid ?? 0, 'SIGKILL');
    first.add(second);
    expect(await outcomeOf(first.finish())).toContain('The earlier samples were lost');
    next.add(second);
    expect((await next.finish()).seconds).toBe(1);
  });

  it('A voice message is written by a new process if the old one has not received any of it', async () => {
    const { process: mediaProcess, queue } = createQueue(systemClock);
    const writer = queue.begin(60);
    writer.add(second);
    await expect.poll(() => mediaProcess.pid).toBeDefined();
    process.kill(mediaProcess.pid ?? 0, 'SIGKILL');
    expect((await writer.finish()).seconds).toBe(1);
  });

  it('Only the voice message itself fails if its samples cannot be handed over, and leaves nothing behind', async () => {
    const service = createAudio();
    const writer = service.startVoice({ maxSeconds: 60 });
    writer.add(second);
    await service.close();
    writer.add(second);
    expect(await outcomeOf(writer.finish())).toBe('Refusal: refusals.stopping');
  });
});

describe('Voice messages beyond the memory limit', () => {
  it('Voice messages beyond the limit are refused at their end, and there is room again when one is dropped', async () => {
    const { queue } = createQueue(systemClock);
    const writers = Array.from({ length: 201 }, () => queue.begin(60));
    for (const writer of writers) writer.add(second.subarray(0, 10));
    expect(await outcomeOf(writers[200]?.finish() ?? Promise.resolve())).toBe('Refusal: refusals.audioBusy');
    const [first, next] = writers;
    first?.drop();
    expect((await next?.finish())?.seconds).toBe(10 / PCM_RATE);
    const lateWriter = queue.begin(60);
    lateWriter.add(second);
    expect((await lateWriter.finish()).seconds).toBe(1);
  });

  it('Voice messages are refused while half an hour of audio is waiting', async () => {
    const { queue } = createQueue(systemClock);
    const tenMinutes = new Int16Array(10 * 60 * PCM_RATE);
    const writers = Array.from({ length: 4 }, () => queue.begin(600));
    for (const writer of writers) writer.add(tenMinutes);
    expect(await outcomeOf(writers[3]?.finish() ?? Promise.resolve())).toBe('Refusal: refusals.audioBusy');
  });
});

describe('The waveform of a voice message', () => {
  it('The waveform of a voice message matches the power within each column, even though long messages are stored at a coarser resolution', () => {
    const expectedColumns = (pcm: Int16Array): number[] => {
      const columns = Math.max(1, Math.min(256, Math.ceil(pcm.length / 2_400)));
      const loudness = Array.from({ length: columns }, (_, column) => {
        const part = pcm.subarray(
          Math.round((column * pcm.length) / columns),
          Math.round(((column + 1) * pcm.length) / columns),
        );
        return Math.sqrt(part.reduce((sum, value) => sum + value * value, 0) / part.length);
      });
      return loudness.map((value) => Math.round((255 * value) / Math.max(327.68, ...loudness)));
    };
    for (const seconds of [0.001, 1.234_5, 5.461_4, 12.345, 44.444, 180.001]) {
      const pcm = voiceSamples(Math.round(seconds * PCM_RATE));
      const waveform = new Waveform();
      for (let offset = 0; offset < pcm.length; offset += 7_777) waveform.add(pcm.subarray(offset, offset + 7_777));
      const columns = [...Buffer.from(waveform.toBase64(), 'base64')];
      const exact = expectedColumns(pcm);
      expect(columns).toHaveLength(exact.length);
      expect(Math.max(...columns.map((height, index) => Math.abs(height - (exact[index] ?? 0))))).toBeLessThanOrEqual(
        2,
      );
    }
  });
});
