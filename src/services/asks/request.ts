import { z } from 'zod';
import { withoutUndefined } from '../../lib/entries.ts';
import type { TextContent, TextItem, TextRequest, TextTool } from '../gateway/responses/request.ts';
import type { ListedModel } from '../models/catalogue.ts';
import type { Answer, RefusableFeature } from '../tasks/answer.ts';
import type { Materials } from '../tasks/materials.ts';
import { defineRequest, type KindSpec } from '../tasks/task.ts';
import type { Turn } from './conversation.ts';
import { toolDefinitions } from './tools.ts';

/** Usual words for how long a reasoning model may think; a gateway may know others. */
export const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh'] as const;
export const LONGEST_EFFORT = 30;
export const formats = ['text', 'json'] as const;

const askShape = defineRequest({
  prompt: z.string(),
  model: z.string(),
  instructions: z.string().optional(),
  effort: z.string().optional(),
  format: z.enum(formats).optional(),
  web: z.boolean().optional(),
  /** The previous answer of the conversation. */
  after: z.string().optional(),
});

export type AskRequest = z.output<typeof askShape>;

declare module '../tasks/task.ts' {
  interface TaskRequests {
    ask: AskRequest;
  }
}

export const askSpec: KindSpec<'ask'> = {
  request: askShape.loose(),
  traits: { isPaid: true, isText: true, modelKind: 'text' },
};

interface Input {
  request: AskRequest;
  earlier: readonly Turn[];
  materials: Materials;
  models: readonly ListedModel[];
  rounds: Answer['rounds'];
  without: readonly RefusableFeature[];
  /** No more tools: the model has to answer. */
  isLast: boolean;
}

/** The whole context of a question, because the gateway stores none of it. */
export function buildTextRequest({ request, earlier, materials, models, rounds, without, isLast }: Input): TextRequest {
  const { model, instructions, effort, format, web } = request;
  const tools: TextTool[] = [...(web ? [{ type: 'web-search' } as const] : []), ...toolDefinitions(request, models)];
  return {
    model,
    input: [
      ...earlier.flatMap(({ prompt, text }): TextItem[] => [
        { role: 'user', content: prompt },
        ...(text === '' ? [] : [{ role: 'assistant' as const, content: text }]),
      ]),
      { role: 'user', content: contentOf(request.prompt, materials) },
      ...rounds.flatMap(itemsOf),
    ],
    ...(instructions !== undefined && { instructions }),
    ...(effort !== undefined && !without.includes('reasoning') && { effort }),
    ...(format === 'json' && !without.includes('format') && { format: { type: 'json' } }),
    ...(tools.length > 0 && !without.includes('tools') && { tools, ...(isLast && { toolChoice: 'none' }) }),
  };
}

function contentOf(prompt: string, { images = [], documents = [] }: Materials): string | TextContent[] {
  if (images.length === 0 && documents.length === 0) return prompt;
  return [
    { type: 'text', text: prompt },
    ...documents.map(({ name, data, text }): TextContent => {
      if (data !== undefined) return { type: 'file', name, data };
      return { type: 'text', text: `${name}:\n\n${text ?? ''}` };
    }),
    ...images.map((image): TextContent => ({ type: 'image', image })),
  ];
}

/** The model sees its own words and calls, then the outputs: all of a round together. */
function itemsOf({ text, calls }: Answer['rounds'][number]): TextItem[] {
  return [
    ...(text === '' ? [] : [{ role: 'assistant' as const, content: text }]),
    ...calls.map(({ callId, name, arguments: given }): TextItem => ({ type: 'call', callId, name, arguments: given })),
    ...calls.map(({ callId, output = '' }): TextItem => ({ type: 'call-output', callId, output })),
  ];
}

/** The request without a part that its model refused. Streaming is no part of it. */
export function withoutPart(request: TextRequest, part: RefusableFeature): TextRequest {
  const { effort, tools, toolChoice, format, ...rest } = request;
  return {
    ...rest,
    ...withoutUndefined({
      effort: part === 'reasoning' ? undefined : effort,
      format: part === 'format' ? undefined : format,
      ...(part !== 'tools' && { tools, toolChoice }),
    }),
  };
}
