import type { Clock } from '../../lib/clock.ts';
import { KeyedLock } from '../../lib/keyed-lock.ts';
import type { SharedNotes } from '../money/whole-bot.ts';
import type { SharedFacts } from '../store/shared-facts.ts';

const MAX_AGE_MS = 1_000;

/** The shared notes, for all partitions of a process: one read serves those that want a note at about the same time. */
export function recentNotes(facts: SharedFacts, clock: Clock): SharedNotes {
  const reads = new Map<string, { at: number; text: Promise<string | undefined> }>();
  const lock = new KeyedLock();
  return {
    read: (name) => facts.read(name),
    async replace(name, expected, newText) {
      const isReplaced = await facts.replace(name, expected, newText);
      if (isReplaced) reads.set(name, { at: clock.now(), text: Promise.resolve(newText) });
      return isReplaced;
    },
    inTurn: (name, change) => lock.run(name, change),
    readRecent(name) {
      const now = clock.now();
      const recent = reads.get(name);
      if (recent && Math.abs(now - recent.at) < MAX_AGE_MS) return recent.text;
      const text = facts.read(name);
      reads.set(name, { at: now, text });
      // The next one reads again.
      text.catch(() => reads.delete(name));
      return text;
    },
  };
}
