import { type EncodedPacket, OggWriter } from '../../../../src/services/media/sound/ogg.ts';

/** Writes a complete file in one go. */
export function oggOf(headers: readonly Uint8Array[], packets: readonly EncodedPacket[], serial: number): Buffer {
  const file = new OggWriter(headers, serial);
  for (const packet of packets) file.add(packet);
  return file.end();
}
