import { type Clock, withTimeout } from '../../lib/clock.ts';
import { GatewayError } from '../gateway/errors.ts';
import type { Gateway } from '../gateway/gateway.ts';
import type { StoreOwnership } from '../store/lease.ts';

/** An idle bot receives nothing from the gateway, so after this time it sends a request. */
const RESPONSE_TTL_MS = 50_000;
/** Prometheus gives a scrape ten seconds by default; Kubernetes often gives a probe less. */
const QUERY_TIMEOUT_MS = 4_000;
/** Probes that come more often get the same verdict, so no one can make the bot flood the gateway. */
const VERDICT_TTL_MS = 5_000;

export const readyParts = ['bot', 'discord', 'store', 'gateway'] as const;
type ReadyPart = (typeof readyParts)[number];

/** For each part, why it is not ready; undefined if it is. */
export type Readiness = Readonly<Record<ReadyPart, ReadinessReason | undefined>>;

/** The reasons in the log and in `/readyz`. They never quote the gateway, which can repeat anything. */
export const readinessReasons = {
  stopping: 'The bot is stopping.',
  starting: 'The bot is starting.',
  disconnected: 'There is no connection to Discord.',
  storeLost: 'Another bot may own the store.',
  storeSilent: 'The store does not respond.',
  storeFailing: 'Reading from the store or writing to it fails.',
  silent: 'The gateway did not respond in time.',
  unauthorized: 'The gateway rejects the API key.',
  unreachable: 'The gateway cannot be reached.',
  unavailable: 'The gateway is out of service.',
  malformed: 'The gateway’s response cannot be read.',
  unchecked: 'The gateway could not be checked.',
} as const;

type ReadinessReason = keyof typeof readinessReasons;

/** The sources of readiness, once the bot has opened them. */
export interface ReadinessSources {
  hasStarted(): boolean;
  isDiscordReady(): boolean;
  ownership: StoreOwnership;
  /** Whether the latest read or write failed, or tasks could not be written. */
  isStoreFailing(): boolean;
  /** The clients of the bots in this process. Without any, it sends no requests to the gateway. */
  gateways(): readonly Gateway[];
}

/** What `/readyz` and `/about` report about the parts of the bot. */
export class ReadinessCheck {
  readonly #clock: Clock;
  #sources: ReadinessSources | undefined;
  #isStopping = false;
  #pendingQuery: Promise<ReadinessReason | undefined> | undefined;
  #verdict: { at: number; reason: ReadinessReason | undefined } | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  watch(sources: ReadinessSources): void {
    this.#sources = sources;
  }

  stop(): void {
    this.#isStopping = true;
  }

  /** `gatewayError`: why a request to the gateway has just failed, which counts more than its earlier responses. */
  async check(gatewayError?: GatewayError): Promise<Readiness> {
    const sources = this.#sources;
    if (this.#isStopping) return allParts('stopping');
    if (!sources) return allParts('starting');
    const discord = sources.isDiscordReady() ? undefined : 'disconnected';
    const failure = gatewayError === undefined ? 'answered' : gatewayReason(gatewayError);
    const gateway = failure === 'answered' ? await this.#gatewayReason(sources) : failure;
    const bot = sources.hasStarted() ? undefined : 'starting';
    return { bot, discord, store: storeReason(sources), gateway };
  }

  async #gatewayReason({ gateways }: ReadinessSources): Promise<ReadinessReason | undefined> {
    const now = this.#clock.now();
    const [gateway, ...others] = gateways();
    if (!gateway) return undefined;
    const answeredAt = Math.max(...[gateway, ...others].map((one) => one.answeredAt() ?? Number.NEGATIVE_INFINITY));
    if (now - answeredAt < RESPONSE_TTL_MS) return undefined;
    if (this.#verdict && now - this.#verdict.at < VERDICT_TTL_MS) return this.#verdict.reason;
    this.#pendingQuery ??= this.#query(gateway).finally(() => {
      this.#pendingQuery = undefined;
    });
    return this.#pendingQuery;
  }

  async #query({ models }: Gateway): Promise<ReadinessReason | undefined> {
    const timeout = new AbortController();
    const query = models.list({ attempts: 1, signal: timeout.signal });
    const response = query.then(() => 'answered' as const, gatewayReason);
    const outcome = (await withTimeout(this.#clock, QUERY_TIMEOUT_MS, response)) ?? 'silent';
    timeout.abort();
    const reason = outcome === 'answered' ? undefined : outcome;
    this.#verdict = { at: this.#clock.now(), reason };
    return reason;
  }
}

const allParts = (reason: ReadinessReason): Readiness => ({
  bot: reason,
  discord: reason,
  store: reason,
  gateway: reason,
});

function storeReason({ ownership, isStoreFailing }: ReadinessSources): ReadinessReason | undefined {
  try {
    ownership.assertOwned();
  } catch {
    // The error's message contains the URL of the store, which not everyone who can reach this port should see.
    return 'storeLost';
  }
  if (ownership.trouble()) return 'storeSilent';
  return isStoreFailing() ? 'storeFailing' : undefined;
}

interface GatewayProblem {
  /** If not, only the list of models is missing, and requests of members may succeed. */
  isUnusable: boolean;
  isKeyRejected: boolean;
  reason: string;
}

/** Asks the gateway once, when the bot starts: an idle bot would learn of a wrong key or address only from its first member. */
export async function findGatewayProblem({ models, answeredAt }: Gateway): Promise<GatewayProblem | undefined> {
  try {
    const list = await models.list({ attempts: 1, signal: AbortSignal.timeout(QUERY_TIMEOUT_MS) });
    const reason = 'The gateway lists no models for this key.';
    return list.length > 0 ? undefined : { isUnusable: false, isKeyRejected: false, reason };
  } catch (error) {
    const reason = gatewayReason(error);
    if (reason === 'answered') return { isUnusable: false, isKeyRejected: false, reason: listReason(error) };
    if (answeredAt() !== undefined) return undefined;
    const isKeyRejected = error instanceof GatewayError && error.kind === 'unauthorized';
    return { isUnusable: true, isKeyRejected, reason: readinessReasons[reason] };
  }
}

/** Why a gateway that responds does not list its models. */
function listReason(error: unknown): string {
  if (!(error instanceof GatewayError)) return 'The list of models could not be checked.';
  if (error.code === 'redirected') return 'The gateway redirects requests: GATEWAY_BASE_URL should be the final URL.';
  if (error.kind === 'quota') return 'The gateway says that this key has no credit.';
  if (error.kind === 'forbidden') return 'The gateway denies this key access.';
  return 'The gateway does not list its models.';
}

const REPORTED_KINDS = ['unauthorized', 'unreachable', 'unavailable', 'malformed'] as const;

/** An error that only concerns the list of models still shows that the gateway responds. */
function gatewayReason(error: unknown): ReadinessReason | 'answered' {
  if (!(error instanceof GatewayError)) return 'unchecked';
  if (error.code === 'aborted') return 'silent';
  return REPORTED_KINDS.find((kind) => kind === error.kind) ?? 'answered';
}
