import { z } from 'zod';
import { type Gateway, GatewayError, type Snapshot } from '../../gateway/index.ts';
import { type Kind, kind, type Source } from './kind.ts';

/**
 * Three hundred tasks are one question, and the few that are asked about alone besides make it three at most. The specification shows no limit (4.1):
 * a gateway that has one says so, and is believed.
 */
const MOST_IN_LIST = 300;
/** Two songs that were ordered some moments apart are soon asked about together. */
const GATHER_MS = 2_000;
/** What a gateway answers that finds a list too long. */
const TOO_LONG: ReadonlySet<number | undefined> = new Set([400, 413]);

type Answers = ReadonlyMap<string, Snapshot>;

/** Where music is asked about: in lists, as long as this gateway takes them (4.1, 4.7). */
export function musicSource(music: Pick<Gateway['music'], 'get' | 'getMany'>): Source {
  let most = MOST_IN_LIST;
  let leftOut: ReadonlySet<string> = new Set();

  async function ask(ids: readonly string[]): Promise<Answers> {
    try {
      return await music.getMany(ids, { attempts: 1 });
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      if (error.kind === 'not-offered') most = 1;
      if (!TOO_LONG.has(error.status) || ids.length === 1) throw error;
      const half = Math.ceil(ids.length / 2);
      const halves = [ids.slice(0, half), ids.slice(half)];
      const answers = [await inHalves(halves[0] ?? []), await inHalves(halves[1] ?? [])];
      // Where one half went through whole and the other did not, it is one of its tasks, and not the length.
      if (answers.every(({ isWhole }) => isWhole)) most = Math.min(most, half);
      return new Map(answers.flatMap((answer) => [...answer.found]));
    }
  }

  async function inHalves(ids: readonly string[]): Promise<{ found: Answers; isWhole: boolean }> {
    try {
      return { found: await ask(ids), isWhole: true };
    } catch (error) {
      // It is asked about alone, as whatever a list leaves out.
      if (ids.length === 1 && error instanceof GatewayError && TOO_LONG.has(error.status))
        return { found: new Map(), isWhole: false };
      throw error;
    }
  }

  return {
    name: 'music',
    one: (remoteId) => music.get(remoteId, { attempts: 1 }),
    many: {
      gatherMs: GATHER_MS,
      get most() {
        return most;
      },
      async ask(ids) {
        // A gateway may answer about the first so many only: what it left out comes first in the next list.
        const inOrder = ids.toSorted((a, b) => Number(leftOut.has(b)) - Number(leftOut.has(a)));
        const answers = await ask(inOrder);
        leftOut = new Set(ids.filter((id) => !answers.has(id)));
        return answers;
      },
    },
  };
}

const song = z.object({
  /** What it is about or, where that is said, its lyrics. */
  prompt: z.string(),
  isLyrics: z.boolean().optional(),
  style: z.string().optional(),
  title: z.string().optional(),
  instrumental: z.boolean().optional(),
  model: z.string().optional(),
});

/** The parts of an album: tasks of their own, in the order in which they were named. */
const album = z.object({ parts: z.array(z.object({ id: z.string(), remoteId: z.string(), isAdopted: z.boolean() })) });
export type AlbumPart = z.output<typeof album>['parts'][number];

export const partsOf = (request: Readonly<Record<string, unknown>>): AlbumPart[] => album.parse(request).parts;

/** Songs that are ordered here, tasks that are only followed, and what brings many of them together in one message. */
export function musicKinds(music: Gateway['music']): Kind[] {
  const source = musicSource(music);
  return [
    kind({
      name: 'song',
      source,
      request: song,
      patience: () => 'music',
      mayBeMissing: true,
      durationKey: ({ model = '' }) => `song:${model}`,
      model: ({ model }) => model,
      submit: ({ prompt, isLyrics, style, title, instrumental, model }) =>
        music.makeSong({
          ...(prompt !== '' && (isLyrics ? { lyrics: prompt } : { about: prompt })),
          ...(style !== undefined && { style }),
          ...(title !== undefined && { title }),
          ...(instrumental !== undefined && { instrumental }),
          ...(model !== undefined && { model }),
        }),
    }),
    kind({ name: 'music', source, request: z.object({}), patience: () => 'music', durationKey: () => 'music' }),
    kind({ name: 'album', request: album, patience: () => 'music', durationKey: () => 'album' }),
  ];
}
