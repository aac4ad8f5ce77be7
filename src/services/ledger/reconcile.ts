import type { Task } from '../tasks/task.ts';
import { type Entry, factOf, reserved, standingOf, withFact } from './entry.ts';
import { type Prices, priceOf } from './prices.ts';

/** The entry as its task says it should be; the very same one where it is right already. */
export function agreeing(known: Entry | undefined, task: Task, prices: Prices): Entry {
  const fresh = reserved(task, priceOf(prices, task.kind, task.model));
  const entry = known === undefined ? fresh : isOf(known, fresh) ? known : { ...fresh, facts: known.facts };
  return withFact(entry, factOf(task));
}

/**
 * An entry whose task is not there. Where it is still reserved the gateway never heard of the order, or refused it: a task that it has is
 * kept until its end is known. All others stay as they are, for tasks expire and are deleted.
 */
export function withoutTask(entry: Entry, now: number): Entry {
  return standingOf(entry) === 'reserved' ? withFact(entry, { standing: 'refunded', at: now }) : entry;
}

const IDENTITY = ['id', 'at', 'memberId', 'guildId', 'channelId', 'kind', 'model'] as const;

const isOf = (known: Entry, fresh: Entry): boolean => IDENTITY.every((name) => known[name] === fresh[name]);
