import type { Clock } from '../../lib/clock.ts';
import { KeyedLock } from '../../lib/keyed-lock.ts';
import { RecentValues } from '../../lib/recent-map.ts';
import type { SharedNotes } from '../money/whole-bot.ts';
import type { SharedFacts } from '../store/shared-facts.ts';

const CACHE = { forMs: 1_000, max: 100 };

/** The shared notes, for all partitions of a process: one read serves those that want a note at about the same time. */
export function recentNotes(facts: SharedFacts, clock: Clock): SharedNotes {
  const recentTexts = new RecentValues((name) => facts.read(name), CACHE, clock);
  const lock = new KeyedLock();
  return {
    read: (name) => facts.read(name),
    async replace(name, expected, newText) {
      const isReplaced = await facts.replace(name, expected, newText);
      if (isReplaced) recentTexts.put(name, Promise.resolve(newText));
      return isReplaced;
    },
    inTurn: (name, change) => lock.run(name, change),
    readRecent: (name) => recentTexts.get(name),
  };
}
