import type { APIApplicationCommand } from 'discord-api-types/v10';
import { CommandType, OptionType } from '../discord-api.ts';

export interface Choice {
  readonly name: string;
  readonly value: string | number | boolean;
}

/** A registered option of any type. */
export interface Option {
  readonly type: number;
  readonly name: string;
  readonly description: string;
  readonly description_localized?: string;
  readonly required?: boolean;
  readonly choices?: readonly {
    readonly name: string;
    readonly name_localized?: string;
    readonly value: string | number;
  }[];
  readonly autocomplete?: boolean;
  readonly min_value?: number;
  readonly max_value?: number;
  readonly min_length?: number;
  readonly max_length?: number;
  readonly file_types?: readonly string[];
  readonly options?: readonly Option[];
}

/** A command or a subcommand that can be sent. */
export interface Leaf {
  /** Such as `models` or `music follow`. */
  readonly path: string;
  readonly description: string;
  readonly options: readonly Option[];
}

export function leavesOf(commands: readonly APIApplicationCommand[]): Leaf[] {
  return commands
    .filter(({ type }) => Number(type) === CommandType.slash)
    .flatMap(({ name, description, description_localized: translation, options }) =>
      leavesBelow(name, translation ?? description, ((options ?? []) as readonly Option[]).map(localized)),
    );
}

/** With the texts that members see in their language. */
function localized(option: Option): Option {
  const { description, description_localized: translation, choices, options } = option;
  return {
    ...option,
    description: translation ?? description,
    ...(choices && {
      choices: choices.map(({ name, name_localized: label, value }) => ({ name: label ?? name, value })),
    }),
    ...(options && { options: options.map(localized) }),
  };
}

function leavesBelow(path: string, description: string, options: readonly Option[]): Leaf[] {
  const subcommands = options.filter(({ type }) => type === OptionType.subcommand || type === OptionType.group);
  if (subcommands.length === 0) return [{ path, description, options: requiredFirst(options) }];
  return subcommands.flatMap((one) => leavesBelow(`${path} ${one.name}`, one.description, one.options ?? []));
}

const requiredFirst = (options: readonly Option[]) =>
  options.toSorted((a, b) => Number(b.required ?? false) - Number(a.required ?? false));

const nameOf = ({ path }: Leaf) => path.split(' ', 1).join();

/** Sorts commands that start with the search text first; subcommands keep their registered order. */
export function matchingLeaves(leaves: readonly Leaf[], input: string): Leaf[] {
  const search = input.replace(/^\//, '').trim().toLowerCase();
  const rank = ({ path }: Leaf) => (path.startsWith(search) ? 0 : path.includes(search) ? 1 : 2);
  return leaves
    .filter((leaf) => rank(leaf) < 2)
    .toSorted((a, b) => rank(a) - rank(b) || nameOf(a).localeCompare(nameOf(b)));
}
