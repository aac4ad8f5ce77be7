import type { APIApplicationCommand, APIMessage, APIModalInteractionResponseCallbackData } from 'discord-api-types/v10';

/** What the page and the server behind it say to each other. Types alone, so that both sides can read it. */

export type Role = 'member' | 'other' | 'admin' | 'owner' | 'installer';

export interface Person {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  /** Describes the person in a sentence, such as "Another member of the server." */
  readonly blurb: string;
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
    /** Whoever made it: a person, or the application. */
    readonly madeBy?: string;
  };
  readonly ageRestricted: boolean;
  readonly maySend: boolean;
  /** What this person is offered in this very channel: menus included, none where they may not use commands. */
  readonly commands: readonly APIApplicationCommand[];
}

export interface Guild {
  readonly id: string;
  readonly name: string;
  /** Whether the bot itself is there. */
  readonly installed: boolean;
  readonly channels: readonly Channel[];
  /** Ids of people. */
  readonly members: readonly string[];
  /** What this person is offered in at least one channel of it. */
  readonly commands: readonly APIApplicationCommand[];
}

export interface World {
  readonly me: Person;
  readonly people: readonly Person[];
  readonly application: { readonly id: string; readonly name: string };
  readonly guilds: readonly Guild[];
  readonly direct: readonly Channel[];
  /** What one file may weigh here. */
  readonly uploadBytes: number;
}

/** The LOADING flag means "thinking…"; `interaction_metadata` says who used what. */
export type SeenMessage = APIMessage & { readonly ephemeral: boolean; readonly edited: boolean };

export interface FileSent {
  readonly name: string;
  readonly base64: string;
  readonly contentType?: string;
}

type OptionValue = string | number | boolean | FileSent;
type FieldValue = string | boolean | readonly string[] | readonly FileSent[];

/** What a person does. `as` is a person's id or role, `in` a channel's id. */
export type Act = { readonly as: string; readonly in?: string } & (
  | { readonly do: 'slash'; readonly name: string; readonly options?: Readonly<Record<string, OptionValue>> }
  | {
      readonly do: 'complete';
      readonly name: string;
      readonly options?: Readonly<Record<string, OptionValue>>;
      readonly focused: string;
    }
  /** A button by its custom id, label or emoji. */
  | { readonly do: 'click'; readonly message: string; readonly button: string }
  | { readonly do: 'choose'; readonly message: string; readonly select: string; readonly values: readonly string[] }
  /** The interaction whose answer was the form; fields by custom id or label. */
  | { readonly do: 'fill'; readonly interaction: string; readonly values?: Readonly<Record<string, FieldValue>> }
  | { readonly do: 'menu'; readonly name: string; readonly message?: string; readonly user?: string }
  | { readonly do: 'say'; readonly content: string; readonly files?: readonly FileSent[] }
);

export interface Modal {
  readonly interactionId: string;
  readonly customId: string;
  readonly title: string;
  readonly components: APIModalInteractionResponseCallbackData['components'];
}

/** What the person sees first of what they have done. */
export interface Acted {
  readonly interaction?: string;
  readonly acknowledgement?: { readonly type: number; readonly ephemeral: boolean; readonly afterMs: number };
  readonly modal?: Modal;
  readonly choices?: readonly { readonly name: string; readonly value: string | number }[];
  readonly message?: SeenMessage;
}

/** With a status of 400 or more. */
export interface Refused {
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
  /** How often it was started. */
  readonly starts: number;
  /** From its last start until Discord heard of it. */
  readonly readyMs?: number;
  /** When it came to be in this state. */
  readonly since: number;
  readonly exitCode?: number;
}

export interface Job {
  readonly id: string;
  readonly kind: string;
  readonly model: string;
  readonly prompt: string;
  readonly state: 'needs-input' | 'queued' | 'running' | 'succeeded' | 'failed';
  /** 0 to 100. */
  readonly progress: number;
  readonly reason?: string;
  readonly createdAt: number;
  readonly startedAt?: number;
  readonly finishedAt?: number;
  /** How often it was asked about while it had not ended. */
  readonly polls: number;
  /** How many orders led to it: 1, or more where one was sent again with the same idempotency key. */
  readonly submits: number;
  /** How often it was asked about after its end. */
  readonly queries: number;
}

/** A live conversation with a model, as the gateway knows it. */
export interface LiveSession {
  readonly id: string;
  readonly model: string;
  readonly dialect: Dialect;
  readonly openedAt: number;
  /** `silent` is one of which nothing more comes, while its connection stands. */
  readonly state: 'listening' | 'answering' | 'silent';
  /** What is being answered. */
  readonly said?: string;
  /** How many answers were begun. */
  readonly turns: number;
}

/** The shape of today, and the one before it. */
export type Dialect = 'ga' | 'beta';
export type SessionOrder = 'cut' | 'expire' | 'hang';

/** Something that can go wrong with a live conversation. */
export interface TalkTrouble {
  readonly how: string;
  readonly when: string;
  readonly what: string;
}

export interface TalkBench {
  /** Newest first. */
  readonly sessions: readonly LiveSession[];
  /** What a session speaks that is opened now. */
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

/** A request of the bot and its answer. */
export interface Exchange {
  readonly id: string;
  readonly at: number;
  readonly side: 'discord' | 'gateway';
  readonly method: string;
  /** Without secrets: interaction tokens and keys are replaced by …. */
  readonly path: string;
  /** 0 where no answer has left, or ever will. */
  readonly status: number;
  /** Shortened. */
  readonly request?: unknown;
  /** Shortened as well; text where it was no JSON. */
  readonly answer?: unknown;
  readonly files?: readonly { readonly name: string; readonly bytes: number }[];
  readonly ms?: number;
  /** What Discord's schema objects to. */
  readonly verdict: 'fine' | readonly Violation[];
}

export interface Workbench {
  readonly bot: BotState & { readonly log: readonly LogLine[] };
  readonly gateway: {
    readonly kind: 'embedded' | 'real';
    readonly address: string;
    readonly speed?: number;
    /** Newest first; with a real gateway there are none to see. */
    readonly jobs: readonly Job[];
    /** Why `jobs` is empty for good. */
    readonly jobsUnseen?: string;
    /** With an embedded gateway alone. */
    readonly talk?: TalkBench;
    /** On both sides. */
    readonly faults: readonly Fault[];
    /** Whether `gateway-down` is on. */
    readonly down: boolean;
  };
  /** Newest last. */
  readonly traffic: readonly Exchange[];
}

export type Trouble =
  | { readonly do: 'speed'; readonly factor: number }
  | { readonly do: 'fail-next'; readonly reason?: string }
  | { readonly do: 'rate-limit-next'; readonly times?: number }
  | { readonly do: 'lose-next-answer' }
  | { readonly do: 'gateway-down'; readonly on: boolean }
  | { readonly do: 'talk-trouble'; readonly how: string }
  | { readonly do: 'dialect'; readonly speak: Dialect }
  | { readonly do: 'session'; readonly how: SessionOrder; readonly session: string }
  | { readonly do: 'cut-socket' }
  | { readonly do: 'end-tokens' }
  | { readonly do: 'age-messages' }
  | { readonly do: 'kill-bot' }
  | { readonly do: 'start-bot' }
  | { readonly do: 'stop-bot' }
  | { readonly do: 'clear' };

export interface Said {
  readonly said: string;
}

export type Live =
  | { readonly is: 'message'; readonly channel: string; readonly message: SeenMessage }
  | { readonly is: 'message-gone'; readonly channel: string; readonly id: string }
  | { readonly is: 'typing'; readonly channel: string }
  /** Ask for it again. */
  | { readonly is: 'world' }
  | { readonly is: 'job'; readonly job: Job }
  /** One with a known id takes the place of the earlier. */
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
