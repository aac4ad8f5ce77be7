import { type MediaType, mediaTypes } from '../recognise/types.ts';
import { cleaned, redrawn } from './clean.ts';
import { examined } from './facts.ts';
import type { Workbench } from './workbench.ts';

export interface CheckedPicture {
  readonly bytes: Buffer;
  readonly type: MediaType;
}

/** What gateways take as a reference. */
const TAKEN: readonly MediaType[] = [mediaTypes.png, mediaTypes.jpeg, mediaTypes.webp];

/** A member's picture without notes about the member, decoded once to its end to know that it can be. */
export async function checkedPicture(bytes: Buffer, bench: Workbench, signal: AbortSignal): Promise<CheckedPicture> {
  const picture = await examined(bytes, bench.pixels);
  const isTaken = TAKEN.includes(picture.type);
  const { bytes: clean, type, isRedrawn } = await (isTaken ? cleaned : redrawn)(picture, bench, signal);
  if (!isRedrawn) await decodedOnce(clean, bench, signal);
  return { bytes: clean, type };
}

async function decodedOnce(bytes: Buffer, bench: Workbench, signal: AbortSignal): Promise<void> {
  await bench.draw(bytes, { draw: (picture) => picture.resize(16, 16, { fit: 'fill' }).raw() }, signal);
}
