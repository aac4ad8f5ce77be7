import type { Operator } from '../discord/operator.ts';
import type { Say } from '../locales/index.ts';
import { Notices } from '../services/operations/notices.ts';
import { findGatewayProblem } from '../services/operations/readiness.ts';
import { Watch, type WatchContext } from '../services/operations/watch.ts';
import type { Notice } from '../services/store/notice.ts';
import { createRuns } from '../services/store/runs.ts';
import { isHeld, type Task } from '../services/tasks/task.ts';
import { noticePlan } from './notice.ts';

const KEY_REJECTED =
  'The gateway rejects GATEWAY_API_KEY, so all requests of members fail. Set the right key and restart Atelier.';
const GATEWAY_UNUSABLE =
  'The gateway cannot be used, so requests of members fail until it can. Check GATEWAY_BASE_URL and whether the gateway is up.';
const NO_MODELS =
  'The gateway lists no models, so requests of members may fail. Check GATEWAY_BASE_URL, and what the key may use on the gateway’s website.';

/** Sets up the notices to the operator, one for each cause, and the list of recent starts. */
export function openNotices(context: WatchContext & { version: string; operator: Operator; say: Say }) {
  const { version, partition, domains, gateway, store, operator, say, clock, log } = context;
  const { book } = domains.tasks;
  const delivery = {
    post: (notice: Notice) => operator.post(noticePlan(notice, say)),
    edit: (notice: Notice) => operator.edit(notice.messages, noticePlan(notice, say)),
  };
  const notices = new Notices(store.notices, delivery, clock, log);
  const runs = createRuns(context, store.runs, version);
  operator.onChannelStatus((isGone) => (isGone ? notices.begin({ topic: 'channel' }) : notices.end('channel')));
  /** What the previous run or a restore left; some of it ends before the start is reported. */
  let resumed: readonly Task[] = [];
  const watch = new Watch(context, notices, runs);
  // In a cluster, a partition passes from worker to worker: that is neither a start nor an end of the bot.
  const isWhole = partition.count === 1;
  const reportStart = (): void => {
    const [, previous] = runs.recent;
    notices.report({
      topic: 'started',
      // Starts of one process before a migration were something else.
      ...(!isWhole && { subject: String(partition.number) }),
      facts: {
        version,
        ...(!isWhole && { partition: partition.number }),
        ...(previous && previous.version !== version && { previous: previous.version }),
        ...(previous && {
          awaySince: previous.stoppedAt ?? previous.seenAt,
          wasClean: previous.stoppedAt !== undefined,
          wasRestored: previous.isRestored === true,
        }),
        tasks: resumed.filter((task) => !isHeld(task) && !isUnconfirmed(task)).length,
        unconfirmed: resumed.filter(isUnconfirmed).length,
      },
    });
  };
  return {
    state: () => {
      watch.refresh();
      return { notices: notices.confirmed, runs: runs.recent };
    },

    /** Call this once the book has been read, and before its tasks are continued. */
    async open(): Promise<void> {
      resumed = book.live();
      await Promise.all([notices.open(), isWhole && runs.open()]);
    },

    /** Call this as soon as the bot has started. */
    recordRun: () => {
      if (isWhole) runs.begin();
    },

    findings: () => watch.findings(),
    reportUnreadable: (count: number): void => notices.report({ topic: 'unreadable' }, count),

    /** Call this after `recordRun`. The start is the first notice; in a cluster, only that of partition 0. */
    start(): void {
      if (partition.number === 0) {
        reportStart();
        notices.start();
      }
      watch.start();
    },

    /** Tells the operator if the gateway cannot be used. Returns whether it can. */
    async checkGateway(): Promise<boolean> {
      const problem = await findGatewayProblem(gateway);
      if (!problem) return true;
      const { isUnusable, isKeyRejected, reason } = problem;
      if (!isUnusable) {
        log.warn({ reason }, NO_MODELS);
        return true;
      }
      log.error({ reason }, isKeyRejected ? KEY_REJECTED : GATEWAY_UNUSABLE);
      if (isKeyRejected) watch.refresh();
      else watch.noteSilence();
      return false;
    },

    /** Stops watching, and waits for notices that are being sent. */
    stopWatching: () => Promise.all([notices.stop(), watch.stop()]),

    /** Records that the bot has stopped on request. Call this before the store is closed. */
    stop: (): Promise<void> => runs.stop(),
  };
}

/** A paid task that was being submitted becomes so at the start. */
const isUnconfirmed = ({ state, traits }: Task): boolean =>
  state === 'unconfirmed' || (state === 'submitting' && traits.isPaid === true);
