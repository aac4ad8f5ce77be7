import { type APIApplicationCommandOption, ApplicationCommandOptionType as Type } from 'discord-api-types/v10';
import type { Command } from '../command-registry.ts';
import type { FileInput } from '../uploads.ts';
import { ImpossibleActionError, isFile } from './impossible-action.ts';
import type { ResolvedData } from './resolved-data.ts';

/** Users, channels and roles are given by name or id. */
export type OptionInput = string | number | boolean | FileInput;

interface CommandInput {
  readonly command: Command;
  /** The subcommand path after the command's name. */
  readonly subcommandPath: readonly string[];
  readonly inputs: Readonly<Record<string, OptionInput>>;
  /** For autocomplete: the option being typed. */
  readonly focused?: string;
}

/** Builds the options of the payload; refuses what Discord's own client would not send. */
export function optionsPayload(input: CommandInput, resolved: ResolvedData): unknown[] {
  return optionsAtLevel(input.command.options ?? [], input.subcommandPath, input, resolved, `/${input.command.name}`);
}

function optionsAtLevel(
  options: readonly APIApplicationCommandOption[],
  subcommandPath: readonly string[],
  input: CommandInput,
  resolved: ResolvedData,
  commandPath: string,
): unknown[] {
  const subcommands = options.filter(({ type }) => type === Type.Subcommand || type === Type.SubcommandGroup);
  const [subcommandName, ...rest] = subcommandPath;
  if (subcommands.length > 0 || subcommandName !== undefined) {
    const subcommand = subcommands.find(({ name }) => name === subcommandName);
    if (!subcommand)
      throw new ImpossibleActionError(
        `${commandPath} has no subcommand ${subcommandName ?? '(none given)'}. Its subcommands: ${namesOf(subcommands)}.`,
      );
    const subcommandOptions = 'options' in subcommand ? (subcommand.options ?? []) : [];
    const nestedOptions = optionsAtLevel(
      subcommandOptions as APIApplicationCommandOption[],
      rest,
      input,
      resolved,
      `${commandPath} ${subcommand.name}`,
    );
    return [{ name: subcommand.name, type: subcommand.type, options: nestedOptions }];
  }
  return leafOptions(options, input, resolved, commandPath);
}

function leafOptions(
  options: readonly APIApplicationCommandOption[],
  { inputs, focused }: CommandInput,
  resolved: ResolvedData,
  commandPath: string,
): unknown[] {
  for (const name of Object.keys(inputs))
    if (!options.some((option) => option.name === name))
      throw new ImpossibleActionError(`${commandPath} has no option ${name}. Its options: ${namesOf(options)}.`);
  return options.flatMap((option) => {
    const value = inputs[option.name];
    const isFocused = option.name === focused;
    if (value === undefined) {
      if (option.required && focused === undefined)
        throw new ImpossibleActionError(`${commandPath} requires the option ${option.name}.`);
      return isFocused ? [{ name: option.name, type: option.type, value: '', focused: true }] : [];
    }
    if (isFocused) {
      if (!('autocomplete' in option) || !option.autocomplete)
        throw new ImpossibleActionError(`The option ${option.name} of ${commandPath} does not have autocomplete.`);
      // The focused value is not validated yet, and is a string even for numbers.
      return [{ name: option.name, type: option.type, value: String(value), focused: true }];
    }
    return [{ name: option.name, type: option.type, value: payloadValue(option, value, resolved) }];
  });
}

function payloadValue(option: APIApplicationCommandOption, value: OptionInput, resolved: ResolvedData): unknown {
  const reject = (requirement: string): never => {
    throw new ImpossibleActionError(
      `The option ${option.name} ${requirement}, not ${isFile(value) ? 'a file' : JSON.stringify(value)}.`,
    );
  };
  switch (option.type) {
    case Type.String: {
      if (typeof value !== 'string') return reject('must be text');
      const { min_length = 0, max_length = 6_000 } = option as { min_length?: number; max_length?: number };
      if (value.length < min_length || value.length > max_length)
        return reject(`must have ${min_length} to ${max_length} characters`);
      return checkChoice(option, value, reject);
    }
    case Type.Integer:
    case Type.Number: {
      if (typeof value !== 'number' || (option.type === Type.Integer && !Number.isInteger(value)))
        return reject(option.type === Type.Integer ? 'must be a whole number' : 'must be a number');
      const { min_value = -(2 ** 53), max_value = 2 ** 53 } = option as { min_value?: number; max_value?: number };
      if (value < min_value || value > max_value) return reject(`must be from ${min_value} to ${max_value}`);
      return checkChoice(option, value, reject);
    }
    case Type.Boolean:
      return typeof value === 'boolean' ? value : reject('must be true or false');
    case Type.Attachment:
      return isFile(value) ? resolved.attachment(value) : reject('must be a file');
  }
  if (typeof value !== 'string') return reject('must be a name or an id');
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
      return reject('must have a supported type');
  }
}

function checkChoice(
  option: APIApplicationCommandOption,
  value: string | number,
  reject: (requirement: string) => never,
): string | number {
  const { choices } = option as { choices?: readonly { value: string | number }[] };
  if (!choices?.length || choices.some((choice) => choice.value === value)) return value;
  return reject(`must be one of ${choices.map((choice) => JSON.stringify(choice.value)).join(', ')}`);
}

const namesOf = (options: readonly { name: string }[]) => options.map(({ name }) => name).join(', ') || 'none';
