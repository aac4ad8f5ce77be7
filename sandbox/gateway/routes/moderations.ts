import { z } from 'zod';
import { categoryOf } from '../flagged-images.ts';
import type { Routes } from '../parts.ts';
import { nonEmptyText } from '../requests/fields.ts';
import { parseRequest } from '../requests/parse.ts';

const CATEGORIES = ['sexual', 'hate', 'harassment', 'self-harm', 'violence', 'violence/graphic', 'illicit'] as const;

/** Follows OpenAI's documentation, because the specification has no moderation endpoint. */
const moderationRequest = z.strictObject({
  model: nonEmptyText.optional(),
  input: z.union([
    z.string(),
    z.array(z.string()).min(1),
    z
      .array(
        z.discriminatedUnion('type', [
          z.strictObject({ type: z.literal('text'), text: z.string() }),
          z.strictObject({ type: z.literal('image_url'), image_url: z.strictObject({ url: z.string() }) }),
        ]),
      )
      .min(1),
  ]),
});

type Part = Exclude<Exclude<z.output<typeof moderationRequest>['input'], string>[number], string>;

/**
 * The verdict on a text depends on markers in it: `flag:violence` gives that category a score of 0.98 and flags it, `doubt:violence` gives it 0.49,
 * and text without a marker is harmless. The verdict on an image depends on its colour.
 */
export const moderationRoutes: Routes = (server) => {
  server.post('/v1/moderations', { config: { kind: 'moderation' } }, async (request) => {
    const { model = 'omni-moderation-latest', input } = parseRequest(moderationRequest, request.body);
    const inputs = typeof input === 'string' ? [input] : input;
    const texts = inputs.filter((one) => typeof one === 'string');
    const parts = inputs.filter((one) => typeof one !== 'string');
    const moderatedTexts = texts.length > 0 ? texts : [(await Promise.all(parts.map(textOf))).join('\n')];
    return { id: `modr-${request.id}`, model, results: moderatedTexts.map(resultOf) };
  });
};

/** Returns the text of a part; for an image, the marker that its colour stands for, if any. */
async function textOf(part: Part): Promise<string> {
  if (part.type === 'text') return part.text;
  const base64 = /^data:image\/[\w.+-]+;base64,(.+)$/s.exec(part.image_url.url)?.[1];
  const category = base64 === undefined ? undefined : await categoryOf(Buffer.from(base64, 'base64'));
  return category === undefined ? '' : `flag:${category}`;
}

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
