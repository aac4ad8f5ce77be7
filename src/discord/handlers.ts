import { type Refusal, throwIfRefusal } from '../lib/refusal.ts';
import type { MenuName, Say } from '../locales/index.ts';
import type { MessagePlace } from '../services/tasks/task.ts';
import type { CustomId, Verb } from './custom-ids.ts';
import { requirePostPermissions } from './guards.ts';
import type { InteractionFacts, Origin, ReplyMode } from './interaction-facts.ts';
import { type Entered, type EnteredValues, type Options, readOptions, type Values } from './options.ts';
import type { FormPlan, FormValues, MessagePlan, PreparedMessage } from './plan.ts';
import type { TargetMessage } from './target-message.ts';

/** What a handler gets in addition to its own input: who uses it and where, the services, and the sentences in the languages of its readers. */
export interface HandlerContext<Services> {
  facts: InteractionFacts;
  /** How to reach the member and the message again, for a task that this interaction creates. */
  origin: Origin;
  /** Set if only the member is to see what a command makes, even if its reply is private for another reason. */
  wantsPrivate?: boolean;
  /** Runs work with a message of its own, which shows the plan until the work changes it or fails. Returns false if Discord allows this interaction no more messages. */
  postAnother(
    planIn: (say: Say) => MessagePlan,
    work: (origin: Origin) => Promise<unknown>,
    /** By default, the message is as private as the reply. */
    options?: { isPrivate: boolean },
  ): Promise<boolean>;
  /** Sends another message that only the member sees, even long after the reply. Returns false if that was not possible. */
  notifyLater(plan: MessagePlan): Promise<boolean>;
  /** The sentence for a failure that a reply contains. Logged and counted like one that is thrown. */
  messageFor(error: unknown, say: Say): string;
  /** If the member chose a preset: its template and their text as both were typed, and the options whose values are the preset's. */
  preset?: { template: string; text: string; names: ReadonlySet<string> };
  services: Services;
  /** The language of those who read the reply. */
  say: Say;
  /** The member's own, for what only they see. */
  sayToMember: Say;
}

/** Known before the acknowledgement, in every process: the payload, and the settings. */
export interface EarlyContext {
  facts: InteractionFacts;
  services: { readonly settings: { readonly discord: { readonly adminGuildIds: readonly string[] } } };
}

/** How a command uses presets, which it offers with an option of their own. */
export interface PresetUse<Services> {
  suggest(input: string, context: HandlerContext<Services>): Promise<Suggestion[]>;
  /** Runs the command with the values of the preset that was entered, below the others that were. */
  run(
    entered: EnteredValues,
    context: HandlerContext<Services>,
    run: (filled: EnteredValues, context: HandlerContext<Services>) => Promise<HandlerResult>,
  ): Promise<HandlerResult>;
}

interface OrderingHandler {
  /** It does nothing but submit an order, or store one that has to be confirmed. If its process dies before that, another one can run it again. */
  onlyOrders?: true;
}

export interface Suggestion {
  name: string;
  value: string;
}

/** A plan replaces the reply. "shown by delivery": delivery edits the message. "deleted": the pressed message is deleted. */
export type HandlerResult =
  | MessagePlan
  | (PreparedMessage & {
      /** Called once the message is posted. */ onPosted?(message: MessagePlace | undefined): Promise<void>;
    })
  | 'shown by delivery'
  | 'deleted';

/** The definition of a slash command. Its description, and those of its options and choices, are looked up by name in its feature's text. */
interface CommandDefinition<O extends Options, Services> extends OrderingHandler {
  name: string;
  /** Only makes sense in a server where the bot is installed. */
  isForServers?: boolean;
  /** By default, Discord shows the command only to members with Manage Server, but a server's settings can change that, so the command checks the permission again. */
  isForAdmins?: boolean;
  /** `/help` lists it for members with Manage Channels only; the command checks the permission. */
  isForChannelManagers?: boolean;
  options: O;
  presets?: PresetUse<Services>;
  /**
   * Whether only the member sees the reply. Decided before the acknowledgement, when only the payload is known. `chosen`: by an option of its
   * own, and the bot must be able to post a result that others see; the default of a command that only orders. Other commands reply in private by default.
   */
  isPrivate?: boolean | 'chosen' | ((values: Values<O>, context: EarlyContext) => boolean);
  /** Whether the member is asked first, in private even if the result is public. */
  asksFirst?(values: Values<O>): boolean;
  suggest?(option: string, input: string, context: HandlerContext<Services>): Promise<Suggestion[]>;
}

interface PlainCommand<O extends Options, Services> extends CommandDefinition<O, Services> {
  run(values: Values<O>, context: HandlerContext<Services>): Promise<HandlerResult>;
}

interface ParsingCommand<O extends Options, Services, Parsed> extends CommandDefinition<O, Services> {
  /** Turns the payload into the input of `run`, or into a refusal. Runs before the acknowledgement. */
  parse(values: Values<O>, facts: InteractionFacts): Parsed | Refusal;
  run(parsed: Parsed, context: HandlerContext<Services>): Promise<HandlerResult>;
}

export type HandlerWork<Services, Result = HandlerResult> = (context: HandlerContext<Services>) => Promise<Result>;

export interface SingleCommand<Services>
  extends Omit<CommandDefinition<Options, Services>, 'isPrivate' | 'asksFirst' | 'presets'> {
  /** Throws a refusal that follows from the payload alone. */
  read(
    entered: Entered,
    facts: InteractionFacts,
    /** Whether it replies in private if it can, and the member has not chosen whether it should. */
    isPrivateByDefault: boolean,
  ): {
    isPrivate(context: EarlyContext): boolean;
    /** Whether the reply is private, but what follows is not. */
    isPublicLater: boolean;
    run: HandlerWork<Services>;
  };
}

/** If a command has subcommands, Discord offers only those, and never the command itself. */
export type Command<Services> =
  | SingleCommand<Services>
  | (Pick<SingleCommand<Services>, 'name' | 'isForServers' | 'isForAdmins'> & {
      subcommands: readonly SingleCommand<Services>[];
    });

/** All commands by their full names, such as `models` or `music follow`. */
export function commandsByFullName<Services>(commands: readonly Command<Services>[]) {
  return new Map(
    commands.flatMap((command) =>
      'subcommands' in command
        ? command.subcommands.map((one) => [`${command.name} ${one.name}`, one] as const)
        : [[command.name, command] as const],
    ),
  );
}

/** The option with which a member chooses who sees the reply. */
const privacyOption = { private: { type: 'switch' } } as const satisfies Options;

export const presetOption = { preset: { type: 'text', hasSuggestions: true, max: 100 } } as const satisfies Options;

function command<const O extends Options, Services, Parsed>(
  definition: PlainCommand<O, Services> | ParsingCommand<O, Services, Parsed>,
): SingleCommand<Services> {
  const { isPrivate = definition.onlyOrders ? 'chosen' : true, presets } = definition;
  function workOf(values: Values<O>, facts: InteractionFacts): HandlerWork<Services> {
    if (!('parse' in definition)) return (context) => definition.run(values, context);
    const parsed = throwIfRefusal(definition.parse(values, facts));
    return (context) => definition.run(parsed, context);
  }
  const options = {
    ...definition.options,
    ...(presets && presetOption),
    ...(isPrivate === 'chosen' && privacyOption),
  };
  return {
    ...definition,
    options,
    suggest: async (option, input, context) =>
      (presets && option in presetOption
        ? presets.suggest(input, context)
        : definition.suggest?.(option, input, context)) ?? [],
    read(entered, facts, isPrivateByDefault) {
      const values: Values<O> = readOptions(options, entered);
      const privacy = Object.entries(values).find(([name]) => name in privacyOption);
      const isChosen = privacy !== undefined && (privacy[1] ?? isPrivateByDefault) === true;
      const run: HandlerWork<Services> =
        presets && 'preset' in entered.values
          ? (context) =>
              presets.run(entered.values, context, (filled, filledContext) =>
                workOf(readOptions(options, { ...entered, values: filled }), facts)(filledContext),
              )
          : workOf(values, facts);
      const asksFirst = definition.asksFirst?.(values) === true;
      if (isPrivate === 'chosen') throwIfRefusal(requirePostPermissions(facts, { private: isChosen, hasOption: true }));
      return {
        isPrivate: (context) =>
          isChosen || asksFirst || (typeof isPrivate === 'function' ? isPrivate(values, context) : isPrivate === true),
        isPublicLater: asksFirst && !isChosen,
        run: (context) => run({ ...context, wantsPrivate: isChosen }),
      };
    },
  };
}

/** Commands with which members choose who sees the reply. */
export const commandsWithPrivacy = <Services>(commands: readonly Command<Services>[]): string[] =>
  [...commandsByFullName(commands)].flatMap(([name, { options }]) => ('private' in options ? [name] : []));

/** All menus by the names that members see. */
export const menusByName = <One extends { name: MenuName }>(menus: readonly One[], say: Say): Map<string, One> =>
  new Map(menus.map((menu) => [say(`menus.${menu.name}`), menu]));

/** An entry in the Apps menu of messages. Its label is looked up by name. It replies with a message, or opens a form first. */
export type Menu<Services> = { name: MenuName } & (
  | (OrderingHandler & {
      isPrivate: boolean;
      run(target: TargetMessage, context: HandlerContext<Services>): Promise<HandlerResult>;
    })
  | { open(target: TargetMessage, context: HandlerContext<Services>): Promise<FormPlan> }
);

/** The press of a button, or of an entry of a list, whose values were selected. */
interface Press {
  selectedValues: readonly string[];
  message: TargetMessage;
}

/** Handles presses, or submitted forms, by the verb in their id. */
export interface Handler<Services> {
  verb: string;
  /** Whether the form can be opened again after a refusal. */
  canReopen: boolean;
  /** What an id asks for. Throws a refusal if the bot cannot have written it. */
  read(id: CustomId): Handling<Services>;
}

type Open<Services> = (context: HandlerContext<Services>, message: TargetMessage) => Promise<FormPlan>;

export type Handling<Services> =
  | { open: Open<Services> }
  | (Replying & {
      press(context: HandlerContext<Services>, press: Press): Promise<HandlerResult>;
      remix?: { byDefault: boolean; open: Open<Services> } | undefined;
      likeCommand?: string | undefined;
    })
  | (Replying & {
      isPrivate(values: FormValues): boolean;
      submit(values: FormValues): HandlerWork<Services>;
      reopen?: HandlerWork<Services, FormPlan> | undefined;
    });

interface Replying extends OrderingHandler {
  reply: ReplyMode;
}

interface Opener<Pointer, Services> {
  /** Discord only accepts a form as the first response, so this must be fast. */
  open(pointer: Pointer, context: HandlerContext<Services>, message: TargetMessage): Promise<FormPlan>;
}

interface Replier<Pointer, Services, Input> extends Replying {
  run(pointer: Pointer, context: HandlerContext<Services>, input: Input): Promise<HandlerResult>;
}

interface PressReplier<Pointer, Services> extends Replier<Pointer, Services, Press> {
  /** Opens a form instead, for members whose settings say so; `byDefault`: unless their settings say no. */
  remix?: Opener<Pointer, Services> & { byDefault: boolean };
  /** A command: the reply is private where its replies are private by default. */
  likeCommand?(pointer: Pointer): string;
}

/** If a form was opened from a menu, the reply is a new message, because there is no message of the bot to edit. */
interface FormReplier<Pointer, Services, Parsed> extends Replier<Pointer, Services, Parsed> {
  /** Whether only the member sees the reply to a form from a menu. The reply to one from a button is as private as the message. */
  isPrivate?(pointer: Pointer, values: FormValues): boolean;
  /** Turns the submitted values into the input of `run`, or into a refusal. Runs before the acknowledgement. */
  parse(values: FormValues): Parsed | Refusal;
  /** The form as it opens, for a member who corrects it after a refusal. */
  reopen?(pointer: Pointer, context: HandlerContext<Services>): Promise<FormPlan>;
}

function on<Pointer, Services, Parsed>(
  { name: verb, read }: Verb<Pointer>,
  definition: Opener<Pointer, Services> | FormReplier<Pointer, Services, Parsed> | PressReplier<Pointer, Services>,
): Handler<Services> {
  return {
    verb,
    canReopen: 'reopen' in definition,
    read(id) {
      const pointer = throwIfRefusal(read(id));
      if ('open' in definition) return { open: (context, message) => definition.open(pointer, context, message) };
      const { reply, onlyOrders } = definition;
      const replying = { reply, ...(onlyOrders && { onlyOrders }) };
      if (!('parse' in definition)) {
        const { remix, likeCommand } = definition;
        return {
          ...replying,
          press: (context, press) => definition.run(pointer, context, press),
          remix: remix && { ...remix, open: (context, message) => remix.open(pointer, context, message) },
          likeCommand: likeCommand?.(pointer),
        };
      }
      const { isPrivate, parse, reopen, run } = definition;
      return {
        ...replying,
        isPrivate: (values) => isPrivate?.(pointer, values) ?? false,
        submit(values) {
          const parsed = throwIfRefusal(parse(values));
          return (context) => run(pointer, context, parsed);
        },
        reopen: reopen && ((context) => reopen(pointer, context)),
      };
    },
  };
}

/** What features define their commands, buttons and forms with. */
interface Definers<Services> {
  command<const O extends Options, Parsed>(definition: ParsingCommand<O, Services, Parsed>): SingleCommand<Services>;
  command<const O extends Options>(definition: PlainCommand<O, Services>): SingleCommand<Services>;
  on<Pointer>(verb: Verb<Pointer>, definition: Opener<Pointer, Services>): Handler<Services>;
  on<Pointer, Parsed>(verb: Verb<Pointer>, definition: FormReplier<Pointer, Services, Parsed>): Handler<Services>;
  on<Pointer>(verb: Verb<Pointer>, definition: PressReplier<Pointer, Services>): Handler<Services>;
}

export const definersFor = <Services>(): Definers<Services> => ({ command, on });

export interface Handlers<Services> {
  commands: readonly Command<Services>[];
  menus?: readonly Menu<Services>[];
  handlers?: readonly Handler<Services>[];
}
