import type { APIApplicationCommand, APIMessage, APIModalInteractionResponseCallbackData } from 'discord-api-types/v10';

/** The protocol between the page and its server. Types only, so both sides can import it. */

export type Role = 'member' | 'other' | 'admin' | 'owner' | 'installer';

export interface Person {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  /** Describes the person in a sentence, such as "Another member of the server." */
  readonly blurb: string;
  /** The language of Discord's client, as Discord's locale. */
  readonly locale: string;
  readonly avatar?: string;
}

export interface Channel {
  readonly id: string;
  readonly name: string;
  readonly kind: 'text' | 'thread' | 'voice' | 'direct' | 'group';
  readonly parentId?: string;
  readonly thread?: {
    readonly isPrivate: boolean;
    readonly archived: boolean;
    readonly locked: boolean;
    /** The id of the user or application that started it. */
    readonly madeBy?: string;
  };
  readonly ageRestricted: boolean;
  readonly maySend: boolean;
  /** The commands that this user can use in this channel, including context menus. */
  readonly commands: readonly APIApplicationCommand[];
}

export interface Guild {
  readonly id: string;
  readonly name: string;
  readonly locale: string;
  /** Whether the bot is in the guild. */
  readonly installed: boolean;
  readonly channels: readonly Channel[];
  /** Ids of people. */
  readonly members: readonly string[];
  readonly roles: readonly { readonly id: string; readonly name: string }[];
  /** The commands that this user can use in at least one of its channels. */
  readonly commands: readonly APIApplicationCommand[];
}

export interface World {
  readonly me: Person;
  readonly people: readonly Person[];
  /** The languages of Discord's client. */
  readonly locales: readonly string[];
  readonly application: { readonly id: string; readonly name: string };
  readonly guilds: readonly Guild[];
  readonly direct: readonly Channel[];
  /** The maximum size of a file. */
  readonly uploadBytes: number;
}

/** The LOADING flag means "thinking…"; `interaction_metadata` has the user and the command. */
export type VisibleMessage = APIMessage & { readonly ephemeral: boolean; readonly edited: boolean };

export interface EncodedFile {
  readonly name: string;
  readonly base64: string;
  readonly contentType?: string;
}

type OptionValue = string | number | boolean | EncodedFile;
type FieldValue = string | boolean | readonly string[] | readonly EncodedFile[];

/** What a person does; `as` is a person's id or role, `in` is a channel's id. */
export type Action = { readonly as: string; readonly in?: string } & (
  | { readonly do: 'slash'; readonly name: string; readonly options?: Readonly<Record<string, OptionValue>> }
  | {
      readonly do: 'complete';
      readonly name: string;
      readonly options?: Readonly<Record<string, OptionValue>>;
      readonly focused: string;
    }
  /** `button` is a custom id, a label or an emoji. */
  | { readonly do: 'click'; readonly message: string; readonly button: string }
  | { readonly do: 'choose'; readonly message: string; readonly select: string; readonly values: readonly string[] }
  /** `interaction` is the one that opened the form; the keys of `values` are custom ids or labels. */
  | { readonly do: 'fill'; readonly interaction: string; readonly values?: Readonly<Record<string, FieldValue>> }
  | { readonly do: 'menu'; readonly name: string; readonly message?: string; readonly user?: string }
  | { readonly do: 'say'; readonly content: string; readonly files?: readonly EncodedFile[] }
  /** Without `ping`, the author of the other message is not notified. */
  | {
      readonly do: 'reply';
      readonly message: string;
      readonly content: string;
      readonly ping?: boolean;
      readonly files?: readonly EncodedFile[];
    }
  /** Only a person's own messages. */
  | { readonly do: 'edit'; readonly message: string; readonly content: string }
  | { readonly do: 'remove'; readonly message: string }
);

export interface Modal {
  readonly interactionId: string;
  readonly customId: string;
  readonly title: string;
  readonly components: APIModalInteractionResponseCallbackData['components'];
}

/** The first visible result of an action. */
export interface ActionResult {
  readonly interaction?: string;
  readonly acknowledgement?: { readonly type: number; readonly ephemeral: boolean; readonly afterMs: number };
  readonly modal?: Modal;
  readonly choices?: readonly { readonly name: string; readonly value: string | number }[];
  readonly message?: VisibleMessage;
}

/** Sent with a status of 400 or more. */
export interface ErrorBody {
  readonly error: string;
}

export interface LogLine {
  readonly at: number;
  readonly level: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal';
  readonly text: string;
}

export interface BotState {
  readonly state: 'starting' | 'running' | 'stopping' | 'stopped' | 'killed' | 'crashed';
  readonly pid?: number;
  readonly starts: number;
  /** The time from the last start until the bot connected to Discord. */
  readonly readyMs?: number;
  /** When the state was entered. */
  readonly since: number;
  readonly exitCode?: number;
}

export interface Job {
  readonly id: string;
  readonly kind: string;
  readonly model: string;
  readonly prompt: string;
  readonly state: 'needs-input' | 'queued' | 'running' | 'succeeded' | 'failed';
  /** A percentage from 0 to 100. */
  readonly progress: number;
  readonly reason?: string;
  readonly createdAt: number;
  readonly startedAt?: number;
  readonly finishedAt?: number;
  /** The number of polls before the job ended. */
  readonly polls: number;
  /** The number of submits: more than 1 if one was repeated with the same idempotency key. */
  readonly submits: number;
  /** The number of polls after the job ended. */
  readonly queries: number;
  /** The number of callbacks that the gateway sent. */
  readonly callbacks: number;
}

/** A live session of the gateway. */
export interface LiveSession {
  readonly id: string;
  readonly model: string;
  readonly dialect: Dialect;
  readonly openedAt: number;
  /** `silent` means that the session no longer responds although its connection is open. */
  readonly state: 'listening' | 'answering' | 'silent';
  /** The utterance that the session is responding to. */
  readonly said?: string;
  /** The number of responses started. */
  readonly turns: number;
}

/** The event formats of live sessions: the current one, and the previous one. */
export type Dialect = 'ga' | 'beta';
export type SessionAction = 'cut' | 'expire' | 'hang';

/** A fault that can be injected into a live session. */
export interface TalkTrouble {
  readonly how: string;
  readonly when: string;
  readonly what: string;
}

export interface TalkWorkbench {
  /** Newest first. */
  readonly sessions: readonly LiveSession[];
  /** The dialect of new sessions. */
  readonly dialect: Dialect;
  readonly troubles: readonly TalkTrouble[];
}

export interface Fault {
  readonly id: string;
  readonly what: string;
}

interface Violation {
  readonly path: string;
  readonly code: string;
  readonly message: string;
}

/** A request, from the bot or to it, and its response. */
export interface Exchange {
  readonly id: string;
  readonly at: number;
  /** `callback` is a request from the gateway to the bot; all others come from the bot. */
  readonly side: 'discord' | 'gateway' | 'callback';
  readonly method: string;
  /** Interaction tokens and keys are replaced with `…`. */
  readonly path: string;
  /** 0 if no response was sent. */
  readonly status: number;
  /** Shortened. */
  readonly request?: unknown;
  /** Shortened; a string if it was not JSON. */
  readonly answer?: unknown;
  readonly files?: readonly { readonly name: string; readonly bytes: number }[];
  readonly ms?: number;
  /** `fine`, or the violations of Discord's schema. */
  readonly verdict: 'fine' | readonly Violation[];
}

export interface Workbench {
  readonly bot: BotState & { readonly log: readonly LogLine[] };
  readonly gateway: {
    readonly kind: 'embedded' | 'real';
    readonly address: string;
    readonly speed?: number;
    /** Newest first; always empty with a real gateway. */
    readonly jobs: readonly Job[];
    /** Why `jobs` is always empty. */
    readonly jobsUnseen?: string;
    /** Only with the embedded gateway. */
    readonly talk?: TalkWorkbench;
    readonly faults: readonly Fault[];
    /** Whether `gateway-down` is on. */
    readonly down: boolean;
  };
  /** Newest last. */
  readonly traffic: readonly Exchange[];
}

/** An entry of the bot's ledger, with amounts in dollars. */
export interface LedgerEntry {
  readonly id: string;
  readonly at: number;
  readonly kind: string;
  readonly model?: string;
  readonly member?: string | undefined;
  readonly server?: string | undefined;
  readonly standing: 'reserved' | 'unconfirmed' | 'settled' | 'refunded' | 'waived';
  readonly estimate?: string;
  /** The cost that the gateway reported. */
  readonly cost?: string;
}

export interface Ledger {
  /** Newest first. */
  readonly entries: readonly LedgerEntry[];
  /** The number of all entries. */
  readonly count: number;
  readonly reserved: string;
  readonly unconfirmed: string;
  readonly settled: string;
  /** Charged by the gateway, but not to the member, because moderators or rules withheld the result. */
  readonly waived: string;
  /** What the gateway charges, and how much of that the bot has not settled; only with the embedded gateway. */
  readonly bill?: string;
  readonly difference?: string | undefined;
}

type CallbackTrouble = 'lost' | 'lost-end' | 'late' | 'doubled' | 'forged' | 'challenge';

export type Trouble =
  | { readonly do: 'speed'; readonly factor: number }
  | { readonly do: 'fail-next'; readonly reason?: string }
  | { readonly do: 'rate-limit-next'; readonly times?: number }
  | { readonly do: 'lose-next-answer' }
  | { readonly do: 'callbacks'; readonly how: CallbackTrouble }
  | { readonly do: 'gateway-down'; readonly on: boolean }
  | { readonly do: 'talk-trouble'; readonly how: string }
  | { readonly do: 'dialect'; readonly speak: Dialect }
  | { readonly do: 'session'; readonly how: SessionAction; readonly session: string }
  | { readonly do: 'cut-socket' }
  | { readonly do: 'end-tokens' }
  | { readonly do: 'age-messages' }
  | { readonly do: 'kill-bot' }
  | { readonly do: 'start-bot' }
  | { readonly do: 'stop-bot' }
  | { readonly do: 'clear' };

export interface TroubleResult {
  readonly said: string;
}

export type LiveEvent =
  | { readonly is: 'message'; readonly channel: string; readonly message: VisibleMessage }
  | { readonly is: 'message-gone'; readonly channel: string; readonly id: string }
  | { readonly is: 'typing'; readonly channel: string }
  /** The world must be reloaded. */
  | { readonly is: 'world' }
  | { readonly is: 'job'; readonly job: Job }
  /** Replaces an earlier exchange with the same id. */
  | { readonly is: 'exchange'; readonly exchange: Exchange }
  | { readonly is: 'bot'; readonly bot: BotState }
  | { readonly is: 'log'; readonly line: LogLine }
  | { readonly is: 'session'; readonly session: LiveSession }
  | { readonly is: 'session-gone'; readonly id: string }
  | {
      readonly is: 'faults';
      readonly faults: readonly Fault[];
      readonly down: boolean;
      readonly speed?: number;
      readonly dialect?: Dialect;
    };
