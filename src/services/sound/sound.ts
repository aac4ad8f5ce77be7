import type { Pcm } from '../../lib/pcm.ts';

/** A spoken message as Discord takes it. */
export interface SpokenMessage {
  /** Ogg Opus. */
  bytes: Buffer;
  seconds: number;
  /** A byte a column, in base64. */
  waveform: string;
}

/** Sound of members and models, to plain samples and back. Knows nothing of where it is heard. */
export interface Sounds {
  /** Throws a `Refusal` for what is no sound that can be read, or lasts longer. */
  decoded(bytes: Uint8Array, limits: { mostSeconds: number }): Promise<Pcm>;
  spoken(pcm: Pcm): Promise<SpokenMessage>;
  close(): Promise<void>;
}
