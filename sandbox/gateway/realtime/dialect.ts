/** What gateways speak on the socket: the shape of today, and the one before it (wire facts, part 6). */
export const dialects = ['ga', 'beta'] as const;
export type Dialect = (typeof dialects)[number];

export const otherDialect = (dialect: Dialect): Dialect => (dialect === 'ga' ? 'beta' : 'ga');

/** Events and parts of an answer are named by these; everything that is not here is called the same in both. */
export const NAMES_BY_DIALECT = {
  ga: { text: 'output_text', audio: 'output_audio', transcript: 'output_audio_transcript' },
  beta: { text: 'text', audio: 'audio', transcript: 'audio_transcript' },
} as const satisfies Record<Dialect, Record<'text' | 'audio' | 'transcript', string>>;
