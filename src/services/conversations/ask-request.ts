import { z } from 'zod';
import { withoutUndefined } from '../../lib/entries.ts';
import type { ListedModel } from '../gateway/model-catalogue.ts';
import type { TextContent, TextItem, TextRequest, TextTool } from '../gateway/text-request.ts';
import { answerLengths, answerTones } from '../orders/preference-set.ts';
import type { Answer, RefusableFeature } from '../tasks/answer.ts';
import { defineRequest, type KindSpec } from '../tasks/kind-spec.ts';
import type { Materials } from '../tasks/materials.ts';
import { fitsStrictMode } from './answer-schemas.ts';
import { toolDefinitions } from './ask-tools.ts';
import { documentPart, type EarlierFile, fileNameForModel, noteForModel, sentParts } from './asks/earlier-files.ts';
import { audioPart, type QuestionAudio, transcriptPart } from './asks/sound.ts';
import type { Turn } from './conversation.ts';
import { questionText } from './conversation.ts';
import { languageHint, memberLanguage } from './member-language.ts';
import { helpInstructions, promptHelps, proposalsFormat, proposesPrompts } from './prompt-help.ts';

/** Common reasoning-effort levels. A gateway may support others. */
export const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh'] as const;
export const MAX_EFFORT_LENGTH = 30;
export const formats = ['text', 'json'] as const;

const askShape = defineRequest({
  prompt: z.string(),
  model: z.string(),
  instructions: z.string().optional(),
  effort: z.string().optional(),
  format: z.enum(formats).optional(),
  web: z.boolean().optional(),
  /** The text of the message that the question replies to or is about. Someone else may have written it. */
  quote: z.string().optional(),
  personaName: z.string().optional(),
  persona: z.string().optional(),
  length: z.enum(answerLengths).optional(),
  tone: z.enum(answerTones).optional(),
  memberLanguage,
  /** Set if the question was asked under an answer whose conversation had been ended. */
  startsAnew: z.boolean().optional(),
  /** The prompt is not a question: the model helps with it, outside of conversations. */
  help: z.enum(promptHelps).optional(),
  language: z.string().optional(),
  after: z.string().optional(),
});

export type AskRequest = z.output<typeof askShape>;

declare module '../tasks/kind-spec.ts' {
  interface TaskRequests {
    ask: AskRequest;
  }
}

export const askSpec: KindSpec<'ask'> = {
  request: askShape.loose(),
  traits: { isPaid: true, isText: true, modelKind: 'text' },
};

/** The parts of a request, kept so that it can be rebuilt without one of them. */
export interface Draft {
  request: AskRequest;
  /** Oldest first. */
  pastTurns: readonly Turn[];
  earlierFiles: readonly (readonly EarlierFile[])[];
  materials: Materials;
  sound?: QuestionAudio | undefined;
  models: readonly ListedModel[];
  rounds: Answer['rounds'];
  /** Whether the model must answer and is not allowed to call another tool. */
  isFinalRound: boolean;
  requestCount: number;
  user?: string | undefined;
}

/** Sends the whole conversation each time, because the gateway stores none of it. */
export function buildTextRequest(draft: Draft, omittedFeatures: readonly RefusableFeature[]): TextRequest {
  const { request, pastTurns, earlierFiles, materials, sound, models, rounds, isFinalRound } = draft;
  const { model, effort, web } = request;
  const instructions = instructionsOf(request);
  const format = formatOf(request);
  const supportsFormat = !omittedFeatures.includes('format');
  const ownTools = request.help ? [] : toolDefinitions(request, models);
  const tools: TextTool[] = [...(web ? [{ type: 'web-search' } as const] : []), ...ownTools];
  return {
    model,
    input: [
      ...pastTurns.flatMap(({ prompt, text }, index): TextItem[] => [
        { role: 'user', content: earlierContent(prompt, earlierFiles[index] ?? []) },
        ...(text === '' ? [] : [{ role: 'assistant' as const, content: text }]),
      ]),
      { role: 'user', content: withParts(questionText(request), [...questionParts(materials), ...audioParts(sound)]) },
      ...rounds.flatMap(itemsOf),
    ],
    ...(effort !== undefined && !omittedFeatures.includes('reasoning') && { effort }),
    ...withoutUndefined({
      instructions: supportsFormat ? instructions : instructionsWithSchema(format, instructions),
      format: supportsFormat ? format : undefined,
    }),
    ...(tools.length > 0 &&
      !omittedFeatures.includes('tools') && { tools, ...(isFinalRound && { toolChoice: 'none' }) }),
  };
}

const LENGTHS = {
  short: 'Answer in at most three sentences unless asked for more.',
  medium: 'Answer in a few paragraphs at most unless asked for more.',
  long: 'Answer in detail.',
} as const;

/** The persona of the channel comes before what the member asked for. */
function instructionsOf(request: AskRequest): string | undefined {
  const { personaName, persona, instructions, length, tone } = request;
  const parts = [
    helpInstructions(request),
    personaName && `Your name is ${personaName}.`,
    persona,
    instructions,
    length && LENGTHS[length],
    tone && `Write in a ${tone} tone.`,
    languageHint(request.memberLanguage),
  ].filter(Boolean);
  return parts.length === 0 ? undefined : parts.join('\n\n');
}

function formatOf({ format, schema: text, help }: AskRequest): TextRequest['format'] {
  if (proposesPrompts({ help })) return proposalsFormat;
  if (text === undefined) return format === 'json' ? { type: 'json' } : undefined;
  const schema = z.record(z.string(), z.json()).parse(JSON.parse(text));
  return { type: 'schema', name: 'answer', schema, strict: fitsStrictMode(schema) };
}

/** A model that does not support schemas can still follow one in its instructions. */
function instructionsWithSchema(format: TextRequest['format'], instructions: string | undefined): string | undefined {
  if (format?.type !== 'schema') return instructions;
  const rule = `Answer only with JSON that conforms to this JSON Schema, without any other text:\n${JSON.stringify(format.schema)}`;
  return instructions === undefined ? rule : `${instructions}\n\n${rule}`;
}

const withParts = (prompt: string, parts: readonly TextContent[]): string | TextContent[] =>
  parts.length === 0 ? prompt : [{ type: 'text', text: prompt }, ...parts];

function earlierContent(prompt: string, files: readonly EarlierFile[]): string | TextContent[] {
  const note = noteForModel(files);
  return withParts(prompt, [...(note === '' ? [] : [{ type: 'text' as const, text: note }]), ...sentParts(files)]);
}

export const questionParts = ({ images = [], documents = [] }: Materials): TextContent[] => [
  ...documents.map(documentPart),
  ...images.map((image): TextContent => ({ type: 'image', image })),
];

function audioParts({ name, wav, transcript }: Partial<QuestionAudio> = {}): TextContent[] {
  if (transcript !== undefined) return [transcriptPart(fileNameForModel(name ?? ''), transcript)];
  return wav ? [audioPart(wav)] : [];
}

function itemsOf({ text, calls }: Answer['rounds'][number]): TextItem[] {
  return [
    ...(text === '' ? [] : [{ role: 'assistant' as const, content: text }]),
    ...calls.map(({ callId, name, arguments: args }): TextItem => ({ type: 'call', callId, name, arguments: args })),
    ...calls.map(({ callId, output = '' }): TextItem => ({ type: 'call-output', callId, output })),
  ];
}
