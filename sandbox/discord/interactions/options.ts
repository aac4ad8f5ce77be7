import { type APIApplicationCommandOption, ApplicationCommandOptionType as Type } from 'discord-api-types/v10';
import type { Command } from '../registry.ts';
import type { FileInput } from '../uploads.ts';
import { ImpossibleActionError, isFile } from './refuse.ts';
import type { Resolved } from './resolved.ts';

/** Users, channels and roles are given by name or id. */
export type OptionInput = string | number | boolean | FileInput;

interface Filled {
  readonly command: Command;
  /** The subcommand path after the command's name. */
  readonly words: readonly string[];
  readonly inputs: Readonly<Record<string, OptionInput>>;
  /** For autocomplete: the option being typed. */
  readonly focused?: string;
}

/** Builds the options of the payload; refuses what Discord's own client would not send. */
export function optionsWire(filled: Filled, resolved: Resolved): unknown[] {
  return level(filled.command.options ?? [], filled.words, filled, resolved, `/${filled.command.name}`);
}

function level(
  options: readonly APIApplicationCommandOption[],
  words: readonly string[],
  filled: Filled,
  resolved: Resolved,
  shown: string,
): unknown[] {
  const branches = options.filter(({ type }) => type === Type.Subcommand || type === Type.SubcommandGroup);
  const [word, ...rest] = words;
  if (branches.length > 0 || word !== undefined) {
    const branch = branches.find(({ name }) => name === word);
    if (!branch)
      throw new ImpossibleActionError(
        `${shown} has no subcommand ${word ?? '(none given)'}. Its subcommands: ${namesOf(branches)}.`,
      );
    const inner = 'options' in branch ? (branch.options ?? []) : [];
    const below = level(inner as APIApplicationCommandOption[], rest, filled, resolved, `${shown} ${branch.name}`);
    return [{ name: branch.name, type: branch.type, options: below }];
  }
  return leaves(options, filled, resolved, shown);
}

function leaves(
  options: readonly APIApplicationCommandOption[],
  { inputs, focused }: Filled,
  resolved: Resolved,
  shown: string,
): unknown[] {
  for (const name of Object.keys(inputs))
    if (!options.some((option) => option.name === name))
      throw new ImpossibleActionError(`${shown} has no option ${name}. Its options: ${namesOf(options)}.`);
  return options.flatMap((option) => {
    const value = inputs[option.name];
    const isFocused = option.name === focused;
    if (value === undefined) {
      if (option.required && focused === undefined)
        throw new ImpossibleActionError(`${shown} requires the option ${option.name}.`);
      return isFocused ? [{ name: option.name, type: option.type, value: '', focused: true }] : [];
    }
    if (isFocused) {
      if (!('autocomplete' in option) || !option.autocomplete)
        throw new ImpossibleActionError(`The option ${option.name} of ${shown} does not have autocomplete.`);
      // The focused value is not validated yet, and is a string even for numbers.
      return [{ name: option.name, type: option.type, value: String(value), focused: true }];
    }
    return [{ name: option.name, type: option.type, value: wireValue(option, value, resolved) }];
  });
}

function wireValue(option: APIApplicationCommandOption, value: OptionInput, resolved: Resolved): unknown {
  const wrong = (what: string): never => {
    throw new ImpossibleActionError(
      `The option ${option.name} ${what}, not ${isFile(value) ? 'a file' : JSON.stringify(value)}.`,
    );
  };
  switch (option.type) {
    case Type.String: {
      if (typeof value !== 'string') return wrong('must be text');
      const { min_length = 0, max_length = 6_000 } = option as { min_length?: number; max_length?: number };
      if (value.length < min_length || value.length > max_length)
        return wrong(`must have ${min_length} to ${max_length} characters`);
      return chosen(option, value, wrong);
    }
    case Type.Integer:
    case Type.Number: {
      if (typeof value !== 'number' || (option.type === Type.Integer && !Number.isInteger(value)))
        return wrong(option.type === Type.Integer ? 'must be a whole number' : 'must be a number');
      const { min_value = -(2 ** 53), max_value = 2 ** 53 } = option as { min_value?: number; max_value?: number };
      if (value < min_value || value > max_value) return wrong(`must be from ${min_value} to ${max_value}`);
      return chosen(option, value, wrong);
    }
    case Type.Boolean:
      return typeof value === 'boolean' ? value : wrong('must be true or false');
    case Type.Attachment:
      return isFile(value) ? resolved.attachment(value) : wrong('must be a file');
  }
  if (typeof value !== 'string') return wrong('must be a name or an id');
  switch (option.type) {
    case Type.User:
      return resolved.user(value);
    case Type.Channel:
      return resolved.channel(value);
    case Type.Role:
      return resolved.role(value);
    case Type.Mentionable:
      return resolved.mentionable(value);
    default:
      return wrong('must have a supported type');
  }
}

function chosen(
  option: APIApplicationCommandOption,
  value: string | number,
  wrong: (what: string) => never,
): string | number {
  const { choices } = option as { choices?: readonly { value: string | number }[] };
  if (!choices?.length || choices.some((choice) => choice.value === value)) return value;
  return wrong(`must be one of ${choices.map((choice) => JSON.stringify(choice.value)).join(', ')}`);
}

const namesOf = (options: readonly { name: string }[]) => options.map(({ name }) => name).join(', ') || 'none';
