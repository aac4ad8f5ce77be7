import { crc32, deflateSync } from 'node:zlib';
import type { Actor } from '../../sandbox/discord/actor.ts';
import type { Exchange } from '../../sandbox/discord/exchange.ts';

/** What the finished message for a kind shows. */
export type Medium = 'image' | 'video' | 'audio' | 'lines' | 'answer';

interface Given {
  /** The prompt, for kinds that have one. */
  prompt: string;
  /** The word of the prompt that no other request has; it names the file of kinds without a prompt. */
  word: string;
  isPrivate: boolean;
}

interface OrderKind {
  shows: Medium;
  ask(member: Actor, given: Given): Promise<Exchange>;
}

const slash =
  (command: string, optionsOf: (given: Given) => Record<string, string | boolean>): OrderKind['ask'] =>
  (member, given) =>
    member.slash(command, { ...optionsOf(given), ...(given.isPrivate && { private: true }) });

const withImages =
  (command: string, names: readonly string[], optionsOf: (given: Given) => Record<string, string> = () => ({})) =>
  (member: Actor, given: Given): Promise<Exchange> => {
    const bytes = imageWith(given.word);
    const files = names.map((name) => [name, { name: `${given.word}.png`, bytes }]);
    return member.slash(command, {
      ...optionsOf(given),
      ...Object.fromEntries(files),
      ...(given.isPrivate && { private: true }),
    });
  };

/** Every kind of task that a command orders without a conversation or a voice. The first one is ordered everywhere. */
export const orderKinds = {
  imagine: { shows: 'image', ask: slash('imagine', ({ prompt }) => ({ prompt })) },
  image: { shows: 'image', ask: slash('image', ({ prompt }) => ({ prompt, model: 'lumen-image-1' })) },
  blend: { shows: 'image', ask: withImages('blend', ['image1', 'image2']) },
  describe: { shows: 'lines', ask: withImages('describe', ['image']) },
  shorten: { shows: 'lines', ask: slash('shorten', ({ prompt }) => ({ prompt })) },
  video: { shows: 'video', ask: slash('video', ({ prompt }) => ({ prompt, model: 'reel-2' })) },
  'second-video': {
    shows: 'video',
    ask: slash('video', ({ prompt }) => ({ prompt, model: 'reel-2', endpoint: 'videos' })),
  },
  'image-to-video': {
    shows: 'video',
    ask: withImages('video', ['image'], ({ prompt }) => ({
      ...{ prompt, model: 'kling-v2-1', endpoint: 'image-to-video' },
    })),
  },
  song: { shows: 'audio', ask: slash('music make', ({ prompt }) => ({ about: prompt })) },
  answer: { shows: 'answer', ask: slash('ask', ({ prompt }) => ({ prompt, model: 'quill-5', new: true })) },
  /** A button of a delivered grid, pressed by its owner. */
  action: { shows: 'image', ask: () => Promise.reject(new Error('An action needs a message.')) },
} satisfies Record<string, OrderKind>;

export type OrderKindName = keyof typeof orderKinds;

const SIDE = 24;
const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** A small gray image whose first pixels are a word, uncompressed, so that a request to the gateway reveals which order it belongs to. */
function imageWith(word: string): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(SIDE, 0);
  header.writeUInt32BE(SIDE, 4);
  header.set([8], 8);
  // Each row begins with the number of its filter.
  const pixels = Buffer.alloc(SIDE * (SIDE + 1));
  pixels.write(word, 1, SIDE, 'latin1');
  const data = deflateSync(pixels, { level: 0 });
  return Buffer.concat([SIGNATURE, chunk('IHDR', header), chunk('IDAT', data), chunk('IEND', Buffer.alloc(0))]);
}

function chunk(name: string, data: Buffer): Buffer {
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  const named = Buffer.concat([Buffer.from(name), data]);
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, check]);
}
