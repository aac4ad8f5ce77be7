import { afterAll, describe, expect, it } from 'vitest';
import { createStudio, lyricsOf } from '../../../sandbox/gateway/studio/index.ts';

const studio = createStudio();
afterAll(() => studio.close());

const HEADER_BYTES = 44;

describe('The audio of the studio', { tags: ['breadth'] }, () => {
  it('A song is a WAV file of the requested length, neither silent nor clipped, and is the same every time', async () => {
    const [first, repeatedSong, songFromOtherSeed] = await Promise.all([
      studio.compose('calm piano at night', 3, 6),
      studio.compose('calm piano at night', 3, 6),
      studio.compose('calm piano at night', 4, 6),
    ]);
    expect(first.bytes.equals(repeatedSong.bytes)).toBe(true);
    expect(first.bytes.equals(songFromOtherSeed.bytes)).toBe(false);
    expect(first).toMatchObject({ mime: 'audio/wav', seconds: 6 });
    expect(first.bytes.toString('latin1', 0, 4)).toBe('RIFF');
    expect(first.bytes.toString('latin1', 8, 16)).toBe('WAVEfmt ');
    expect(first.bytes.readUInt32LE(4)).toBe(first.bytes.length - 8);
    expect(first.bytes.readUInt16LE(34)).toBe(16);
    expect((first.bytes.length - HEADER_BYTES) / first.bytes.readUInt32LE(28)).toBeCloseTo(6, 3);
    let [peak, energy] = [0, 0];
    for (let offset = HEADER_BYTES; offset < first.bytes.length; offset += 2) {
      const value = Math.abs(first.bytes.readInt16LE(offset)) / 32768;
      peak = Math.max(peak, value);
      energy += value * value;
    }
    expect(peak).toBeGreaterThan(0.5);
    expect(peak).toBeLessThan(0.95);
    expect(Math.sqrt(energy / ((first.bytes.length - HEADER_BYTES) / 2))).toBeGreaterThan(0.02);
  });
});

describe('The lyrics of the studio', () => {
  it('Lyrics contain words from the prompt, name their source and are the same every time', () => {
    const song = lyricsOf('a red lighthouse in the storm', 3);
    expect(song).toEqual(lyricsOf('a red lighthouse in the storm', 3));
    expect(song.title.length).toBeGreaterThan(3);
    expect(song.lyrics).toMatch(/sandbox/);
    expect(song.lyrics).toMatch(/lighthouse/);
  });

  it('Lyrics can be written for a prompt without words', () => {
    expect(lyricsOf('🎵 !!', 1).lyrics).toMatch(/sandbox/);
  });
});
