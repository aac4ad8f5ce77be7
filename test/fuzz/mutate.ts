import type { SeededRandom } from './random.ts';
import { bytesOf, DEFAULT_MAX_BYTES, type Target } from './target.ts';

/** Most formats have lengths and counters, so the edges of their ranges are tried. */
const EDGE_VALUES = [0, 1, 2, 7, 8, 15, 16, 127, 128, 254, 255, 256, 4_095, 32_767, 65_535, 0x7fff_ffff, 0xffff_ffff];
const MAX_STEPS = 6;
const MAX_REPEATS = 4_096;

type Mutation = (input: Buffer, random: SeededRandom, target: Target, pool: readonly Buffer[]) => Buffer;

/** Creates an input by making a few small changes to one from the pool. */
export function mutate(random: SeededRandom, target: Target, pool: readonly Buffer[]): Buffer {
  let input = random.pick(pool) ?? Buffer.alloc(0);
  for (let steps = 1 + random.integerBelow(MAX_STEPS); steps > 0; steps--) {
    const mutation = random.pick(MUTATIONS) ?? changeByte;
    input = mutation(input, random, target, pool).subarray(0, target.maxBytes ?? DEFAULT_MAX_BYTES);
  }
  return input;
}

const changeByte: Mutation = (input, random) => {
  const changed = Buffer.from(input);
  if (changed.length > 0) changed[random.integerBelow(changed.length)] = random.integerBelow(256);
  return changed;
};

/** Changes a byte near the beginning of a file, which determines how the rest is read. */
const changeByteInHead: Mutation = (input, random) => {
  const changed = Buffer.from(input);
  if (changed.length > 0) changed[random.integerBelow(Math.min(64, changed.length))] = random.integerBelow(256);
  return changed;
};

const writeEdge: Mutation = (input, random) => {
  const changed = Buffer.from(input);
  const size = random.pick([1, 2, 4]) ?? 1;
  if (changed.length < size) return changed;
  const value = (random.pick(EDGE_VALUES) ?? 0) % 2 ** (8 * size);
  const position = random.integerBelow(changed.length - size + 1);
  if (random.next() < 0.5) changed.writeUIntBE(value, position, size);
  else changed.writeUIntLE(value, position, size);
  return changed;
};

const insertWord: Mutation = (input, random, target) => insert(input, bytesOf(random.pick(target.words) ?? ''), random);

const remove: Mutation = (input, random) => {
  const { start, end } = range(input, random);
  return Buffer.concat([input.subarray(0, start), input.subarray(end)]);
};

const duplicate: Mutation = (input, random) => {
  const { start, end } = range(input, random);
  return Buffer.concat([input.subarray(0, end), input.subarray(start)]);
};

/** Repeats a piece very often, which reveals code that takes too long. */
const repeat: Mutation = (input, random, target) => {
  const { start, end } = range(input, random, 16);
  const chunk = random.next() < 0.4 ? bytesOf(random.pick(target.words) ?? '') : input.subarray(start, end);
  if (chunk.length === 0) return input;
  const max = Math.floor((target.maxBytes ?? DEFAULT_MAX_BYTES) / chunk.length);
  const times = 1 + random.integerBelow(Math.min(MAX_REPEATS, Math.max(1, max)));
  const repeated = Buffer.alloc(chunk.length * times, chunk);
  return Buffer.concat([input.subarray(0, start), repeated, input.subarray(end)]);
};

const join: Mutation = (input, random, _target, pool) => {
  const other = random.pick(pool) ?? input;
  return Buffer.concat([
    input.subarray(0, random.integerBelow(input.length + 1)),
    other.subarray(random.integerBelow(other.length + 1)),
  ]);
};

const cutOff: Mutation = (input, random) => input.subarray(0, random.integerBelow(input.length + 1));

const MUTATIONS: readonly Mutation[] = [
  changeByte,
  changeByte,
  changeByteInHead,
  writeEdge,
  writeEdge,
  insertWord,
  insertWord,
  remove,
  duplicate,
  repeat,
  join,
  cutOff,
];

function insert(input: Buffer, chunk: Buffer, random: SeededRandom): Buffer {
  const position = random.integerBelow(input.length + 1);
  const overwrittenLength = random.next() < 0.5 ? Math.min(chunk.length, input.length - position) : 0;
  return Buffer.concat([input.subarray(0, position), chunk, input.subarray(position + overwrittenLength)]);
}

function range(input: Buffer, random: SeededRandom, max = 256): { start: number; end: number } {
  const start = random.integerBelow(input.length + 1);
  return { start, end: Math.min(input.length, start + 1 + random.integerBelow(max)) };
}
