import { asText, inCode } from '../discord/markdown.ts';
import type { Say } from '../locales/index.ts';
import type { FilmSeen, Wish } from '../services/tasks/film-wishes.ts';
import type { TaskKind } from '../services/tasks/task.ts';

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
