import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { memoryContent, withReader } from '../../../src/services/media/content.ts';
import { recogniseContent } from '../../../src/services/media/files/recognise.ts';
import { oggChecksum, readPackets } from '../../../src/services/media/sound/ogg.ts';
import { readSamples } from '../../../src/services/media/sound/read.ts';
import { cleanRecording } from '../../../src/services/media/videos/clean.ts';

const tagged = (name: string): Buffer => readFileSync(new URL(`./tagged/${name}`, import.meta.url));
const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');
const typeOf = (bytes: Buffer) => withReader(memoryContent(bytes), recogniseContent);

async function clean(bytes: Buffer): Promise<Buffer> {
  const type = await typeOf(bytes);
  if (!type) throw new Error('The file is not recognised.');
  const { content } = await cleanRecording(memoryContent(bytes), type);
  return content.bytes ?? Buffer.alloc(0);
}

/** Samples if a decoder is installed, and otherwise the encoded ones. */
async function playable(name: string, bytes: Buffer): Promise<Buffer> {
  const decoder = (['mp3', 'wav'] as const).find((one) => name.endsWith(one)) ?? (name === 'opus.ogg' && 'ogg');
  if (decoder) return Buffer.from((await readSamples(decoder, bytes, 5)).buffer);
  // Reading packets also checks the checksums of their pages.
  if (name.endsWith('ogg')) return Buffer.concat([...readPackets(bytes)].slice(2).map(({ data }) => data));
  if (name.endsWith('webm')) return bytes.subarray(bytes.indexOf('1f43b675', 0, 'hex'));
  const mdat = bytes.indexOf('mdat') - 4;
  return bytes.subarray(mdat, mdat + bytes.readUInt32BE(mdat));
}

const SECRETS = ['secret', '2019', 'Lavf'];
/** The date in the files, in seconds since 1904 and in nanoseconds since 2001. */
const DATES = [Buffer.from('d8a262bf', 'hex'), Buffer.from('07f503db1256b600', 'hex')];

describe('A file with metadata', () => {
  it.each(['id3.mp3', 'opus.ogg', 'vorbis.ogg', 'flac.ogg', 'chunks.wav', 'aac.m4a', 'h264.mp4', 'vp8.webm'])(
    'All of the title, comment, date, place, program and attachments are gone from %s, and what it plays is the same',
    async (name) => {
      const bytes = tagged(name);
      expect(bytes.includes('secret')).toBe(true);
      const hasDate = (file: Buffer): boolean => DATES.some((date) => file.includes(date));
      expect(hasDate(bytes)).toBe(['aac.m4a', 'h264.mp4', 'vp8.webm'].includes(name));
      const result = await clean(bytes);
      expect(SECRETS.filter((word) => result.includes(word))).toEqual([]);
      expect(hasDate(result)).toBe(false);
      expect(result.length).toBe(bytes.length);
      expect(await typeOf(result)).toBe(await typeOf(bytes));
      const samples = await playable(name, bytes);
      expect(samples.length).toBeGreaterThan(200);
      expect((await playable(name, result)).equals(samples)).toBe(true);
      expect(await clean(result)).toBe(result);
    },
  );

  it('The tags at the end of an MP3 become empty ones, in any order', async () => {
    const frames = (await clean(tagged('id3.mp3'))).subarray(0, -128);
    const apeItem = Buffer.concat([latin1('\x06\0\0\0\0\0\0\0Artist\0secret')]);
    const footer = Buffer.alloc(24);
    footer.writeUInt32LE(2_000, 0);
    footer.writeUInt32LE(apeItem.length + 32, 4);
    footer.writeUInt32LE(1, 8);
    const tags = [
      Buffer.concat([latin1('LYRICSBEGIN'), latin1('LYR00006secret'), latin1('000025LYRICS200')]),
      Buffer.concat([apeItem, latin1('APETAGEX'), footer]),
      Buffer.concat([latin1('ID3\x04\0\x10\0\0\0\x06'), latin1('secret'), latin1('3DI\x04\0\x10\0\0\0\x06')]),
      latin1(`TAG+secret${'\0'.repeat(217)}`),
      latin1(`TAGsecret${'\0'.repeat(118)}\x01`),
    ];
    const bytes = Buffer.concat([frames, ...tags]);
    const result = await clean(bytes);
    expect(result.includes('secret')).toBe(false);
    expect([result.length, result.at(-1)]).toEqual([bytes.length, 0xff]);
    expect(result.subarray(0, frames.length).equals(frames)).toBe(true);
    for (const name of ['LYRICS200', 'APETAGEX', '3DI', 'TAG+']) expect(result.includes(name)).toBe(true);
  });

  it('Comments of an Ogg file that continue over several pages are removed, and all checksums are valid', async () => {
    const page = (number: number, flags: number, lengths: number[], body: Buffer): Buffer => {
      const head = Buffer.alloc(27);
      head.write('OggS');
      head[5] = flags;
      head.writeUInt32LE(7, 14);
      head.writeUInt32LE(number, 18);
      head[26] = lengths.length;
      const bytes = Buffer.concat([head, Buffer.from(lengths), body]);
      bytes.writeUInt32LE(oggChecksum(bytes), 22);
      return bytes;
    };
    const comments = Buffer.concat([latin1('OpusTags'), Buffer.alloc(8), Buffer.alloc(900, 'secret')]);
    const bytes = Buffer.concat([
      page(0, 2, [19], Buffer.concat([latin1('OpusHead\x01\x01'), Buffer.alloc(9)])),
      page(1, 0, [255, 255], comments.subarray(0, 510)),
      page(2, 1, [255, 151, 6], Buffer.concat([comments.subarray(510), latin1('sample')])),
      page(3, 4, [6], latin1('secret')),
    ]);
    const packets = [...readPackets(await clean(bytes))].map(({ data }) => data.toString('latin1'));
    expect(packets.slice(1)).toEqual([`OpusTags${'\0'.repeat(908)}`, 'sample', 'secret']);
  });

  it('The samples of a WAV whose length was not known are kept', async () => {
    const bytes = tagged('chunks.wav');
    const data = bytes.indexOf('data');
    for (const length of [0, 0xffff_ffff]) {
      bytes.writeUInt32LE(length, data + 4);
      const result = await clean(bytes);
      expect(result.includes('secret')).toBe(false);
      expect(result.subarray(data).equals(bytes.subarray(data))).toBe(true);
    }
  });

  it('A file that was made to waste time is left after a limited number of steps', { tags: ['breadth'] }, async () => {
    const before = process.cpuUsage();
    const emptyPage = Buffer.concat([latin1('OggS\0\0'), Buffer.alloc(21)]);
    const chunk = latin1('LIST\0\0\0\0');
    const files = [
      Buffer.concat([tagged('opus.ogg'), ...Array<Buffer>(200_000).fill(emptyPage)]),
      Buffer.concat([tagged('chunks.wav'), ...Array<Buffer>(500_000).fill(chunk)]),
      Buffer.concat([tagged('id3.mp3'), ...Array<Buffer>(20_000).fill(Buffer.alloc(128, 'TAG'))]),
    ];
    for (const bytes of files) expect((await clean(bytes)).length).toBe(bytes.length);
    // Processor time, which depends less on other processes.
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(2_000);
  });
});
