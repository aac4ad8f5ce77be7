import { z } from 'zod';
import { definedIn } from '../../lib/entries.ts';
import { type Gateway, GatewayError, type Snapshot } from '../../services/gateway/index.ts';
import { albumSpec } from '../../services/tasks/albums.ts';
import { type Kind, kind, type Source } from '../../services/tasks/kind.ts';
import { type KindSpec, requestShape } from '../../services/tasks/task.ts';

/** Its prompt is what it is about or, where that is said, its lyrics. */
const songShape = requestShape({
  prompt: z.string(),
  isLyrics: z.boolean().optional(),
  instrumental: z.boolean().optional(),
});
/** What is only followed asks for nothing. */
const musicShape = requestShape({});

declare module '../../services/tasks/task.ts' {
  interface TaskRequests {
    song: z.output<typeof songShape>;
    music: z.output<typeof musicShape>;
  }
}

const song: KindSpec<'song'> = {
  request: songShape.loose(),
  traits: { isPaid: true, hasOwnWords: true, keepsTitle: true, isFollowable: true },
};
const music: KindSpec<'music'> = {
  request: musicShape.loose(),
  traits: { isPart: true, isListedApart: true, isFollowable: true },
};
export const musicSpecs = { song, music, album: albumSpec };

/** Songs that are ordered here, tasks that are only followed, and what brings many of them together in one message. */
export function musicKinds(music: Gateway['music']): Kind[] {
  const source = musicSource(music);
  return [
    kind({
      name: 'song',
      source,
      patience: () => 'music',
      mayBeMissing: 'kind',
      durationKey: ({ model = '' }) => `song:${model}`,
      submit: ({ prompt, isLyrics, style, title, instrumental, model }) =>
        music.makeSong({
          ...(prompt !== '' && (isLyrics ? { lyrics: prompt } : { about: prompt })),
          ...definedIn({ style, title, instrumental, model }),
        }),
    }),
    kind({ name: 'music', source, patience: () => 'music', durationKey: () => 'music' }),
    kind({ name: 'album', patience: () => 'music', durationKey: () => 'album' }),
  ];
}

/**
 * Three hundred tasks are one question, and the few that are asked about alone besides make it three at most. The specification shows no limit (4.1):
 * a gateway that has one says so, and is believed.
 */
const MOST_IN_LIST = 300;
/** Two songs that were ordered some moments apart are soon asked about together. */
const GATHER_MS = 2_000;
/** What a gateway answers that finds a list too long. */
const TOO_LONG: ReadonlySet<number | undefined> = new Set([400, 413]);

/** Whether nothing but the length of a list was in the way of an answer. */
interface Answered {
  found: ReadonlyMap<string, Snapshot>;
  isWhole: boolean;
}

/** Where music is asked about: in lists, as long as this gateway takes them (4.1, 4.7). */
export function musicSource(music: Pick<Gateway['music'], 'get' | 'getMany'>): Source {
  let most = MOST_IN_LIST;
  /** How often in a row each was left out. */
  let missed: ReadonlyMap<string, number> = new Map();
  /** Ids for which a gateway refuses every list they stand in. */
  const odd = new Set<string>();

  async function inPieces(ids: readonly string[]): Promise<Answered> {
    try {
      return { found: await music.getMany(ids, { attempts: 1 }), isWhole: true };
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      if (error.kind === 'not-offered') most = 1;
      if (!TOO_LONG.has(error.status)) throw error;
    }
    const [only = ''] = ids;
    if (ids.length === 1) {
      odd.add(only);
      return { found: new Map(), isWhole: false };
    }
    const half = Math.ceil(ids.length / 2);
    const first = await inPieces(ids.slice(0, half));
    const second = await inPieces(ids.slice(half));
    const isWhole = first.isWhole && second.isWhole;
    // Otherwise it was one of them, and not how many they are.
    if (isWhole) most = Math.min(most, half);
    return { found: new Map([...first.found, ...second.found]), isWhole };
  }

  return {
    name: 'music',
    one: (remoteId) => music.get(remoteId, { attempts: 1 }),
    many: {
      gatherMs: GATHER_MS,
      get most() {
        return most;
      },
      /** What is not in the answer is asked about alone, odd ones among it. */
      async ask(ids) {
        // A gateway may answer about the first so many only: what it has left out the longest comes first in the next list.
        const misses = (id: string): number => missed.get(id) ?? 0;
        const inOrder = ids.filter((id) => !odd.has(id)).toSorted((a, b) => misses(b) - misses(a));
        const { found } = inOrder.length === 0 ? NOTHING : await inPieces(inOrder);
        missed = new Map(ids.flatMap((id) => (found.has(id) ? [] : [[id, misses(id) + 1] as const])));
        return found;
      },
    },
  };
}

const NOTHING: Answered = { found: new Map(), isWhole: true };
