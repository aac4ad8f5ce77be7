import { setTimeout as sleep } from 'node:timers/promises';
import { processesOf, processorTime } from './processor-time.ts';

const LOOK_MS = 5;
/** A media process starts with the first image. */
const GROUP_LOOK_MS = 500;
/** Time that was not used is lost, except for this much of it. */
const SAVED_MS = 20;

interface Duty {
  /** Lets the processes run freely again. */
  end(): Promise<void>;
}

/**
 * Holds a process, with the processes it has started, to a share of one core: it is stopped as soon as it has used more, until it may go on. Its leader must
 * lead a process group.
 */
export function limitDuty(leader: number, share: number): Duty {
  let isOver = false;
  const limiting = limit();

  async function limit(): Promise<void> {
    let group = await processesOf(leader);
    let lookedAt = performance.now();
    let grantedAt = lookedAt;
    let last = await processorTime(group);
    /** What it may still use; negative: what it has used too much. */
    let left = 0;
    let isStopped = false;
    while (!isOver) {
      const now = performance.now();
      if (now - lookedAt > GROUP_LOOK_MS) {
        group = await processesOf(leader);
        lookedAt = now;
      }
      const used = await processorTime(group);
      left = Math.min(SAVED_MS, left + share * (now - grantedAt) - Math.max(0, used - last));
      [last, grantedAt] = [used, now];
      if (left < 0 !== isStopped) {
        isStopped = !isStopped;
        process.kill(-leader, isStopped ? 'SIGSTOP' : 'SIGCONT');
      }
      await sleep(LOOK_MS);
    }
    process.kill(-leader, 'SIGCONT');
  }

  return {
    end() {
      isOver = true;
      return limiting;
    },
  };
}
