import type { Pcm } from '../../lib/pcm.ts';
import type { FileContent } from '../media/content.ts';

/** A spoken message as Discord takes it. */
export interface SpokenMessage {
  /** Ogg Opus. */
  bytes: Buffer;
  seconds: number;
  /** A byte a column, in base64. */
  waveform: string;
  /** More came than was let be said. */
  isCut: boolean;
}

/** Writes down one voice while it speaks. Costs nothing before its first sound; whoever begins one finishes or drops it. */
export interface VoiceWriter {
  /** Nothing has been said yet. */
  readonly isEmpty: boolean;
  /** Never throws: what goes wrong is told at the end. The samples stay as they are from now on, for they may have to wait. */
  add(pcm: Pcm): void;
  /** All has been said. Throws where nothing was, and where it could not be written. */
  finish(): Promise<SpokenMessage>;
  /** Nobody wants it any more. After the end nothing happens. */
  drop(): void;
}

/** Sound of members and models, to plain samples and back. Knows nothing of where it is heard. */
export interface Sounds {
  /** Throws a `Refusal` for what is no sound that can be read, or lasts longer. */
  decoded(file: FileContent, limits: { mostSeconds: number }): Promise<Pcm>;
  /** What is longer is cut. */
  writing(limits: { mostSeconds: number }): VoiceWriter;
  close(): Promise<void>;
}
