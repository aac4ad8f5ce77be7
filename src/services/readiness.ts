import { type Clock, withTimeout } from '../lib/clock.ts';
import type { Engine } from './engine.ts';
import { type Gateway, GatewayError, type GatewayErrorKind } from './gateway/index.ts';
import type { StoredTasks } from './store/stored-tasks.ts';

/** An idle bot receives nothing from the gateway, so after this time it sends a request. */
const ANSWER_TTL_MS = 50_000;
/** Prometheus gives a scrape ten seconds by default; Kubernetes often gives a probe less. */
const ASK_LIMIT_MS = 4_000;
/** Probes that come more often get the same verdict, so no one can make the bot flood the gateway. */
const VERDICT_TTL_MS = 5_000;

export const readyParts = ['bot', 'discord', 'store', 'gateway'] as const;
type ReadyPart = (typeof readyParts)[number];

/** For each part, why it is not ready; undefined if it is. */
export type Readiness = Readonly<Record<ReadyPart, string | undefined>>;

/** The sources of readiness, once the bot has opened them. */
export interface Watched {
  isDiscordReady(): boolean;
  store: {
    /** Throws if another bot process may have taken over. */
    mustBeOurs(): void;
    /** Undefined if the store responds. */
    trouble(): object | undefined;
    /** The number of tasks that could not be written. */
    unsaved(): number;
  };
  gateway: {
    /** Undefined if it has not answered yet. */
    answeredAt(): number | undefined;
    /** Throws if the gateway does not respond. */
    ask(signal: AbortSignal): Promise<unknown>;
  };
}

interface BotParts {
  engine: Pick<Engine, 'tasks'>;
  store: Pick<StoredTasks, 'ownership'>;
  gateway: Pick<Gateway, 'models' | 'answeredAt'>;
  /** Whether the bot receives interactions from Discord. */
  isConnected(): boolean;
}

export const watchedBot = ({ engine, store: { ownership }, gateway, isConnected }: BotParts): Watched => ({
  isDiscordReady: isConnected,
  store: {
    mustBeOurs: ownership.mustBeOurs,
    trouble: ownership.trouble,
    unsaved: () => engine.tasks.book.unsavedCount,
  },
  gateway: {
    answeredAt: gateway.answeredAt,
    ask: (signal) => gateway.models.list({ attempts: 1, signal }),
  },
});

/** What `/readyz` and `/about` report about the parts of the bot. */
export class ReadinessCheck {
  readonly #clock: Clock;
  #watched: Watched | undefined;
  #isStopping = false;
  #asking: Promise<string | undefined> | undefined;
  #verdict: { at: number; reason: string | undefined } | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  watch(watched: Watched): void {
    this.#watched = watched;
  }

  stop(): void {
    this.#isStopping = true;
  }

  async check(): Promise<Readiness> {
    const watched = this.#watched;
    if (this.#isStopping) return all('The bot is stopping.');
    if (!watched) return all('The bot is starting.');
    const discord = watched.isDiscordReady() ? undefined : 'There is no connection to Discord.';
    return { bot: undefined, discord, store: storeReason(watched.store), gateway: await this.#gatewayReason(watched) };
  }

  async #gatewayReason({ gateway }: Watched): Promise<string | undefined> {
    const now = this.#clock.now();
    const answeredAt = gateway.answeredAt();
    if (answeredAt !== undefined && now - answeredAt < ANSWER_TTL_MS) return undefined;
    if (this.#verdict && now - this.#verdict.at < VERDICT_TTL_MS) return this.#verdict.reason;
    this.#asking ??= this.#ask(gateway).finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  async #ask(gateway: Watched['gateway']): Promise<string | undefined> {
    const late = new AbortController();
    const asked = gateway.ask(late.signal).then(() => 'answered' as const, gatewayReason);
    const answer = (await withTimeout(this.#clock, ASK_LIMIT_MS, asked)) ?? 'The gateway did not answer in time.';
    late.abort();
    const reason = answer === 'answered' ? undefined : answer;
    this.#verdict = { at: this.#clock.now(), reason };
    return reason;
  }
}

const all = (reason: string): Readiness => ({ bot: reason, discord: reason, store: reason, gateway: reason });

function storeReason({ mustBeOurs, trouble, unsaved }: Watched['store']): string | undefined {
  try {
    mustBeOurs();
  } catch {
    // The error's message contains the URL of the store, which not everyone who can reach this port should see.
    return 'Another bot may own the store.';
  }
  if (trouble()) return 'The store does not respond.';
  return unsaved() > 0 ? 'The store could not write tasks.' : undefined;
}

const REASONS: Partial<Record<GatewayErrorKind, string>> = {
  unauthorized: 'The gateway rejects the key.',
  unreachable: 'The gateway cannot be reached.',
  unavailable: 'The gateway is out of service.',
  malformed: 'The gateway’s response cannot be read.',
};

/** Never quotes the gateway, which can repeat anything. An error that only concerns the list of models still shows that the gateway responds. */
function gatewayReason(error: unknown): string | 'answered' {
  if (!(error instanceof GatewayError)) return 'The gateway could not be checked.';
  return REASONS[error.kind] ?? 'answered';
}
