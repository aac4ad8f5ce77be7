import { isChosen, type Shard, type ShardChoice } from './shard.ts';

interface Counts {
  /** Sessions started. */
  identifies: number;
  /** IDENTIFYs refused because the last one with the same key was too recent. */
  earlyIdentifies: number;
  /** Sessions resumed. */
  resumes: number;
  /** Resumed sessions that did not connect to `resume_gateway_url`. */
  resumesElsewhere: number;
}

export type ShardCounts = Readonly<Counts>;

/** Counts the starts, resumes and refusals of each shard's sessions. */
export class ShardCounter {
  readonly #byShard = new Map<string, { shard: Shard; counts: Counts }>();

  add(shard: Shard, event: keyof Counts): void {
    const key = `${shard.id}/${shard.count}`;
    const { counts } = this.#byShard.get(key) ?? { counts: noCounts() };
    counts[event] += 1;
    this.#byShard.set(key, { shard, counts });
  }

  countsOf(choice?: ShardChoice): ShardCounts {
    const sum = noCounts();
    for (const { shard, counts } of this.#byShard.values()) {
      if (!isChosen(shard, choice)) continue;
      for (const event of Object.keys(sum) as (keyof Counts)[]) sum[event] += counts[event];
    }
    return sum;
  }
}

const noCounts = (): Counts => ({ identifies: 0, earlyIdentifies: 0, resumes: 0, resumesElsewhere: 0 });
