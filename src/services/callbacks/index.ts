import { type Clock, SteadyClock, systemClock } from '../../lib/clock.ts';
import type { PlainLog } from '../../lib/log.ts';
import type { Scheduler } from '../polling/scheduler.ts';
import type { TaskBook } from '../tasks/book.ts';
import type { Kind } from '../tasks/kind.ts';
import type { Task } from '../tasks/task.ts';
import { CallbackUrls } from './addresses.ts';
import { Callbacks } from './callbacks.ts';
import { type CallbackRecipient, openListener } from './listener.ts';

export interface CallbackSettings {
  /** The URL at which the gateway reaches the listener, without a trailing slash. */
  url: string | undefined;
  port: number | undefined;
  host: string;
}

interface CallbackParts {
  book: TaskBook;
  kinds: readonly Kind[];
  scheduler: Pick<Scheduler, 'hint'>;
  clock: Clock;
  log: Pick<PlainLog, 'info' | 'warn'>;
  /** The URLs to use if another process of the cluster receives the callbacks. */
  urls?: CallbackUrls | undefined;
}

/** Opens the port. */
export async function openCallbackPort(
  { port, host }: { port: number; host: string },
  recipient: CallbackRecipient,
  log: Pick<PlainLog, 'info'>,
) {
  // Requests from another program take real time.
  const listener = await openListener({ port, host }, { callbacks: recipient, clock: new SteadyClock(systemClock) });
  log.info({ host, port: listener.port }, 'Listening for callbacks from the gateway.');
  return listener;
}

/**
 * Callbacks from the gateway: a URL for each order, and hints from the requests that arrive there. The port opens with `listen`. Undefined if callbacks are
 * off.
 */
export function createCallbacks(
  { url, port, host }: CallbackSettings,
  { book, scheduler, kinds, clock, log, urls }: CallbackParts,
) {
  if (!urls && (url === undefined || port === undefined)) {
    if (url !== undefined || port !== undefined)
      log.warn({}, 'Callbacks are off: they need both CALLBACK_URL and CALLBACK_PORT.');
    return undefined;
  }
  const lanes = new Map(kinds.map(({ name, source }) => [name, source?.name]));
  const callbacks = new Callbacks({
    ...{ book, clock },
    laneOf: ({ kind }) => lanes.get(kind),
    hint: (id) => scheduler.hint(id),
  });
  let listener: Awaited<ReturnType<typeof openCallbackPort>> | undefined;
  return {
    callbacks,
    /** What the orders and the schedule need to know about callbacks. */
    taskHooks: {
      callbackUrlOf: (lane: string, id: string) => callbacks.urlFor(lane, id),
      missedShare: (task: Task) => callbacks.missedShare(task),
    },
    async listen(secret: string): Promise<void> {
      if (urls) callbacks.open(urls);
      if (urls || url === undefined || port === undefined) return;
      callbacks.open(new CallbackUrls(url, secret));
      listener = await openCallbackPort({ port, host }, callbacks, log);
    },
    async close(): Promise<void> {
      await listener?.close();
    },
  };
}
