import { setTimeout as sleep } from 'node:timers/promises';
import { cpuTime, processesOf } from './processor-time.ts';

const CHECK_INTERVAL_MS = 5;
/** The processes of the group are listed again this often, because a media process starts with the first image. */
const GROUP_REFRESH_MS = 500;
/** At most this much unused time is carried over. */
const MAX_CARRIED_OVER_MS = 20;

interface Duty {
  /** Lets the processes run freely again. */
  end(): Promise<void>;
}

/**
 * Holds a process, with the processes it has started, to a share of one core: it is suspended whenever it has used more, and resumed later. The
 * leader must be the leader of a process group.
 */
export function limitDuty(leader: number, share: number): Duty {
  let isOver = false;
  const limiting = limit();

  async function limit(): Promise<void> {
    let group = await processesOf(leader);
    let refreshedAt = performance.now();
    let grantedAt = refreshedAt;
    let last = await cpuTime(group);
    /** The CPU time that the group may still use; negative if it has used too much. */
    let remaining = 0;
    let isStopped = false;
    while (!isOver) {
      const now = performance.now();
      if (now - refreshedAt > GROUP_REFRESH_MS) {
        group = await processesOf(leader);
        refreshedAt = now;
      }
      const used = await cpuTime(group);
      remaining = Math.min(MAX_CARRIED_OVER_MS, remaining + share * (now - grantedAt) - Math.max(0, used - last));
      [last, grantedAt] = [used, now];
      if (remaining < 0 !== isStopped) {
        isStopped = !isStopped;
        process.kill(-leader, isStopped ? 'SIGSTOP' : 'SIGCONT');
      }
      await sleep(CHECK_INTERVAL_MS);
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
