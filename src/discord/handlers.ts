import type { ChatInputCommandInteraction } from 'discord.js';
import { Refusal } from '../lib/refusal.ts';
import type { MenuName, Say } from '../locales/index.ts';
import type { MessagePlace } from '../services/tasks/task.ts';
import type { CustomId, Verb } from './custom-ids.ts';
import type { Prepared } from './delivery/parts.ts';
import type { Filled } from './form.ts';
import { firstRefusal, type Guard } from './guards.ts';
import { type Options, type Values, valuesOf } from './options.ts';
import type { Answers, Origin } from './origin.ts';
import type { Place } from './place.ts';
import type { FormPlan, MessagePlan } from './plan.ts';
import type { Target } from './target.ts';

/** What a handler gets besides its own input: who asks from where, what may be used, and how to say things. */
export interface Ask<Services> {
  place: Place;
  /** The ways back to the member and the message, for a task that is made of this. */
  origin: Origin;
  /** Work with a message of its own beside the answer, which shows the plan until the work does; if it fails, that is told there. */
  another(
    plan: MessagePlan,
    work: (origin: Origin) => Promise<unknown>,
    /** Unless told, it is as private as the answer. */
    options?: { isPrivate: boolean },
  ): Promise<void>;
  /** Says something more to the member alone, long after the answer; false where that could not be. */
  later(plan: MessagePlan): Promise<boolean>;
  services: Services;
  say: Say;
}

/** What is at hand before the acknowledgement: the payload's place, and of the services only what they hold ready. */
export type Seen<Services> = Pick<Ask<Services>, 'place' | 'services'>;

/** Looks at more than the payload, so it comes after the acknowledgement. */
export type LateGuard<Services> = (ask: Ask<Services>) => Promise<Refusal | undefined>;

interface Guarded<Services, Given = unknown> {
  guards?: readonly Guard<Given>[];
  lateGuards?: readonly LateGuard<Services>[];
}

export interface Suggestion {
  name: string;
  value: string;
}

/**
 * What becomes of the answer: a plan takes its place; "shown as it goes" leaves it to the delivery of the task that was made;
 * "taken away" removes the message that was pressed.
 */
export type Outcome = MessagePlan | Brought | 'shown as it goes' | 'taken away';

/** A message that holds memory, and what is to be done once it stands there. */
interface Brought extends Prepared {
  shown?(message: MessagePlace | undefined): Promise<void>;
}

interface Offered {
  /** Makes sense in a server that has installed the bot, and nowhere else. */
  isForServers?: boolean;
}

/** A slash command as a value. Its description, its options' and its choices' are found in its feature's text by their names. */
interface CommandDefinition<O extends Options, Services> extends Guarded<Services, Values<O>>, Offered {
  name: string;
  options: O;
  /** Whether only the member who asked sees the answer. Decided before the acknowledgement, so from the payload alone. */
  isPrivate: boolean | ((values: Values<O>, seen: Seen<Services>) => boolean);
  suggest?(option: string, typed: string, ask: Ask<Services>): Promise<Suggestion[]>;
}

interface PlainCommand<O extends Options, Services> extends CommandDefinition<O, Services> {
  run(values: Values<O>, ask: Ask<Services>): Promise<Outcome>;
}

interface ParsingCommand<O extends Options, Services, Parsed> extends CommandDefinition<O, Services> {
  /** Makes of the payload what `run` gets, or a refusal. It comes before the guards and the acknowledgement. */
  parse(values: Values<O>, place: Place): Parsed | Refusal;
  run(parsed: Parsed, ask: Ask<Services>): Promise<Outcome>;
}

/** What a member has typed, read and not refused. */
interface TypedCommand<Services> {
  isPrivate(seen: Seen<Services>): boolean;
  run(ask: Ask<Services>): Promise<Outcome>;
}

export interface SingleCommand<Services>
  extends Pick<CommandDefinition<Options, Services>, 'name' | 'options' | 'suggest'>,
    Offered {
  lateGuards?: readonly LateGuard<Services>[];
  read(interaction: ChatInputCommandInteraction, place: Place): TypedCommand<Services> | Refusal;
}

/** Several commands under one name. Discord offers only them then, and not the name alone. */
interface CommandFamily<Services> extends Offered {
  name: string;
  subcommands: readonly SingleCommand<Services>[];
}

export type Command<Services> = SingleCommand<Services> | CommandFamily<Services>;

/** All that can be typed: each command under its whole name, such as `models` or `music follow`. */
export function typedCommands<Services>(commands: readonly Command<Services>[]): Map<string, SingleCommand<Services>> {
  return new Map(
    commands.flatMap((command) =>
      'subcommands' in command
        ? command.subcommands.map((one) => [`${command.name} ${one.name}`, one] as const)
        : [[command.name, command] as const],
    ),
  );
}

export function command<const O extends Options, Services, Parsed>(
  definition: ParsingCommand<O, Services, Parsed>,
): SingleCommand<Services>;
export function command<const O extends Options, Services>(
  definition: PlainCommand<O, Services>,
): SingleCommand<Services>;
export function command<const O extends Options, Services, Parsed>({
  isPrivate,
  guards = [],
  ...definition
}: PlainCommand<O, Services> | ParsingCommand<O, Services, Parsed>): SingleCommand<Services> {
  return {
    ...definition,
    read(interaction, place) {
      const values = valuesOf(definition.options, interaction);
      const work = 'parse' in definition ? parsing(definition, values, place) : runOf(definition, values);
      if (work instanceof Refusal) return work;
      return (
        firstRefusal(guards, place, values) ?? {
          isPrivate: (seen) => (typeof isPrivate === 'boolean' ? isPrivate : isPrivate(values, seen)),
          run: work,
        }
      );
    },
  };
}

type Work<Services> = (ask: Ask<Services>) => Promise<Outcome>;

const runOf =
  <Given, Services>(
    { run }: { run(given: Given, ask: Ask<Services>): Promise<Outcome> },
    given: Given,
  ): Work<Services> =>
  (ask) =>
    run(given, ask);

function parsing<O extends Options, Services, Parsed>(
  definition: Pick<ParsingCommand<O, Services, Parsed>, 'parse' | 'run'>,
  values: Values<O>,
  place: Place,
): Work<Services> | Refusal {
  const parsed = definition.parse(values, place);
  return parsed instanceof Refusal ? parsed : runOf(definition, parsed);
}

/** An entry of the menu on any message. Discord calls it by the sentence that is found by its name. */
interface MenuEntry<Services> extends Guarded<Services> {
  name: MenuName;
  /** Sentences by which Discord called it before: it goes on doing so until the operator deploys the commands again. */
  formerNames?: readonly string[];
}

/** Menus by every sentence that Discord may call them. A present name takes precedence over a former one. */
export function menusByName<One extends Pick<Menu<never>, 'name' | 'formerNames'>>(
  menus: readonly One[],
  say: Say,
): Map<string, One> {
  const former = menus.flatMap((menu) => (menu.formerNames ?? []).map((name) => [name, menu] as const));
  return new Map([...former, ...menus.map((menu) => [say(`menus.${menu.name}`), menu] as const)]);
}

/** One that answers with a message. */
interface AnsweringMenu<Services> extends MenuEntry<Services> {
  isPrivate: boolean;
  run(target: Target, ask: Ask<Services>): Promise<Outcome>;
}

/** One whose first answer is a form. */
interface OpeningMenu<Services> extends MenuEntry<Services> {
  open(target: Target, ask: Ask<Services>): Promise<FormPlan>;
}

export type Menu<Services> = AnsweringMenu<Services> | OpeningMenu<Services>;

/** What is done about a press, once it is read what it points at. */
type Press<Services> = (ask: Ask<Services>) => Promise<Outcome>;

/** Something pressed or chosen. */
export interface Button<Services> {
  verb: string;
  answers: Answers;
  press(id: CustomId, chosen: readonly string[]): Press<Services> | Refusal;
}

export function button<Pointer, Services>(
  { name, read }: Verb<Pointer>,
  definition: {
    answers: Answers;
    run(pointer: Pointer, ask: Ask<Services>, chosen: readonly string[]): Promise<Outcome>;
  },
): Button<Services> {
  return {
    verb: name,
    answers: definition.answers,
    press(id, chosen) {
      const pointer = read(id);
      return pointer instanceof Refusal ? pointer : (ask) => definition.run(pointer, ask, chosen);
    },
  };
}

/** Something pressed whose first answer is a form. Discord takes a form as the first answer only, so it may not be slow. */
export interface Opener<Services> {
  verb: string;
  open(id: CustomId): ((ask: Ask<Services>, pressed: Target) => Promise<FormPlan>) | Refusal;
}

export function opener<Pointer, Services>(
  { name, read }: Verb<Pointer>,
  open: (pointer: Pointer, ask: Ask<Services>, pressed: Target) => Promise<FormPlan>,
): Opener<Services> {
  return {
    verb: name,
    open(id) {
      const pointer = read(id);
      return pointer instanceof Refusal ? pointer : (ask, pressed) => open(pointer, ask, pressed);
    },
  };
}

interface FilledForm<Services> extends Guarded<Services, Filled> {
  /** Whether only its member sees the answer, where the form was opened from a menu; one that was pressed is as private as its message. */
  isPrivate: boolean;
  run(filled: Filled, ask: Ask<Services>): Promise<Outcome>;
}

/** A form that a member has filled in. Opened from a menu it answers beside, for there is no message of ours. */
export interface Form<Services> {
  verb: string;
  answers: Answers;
  read(id: CustomId): FilledForm<Services> | Refusal;
}

interface FormDefinition<Pointer, Services> extends Guarded<Services, Filled> {
  answers: Answers;
  isPrivate?(pointer: Pointer): boolean;
  run(pointer: Pointer, filled: Filled, ask: Ask<Services>): Promise<Outcome>;
}

export function form<Pointer, Services>(
  { name, read }: Verb<Pointer>,
  { answers, isPrivate, run, ...guards }: FormDefinition<Pointer, Services>,
): Form<Services> {
  return {
    verb: name,
    answers,
    read(id) {
      const pointer = read(id);
      if (pointer instanceof Refusal) return pointer;
      return {
        ...guards,
        isPrivate: isPrivate?.(pointer) ?? false,
        run: (filled, ask) => run(pointer, filled, ask),
      };
    },
  };
}

/** Everything that members can do, one list a kind. */
export interface Handlers<Services> {
  commands: readonly Command<Services>[];
  menus?: readonly Menu<Services>[];
  buttons?: readonly Button<Services>[];
  openers?: readonly Opener<Services>[];
  forms?: readonly Form<Services>[];
}
