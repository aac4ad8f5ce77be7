/** A WAV as its writers make them, in any format. */
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
      const at = (frame * channels.length + number) * bytes;
      if (isFloat && bytes === 8) data.writeDoubleLE(value, at);
      else if (isFloat) data.writeFloatLE(value, at);
      else if (bytes === 1) data.writeUInt8(Math.round(value * 127) + 128, at);
      else data.writeIntLE(Math.round(value * (2 ** (8 * bytes - 1) - 1)), at, bytes as 2 | 3 | 4);
    }
  }
  const head = Buffer.alloc(44);
  head.write('RIFF');
  head.writeUInt32LE(36 + data.length, 4);
  head.write('WAVEfmt ', 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(isFloat ? 3 : 1, 20);
  head.writeUInt16LE(channels.length, 22);
  head.writeUInt32LE(rate, 24);
  head.writeUInt32LE(rate * channels.length * bytes, 28);
  head.writeUInt16LE(channels.length * bytes, 32);
  head.writeUInt16LE(bytes * 8, 34);
  head.write('data', 36);
  head.writeUInt32LE(data.length, 40);
  return Buffer.concat([head, data]);
}
