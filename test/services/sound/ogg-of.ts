import { OggWriter, type Packet } from '../../../src/services/sound/ogg.ts';

/** Reads a complete file in one go. */
export function oggOf(heads: readonly Uint8Array[], packets: readonly Packet[], serial: number): Buffer {
  const file = new OggWriter(heads, serial);
  for (const packet of packets) file.add(packet);
  return file.end();
}
