/** A WAV file in any sample format, with the header that common encoders write. */
export function wavOf(
  channels: readonly Float32Array[],
  rate: number,
  { bytes, isFloat = false }: { bytes: 1 | 2 | 3 | 4 | 8; isFloat?: boolean },
): Buffer {
  const frames = channels[0]?.length ?? 0;
  const data = Buffer.alloc(frames * channels.length * bytes);
  for (let frame = 0; frame < frames; frame++) {
    for (const [number, channel] of channels.entries()) {
      const value = channel[frame] ?? 0;
      const offset = (frame * channels.length + number) * bytes;
      if (isFloat && bytes === 8) data.writeDoubleLE(value, offset);
      else if (isFloat) data.writeFloatLE(value, offset);
      else if (bytes === 1) data.writeUInt8(Math.round(value * 127) + 128, offset);
      else data.writeIntLE(Math.round(value * (2 ** (8 * bytes - 1) - 1)), offset, bytes as 2 | 3 | 4);
    }
  }
  const header = Buffer.alloc(44);
  header.write('RIFF');
  header.writeUInt32LE(36 + data.length, 4);
  header.write('WAVEfmt ', 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(isFloat ? 3 : 1, 20);
  header.writeUInt16LE(channels.length, 22);
  header.writeUInt32LE(rate, 24);
  header.writeUInt32LE(rate * channels.length * bytes, 28);
  header.writeUInt16LE(channels.length * bytes, 32);
  header.writeUInt16LE(bytes * 8, 34);
  header.write('data', 36);
  header.writeUInt32LE(data.length, 40);
  return Buffer.concat([header, data]);
}
