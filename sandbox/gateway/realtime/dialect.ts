/** The event formats of live sessions: the current one, and the previous one. */
export const dialects = ['ga', 'beta'] as const;
export type Dialect = (typeof dialects)[number];

export const otherDialect = (dialect: Dialect): Dialect => (dialect === 'ga' ? 'beta' : 'ga');

/** The names that differ between the dialects. */
export const NAMES_BY_DIALECT = {
  ga: { text: 'output_text', audio: 'output_audio', transcript: 'output_audio_transcript' },
  beta: { text: 'text', audio: 'audio', transcript: 'audio_transcript' },
} as const satisfies Record<Dialect, Record<'text' | 'audio' | 'transcript', string>>;
