import { z } from 'zod';
import { withoutUndefined } from '../../lib/entries.ts';
import type { TextContent, TextItem, TextRequest, TextTool } from '../gateway/responses/request.ts';
import type { ListedModel } from '../models/catalogue.ts';
import type { Answer, RefusableFeature } from '../tasks/answer.ts';
import type { Materials } from '../tasks/materials.ts';
import { defineRequest, type KindSpec } from '../tasks/task.ts';
import type { Turn } from './conversation.ts';
import { documentPart, type EarlierFile, noteForModel, safeName, sentParts } from './earlier-files.ts';
import { fitsStrictMode } from './schema/strict.ts';
import { audioPart, type QuestionSound, transcriptPart } from './sound.ts';
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

/** Everything that a request is made of, so that it can be made again without a part. */
export interface Draft {
  request: AskRequest;
  /** Oldest first. */
  earlier: readonly Turn[];
  /** The files of each earlier turn. */
  earlierFiles: readonly (readonly EarlierFile[])[];
  materials: Materials;
  sound?: QuestionSound | undefined;
  models: readonly ListedModel[];
  rounds: Answer['rounds'];
  /** No more tools: the model has to answer. */
  isLast: boolean;
  /** Stands for the member at the gateway. */
  user?: string | undefined;
}

/** The whole context of a question, because the gateway stores none of it. */
export function buildTextRequest(draft: Draft, without: readonly RefusableFeature[]): TextRequest {
  const { request, earlier, earlierFiles, materials, sound, models, rounds, isLast } = draft;
  const { model, instructions, effort, web } = request;
  const format = formatOf(request);
  const takesFormat = !without.includes('format');
  const tools: TextTool[] = [...(web ? [{ type: 'web-search' } as const] : []), ...toolDefinitions(request, models)];
  return {
    model,
    input: [
      ...earlier.flatMap(({ prompt, text }, at): TextItem[] => [
        { role: 'user', content: earlierContent(prompt, earlierFiles[at] ?? []) },
        ...(text === '' ? [] : [{ role: 'assistant' as const, content: text }]),
      ]),
      { role: 'user', content: withParts(request.prompt, [...questionParts(materials), ...soundParts(sound)]) },
      ...rounds.flatMap(itemsOf),
    ],
    ...(effort !== undefined && !without.includes('reasoning') && { effort }),
    ...withoutUndefined({
      instructions: takesFormat ? instructions : instructionsWith(format, instructions),
      format: takesFormat ? format : undefined,
    }),
    ...(tools.length > 0 && !without.includes('tools') && { tools, ...(isLast && { toolChoice: 'none' }) }),
  };
}

function formatOf({ format, schema: text }: AskRequest): TextRequest['format'] {
  if (text === undefined) return format === 'json' ? { type: 'json' } : undefined;
  const schema = z.record(z.string(), z.json()).parse(JSON.parse(text));
  return { type: 'schema', name: 'answer', schema, strict: fitsStrictMode(schema) };
}

/** A model that takes no schema can still read one. */
function instructionsWith(format: TextRequest['format'], instructions: string | undefined): string | undefined {
  if (format?.type !== 'schema') return instructions;
  const rule = `Answer only with JSON that fits this JSON Schema, without any other text:\n${JSON.stringify(format.schema)}`;
  return instructions === undefined ? rule : `${instructions}\n\n${rule}`;
}

const withParts = (prompt: string, parts: readonly TextContent[]): string | TextContent[] =>
  parts.length === 0 ? prompt : [{ type: 'text', text: prompt }, ...parts];

function earlierContent(prompt: string, files: readonly EarlierFile[]): string | TextContent[] {
  const note = noteForModel(files);
  return withParts(prompt, [...(note === '' ? [] : [{ type: 'text' as const, text: note }]), ...sentParts(files)]);
}

/** The question's own files. */
export const questionParts = ({ images = [], documents = [] }: Materials): TextContent[] => [
  ...documents.map(documentPart),
  ...images.map((image): TextContent => ({ type: 'image', image })),
];

function soundParts({ name, wav, transcript }: Partial<QuestionSound> = {}): TextContent[] {
  if (transcript !== undefined) return [transcriptPart(safeName(name ?? ''), transcript)];
  return wav ? [audioPart(wav)] : [];
}

/** The model sees its own words and calls, then the outputs: all of a round together. */
function itemsOf({ text, calls }: Answer['rounds'][number]): TextItem[] {
  return [
    ...(text === '' ? [] : [{ role: 'assistant' as const, content: text }]),
    ...calls.map(({ callId, name, arguments: given }): TextItem => ({ type: 'call', callId, name, arguments: given })),
    ...calls.map(({ callId, output = '' }): TextItem => ({ type: 'call-output', callId, output })),
  ];
}
