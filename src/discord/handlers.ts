import type { ChatInputCommandInteraction } from 'discord.js';
import { Refusal } from '../lib/refusal.ts';
import type { MenuName, Say } from '../locales/index.ts';
import type { MessagePlace } from '../services/tasks/task.ts';
import type { CustomId, Verb } from './custom-ids.ts';
import type { FormValues } from './form.ts';
import { firstRefusal, type Guard } from './guards.ts';
import { type Options, readOptions, type Values } from './options.ts';
import type { InteractionFacts, Origin, ReplyMode } from './place.ts';
import type { FormPlan, MessagePlan, PreparedMessage } from './plan.ts';
import type { TargetMessage } from './target-message.ts';

/** What a handler gets in addition to its own input: who uses it and where, the services, and the translate function. */
export interface HandlerContext<Services> {
  place: InteractionFacts;
  /** How to reach the member and the message again, for a task that this interaction creates. */
  origin: Origin;
  /**
   * Runs work that has a message of its own, in addition to the reply. The message shows the plan until the work changes it; a failure is shown there too.
   * Returns false if Discord allows this interaction no more messages.
   */
  postAnother(
    plan: MessagePlan,
    work: (origin: Origin) => Promise<unknown>,
    /** By default, the message is as private as the reply. */
    options?: { isPrivate: boolean },
  ): Promise<boolean>;
  /** Sends another message that only the member sees, even long after the reply. Returns false if that was not possible. */
  notifyLater(plan: MessagePlan): Promise<boolean>;
  /** The sentence for a failure that a reply contains. Logged and counted like one that is thrown. */
  messageFor(error: unknown): string;
  services: Services;
  say: Say;
}

/** Known before the acknowledgement, in every process: the payload, and the settings. */
export interface EarlyContext {
  place: InteractionFacts;
  services: { readonly adminGuildIds: readonly string[] };
}

interface OrderingHandler {
  /** It does nothing but submit an order, or store one that has to be confirmed. If its process dies before that, another one can run it again. */
  onlyOrders?: true;
}

interface WithGuards<Options = unknown> {
  guards?: readonly Guard<Options>[];
}

export interface Suggestion {
  name: string;
  value: string;
}

/** A plan replaces the reply. "shown by delivery": delivery edits the message. "deleted": the pressed message is deleted. */
export type Outcome =
  | MessagePlan
  | (PreparedMessage & {
      /** Called once the message is posted. */ onPosted?(message: MessagePlace | undefined): Promise<void>;
    })
  | 'shown by delivery'
  | 'deleted';

/** The definition of a slash command. Its description, and those of its options and choices, are looked up by name in its feature's text. */
interface CommandDefinition<O extends Options, Services> extends WithGuards<Values<O>>, OrderingHandler {
  name: string;
  /** Only makes sense in a server where the bot is installed. */
  isForServers?: boolean;
  /** By default, Discord shows the command only to members with Manage Server, but a server's settings can change that, so the command checks the permission again. */
  isForAdmins?: boolean;
  options: O;
  /** Whether only the member sees the reply. Decided before the acknowledgement, when only the payload is known. */
  isPrivate: boolean | ((values: Values<O>, context: EarlyContext) => boolean);
  suggest?(option: string, input: string, context: HandlerContext<Services>): Promise<Suggestion[]>;
}

interface PlainCommand<O extends Options, Services> extends CommandDefinition<O, Services> {
  run(values: Values<O>, context: HandlerContext<Services>): Promise<Outcome>;
}

interface ParsingCommand<O extends Options, Services, Parsed> extends CommandDefinition<O, Services> {
  /** Turns the payload into the input of `run`, or into a refusal. Runs before the guards and the acknowledgement. */
  parse(values: Values<O>, place: InteractionFacts): Parsed | Refusal;
  run(parsed: Parsed, context: HandlerContext<Services>): Promise<Outcome>;
}

type Run<Services> = (context: HandlerContext<Services>) => Promise<Outcome>;

export interface SingleCommand<Services>
  extends Pick<
    CommandDefinition<Options, Services>,
    'name' | 'isForServers' | 'isForAdmins' | 'options' | 'suggest' | 'onlyOrders'
  > {
  read(
    interaction: ChatInputCommandInteraction,
    place: InteractionFacts,
  ):
    | {
        /** The command can reply in private, and the member has not chosen whether it should. */
        isPrivacyUnset: boolean;
        isPrivate(context: EarlyContext): boolean;
        run: Run<Services>;
      }
    | Refusal;
}

/** If a command has subcommands, Discord offers only those, and never the command itself. */
export type Command<Services> =
  | SingleCommand<Services>
  | (Pick<SingleCommand<Services>, 'name' | 'isForServers' | 'isForAdmins'> & {
      subcommands: readonly SingleCommand<Services>[];
    });

/** All commands by their full names, such as `models` or `music follow`. */
export function commandsByFullName<Services>(
  commands: readonly Command<Services>[],
): Map<string, SingleCommand<Services>> {
  return new Map(
    commands.flatMap((command) =>
      'subcommands' in command
        ? command.subcommands.map((one) => [`${command.name} ${one.name}`, one] as const)
        : [[command.name, command] as const],
    ),
  );
}

function unlessRefused<Value, Result>(value: Value | Refusal, use: (value: Value) => Result): Result | Refusal {
  return value instanceof Refusal ? value : use(value);
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
  function work(values: Values<O>, place: InteractionFacts): Run<Services> | Refusal {
    if (!('parse' in definition)) return (context) => definition.run(values, context);
    return unlessRefused(definition.parse(values, place), (parsed) => (context) => definition.run(parsed, context));
  }
  return {
    ...definition,
    read(interaction, place) {
      const values = readOptions(definition.options, interaction);
      return unlessRefused(work(values, place), (run) => {
        const refusal = firstRefusal(guards, place, values);
        return (
          refusal ?? {
            isPrivacyUnset: Object.entries(values).some(
              ([name, value]) => name === PRIVACY_OPTION && value === undefined,
            ),
            isPrivate: (context) => (typeof isPrivate === 'boolean' ? isPrivate : isPrivate(values, context)),
            run,
          }
        );
      });
    },
  };
}

/** The option with which a member chooses who sees the reply. */
const PRIVACY_OPTION = 'private';

/** Commands with which members choose who sees the reply. */
export const commandsWithPrivacy = <Services>(commands: readonly Command<Services>[]): string[] =>
  [...commandsByFullName(commands)].flatMap(([name, { options }]) => (PRIVACY_OPTION in options ? [name] : []));

/** All menus by the names that members see. */
export const menusByName = <One extends { name: MenuName }>(menus: readonly One[], say: Say): Map<string, One> =>
  new Map(menus.map((menu) => [say(`menus.${menu.name}`), menu]));

/** An entry in the Apps menu of messages. Its label is looked up by name. It replies with a message, or opens a form first. */
export type Menu<Services> = WithGuards & { name: MenuName } & (
    | (OrderingHandler & {
        isPrivate: boolean;
        run(target: TargetMessage, context: HandlerContext<Services>): Promise<Outcome>;
      })
    | { open(target: TargetMessage, context: HandlerContext<Services>): Promise<FormPlan> }
  );

export interface Button<Services> extends OrderingHandler {
  verb: string;
  reply: ReplyMode;
  press(
    id: CustomId,
    selectedValues: readonly string[],
  ): ((context: HandlerContext<Services>, pressedMessage: TargetMessage) => Promise<Outcome>) | Refusal;
}

export function button<Pointer, Services>(
  { name, read }: Verb<Pointer>,
  {
    run,
    ...definition
  }: OrderingHandler & {
    reply: ReplyMode;
    run(
      pointer: Pointer,
      context: HandlerContext<Services>,
      selectedValues: readonly string[],
      pressedMessage: TargetMessage,
    ): Promise<Outcome>;
  },
): Button<Services> {
  return {
    ...definition,
    verb: name,
    press: (id, selectedValues) =>
      unlessRefused(
        read(id),
        (pointer) => (context, pressedMessage) => run(pointer, context, selectedValues, pressedMessage),
      ),
  };
}

/** A button that opens a form. Discord only accepts a form as the first response, so it must be fast. */
export interface Opener<Services> {
  verb: string;
  open(
    id: CustomId,
  ): ((context: HandlerContext<Services>, pressedMessage: TargetMessage) => Promise<FormPlan>) | Refusal;
}

export function opener<Pointer, Services>(
  { name, read }: Verb<Pointer>,
  open: (pointer: Pointer, context: HandlerContext<Services>, pressedMessage: TargetMessage) => Promise<FormPlan>,
): Opener<Services> {
  return {
    verb: name,
    open: (id) =>
      unlessRefused(read(id), (pointer) => (context, pressedMessage) => open(pointer, context, pressedMessage)),
  };
}

interface FilledForm<Services> {
  /** Whether only the member sees the reply, if the form was opened from a menu. If it was opened by a button, the reply is as private as the message. */
  isPrivate: boolean;
  run: Run<Services>;
}

/** Handles a form that a member has submitted. If it was opened from a menu, the reply is a new message, because there is no message of the bot to edit. */
export interface Form<Services> extends OrderingHandler {
  verb: string;
  reply: ReplyMode;
  read(id: CustomId, formValues: FormValues): FilledForm<Services> | Refusal;
  /** Opens the form again after a refusal; undefined if it cannot be. */
  open?: ((id: CustomId) => ((context: HandlerContext<Services>) => Promise<FormPlan>) | Refusal) | undefined;
}

interface FormDefinition<Pointer, Services, Parsed> extends OrderingHandler {
  reply: ReplyMode;
  isPrivate?(pointer: Pointer): boolean;
  /** The form as it opens, for a member who corrects it after a refusal. */
  open?(pointer: Pointer, context: HandlerContext<Services>): Promise<FormPlan>;
  /** Turns the submitted values into the input of `run`, or into a refusal. Runs before the acknowledgement. */
  parse(formValues: FormValues): Parsed | Refusal;
  run(pointer: Pointer, parsed: Parsed, context: HandlerContext<Services>): Promise<Outcome>;
}

export function form<Pointer, Services, Parsed>(
  { name, read }: Verb<Pointer>,
  { isPrivate, open, parse, run, ...definition }: FormDefinition<Pointer, Services, Parsed>,
): Form<Services> {
  return {
    ...definition,
    verb: name,
    open: open && ((id) => unlessRefused(read(id), (pointer) => (context) => open(pointer, context))),
    read: (id, formValues) =>
      unlessRefused(read(id), (pointer) =>
        unlessRefused(parse(formValues), (parsed) => ({
          isPrivate: isPrivate?.(pointer) ?? false,
          run: (context) => run(pointer, parsed, context),
        })),
      ),
  };
}

export interface Handlers<Services> {
  commands: readonly Command<Services>[];
  menus?: readonly Menu<Services>[];
  buttons?: readonly Button<Services>[];
  openers?: readonly Opener<Services>[];
  forms?: readonly Form<Services>[];
}
