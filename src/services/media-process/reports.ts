import { z } from 'zod';
import { Refusal } from '../../lib/refusal.ts';
import { MediaError, mediaErrorKinds } from '../media/errors.ts';

const failure = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('refusal'),
    key: z.string(),
    variables: z.record(z.string(), z.union([z.string(), z.array(z.string())])),
  }),
  z.object({ kind: z.literal('media'), error: z.enum(mediaErrorKinds), message: z.string() }),
  z.object({ kind: z.literal('bug'), message: z.string() }),
]);

/** The process has read files that may be made to break it, so what it says is checked like anything from outside. */
export const report = z
  .string()
  .transform((text, context): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      context.addIssue('no JSON');
      return z.NEVER;
    }
  })
  .pipe(
    z.union([
      z.object({ id: z.int(), facts: z.object({}).loose() }),
      z.object({ id: z.int(), failure }),
      z.object({ id: z.int(), now: z.enum(['waiting', 'working']) }),
      z.object({ residentBytes: z.number() }),
    ]),
  );

export function errorOf(parts: z.output<typeof failure>): Error {
  switch (parts.kind) {
    case 'refusal':
      return new Refusal(parts.key, parts.variables);
    case 'media':
      return new MediaError(parts.error, parts.message);
    case 'bug':
      return new Error(`A job of the media process failed: ${parts.message}`);
  }
}
