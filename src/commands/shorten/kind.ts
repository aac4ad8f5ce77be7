import { z } from 'zod';
import type { Gateway } from '../../services/gateway/index.ts';
import { type Kind, kind, type Source } from '../../services/tasks/kind.ts';

/** A prompt in fewer words (4.3). */
export const shortenKind = (imgx: Gateway['imgx'], source: Source): Kind =>
  kind({
    name: 'shorten',
    source,
    patience: () => 'picture',
    request: z.object({ prompt: z.string() }),
    durationKey: () => 'shorten',
    submit: ({ prompt }) => imgx.shorten({ prompt }),
  });
