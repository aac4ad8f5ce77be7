import { z } from 'zod';
import type { Gateway } from '../../gateway/index.ts';
import { type Kind, kind } from './kind.ts';
import { musicSource } from './music-source.ts';

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
      mayBeMissing: 'kind',
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
