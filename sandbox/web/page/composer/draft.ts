import { computed, signal } from '@preact/signals';
import { commands, world } from '../state/world.ts';
import { type Leaf, leavesOf, type Option } from './commands.ts';
import { type Filled, objection } from './filled.ts';

/** The content of the composer: a message, or a command with its options. */
export const text = signal('');
export const files = signal<readonly File[]>([]);
export const chosen = signal<Leaf | undefined>(undefined);
export const filled = signal<ReadonlyMap<string, Filled>>(new Map());
/** The options in the row, in the order in which they were added. */
export const shown = signal<readonly string[]>([]);
export const objections = signal<ReadonlyMap<string, string>>(new Map());
/** The focused option. */
export const current = signal<string | undefined>(undefined);
/** The field to focus once it is rendered: an option's name, or `TEXT`. */
export const wanted = signal<string | undefined>(undefined);
export const TEXT = ' text';

export const leaves = computed(() => leavesOf(commands.value));
export const currentOption = computed(() => optionNamed(current.value));
export const offered = computed(() => chosen.value?.options.filter(({ name }) => !shown.value.includes(name)) ?? []);

export const optionNamed = (name: string | undefined): Option | undefined =>
  chosen.value?.options.find((option) => option.name === name);

/** Sets the text from outside the composer; the path of a command selects that command. */
export function write(words: string): void {
  const leaf = leaves.value.find(({ path }) => `/${path}` === words);
  if (leaf) begin(leaf);
  else {
    leave();
    text.value = words;
  }
}

export function begin(leaf: Leaf, values: ReadonlyMap<string, Filled> = new Map()): void {
  const required = leaf.options.filter((option) => option.required || values.has(option.name)).map(({ name }) => name);
  chosen.value = leaf;
  filled.value = values;
  shown.value = required;
  objections.value = new Map();
  text.value = '';
  wanted.value = required[0];
  current.value = required[0];
}

export function leave(): void {
  chosen.value = undefined;
  filled.value = new Map();
  shown.value = [];
  objections.value = new Map();
  current.value = undefined;
  wanted.value = TEXT;
}

export function show(name: string): void {
  if (!shown.value.includes(name)) shown.value = [...shown.value, name];
  wanted.value = name;
}

export function hide(name: string): void {
  const at = shown.value.indexOf(name);
  shown.value = shown.value.filter((one) => one !== name);
  put(name, undefined);
  wanted.value = shown.value[Math.max(0, at - 1)] ?? offered.value[0]?.name;
}

export function put(name: string, value: Filled | undefined): void {
  const next = new Map(filled.value);
  if (value) next.set(name, value);
  else next.delete(name);
  filled.value = next;
  if (objections.value.has(name)) objections.value = new Map([...objections.value].filter(([one]) => one !== name));
}

export const neighbour = (name: string, step: 1 | -1): string | undefined =>
  shown.value[shown.value.indexOf(name) + step];

/** Validates the command; focuses the first option with a fault. */
export function isSendable(): boolean {
  const { uploadBytes = 0 } = world.value ?? {};
  const found = (chosen.value?.options ?? []).flatMap((option): [string, string][] => {
    const fault = objection(option, filled.value.get(option.name), uploadBytes);
    return fault === undefined ? [] : [[option.name, fault]];
  });
  objections.value = new Map(found);
  const [first] = found;
  if (first) show(first[0]);
  return first === undefined;
}

/** Assigns pasted or dropped files to the focused option, to free file options, or to the message. */
export function receive(given: readonly File[]): void {
  const leaf = chosen.value;
  if (!leaf) {
    files.value = [...files.value, ...given].slice(0, 10);
    return;
  }
  const slots = leaf.options.filter(({ type }) => type === ATTACHMENT);
  const free = slots.filter(({ name }) => !filled.value.has(name));
  const inFront = slots.find(({ name }) => name === current.value);
  const targets = [...(inFront ? [inFront] : []), ...free.filter((one) => one !== inFront)];
  given.forEach((file, index) => {
    const slot = targets[index];
    if (!slot) return;
    show(slot.name);
    put(slot.name, { is: 'file', file });
  });
}

const ATTACHMENT = 11;
