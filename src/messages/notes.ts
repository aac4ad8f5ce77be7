import { z } from 'zod';
import { asText, inCode } from '../discord/markdown.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Say } from '../locales/index.ts';
import { signedUntil } from '../services/inputs/addresses.ts';
import { type Media, MediaError } from '../services/media/index.ts';
import { type FilmSeen, unmetIn, type Wish, wishesOf } from '../services/tasks/film-wishes.ts';
import { type Reference, reference } from '../services/tasks/materials.ts';
import type { Task, TaskKind } from '../services/tasks/task.ts';
import { withReferenceNotes } from '../services/tasks/transitions.ts';
import type { Result } from './results.ts';

interface NotesParts {
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
/** Kinds whose request says what the film should be. */
const FILMS: ReadonlySet<TaskKind> = new Set(['video', 'second-video', 'image-to-video']);

const named = z.object({ references: z.array(reference) });

/** What can be found out about a film that came out otherwise, and about a failure that references may explain. */
export function notes({ media, say, log, clock, change }: NotesParts) {
  return {
    /** What each result says of itself counts, else what the gateway says of it. */
    ofResult(task: Task, results: readonly Result[]): string[] {
      if (!FILMS.has(task.kind)) return [];
      const wishes = wishesOf(task);
      const all = results.flatMap((result, index) => {
        const film = { ...task.media[index], ...('film' in result && result.film) };
        return unmetNotes(unmetIn(wishes, film), film, task.kind, say);
      });
      // Several films of one order were asked for alike: what holds for them is said once.
      return [...new Set(all)];
    },

    /**
     * Each address is asked for once, without the key, however often the failure has to be shown and the bot begins anew: that this
     * happens is stored first, so that no file can bring down every start.
     */
    async ofFailure(task: Task): Promise<readonly string[]> {
      const { references } = named.safeParse(task.request).data ?? { references: [] };
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
const LONGEST_ASKED = 40;

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

/** The option by which each parameter is asked for. */
const OPTIONS = { size: 'size', aspect_ratio: 'size', resolution: 'size', duration: 'duration' } as const;

/** Which parameter had no effect, and where else it may belong (specification, part 7). */
export function unmetNotes(unmet: readonly Wish[], seen: FilmSeen, kind: TaskKind, say: Say): string[] {
  return unmet.map((wish) => {
    const { parameter, asked, at } = wish;
    const isDuration = parameter === 'duration';
    const actual = isDuration ? String(Math.round((seen.seconds ?? 0) * 10) / 10) : `${seen.width}x${seen.height}`;
    const facts = { actual, asked: asText(String(asked), LONGEST_ASKED), parameter: inCode(parameter) };
    const what = isDuration ? say('film.unmet.duration', facts) : say('film.unmet.size', facts);
    return `-# ${what} ${advice()}`;

    function advice(): string {
      if (kind === 'image-to-video') return say('film.unmet.elsewhere');
      if (at === 'metadata') return say('film.unmet.atTop', { option: OPTIONS[parameter] });
      const extra = inCode(JSON.stringify({ [parameter]: asked }));
      return parameter === 'size'
        ? say('film.unmet.inMetadataOrOther', { extra })
        : say('film.unmet.inMetadata', { extra });
    }
  });
}
