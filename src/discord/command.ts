import type { Say } from '../locales/index.ts';
import type { MessagePlan } from '../views/plan.ts';
import type { Guard } from './guards.ts';
import type { Place } from './place.ts';

/** Text that a member types, or picks from choices or suggestions. */
export interface TextOption {
  type: 'text';
  required?: boolean;
  most?: number;
  /** Their names are sentences of the locale. */
  choices?: readonly string[];
  suggests?: boolean;
}

export type Options = Readonly<Record<string, TextOption>>;

type ValueOf<O extends TextOption> = O['required'] extends true ? string : string | undefined;
export type Values<O extends Options> = { readonly [Name in keyof O]: ValueOf<O[Name]> };

/** What a handler gets besides its values: who asks from where, what may be used, and how to say things. */
export interface Ask<Services> {
  place: Place;
  services: Services;
  say: Say;
}

export interface Suggestion {
  name: string;
  value: string;
}

/** A slash command as a value. Its description, its options' and its choices' are found in the locale by their names. */
export interface CommandDefinition<O extends Options, Services> {
  name: string;
  options: O;
  /** Whether only the member who asked sees the answer. */
  isPrivate: boolean;
  guards?: readonly Guard[];
  suggest?(option: string, typed: string, ask: Ask<Services>): Promise<Suggestion[]>;
  run(values: Values<O>, ask: Ask<Services>): Promise<MessagePlan>;
}

export type Command<Services> = CommandDefinition<Options, Services>;

export function command<const O extends Options, Services>(
  definition: CommandDefinition<O, Services>,
): Command<Services> {
  return {
    ...definition,
    // The router reads values by these very options, so they are what `run` says it takes.
    run: (values, ask) => definition.run(values as Values<O>, ask),
  };
}

/** Something a member can press. Its custom id is the verb, a version and arguments. */
export interface Button<Services> {
  verb: string;
  version: number;
  /** Older versions it still understands. */
  understands?: readonly number[];
  run(args: readonly string[], ask: Ask<Services>): Promise<MessagePlan>;
}
