import type { Workshop } from './workshop.ts';

export interface Sound {
  bytes: Buffer;
  mime: 'audio/wav';
  seconds: number;
}

export interface SoundJob {
  readonly prompt: string;
  readonly seed: number;
  readonly seconds: number;
}

const LONGEST = 240;
/** The chime alone takes this long. */
const SHORTEST = 2;

export async function compose(workshop: Workshop, prompt: string, seed: number, seconds: number): Promise<Sound> {
  const length = Math.min(LONGEST, Math.max(SHORTEST, Number.isFinite(seconds) ? seconds : SHORTEST));
  const job: SoundJob = { prompt, seed, seconds: length };
  const { bytes } = (await workshop.run(job)) as { bytes: Uint8Array<ArrayBuffer> };
  return { bytes: Buffer.from(bytes.buffer), mime: 'audio/wav', seconds: length };
}
