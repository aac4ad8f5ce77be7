import { inCode } from '../discord/markdown.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Say } from '../locales/index.ts';
import { signedUntil } from '../services/inputs/addresses.ts';
import { type Media, MediaError } from '../services/media/index.ts';
import type { Reference } from '../services/tasks/materials.ts';
import type { Task } from '../services/tasks/task.ts';
import { withReferenceNotes } from '../services/tasks/transitions.ts';
import type { MessageContext } from './kind-view.ts';
import type { Result } from './results.ts';

interface NotesParts extends Pick<MessageContext, 'views'> {
  media: Media;
  say: Say;
  log: Log;
  clock: Clock;
  /** Stores what was found out with its task. */
  change(id: string, transition: (task: Task) => Task): Promise<Task>;
}

/** Whether it can be fetched shows before much of it has come. */
const MOST_LOOKED_AT = 8 * 2 ** 20;
const PATIENCE_MS = 15_000;

/** What can be found out about a film that came out otherwise, and about a failure that references may explain. */
export function notes({ media, views, say, log, clock, change }: NotesParts) {
  return {
    /** What each result says of itself counts, else what the gateway says of it. */
    ofResult(task: Task, results: readonly Result[]): string[] {
      const seen = results.map((result, index) => ({ ...task.media[index], ...('film' in result && result.film) }));
      return views[task.kind]?.notes?.(task, seen, say) ?? [];
    },

    /**
     * Each address is asked for once, without the key, however often the failure has to be shown and the bot begins anew: that this
     * happens is stored first, so that no file can bring down every start.
     */
    async ofFailure(task: Task): Promise<readonly string[]> {
      const { references = [] } = task.request;
      if (task.failure?.cause !== 'failed' || references.length === 0) return [];
      let known: readonly string[] | undefined;
      try {
        await change(task.id, (stored) => {
          known = stored.referenceNotes;
          return known ? stored : withReferenceNotes(stored, []);
        });
        if (known) return known;
        const found = await look(references, task.requesterId);
        await change(task.id, (stored) => withReferenceNotes(stored, found));
        return found ?? [];
      } catch (error) {
        // The failure itself is told all the same.
        log.warn({ task: task.id, err: error }, 'The references of a failed task could not be looked at.');
        return [];
      }
    },
  };

  /** Undefined where the bot is about to stop, and the next start looks once more. */
  async function look(references: readonly Reference[], memberId: string): Promise<string[] | undefined> {
    const looks = await Promise.all(
      references.map(async (one) => {
        const look = await lookOf(one, memberId);
        return look === undefined ? [] : [{ ...one, look }];
      }),
    );
    const all = looks.flat();
    return all.length < references.length ? undefined : referenceNotes(all, say);
  }

  /** Undefined where nobody could look, for the bot is about to stop. */
  async function lookOf({ address, medium }: Reference, memberId: string): Promise<Look | undefined> {
    try {
      const limits = { most: MOST_LOOKED_AT, patienceMs: PATIENCE_MS, givenBy: memberId };
      const { type, release } = await media.fetch({ address }, limits);
      release();
      return type.kind === medium ? 'fine' : 'odd';
    } catch (error) {
      if (!(error instanceof MediaError)) throw error;
      if (error.code === 'closed') return undefined;
      log.info({ kind: error.kind }, 'A reference of a failed task was looked at.');
      const until = error.kind === 'expired' ? signedUntil(address) : undefined;
      return until !== undefined && until <= clock.now() ? 'gone' : fromError(error);
    }
  }
}

function fromError({ kind, status }: MediaError): Look {
  switch (kind) {
    case 'too-large':
      return 'large';
    case 'not-media':
    case 'damaged':
      return 'odd';
    case 'forbidden-address':
      return 'hidden';
    case 'expired':
    case 'unreachable':
    case 'timeout':
      return status === undefined ? 'unreachable' : { status };
  }
}

/** What came of looking at a reference once more. */
export type Look = 'fine' | 'large' | 'gone' | 'odd' | 'hidden' | 'unreachable' | { status: number };

interface LookedAt {
  name: string;
  medium: 'image' | 'video' | 'audio';
  look: Look;
}

const LONGEST_NAME = 100;

/** Which references of something that failed to check. */
export function referenceNotes(references: readonly LookedAt[], say: Say): string[] {
  const mayBeTaken = references.every(({ look }) => look === 'fine' || look === 'large');
  const lines = references.map(({ name: given, medium, look }) => {
    const name = inCode(given.slice(0, LONGEST_NAME));
    if (typeof look === 'object') return `-# ${say('film.reference.status', { name, status: String(look.status) })}`;
    return `-# ${look === 'odd' ? say(`film.reference.odd.${medium}`, { name }) : say(`film.reference.${look}`, { name })}`;
  });
  // The specification, part 7: the address must be reachable, or the field follow the model.
  return mayBeTaken && lines.length > 0 ? [...lines, `-# ${say('film.reference.model')}`] : lines;
}
