import { z } from 'zod';
import type { GatewayError } from './errors.ts';
import { splitWords } from './places.ts';
import { imageSource, modelId, nonEmptyText, taskId, webAddress } from './schemas.ts';

const jsonRecord = z.record(z.string(), z.json());

const FILE_URI = /^data:[\w.+-]+\/[\w.+-]+(?:;[\w.+-]+=[\w.+-]+)*;base64,[A-Za-z0-9+/]+={0,2}$/i;
const fileData = z.string().regex(FILE_URI, 'this is not a file as a data URI (data:application/pdf;base64,…)');

const textPart = z.strictObject({ type: z.literal('text'), text: z.string() });
/** A URL the gateway can reach, or a data URI. */
const imagePart = z.strictObject({ type: z.literal('image'), image: imageSource });
const filePart = z.strictObject({
  type: z.literal('file'),
  name: nonEmptyText('the file has no name'),
  data: fileData,
});
const linkedFilePart = z.strictObject({ type: z.literal('file'), address: webAddress });

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
/** As documented by OpenAI. The specification only says that multimodal content is sent among the parts. */
const audioPart = z.strictObject({
  type: z.literal('audio'),
  data: z.string().regex(BASE64, 'this is not audio as base64'),
  format: z.enum(['mp3', 'wav'], 'audio is sent as mp3 or wav'),
});

const content = z.union(
  [textPart, imagePart, filePart, linkedFilePart, audioPart],
  'this is neither text nor an image nor a file nor audio',
);

const message = z.strictObject({
  role: z.enum(['user', 'assistant', 'system', 'developer'], 'the role is user, assistant, system or developer'),
  content: z.union(
    [z.string(), z.array(content).min(1, 'this message is empty')],
    'this message is neither text nor a list',
  ),
});

/** An earlier call of the model, sent back so that the model can match the output. */
const toolCall = z.strictObject({
  type: z.literal('call'),
  callId: taskId,
  name: nonEmptyText('the name of the tool is missing'),
  arguments: z.string(),
});

const callOutput = z.strictObject({ type: z.literal('call-output'), callId: taskId, output: z.string() });

const item = z.union([message, toolCall, callOutput], 'this is neither a message nor a call nor the output of one');

const TOOL_NAME_MESSAGE = 'the name of a tool has 1 to 64 letters, digits, _ or -';
const functionTool = z.strictObject({
  type: z.literal('function'),
  name: z.string().regex(/^[\w-]{1,64}$/, TOOL_NAME_MESSAGE),
  description: z.string().optional(),
  /** JSON Schema of the arguments. */
  parameters: jsonRecord,
  strict: z.boolean().optional(),
});
const webSearch = z.strictObject({ type: z.literal('web-search') });
const tool = z.discriminatedUnion('type', [functionTool, webSearch], 'this is not a tool');

const FORMAT_NAME_MESSAGE = 'the name of a format has 1 to 64 letters, digits, _ or -';
const format = z.discriminatedUnion(
  'type',
  [
    z.strictObject({ type: z.literal('text') }),
    z.strictObject({ type: z.literal('json') }),
    z.strictObject({
      type: z.literal('schema'),
      name: z.string().regex(/^[\w-]{1,64}$/, FORMAT_NAME_MESSAGE),
      schema: jsonRecord,
      strict: z.boolean().optional(),
    }),
  ],
  'the format is text, json or a schema',
);

/** The request (specification, 4.6). Fields that are not in the specification are only sent if they are set. */
export const textRequest = z.strictObject({
  model: modelId,
  input: z.union(
    [
      nonEmptyText('the prompt is empty: write what you want to know'),
      z.array(item).min(1, 'there is nothing to answer'),
    ],
    'the input is neither text nor a list of messages',
  ),
  instructions: nonEmptyText('the instructions are empty').optional(),
  tools: z.array(tool).min(1, 'the list of tools is empty').optional(),
  toolChoice: z.literal('none').optional(),
  /** Only for reasoning models. The gateway defines the values, such as low, medium or high. */
  effort: nonEmptyText('the effort is empty').optional(),
  format: format.optional(),
});

export type TextRequest = z.input<typeof textRequest>;
export type TextItem = z.input<typeof item>;
export type TextContent = z.input<typeof content>;
export type TextTool = z.input<typeof tool>;

/** The request body, according to the specification (4.6) or, where it says nothing, to existing gateways. */
export function toRequestBody(request: TextRequest, isStreamed: boolean): Record<string, unknown> {
  const { model, input, instructions, tools, toolChoice, effort, format } = request;
  return {
    model,
    input: typeof input === 'string' ? input : input.map(itemOf),
    instructions,
    tools: tools?.map(toolOf),
    tool_choice: toolChoice,
    reasoning: effort === undefined ? undefined : { effort },
    text: format === undefined ? undefined : { format: formatOf(format) },
    // Omitted by default, because the order of verification (4.6) starts with only `model` and `input`.
    ...(isStreamed ? { stream: true } : {}),
  };
}

function itemOf(item: TextItem): Record<string, unknown> {
  if ('role' in item) {
    const { role, content } = item;
    return { role, content: typeof content === 'string' ? content : content.map((part) => partOf(part, role)) };
  }
  const { callId: call_id } = item;
  if (item.type === 'call-output') return { type: 'function_call_output', call_id, output: item.output };
  // The item's id is left out. With the id, gateways would also require the reasoning before it.
  return { type: 'function_call', call_id, name: item.name, arguments: item.arguments };
}

function partOf(part: TextContent, role: string): Record<string, unknown> {
  if (part.type === 'text') return { type: role === 'assistant' ? 'output_text' : 'input_text', text: part.text };
  if (part.type === 'image') return { type: 'input_image', image_url: part.image };
  if (part.type === 'audio') return { type: 'input_audio', input_audio: { data: part.data, format: part.format } };
  if ('address' in part) return { type: 'input_file', file_url: part.address };
  return { type: 'input_file', filename: part.name, file_data: part.data };
}

function toolOf(tool: TextTool): Record<string, unknown> {
  return tool.type === 'web-search' ? { type: 'web_search' } : { ...tool };
}

function formatOf(format: NonNullable<TextRequest['format']>): Record<string, unknown> {
  if (format.type === 'text') return { type: 'text' };
  if (format.type === 'json') return { type: 'json_object' };
  return { ...format, type: 'json_schema' };
}

/** Features that a model may refuse, in the specification's order of verification (4.6). Audio is replaced by its transcript, which is billed. */
export const refusableParts = ['audio', 'stream', 'format', 'tools', 'reasoning', 'files'] as const;
type RefusablePart = (typeof refusableParts)[number];

/** The parts by the first word of the field that the gateway names: `text.format`, `response_format`, `tools[0].type`, `tool_choice`, `reasoning.effort`, `input[0].content`. */
const PART_OF_FIELD: ReadonlyMap<string, RefusablePart> = new Map([
  ...refusableParts.map((part) => [part, part] as const),
  ...[['text', 'format'] as const, ['response', 'format'] as const, ['tool', 'tools'] as const],
]);
/** The parts in a message that names no field. */
const PART_IN_MESSAGE: Readonly<Record<RefusablePart, RegExp>> = {
  audio: /(?:\b|_)audio/i,
  stream: /\bstream/i,
  format: /(?:\b|_)(?:format|schema)/i,
  tools: /\b(?:tool|function call|web.search)/i,
  reasoning: /\b(?:reasoning|effort)/i,
  files: /(?:\b|_)(?:file|image)/i,
};
/** The fields of the conversation. If a gateway names one, any file in the conversation may be meant; those of earlier questions are left out first. */
const CONVERSATION_FIELDS: ReadonlySet<string> = new Set(['input', 'messages']);

/** Codes of refusals that are not about a part of the request. */
const UNRELATED_CODES: ReadonlySet<string> = new Set(
  splitWords(`bad_input bad_request_body redirected sensitive_words_detected prompt_blocked invalid_prompt
    content_policy_violation moderation_blocked`),
);

/** Codes that require a smaller body, which is only possible with fewer files. */
const SIZE_CODES: ReadonlySet<string> = new Set(splitWords('request_body_too_large context_length_exceeded'));
export const TOO_LARGE_STATUS = 413;
const WRONG_CONTENT_TYPE_STATUS = 415;

interface SentFeatures {
  isStreamed: boolean;
  /** Whether there are files from earlier questions, without which this one can still be answered. */
  hasEarlierFiles?: boolean;
  /** Whether the question itself contains audio. */
  hasAudio?: boolean;
}

interface RefusedPart {
  part: RefusablePart;
  isNamed: boolean;
  /** The request was too large, so the model may still accept the part in another request. */
  isBecauseOfSize?: true;
}

/** The part that a definite refusal is about: the one that the gateway names, also in its message, else the last one in the order of verification. */
export function refusedPart(
  error: GatewayError,
  request: TextRequest,
  { isStreamed, hasEarlierFiles = false, hasAudio = false }: SentFeatures,
): RefusedPart | undefined {
  if (error.mayHaveTakenEffect || (error.kind !== 'invalid' && error.kind !== 'not-offered')) return undefined;
  if (UNRELATED_CODES.has(error.code ?? '') || error.status === WRONG_CONTENT_TYPE_STATUS) return undefined;
  if (error.status === TOO_LARGE_STATUS || SIZE_CODES.has(error.code ?? ''))
    return hasEarlierFiles ? { part: 'files', isNamed: false, isBecauseOfSize: true } : undefined;
  const { format, tools, effort: reasoning } = request;
  const sentFeatures = {
    audio: hasAudio,
    stream: isStreamed,
    format: format !== undefined,
    tools: tools !== undefined,
    reasoning: reasoning !== undefined,
    files: hasEarlierFiles,
  };
  const field = error.param === undefined ? undefined : /^[a-z]+/i.exec(error.param)?.[0];
  const sentParts = refusableParts.filter((one) => sentFeatures[one]);
  const namedParts = sentParts.filter((one) => PART_IN_MESSAGE[one].test(error.message));
  const namedPart = field === undefined ? namedParts.at(-1) : partOfField(field, sentFeatures);
  const part = field === undefined ? (namedPart ?? sentParts.at(-1)) : namedPart;
  return part !== undefined && sentFeatures[part] ? { part, isNamed: namedPart !== undefined } : undefined;
}

function partOfField(field: string, sentFeatures: Readonly<Record<RefusablePart, boolean>>): RefusablePart | undefined {
  const name = field.toLowerCase();
  if (!CONVERSATION_FIELDS.has(name)) return PART_OF_FIELD.get(name);
  return sentFeatures.files ? 'files' : 'audio';
}
