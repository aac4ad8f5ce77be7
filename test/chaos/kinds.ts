import { crc32 } from 'node:zlib';
import sharp from 'sharp';
import type { Actor } from '../../sandbox/discord/actor.ts';
import type { Exchange } from '../../sandbox/discord/exchange.ts';

/** What a finished message of a kind shows. */
export type Medium = 'image' | 'video' | 'audio' | 'lines' | 'answer';

interface Given {
  /** The prompt of kinds that have one. */
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

const withPictures =
  (command: string, names: readonly string[], optionsOf: (given: Given) => Record<string, string> = () => ({})) =>
  async (member: Actor, given: Given): Promise<Exchange> => {
    const bytes = await pictureWith(given.word);
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
  blend: { shows: 'image', ask: withPictures('blend', ['image1', 'image2']) },
  describe: { shows: 'lines', ask: withPictures('describe', ['image']) },
  shorten: { shows: 'lines', ask: slash('shorten', ({ prompt }) => ({ prompt })) },
  video: { shows: 'video', ask: slash('video', ({ prompt }) => ({ prompt, model: 'reel-2' })) },
  'second-video': {
    shows: 'video',
    ask: slash('video', ({ prompt }) => ({ prompt, model: 'reel-2', endpoint: 'videos' })),
  },
  'image-to-video': {
    shows: 'video',
    ask: withPictures('video', ['image'], ({ prompt }) => ({
      ...{ prompt, model: 'kling-v2-1', endpoint: 'image-to-video' },
    })),
  },
  song: { shows: 'audio', ask: slash('music make', ({ prompt }) => ({ about: prompt })) },
  answer: { shows: 'answer', ask: slash('ask', ({ prompt }) => ({ prompt, model: 'quill-5', new: true })) },
  /** A button of a delivered grid, pressed by its owner. */
  action: { shows: 'image', ask: () => Promise.reject(new Error('An action needs a message.')) },
} satisfies Record<string, OrderKind>;

export type OrderKindName = keyof typeof orderKinds;

const SIGNATURE_AND_HEADER = 33;
const SIDE = 24;

let plain: Promise<Buffer> | undefined;

/** A small image that holds a word as text, so that the gateway's request tells which order it belongs to. */
async function pictureWith(word: string): Promise<Buffer> {
  plain ??= sharp({ create: { width: SIDE, height: SIDE, channels: 3, background: 'teal' } })
    .png()
    .toBuffer();
  const image = await plain;
  const data = Buffer.from(`tEXtComment\0${word}`);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length - 4);
  check.writeUInt32BE(crc32(data));
  return Buffer.concat([
    image.subarray(0, SIGNATURE_AND_HEADER),
    ...[length, data, check],
    image.subarray(SIGNATURE_AND_HEADER),
  ]);
}
