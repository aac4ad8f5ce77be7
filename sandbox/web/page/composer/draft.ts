import { computed, signal } from '@preact/signals';
import { commands, world } from '../state/world.ts';
import { type Leaf, leavesOf, type Option } from './commands.ts';
import { type OptionValue, objection } from './filled.ts';

/** The content of the composer: a message, or a command with its options. */
export const text = signal('');
export const files = signal<readonly File[]>([]);
export const chosenCommand = signal<Leaf | undefined>(undefined);
export const optionValues = signal<ReadonlyMap<string, OptionValue>>(new Map());
/** The options in the row, in the order in which they were added. */
export const shownOptions = signal<readonly string[]>([]);
export const validationErrors = signal<ReadonlyMap<string, string>>(new Map());
/** The focused option. */
export const focusedOption = signal<string | undefined>(undefined);
/** The field to focus once it is rendered: an option's name, or `TEXT`. */
export const focusTarget = signal<string | undefined>(undefined);
export const TEXT = ' text';

export const leaves = computed(() => leavesOf(commands.value));
export const currentOption = computed(() => optionNamed(focusedOption.value));
export const offered = computed(
  () => chosenCommand.value?.options.filter(({ name }) => !shownOptions.value.includes(name)) ?? [],
);

export const optionNamed = (name: string | undefined): Option | undefined =>
  chosenCommand.value?.options.find((option) => option.name === name);

/** Sets the text from outside the composer; the path of a command selects that command. */
export function write(words: string): void {
  const leaf = leaves.value.find(({ path }) => `/${path}` === words);
  if (leaf) startCommand(leaf);
  else {
    discardCommand();
    text.value = words;
  }
}

export function startCommand(leaf: Leaf, values: ReadonlyMap<string, OptionValue> = new Map()): void {
  const initiallyShown = leaf.options
    .filter((option) => option.required || values.has(option.name))
    .map(({ name }) => name);
  chosenCommand.value = leaf;
  optionValues.value = values;
  shownOptions.value = initiallyShown;
  validationErrors.value = new Map();
  text.value = '';
  focusTarget.value = initiallyShown[0];
  focusedOption.value = initiallyShown[0];
}

export function discardCommand(): void {
  chosenCommand.value = undefined;
  optionValues.value = new Map();
  shownOptions.value = [];
  validationErrors.value = new Map();
  focusedOption.value = undefined;
  focusTarget.value = TEXT;
}

export function show(name: string): void {
  if (!shownOptions.value.includes(name)) shownOptions.value = [...shownOptions.value, name];
  focusTarget.value = name;
}

export function hide(name: string): void {
  const at = shownOptions.value.indexOf(name);
  shownOptions.value = shownOptions.value.filter((one) => one !== name);
  put(name, undefined);
  focusTarget.value = shownOptions.value[Math.max(0, at - 1)] ?? offered.value[0]?.name;
}

export function put(name: string, value: OptionValue | undefined): void {
  const next = new Map(optionValues.value);
  if (value) next.set(name, value);
  else next.delete(name);
  optionValues.value = next;
  if (validationErrors.value.has(name))
    validationErrors.value = new Map([...validationErrors.value].filter(([one]) => one !== name));
}

export const neighbour = (name: string, step: 1 | -1): string | undefined =>
  shownOptions.value[shownOptions.value.indexOf(name) + step];

/** Validates the command; focuses the first option with a fault. */
export function validateDraft(): boolean {
  const { uploadBytes = 0 } = world.value ?? {};
  const found = (chosenCommand.value?.options ?? []).flatMap((option): [string, string][] => {
    const fault = objection(option, optionValues.value.get(option.name), uploadBytes);
    return fault === undefined ? [] : [[option.name, fault]];
  });
  validationErrors.value = new Map(found);
  const [first] = found;
  if (first) show(first[0]);
  return first === undefined;
}

/** Assigns pasted or dropped files to the focused option, to free file options, or to the message. */
export function receive(given: readonly File[]): void {
  const leaf = chosenCommand.value;
  if (!leaf) {
    files.value = [...files.value, ...given].slice(0, 10);
    return;
  }
  const slots = leaf.options.filter(({ type }) => type === ATTACHMENT);
  const free = slots.filter(({ name }) => !optionValues.value.has(name));
  const inFront = slots.find(({ name }) => name === focusedOption.value);
  const targets = [...(inFront ? [inFront] : []), ...free.filter((one) => one !== inFront)];
  given.forEach((file, index) => {
    const slot = targets[index];
    if (!slot) return;
    show(slot.name);
    put(slot.name, { is: 'file', file });
  });
}

const ATTACHMENT = 11;
