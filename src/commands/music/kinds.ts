import { z } from 'zod';
import { withoutUndefined } from '../../lib/entries.ts';
import { GatewayError, mayBeUnknownPath } from '../../services/gateway/errors.ts';
import type { Gateway } from '../../services/gateway/gateway.ts';
import type { CallOptions } from '../../services/gateway/http.ts';
import type { Snapshot } from '../../services/gateway/snapshot.ts';
import { albumSpec } from '../../services/orders/albums.ts';
import { defineKind, type Kind, type Source } from '../../services/tasks/kind.ts';
import { defineRequest, type KindSpecs } from '../../services/tasks/kind-spec.ts';
import type { KindTools } from '../feature.ts';

/** The prompt is what the song is about or, with `isLyrics`, its lyrics. */
const songShape = defineRequest({
  prompt: z.string(),
  isLyrics: z.boolean().optional(),
  instrumental: z.boolean().optional(),
});
/** A song that is only followed requests nothing. */
const musicShape = defineRequest({});

declare module '../../services/tasks/kind-spec.ts' {
  interface TaskRequests {
    song: z.output<typeof songShape>;
    music: z.output<typeof musicShape>;
  }
}

export const musicSpecs = {
  song: {
    request: songShape.loose(),
    traits: { isPaid: true, hasOwnPrompt: true, keepsTitle: true, isFollowable: true, modelKind: 'music' },
  },
  music: { request: musicShape.loose(), traits: { isPart: true, isListedByParent: true, isFollowable: true } },
  album: albumSpec,
} satisfies Partial<KindSpecs>;

/** Songs that the bot generates, songs that are only followed, and albums, which show many of them in one message. */
export function musicKinds({ gateway: { music }, callbackFields }: KindTools): Kind[] {
  const source = musicSource(music);
  const acceptsCallback = callbackFields?.music !== undefined;
  return [
    defineKind({
      name: 'song',
      source,
      acceptsCallback,
      waitLimit: () => 'music',
      hideIfUnsupported: 'kind',
      durationKey: ({ model = '' }) => `song:${model}`,
      priceName: () => 'suno_music',
      submit: ({ prompt, isLyrics, style, title, instrumental, model }, { user, callbackUrl }) =>
        music.makeSong(
          {
            ...(prompt !== '' && (isLyrics ? { lyrics: prompt } : { about: prompt })),
            ...withoutUndefined({ style, title, instrumental, model }),
            callbackUrl,
          },
          { user },
        ),
    }),
    defineKind({ name: 'music', source, waitLimit: () => 'music', durationKey: () => 'music' }),
    defineKind({ name: 'album', waitLimit: () => 'music', durationKey: () => 'album' }),
  ];
}

/** The specification (4.1) gives no limit, and a gateway that has one reports it. This one lets a whole album be polled in at most three requests. */
const MAX_IN_LIST = 300;
/** Songs that were requested moments apart are polled together. */
const GATHER_MS = 2_000;
/** The HTTP statuses with which gateways refuse a list that is too long. */
const TOO_LONG_STATUSES: ReadonlySet<number | undefined> = new Set([400, 413]);

interface PollResult {
  snapshots: ReadonlyMap<string, Snapshot>;
  /** Whether no single id was refused, so any refusal was about the length of the list. */
  isComplete: boolean;
}

/** Polls songs in lists no longer than this gateway accepts (specification, 4.1 and 4.7). */
export function musicSource(music: Gateway['music']): Source {
  let max = MAX_IN_LIST;
  /** How many times in a row each id was missing from the response. */
  let missCounts: ReadonlyMap<string, number> = new Map();
  /** Ids that make the gateway refuse every list that contains them. */
  const refusedIds = new Set<string>();

  async function pollInPieces(ids: readonly string[], options?: CallOptions): Promise<PollResult> {
    try {
      return { snapshots: await music.getMany(ids, options), isComplete: true };
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      if (mayBeUnknownPath(error)) max = 1;
      if (!TOO_LONG_STATUSES.has(error.status)) throw error;
    }
    const [onlyId = ''] = ids;
    if (ids.length === 1) {
      refusedIds.add(onlyId);
      return { snapshots: new Map(), isComplete: false };
    }
    const middle = Math.ceil(ids.length / 2);
    const first = await pollInPieces(ids.slice(0, middle), options);
    const second = await pollInPieces(ids.slice(middle), options);
    const isComplete = first.isComplete && second.isComplete;
    // Otherwise the gateway refused an id, and not the length of the list.
    if (isComplete) max = Math.min(max, middle);
    return { snapshots: new Map([...first.snapshots, ...second.snapshots]), isComplete };
  }

  return {
    name: 'music',
    endpoint: music,
    batch: {
      gatherMs: GATHER_MS,
      get max() {
        return max;
      },
      /** Ids missing from the result, including refused ones, are then polled one by one. */
      async pollMany(ids, options) {
        // A gateway may report on only the first ids of a list, so the ids that have been missing longest come first in the next list.
        const missCount = (id: string): number => missCounts.get(id) ?? 0;
        const longestMissingFirst = ids
          .filter((id) => !refusedIds.has(id))
          .toSorted((a, b) => missCount(b) - missCount(a));
        const snapshots =
          longestMissingFirst.length === 0
            ? new Map<string, Snapshot>()
            : (await pollInPieces(longestMissingFirst, options)).snapshots;
        missCounts = new Map(ids.flatMap((id) => (snapshots.has(id) ? [] : [[id, missCount(id) + 1] as const])));
        return snapshots;
      },
    },
  };
}
