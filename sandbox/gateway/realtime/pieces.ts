import { bytesOf } from './input-buffer.ts';
import { type Voice, wordIn, wordsSpoken } from './voice.ts';

/** What an answer comes in, and how long each takes to come, in milliseconds of the gateway's own time. */
export interface Piece {
  readonly wait: number;
  readonly kind: 'text' | 'transcript' | 'audio';
  readonly delta: string;
}

export interface Word {
  readonly text: string;
  readonly pieces: readonly Piece[];
}

const WORD = 25;
/** Two tenths of a second of sound in a fiftieth: ten times as fast as it is heard. */
const SOUND = 20;
const SOUND_BYTES = 9_600;

export const writtenWords = (text: string): readonly Word[] =>
  wordsSpoken(text).map((word) => ({ text: word, pieces: [{ wait: WORD, kind: 'text', delta: word }] }));

/** Each with its sound behind it. `isOdd`: pieces end in the middle of a sample. */
export function* spokenWords(text: string, voice: Voice, isOdd: boolean): Generator<Word, void, void> {
  const size = isOdd ? SOUND_BYTES + 1 : SOUND_BYTES;
  const words = wordsSpoken(text);
  let rest = Buffer.alloc(0);
  for (const [at, word] of words.entries()) {
    const pieces: Piece[] = [{ wait: WORD, kind: 'transcript', delta: word }];
    let bytes = Buffer.concat([rest, bytesOf(wordIn(word, voice))]);
    // Half a sample waits for its other half, and with the last word nothing waits any more.
    const kept = isOdd && at < words.length - 1 ? 1 : 0;
    while (bytes.length > kept) {
      const piece = bytes.subarray(0, Math.min(size, bytes.length - kept));
      pieces.push({ wait: SOUND, kind: 'audio', delta: piece.toString('base64') });
      bytes = bytes.subarray(piece.length);
    }
    rest = bytes;
    yield { text: word, pieces };
  }
}
