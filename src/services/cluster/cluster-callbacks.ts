import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { isDoneWithin } from '../../lib/clock.ts';
import { RecentMap } from '../../lib/recent-map.ts';
import { type CallbackMeaning, type CallbackRecipient, openListener } from '../orders/callback-listener.ts';
import { CallbackUrls } from '../orders/callback-urls.ts';
import { type CallbackOutcome, type CallbackSettings, type Callbacks, MAX_HINTS } from '../orders/callbacks.ts';
import type { SharedFacts } from '../store/shared-facts.ts';
import { partitionOf } from '../tasks/homes.ts';
import { bucketIn, isTaskId } from '../tasks/task-id.ts';
import type { Cluster } from './open-cluster.ts';

/** The type of packets with a callback that another worker received. */
const CALLBACK = 'CALLBACK';

const packetSchema = z.object({
  t: z.literal(CALLBACK),
  d: z.object({ id: z.string().refine(isTaskId), said: z.enum(['progress', 'end', 'unclear']) }),
});

/** A callback that another worker has passed on; undefined for any other packet. */
export const callbackIn = (content: unknown) => packetSchema.safeParse(content).data?.d;

/** Only valid URLs create an entry. The least recently used one is dropped. */
const MAX_REMEMBERED = 20_000;
/** A queue server that does not respond must not fill the memory. Without a callback, polls find the end. */
const MAX_IN_FLIGHT = 200;
const PUT_TIMEOUT_MS = 2_000;

interface CallbackHandlers {
  /** The callbacks of a partition that this worker owns. */
  ownCallbacks(partition: number): Callbacks | undefined;
  /** Counts the outcome of a callback that concerns no partition of this worker. */
  onOutcome?: ((outcome: CallbackOutcome) => void) | undefined;
}

/**
 * Receives the callbacks of all partitions. Those of this worker's partitions are processed at once. For other partitions, only a few
 * callbacks per task are passed on, through the inbox.
 */
class ClusterCallbacks implements CallbackRecipient {
  readonly #cluster: Cluster;
  readonly #handlers: CallbackHandlers;
  readonly #urls: CallbackUrls;
  /** How many were passed on, by task and meaning. */
  readonly #passedCounts = new RecentMap<string, number>(MAX_REMEMBERED);
  #inFlightCount = 0;

  constructor(urls: CallbackUrls, cluster: Cluster, handlers: CallbackHandlers) {
    this.#urls = urls;
    this.#cluster = cluster;
    this.#handlers = handlers;
  }

  find(target: string): string | undefined {
    const id = this.#urls.taskIdIn(target);
    const ownCallbacks = id === undefined ? undefined : this.#ownCallbacks(id);
    return ownCallbacks ? ownCallbacks.find(target) : id;
  }

  process(id: string, meaning: CallbackMeaning): CallbackOutcome {
    const ownCallbacks = this.#ownCallbacks(id);
    if (ownCallbacks) return ownCallbacks.process(id, meaning);
    const outcome = this.#outcomeOf(id, meaning);
    this.report(outcome);
    return outcome;
  }

  report(outcome: CallbackOutcome): void {
    this.#handlers.onOutcome?.(outcome);
  }

  #ownCallbacks(id: string): Callbacks | undefined {
    return this.#handlers.ownCallbacks(this.#partitionOf(id));
  }

  #partitionOf(id: string): number {
    return partitionOf(bucketIn(id), this.#cluster.partitions.count);
  }

  #outcomeOf(id: string, meaning: CallbackMeaning): CallbackOutcome {
    if (typeof meaning === 'object') return 'challenge';
    const key = `${id}-${meaning}`;
    const previousCount = this.#passedCounts.get(key) ?? 0;
    if (previousCount >= (meaning === 'progress' ? 1 : MAX_HINTS)) return 'ignored';
    if (this.#inFlightCount >= MAX_IN_FLIGHT) return 'lost';
    this.#passedCounts.set(key, previousCount + 1);
    // The count is part of the id, so that the inbox keeps only one of the duplicates that several workers may receive.
    void this.#pass(`${key}-${previousCount + 1}`, { id, said: meaning });
    return 'passed';
  }

  async #pass(key: string, d: z.output<typeof packetSchema>['d']): Promise<void> {
    const { inbox, clock } = this.#cluster;
    this.#inFlightCount += 1;
    try {
      const put = inbox.put(this.#partitionOf(d.id), { id: key, content: { t: CALLBACK, d } });
      if (!(await isDoneWithin(clock, PUT_TIMEOUT_MS, put))) this.report('lost');
    } catch {
      // The queue logs the error, and the task is polled anyway.
      this.report('lost');
    } finally {
      this.#inFlightCount -= 1;
    }
  }
}

/** The callback URLs of all partitions. Undefined if callbacks are off. */
export async function openClusterUrls({ url }: CallbackSettings, { facts }: Cluster) {
  return url === undefined ? undefined : new CallbackUrls(url, await sharedSecret(facts));
}

/** Opens the port for the callbacks of all partitions, if this worker has one. */
export async function openClusterCallbacks(
  { port, host }: CallbackSettings,
  urls: CallbackUrls | undefined,
  cluster: Cluster,
  handlers: CallbackHandlers,
) {
  if (!urls || port === undefined) return undefined;
  const callbacks = new ClusterCallbacks(urls, cluster, handlers);
  return openListener({ port, host }, { callbacks, log: cluster.log });
}

const SECRET = 'callback-secret';
const SECRET_BYTES = 32;

/** Created by the first worker that needs it. */
async function sharedSecret(facts: SharedFacts): Promise<string> {
  const newSecret = randomBytes(SECRET_BYTES).toString('hex');
  if (await facts.replace(SECRET, undefined, newSecret)) return newSecret;
  const existingSecret = await facts.read(SECRET);
  if (existingSecret === undefined) throw new Error('The secret of the callback URLs was deleted.');
  return existingSecret;
}
