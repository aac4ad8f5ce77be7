import { computed, signal } from '@preact/signals';
import type { VisibleMessage } from '../../protocol.ts';
import { commands, world } from '../state/world.ts';
import { type Leaf, leavesOf, type Option } from './commands.ts';
import { type OptionValue, validateOption } from './option-value.ts';

/** The content of the composer: a message, or a command with its options. */
export const text = signal('');
export const files = signal<readonly File[]>([]);
export const chosenCommand = signal<Leaf | undefined>(undefined);
export const optionValues = signal<ReadonlyMap<string, OptionValue>>(new Map());
/** The options that the composer shows, in the order in which they were added. */
export const shownOptions = signal<readonly string[]>([]);
export const validationErrors = signal<ReadonlyMap<string, string>>(new Map());
/** The focused option. */
export const focusedOption = signal<string | undefined>(undefined);
/** The field to focus once it is rendered: an option's name, or `TEXT_FIELD`. */
export const focusTarget = signal<string | undefined>(undefined);
export const TEXT_FIELD = ' text';

/** The message that the text replies to or changes. */
export interface TextTarget {
  readonly how: 'reply' | 'edit';
  readonly message: VisibleMessage;
  /** Whether the reply notifies the author of the message. */
  readonly ping: boolean;
}

/** Undefined if the text is a new message. */
export const textTarget = signal<TextTarget | undefined>(undefined);

export const leaves = computed(() => leavesOf(commands.value));
export const currentOption = computed(() => optionNamed(focusedOption.value));
export const remainingOptions = computed(
  () => chosenCommand.value?.options.filter(({ name }) => !shownOptions.value.includes(name)) ?? [],
);

export const optionNamed = (name: string | undefined): Option | undefined =>
  chosenCommand.value?.options.find((option) => option.name === name);

/** Sets the text from outside the composer; the path of a command selects that command. */
export function setText(content: string): void {
  const leaf = leaves.value.find(({ path }) => `/${path}` === content);
  if (leaf) startCommand(leaf);
  else {
    discardCommand();
    text.value = content;
  }
}

export function startReply(message: VisibleMessage): void {
  if (textTarget.value?.how === 'edit') text.value = '';
  discardCommand();
  textTarget.value = { how: 'reply', message, ping: true };
}

/** `content` is the message's text as its author typed it. */
export function startEdit(message: VisibleMessage, content: string): void {
  discardCommand();
  text.value = content;
  textTarget.value = { how: 'edit', message, ping: false };
}

/** The text of a reply stays, as that of a new message. */
export function discardTarget(): void {
  if (textTarget.value?.how === 'edit') text.value = '';
  textTarget.value = undefined;
  focusTarget.value = TEXT_FIELD;
}

export function startCommand(leaf: Leaf, values: ReadonlyMap<string, OptionValue> = new Map()): void {
  const initialOptions = leaf.options
    .filter((option) => option.required || values.has(option.name))
    .map(({ name }) => name);
  chosenCommand.value = leaf;
  optionValues.value = values;
  shownOptions.value = initialOptions;
  validationErrors.value = new Map();
  text.value = '';
  textTarget.value = undefined;
  focusTarget.value = initialOptions[0];
  focusedOption.value = initialOptions[0];
}

export function discardCommand(): void {
  chosenCommand.value = undefined;
  optionValues.value = new Map();
  shownOptions.value = [];
  validationErrors.value = new Map();
  focusedOption.value = undefined;
  focusTarget.value = TEXT_FIELD;
}

export function showOption(name: string): void {
  if (!shownOptions.value.includes(name)) shownOptions.value = [...shownOptions.value, name];
  focusTarget.value = name;
}

export function hideOption(name: string): void {
  const index = shownOptions.value.indexOf(name);
  shownOptions.value = shownOptions.value.filter((one) => one !== name);
  setOptionValue(name, undefined);
  focusTarget.value = shownOptions.value[Math.max(0, index - 1)] ?? remainingOptions.value[0]?.name;
}

export function setOptionValue(name: string, value: OptionValue | undefined): void {
  const next = new Map(optionValues.value);
  if (value) next.set(name, value);
  else next.delete(name);
  optionValues.value = next;
  if (validationErrors.value.has(name))
    validationErrors.value = new Map([...validationErrors.value].filter(([one]) => one !== name));
}

export const neighbourOf = (name: string, step: 1 | -1): string | undefined =>
  shownOptions.value[shownOptions.value.indexOf(name) + step];

/** Validates the command; focuses the first invalid option. */
export function validateDraft(): boolean {
  const { uploadBytes = 0 } = world.value ?? {};
  const errors = (chosenCommand.value?.options ?? []).flatMap((option): [string, string][] => {
    const error = validateOption(option, optionValues.value.get(option.name), uploadBytes);
    return error === undefined ? [] : [[option.name, error]];
  });
  validationErrors.value = new Map(errors);
  const [firstError] = errors;
  if (firstError) showOption(firstError[0]);
  return firstError === undefined;
}

/** Assigns pasted or dropped files to the focused option, to free file options, or to the message. */
export function addFiles(newFiles: readonly File[]): void {
  const leaf = chosenCommand.value;
  if (!leaf) {
    files.value = [...files.value, ...newFiles].slice(0, 10);
    return;
  }
  const slots = leaf.options.filter(({ type }) => type === ATTACHMENT);
  const freeSlots = slots.filter(({ name }) => !optionValues.value.has(name));
  const focusedSlot = slots.find(({ name }) => name === focusedOption.value);
  const targets = [...(focusedSlot ? [focusedSlot] : []), ...freeSlots.filter((one) => one !== focusedSlot)];
  newFiles.forEach((file, index) => {
    const slot = targets[index];
    if (!slot) return;
    showOption(slot.name);
    setOptionValue(slot.name, { kind: 'file', file });
  });
}

const ATTACHMENT = 11;
