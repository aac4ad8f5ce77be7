import { bytesOf } from './input-buffer.ts';
import { spokenWordsOf, synthesizeWord, type Voice } from './voice.ts';

/** A delta of a reply, and its delay in milliseconds of the gateway's own time. */
export interface Piece {
  readonly wait: number;
  readonly kind: 'text' | 'transcript' | 'audio';
  readonly delta: string;
}

export interface Word {
  readonly text: string;
  readonly pieces: readonly Piece[];
}

const WORD_MS = 25;
/** 0.2 s of audio every 0.02 s, which is ten times real time. */
const AUDIO_MS = 20;
const AUDIO_BYTES = 9_600;

export const writtenWords = (text: string): readonly Word[] =>
  spokenWordsOf(text).map((word) => ({ text: word, pieces: [{ wait: WORD_MS, kind: 'text', delta: word }] }));

/** Each word with its audio. With `splitsSamples`, deltas end in the middle of a sample. */
export function* spokenWords(text: string, voice: Voice, splitsSamples: boolean): Generator<Word, void, void> {
  const size = splitsSamples ? AUDIO_BYTES + 1 : AUDIO_BYTES;
  const words = spokenWordsOf(text);
  let remainder = Buffer.alloc(0);
  for (const [index, word] of words.entries()) {
    const pieces: Piece[] = [{ wait: WORD_MS, kind: 'transcript', delta: word }];
    let bytes = Buffer.concat([remainder, bytesOf(synthesizeWord(word, voice))]);
    // Holds back half a sample until the next word; the last word sends everything.
    const heldBackBytes = splitsSamples && index < words.length - 1 ? 1 : 0;
    while (bytes.length > heldBackBytes) {
      const piece = bytes.subarray(0, Math.min(size, bytes.length - heldBackBytes));
      pieces.push({ wait: AUDIO_MS, kind: 'audio', delta: piece.toString('base64') });
      bytes = bytes.subarray(piece.length);
    }
    remainder = bytes;
    yield { text: word, pieces };
  }
}
