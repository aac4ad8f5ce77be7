import { crc32, deflateSync } from 'node:zlib';
import type { Actor } from '../../sandbox/discord/actor.ts';
import type { Exchange } from '../../sandbox/discord/exchange.ts';

/** What the finished message for a kind shows. */
export type Medium = 'image' | 'video' | 'audio' | 'lines' | 'answer';

interface OrderDetails {
  /** The prompt, for kinds that have one. */
  prompt: string;
  /** The unique word of the prompt. For kinds without a prompt, it is the name of the file. */
  word: string;
  isPrivate: boolean;
}

interface OrderKind {
  medium: Medium;
  runCommand(member: Actor, details: OrderDetails): Promise<Exchange>;
}

const slash =
  (command: string, optionsOf: (details: OrderDetails) => Record<string, string | boolean>): OrderKind['runCommand'] =>
  (member, details) =>
    member.slash(command, { ...optionsOf(details), ...(details.isPrivate && { private: true }) });

const withImages =
  (
    command: string,
    names: readonly string[],
    optionsOf: (details: OrderDetails) => Record<string, string> = () => ({}),
  ) =>
  (member: Actor, details: OrderDetails): Promise<Exchange> => {
    const bytes = imageWith(details.word);
    const files = names.map((name) => [name, { name: `${details.word}.png`, bytes }]);
    return member.slash(command, {
      ...optionsOf(details),
      ...Object.fromEntries(files),
      ...(details.isPrivate && { private: true }),
    });
  };

/** Every kind of task that a command can order without a conversation or a voice. Runs without a cluster order only the first one. */
export const orderKinds = {
  imagine: { medium: 'image', runCommand: slash('imagine', ({ prompt }) => ({ prompt })) },
  image: { medium: 'image', runCommand: slash('image', ({ prompt }) => ({ prompt, model: 'lumen-image-1' })) },
  blend: { medium: 'image', runCommand: withImages('blend', ['image1', 'image2']) },
  describe: { medium: 'lines', runCommand: withImages('describe', ['image']) },
  shorten: { medium: 'lines', runCommand: slash('shorten', ({ prompt }) => ({ prompt })) },
  video: { medium: 'video', runCommand: slash('video', ({ prompt }) => ({ prompt, model: 'reel-2' })) },
  'second-video': {
    medium: 'video',
    runCommand: slash('video', ({ prompt }) => ({ prompt, model: 'reel-2', endpoint: 'videos' })),
  },
  'image-to-video': {
    medium: 'video',
    runCommand: withImages('video', ['image'], ({ prompt }) => ({
      prompt,
      model: 'kling-v2-1',
      endpoint: 'image-to-video',
    })),
  },
  song: { medium: 'audio', runCommand: slash('music make', ({ word }) => ({ about: word })) },
  answer: { medium: 'answer', runCommand: slash('ask', ({ prompt }) => ({ prompt, model: 'quill-5', new: true })) },
  /** A button of a delivered grid, pressed by its owner. */
  action: { medium: 'image', runCommand: () => Promise.reject(new Error('An action needs a message.')) },
} satisfies Record<string, OrderKind>;

export type OrderKindName = keyof typeof orderKinds;

const IMAGE_SIZE = 24;
const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** A small gray image whose first pixels are a word, uncompressed, so that a request to the gateway reveals which order it belongs to. */
function imageWith(word: string): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(IMAGE_SIZE, 0);
  header.writeUInt32BE(IMAGE_SIZE, 4);
  header.set([8], 8);
  // Each row begins with the number of its filter.
  const pixels = Buffer.alloc(IMAGE_SIZE * (IMAGE_SIZE + 1));
  pixels.write(word, 1, IMAGE_SIZE, 'latin1');
  const data = deflateSync(pixels, { level: 0 });
  return Buffer.concat([PNG_SIGNATURE, chunk('IHDR', header), chunk('IDAT', data), chunk('IEND', Buffer.alloc(0))]);
}

function chunk(name: string, data: Buffer): Buffer {
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  const content = Buffer.concat([Buffer.from(name), data]);
  length.writeUInt32BE(data.length);
  checksum.writeUInt32BE(crc32(content));
  return Buffer.concat([length, content, checksum]);
}
