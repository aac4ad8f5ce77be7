/** What the headers of a test video state. Such videos contain no frames. */
interface VideoHeaderFacts {
  width?: number;
  height?: number;
  seconds?: number;
}

interface Mp4Facts extends VideoHeaderFacts {
  brand?: 'isom' | 'qt  ';
  /** Uses 64-bit times. */
  isLong?: boolean;
  isRotated?: boolean;
  /** Stores the duration in a separate box. */
  isFragmented?: boolean;
}

const TIME_SCALE = 600;

const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');

function uint(value: number, bytes: 4 | 8 = 4): Buffer {
  const buffer = Buffer.alloc(bytes);
  if (bytes === 8) buffer.writeBigUInt64BE(BigInt(value));
  else buffer.writeUInt32BE(value);
  return buffer;
}

export function box(kind: string, ...content: Buffer[]): Buffer {
  const body = Buffer.concat(content);
  return Buffer.concat([uint(8 + body.length), latin1(kind), body]);
}

export function mp4Video({ width = 1280, height = 720, seconds = 5, ...options }: Mp4Facts = {}): Buffer {
  const { brand = 'isom', isLong = false, isRotated = false, isFragmented = false } = options;
  const length = isLong ? 8 : 4;
  const version = uint(isLong ? 0x0100_0000 : 0);
  const times = Buffer.alloc(length * 2);
  const duration = uint(Math.round(seconds * TIME_SCALE), length);
  const mvhd = box(
    'mvhd',
    version,
    times,
    uint(TIME_SCALE),
    isFragmented ? uint(0, length) : duration,
    Buffer.alloc(80),
  );
  const fixedPointOne = 0x1_0000;
  const matrix = (
    isRotated
      ? [0, fixedPointOne, 0, 0xffff_0000, 0, 0, 0, 0, 0]
      : [fixedPointOne, 0, 0, 0, fixedPointOne, 0, 0, 0, fixedPointOne]
  ).map((n) => uint(n));
  const dimensions = [uint(width * fixedPointOne), uint(height * fixedPointOne)];
  const tkhd = (...size: Buffer[]): Buffer =>
    box('tkhd', version, times, uint(1), uint(0), Buffer.alloc(length + 16), ...matrix, ...size);
  const track = (handler: string, ...size: Buffer[]): Buffer =>
    box('trak', tkhd(...size), box('mdia', box('hdlr', uint(0), uint(0), latin1(handler), Buffer.alloc(13))));
  const fragments = isFragmented ? [box('mvex', box('mehd', version, duration))] : [];
  const audio = track('soun', uint(0), uint(0));
  return Buffer.concat([
    box('ftyp', latin1(`${brand}\0\0\0\0${brand}`)),
    box('moov', mvhd, ...fragments, audio, track('vide', ...dimensions)),
    box('mdat', Buffer.alloc(32)),
  ]);
}

function element(id: number[], ...content: Buffer[]): Buffer {
  const body = Buffer.concat(content);
  return Buffer.concat([Buffer.from(id), Buffer.from([0x40 | (body.length >> 8), body.length & 0xff]), body]);
}

interface WebmFacts extends VideoHeaderFacts {
  /** Written while recording, so the length of the segment and the duration are unknown. */
  isLive?: boolean;
}

export function webmVideo({ width = 640, height = 360, seconds = 4, isLive = false }: WebmFacts = {}): Buffer {
  const duration = Buffer.alloc(8);
  duration.writeDoubleBE(seconds * 1000);
  const info = element(
    [0x15, 0x49, 0xa9, 0x66],
    element([0x2a, 0xd7, 0xb1], uint(1_000_000)),
    ...(isLive ? [] : [element([0x44, 0x89], duration)]),
  );
  const size = [element([0xb0], uint(width)), element([0xba], uint(height))];
  const audio = element([0xae], element([0xe1], element([0xb5], uint(48_000))));
  const tracks = element([0x16, 0x54, 0xae, 0x6b], audio, element([0xae], element([0xe0], ...size)));
  const content = [info, tracks, element([0x1f, 0x43, 0xb6, 0x75], Buffer.alloc(9))];
  const segment = isLive
    ? Buffer.concat([Buffer.from([0x18, 0x53, 0x80, 0x67, 0x01]), Buffer.alloc(7, 0xff), ...content])
    : element([0x18, 0x53, 0x80, 0x67], ...content);
  return Buffer.concat([element([0x1a, 0x45, 0xdf, 0xa3], element([0x42, 0x82], latin1('webm'))), segment]);
}
