import { OggWriter, type Packet } from '../../../../src/services/media/sound/ogg.ts';

/** Writes a complete file in one go. */
export function oggOf(headers: readonly Uint8Array[], packets: readonly Packet[], serial: number): Buffer {
  const file = new OggWriter(headers, serial);
  for (const packet of packets) file.add(packet);
  return file.end();
}
