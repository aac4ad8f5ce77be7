import { z } from 'zod';
import type { Gateway } from '../../services/gateway/index.ts';
import { albumRequest } from '../../services/tasks/albums.ts';
import { type Kind, kind } from '../../services/tasks/kind.ts';
import { musicSource } from './source.ts';

const song = z.object({
  /** What it is about or, where that is said, its lyrics. */
  prompt: z.string(),
  isLyrics: z.boolean().optional(),
  style: z.string().optional(),
  title: z.string().optional(),
  instrumental: z.boolean().optional(),
  model: z.string().optional(),
});

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
    kind({ name: 'album', request: albumRequest, patience: () => 'music', durationKey: () => 'album' }),
  ];
}
