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
function recipientFor(
  urls: CallbackUrls,
  { partitions, inbox, clock }: Cluster,
  { ownCallbacks, onOutcome }: CallbackHandlers,
): CallbackRecipient {
  /** How many were passed on, by task and meaning. */
  const passedCounts = new RecentMap<string, number>(MAX_REMEMBERED);
  let inFlightCount = 0;
  const home = (id: string): number => partitionOf(bucketIn(id), partitions.count);
  const report = (outcome: CallbackOutcome): void => onOutcome?.(outcome);
  const pass = async (key: string, d: z.output<typeof packetSchema>['d']): Promise<void> => {
    inFlightCount += 1;
    try {
      const put = inbox.put(home(d.id), { id: key, content: { t: CALLBACK, d } });
      if (!(await isDoneWithin(clock, PUT_TIMEOUT_MS, put))) report('lost');
    } catch {
      // The queue logs the error, and the task is polled anyway.
      report('lost');
    } finally {
      inFlightCount -= 1;
    }
  };
  const outcomeOf = (id: string, meaning: CallbackMeaning): CallbackOutcome => {
    if (typeof meaning === 'object') return 'challenge';
    const key = `${id}-${meaning}`;
    const previousCount = passedCounts.get(key) ?? 0;
    if (previousCount >= (meaning === 'progress' ? 1 : MAX_HINTS)) return 'ignored';
    if (inFlightCount >= MAX_IN_FLIGHT) return 'lost';
    passedCounts.set(key, previousCount + 1);
    // The count is part of the id, so that the inbox keeps only one of the duplicates that several workers may receive.
    void pass(`${key}-${previousCount + 1}`, { id, said: meaning });
    return 'passed';
  };
  return {
    find(target) {
      const id = urls.taskIdIn(target);
      const own = id === undefined ? undefined : ownCallbacks(home(id));
      return own ? own.find(target) : id;
    },
    process(id, meaning) {
      const own = ownCallbacks(home(id));
      if (own) return own.process(id, meaning);
      const outcome = outcomeOf(id, meaning);
      report(outcome);
      return outcome;
    },
    report,
  };
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
  return openListener({ port, host }, { callbacks: recipientFor(urls, cluster, handlers), log: cluster.log });
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
