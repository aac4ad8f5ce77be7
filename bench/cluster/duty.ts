import { setTimeout as sleep } from 'node:timers/promises';
import { cpuTime, processesOf } from '../harness/processes.ts';

const CHECK_INTERVAL_MS = 5;
/** The processes of the group are listed again this often, because a media process starts with the first image. */
const GROUP_REFRESH_MS = 500;
/** At most this much unused time is carried over. */
const MAX_CARRIED_OVER_MS = 20;

interface CpuLimit {
  /** Lets the processes run freely again. */
  end(): Promise<void>;
}

/**
 * Limits a process, with the processes it has started, to a share of one core: it is suspended whenever it has used more, and resumed later.
 * `leader` must be the leader of a process group.
 */
export function limitCpuShare(leader: number, share: number): CpuLimit {
  let isOver = false;
  const limitLoop = limit();

  async function limit(): Promise<void> {
    let group = await processesOf(leader);
    let refreshedAt = performance.now();
    let grantedAt = refreshedAt;
    let lastCpuTime = await cpuTime(group);
    /** The CPU time that the group may still use; negative if it has used too much. */
    let remaining = 0;
    let isStopped = false;
    while (!isOver) {
      const now = performance.now();
      if (now - refreshedAt > GROUP_REFRESH_MS) {
        group = await processesOf(leader);
        refreshedAt = now;
      }
      const usedCpuTime = await cpuTime(group);
      remaining = Math.min(
        MAX_CARRIED_OVER_MS,
        remaining + share * (now - grantedAt) - Math.max(0, usedCpuTime - lastCpuTime),
      );
      [lastCpuTime, grantedAt] = [usedCpuTime, now];
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
      return limitLoop;
    },
  };
}
