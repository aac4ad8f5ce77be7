import { z } from 'zod';
import { modelId, picture, taskId, webAddress, words } from '../schemas.ts';

const anything = z.record(z.string(), z.json());

const FILE_URI = /^data:[\w.+-]+\/[\w.+-]+(?:;[\w.+-]+=[\w.+-]+)*;base64,[A-Za-z0-9+/]+={0,2}$/i;
const fileData = z.string().regex(FILE_URI, 'this is not a file as a data URI (data:application/pdf;base64,…)');

const text = z.strictObject({ type: z.literal('text'), text: z.string() });
/** An address that the gateway can reach, or a data URI. */
const pictureShown = z.strictObject({ type: z.literal('picture'), picture });
const fileSent = z.strictObject({ type: z.literal('file'), name: words('the file has no name'), data: fileData });
const fileAt = z.strictObject({ type: z.literal('file'), address: webAddress });

const content = z.union([text, pictureShown, fileSent, fileAt], 'this is neither text nor a picture nor a file');

const said = z.strictObject({
  role: z.enum(['user', 'assistant', 'system', 'developer'], 'the role is user, assistant, system or developer'),
  content: z.union(
    [z.string(), z.array(content).min(1, 'this message is empty')],
    'this message is neither text nor a list',
  ),
});

/** A call that the model made before, given back to it so that it knows what the output belongs to. */
const callMade = z.strictObject({
  type: z.literal('call'),
  callId: taskId,
  name: words('the name of the tool is missing'),
  arguments: z.string(),
});

const callOutput = z.strictObject({ type: z.literal('call-output'), callId: taskId, output: z.string() });

const item = z.union([said, callMade, callOutput], 'this is neither a message nor a call nor the output of one');

const TOOL_NAME = 'the name of a tool has 1 to 64 letters, digits, _ or -';
const functionTool = z.strictObject({
  type: z.literal('function'),
  name: z.string().regex(/^[\w-]{1,64}$/, TOOL_NAME),
  description: z.string().optional(),
  /** JSON Schema of the arguments. */
  parameters: anything,
  strict: z.boolean().optional(),
});
const webSearch = z.strictObject({ type: z.literal('web-search') });
/** Any other tool of a gateway, sent as it stands. */
const otherTool = z.strictObject({ type: z.literal('other'), definition: anything });
const tool = z.discriminatedUnion('type', [functionTool, webSearch, otherTool], 'this is not a tool');

const FORMAT_NAME = 'the name of a format has 1 to 64 letters, digits, _ or -';
const format = z.discriminatedUnion(
  'type',
  [
    z.strictObject({ type: z.literal('text') }),
    z.strictObject({ type: z.literal('json') }),
    z.strictObject({
      type: z.literal('schema'),
      name: z.string().regex(/^[\w-]{1,64}$/, FORMAT_NAME),
      schema: anything,
      strict: z.boolean().optional(),
    }),
  ],
  'the format is text, json or a schema',
);

const TOKENS = 'the most tokens of an answer are a whole number above 0';

/** The specification, 4.6. What it does not name is left away unless it is asked for. */
export const textRequest = z.strictObject({
  model: modelId,
  input: z.union(
    [words('the prompt is empty: write what you want to know'), z.array(item).min(1, 'there is nothing to answer')],
    'the input is neither text nor a list of messages',
  ),
  instructions: words('the instructions are empty').optional(),
  tools: z.array(tool).min(1, 'the list of tools is empty').optional(),
  toolChoice: z.enum(['auto', 'none', 'required']).optional(),
  /** Read by reasoning models only; the words are the gateway's, such as low, medium, high. */
  effort: words('the effort is empty').optional(),
  format: format.optional(),
  maxOutputTokens: z.int(TOKENS).min(1, TOKENS).optional(),
  temperature: z.number().min(0).max(2, 'the temperature goes from 0 to 2').optional(),
  /** Fields of a gateway's own, sent at the top level. */
  extra: anything.optional(),
});

export type TextRequest = z.input<typeof textRequest>;
export type TextItem = z.input<typeof item>;
export type TextContent = z.input<typeof content>;
export type TextTool = z.input<typeof tool>;
