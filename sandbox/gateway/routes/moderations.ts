import { z } from 'zod';
import type { Routes } from '../parts.ts';
import { nonEmptyText } from '../requests/fields.ts';
import { parseRequest } from '../requests/parse.ts';

const CATEGORIES = ['sexual', 'hate', 'harassment', 'self-harm', 'violence', 'violence/graphic', 'illicit'] as const;

/** As OpenAI documents it, for the specification has no such endpoint. */
const moderationRequest = z.strictObject({
  model: nonEmptyText.optional(),
  input: z.union([z.string(), z.array(z.string()).min(1)]),
});

/** A text is judged by its marks: `flag:violence` is certain, `doubt:violence` half as likely, and anything else harmless. */
export const moderationRoutes: Routes = (server) => {
  server.post('/v1/moderations', { config: { kind: 'moderation' } }, (request) => {
    const { model = 'omni-moderation-latest', input } = parseRequest(moderationRequest, request.body);
    const texts = typeof input === 'string' ? [input] : input;
    return { id: `modr-${request.id}`, model, results: texts.map(resultOf) };
  });
};

function resultOf(text: string) {
  const scores = CATEGORIES.map((name) => {
    const score = text.includes(`flag:${name}`) ? 0.98 : text.includes(`doubt:${name}`) ? 0.49 : 0.0001;
    return [name, score] as const;
  });
  const categories = scores.map(([name, score]) => [name, score > 0.9] as const);
  return {
    flagged: categories.some(([, isFlagged]) => isFlagged),
    categories: Object.fromEntries(categories),
    category_scores: Object.fromEntries(scores),
  };
}
