import type { servedHere } from '../discord/guards.ts';
import { type Spoken, spokenIn } from '../discord/spoken.ts';
import type { Log } from '../lib/log.ts';
import { Once } from '../lib/once.ts';
import { saysAnything } from './prompt-option.ts';

/** What a message is to somebody: the work that comes of it, or nothing where it is not for them. */
export type Hearer = (spoken: Spoken) => Promise<(() => Promise<void>) | undefined>;

interface InThreadsParts {
  /** A message is for the first of them that takes it. */
  hearers: readonly Hearer[];
  refusalHere: ReturnType<typeof servedHere>;
  log: Pick<Log, 'warn'>;
}

/** Reads messages where members have begun something that goes on by writing. Nobody else's are looked at. */
export function inThreads({ hearers, refusalHere, log }: InThreadsParts) {
  // After a lost connection Discord may tell of a message once more.
  const heard = new Once();
  return async (packet: unknown): Promise<void> => {
    const spoken = spokenIn(packet);
    if (!spoken || (!saysAnything(spoken.content) && spoken.files.length === 0)) return;
    try {
      if (refusalHere({ guildId: spoken.guildId, install: 'guild' }, undefined)) return;
      for (const hear of hearers) {
        const work = await hear(spoken);
        if (!work) continue;
        if (heard.isFirst(spoken.id)) await work();
        return;
      }
    } catch (error) {
      log.warn({ err: error }, 'A message in a thread could not be looked at.');
    }
  };
}
