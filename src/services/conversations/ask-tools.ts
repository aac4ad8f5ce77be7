import { z } from 'zod';
import { keysOf } from '../../lib/entries.ts';
import { parsePlainJson } from '../../lib/exact-json.ts';
import { Refusal } from '../../lib/refusal.ts';
import { GatewayError } from '../gateway/errors.ts';
import type { ListedModel, ModelCatalogue } from '../gateway/model-catalogue.ts';
import type { ModelKind } from '../gateway/model-families.ts';
import { isOfPromptFamily } from '../gateway/reference-limits.ts';
import type { ToolCall } from '../gateway/response-events.ts';
import type { TextTool } from '../gateway/text-request.ts';
import type { TaskLists } from '../orders/task-store.ts';
import type { AnswerCall } from '../tasks/answer.ts';
import type { Task } from '../tasks/task.ts';
import { isSeenOnlyByAsker } from './conversation.ts';
import type { ConversationContext } from './conversation-context.ts';

/** The same limit as for the prompt of the command. */
const MAX_PROMPT_LENGTH = 6_000;
const prompt = z.string().trim().min(1).max(MAX_PROMPT_LENGTH);
const model = z.string().trim().min(1).max(200).optional();
const generationShape = z.object({ prompt, model });

/** A tool that generates something costs money, so the member who asked has to approve each call. */
const tools = {
  make_image: {
    resultKind: 'image',
    description:
      'Makes one image from a prompt. The user is asked first. The image appears in a message of its own, not in your answer.',
    shape: generationShape,
  },
  make_video: {
    resultKind: 'video',
    description:
      'Makes one short video from a prompt. The user is asked first. The video appears in a message of its own, minutes later.',
    shape: generationShape,
  },
  find_models: {
    resultKind: undefined,
    description: 'Lists the models whose ID contains the given text, with the likely purpose of each.',
    shape: z.object({ text: z.string().trim().max(200) }),
  },
  list_my_tasks: {
    resultKind: undefined,
    description: "Lists the user's recent public requests here: images, videos, music, texts, and the state of each.",
    shape: z.object({}),
  },
} as const;

/** What the model reads about a costly call. */
export const decidedOutputs: Readonly<Record<CostlyTool | 'declined', string>> = {
  make_image: 'The user said yes. The image is being generated and will appear below in a separate message.',
  make_video:
    'The user said yes. The video is being generated and will appear below in a separate message, in a few minutes.',
  declined: 'The user said no. It was not made.',
};

type ToolName = keyof typeof tools;
export type CostlyTool = 'make_image' | 'make_video';

const names = keysOf(tools);

/** A longer list would cost too many tokens. Without a list, the default model is used unless the user names another. */
const MAX_LISTED_MODELS = 30;

/** A JSON answer is meant for a program, which has no use for images alongside it. */
export function toolDefinitions(
  { format }: { format?: string | undefined },
  models: readonly ListedModel[],
): TextTool[] {
  if (format === 'json') return [];
  return names.map((name) => {
    const { shape, description, resultKind } = tools[name];
    const { type, properties, required = [] } = z.toJSONSchema(shape);
    // The properties are always JSON, but the type of the schema does not say so.
    const ownProperties = z.record(z.string(), z.json()).parse(JSON.parse(JSON.stringify(properties ?? {})));
    const parameters = {
      type: type ?? 'object',
      properties: { ...ownProperties, ...modelParameter(resultKind, models) },
      required,
    };
    return { type: 'function', name, description, parameters };
  });
}

/** Lists existing ids, so the model does not invent one. */
function modelParameter(resultKind: ModelKind | undefined, models: readonly ListedModel[]) {
  if (resultKind === undefined) return {};
  const ids = models.filter(({ id, kind }) => kind === resultKind && !isOfPromptFamily(id)).map(({ id }) => id);
  const isListed = ids.length > 0 && ids.length <= MAX_LISTED_MODELS;
  return { model: { type: 'string', description: 'Omit to use the default model.', ...(isListed && { enum: ids }) } };
}

type Arguments<Name extends ToolName> = z.output<(typeof tools)[Name]['shape']>;

export function parseArguments<Name extends ToolName>(name: Name, text: string): Arguments<Name> | undefined;
export function parseArguments(name: ToolName, text: string): object | undefined {
  return tools[name].shape.safeParse(text.trim() === '' ? {} : parsePlainJson(text)).data;
}

const MAX_FOUND_MODELS = 50;
const MAX_TASKS = 15;
/** The model has to read every output, and no response needs more calls than this. */
const MAX_CALLS = 8;
/** All requests for approval have to fit into the message of the answer. */
const MAX_WAITING_CALLS = 4;

/** Runs the calls of a response: paid calls wait for the member's approval; the rest run immediately. */
export async function runTools(
  calls: readonly ToolCall[],
  task: Task,
  context: ConversationContext,
): Promise<AnswerCall[]> {
  const results: AnswerCall[] = [];
  for (const [index, { callId, name, arguments: rawArguments }] of calls.entries()) {
    const call = { callId, name, arguments: rawArguments };
    const tool = names.find((one) => one === name);
    const args = tool && parseArguments(tool, rawArguments);
    const resultKind = tool && tools[tool].resultKind;
    if (!tool) results.push({ ...call, state: 'done', output: 'There is no such tool.' });
    else if (!args) results.push({ ...call, state: 'done', output: 'Invalid arguments for this tool.' });
    else if (index >= MAX_CALLS)
      results.push({ ...call, state: 'done', output: 'Skipped: too many calls in one response.' });
    else if (resultKind) {
      const isOverLimit = results.filter(({ state }) => state === 'waiting').length >= MAX_WAITING_CALLS;
      const output = isOverLimit
        ? 'Skipped: too many requests are waiting for approval. Try again later.'
        : await modelProblem(args, context.models);
      if (output !== undefined) results.push({ ...call, state: 'done', output });
      else
        results.push({ ...call, state: 'waiting', price: priceOf(resultKind, generationShape.parse(args), context) });
    } else results.push({ ...call, state: 'done', output: await runFreeTool(tool, rawArguments, task, context) });
  }
  return results;
}

function priceOf(
  kind: 'image' | 'video',
  { prompt, model }: z.output<typeof generationShape>,
  { money, settings }: ConversationContext,
): AnswerCall['price'] {
  return money.prices.estimateOf({ kind, request: { prompt, model: model ?? settings.models[kind] ?? '' } });
}

/** No approval is requested for a call that would fail anyway. */
async function modelProblem(args: { model?: string | undefined } | object, models: ModelCatalogue) {
  const id = 'model' in args ? args.model : undefined;
  if (id === undefined) return undefined;
  try {
    await models.get(id);
    return undefined;
  } catch (error) {
    if (error instanceof Refusal) return `There is no model ${id}. Find one with find_models, or leave the model out.`;
    // Only a refusal by the gateway counts, not a failure to reach it.
    if (error instanceof GatewayError) return undefined;
    throw error;
  }
}

async function runFreeTool(
  name: string,
  rawArguments: string,
  task: Task,
  { models, answers }: ConversationContext,
): Promise<string> {
  if (name === 'list_my_tasks') return listTasks(task, answers);
  const query = parseArguments('find_models', rawArguments)?.text.toLowerCase() ?? '';
  try {
    const matches = (await models.list()).filter(({ id }) => id.toLowerCase().includes(query));
    const shown = matches.slice(0, MAX_FOUND_MODELS).map(({ id, kind }) => ({ id, likelyPurpose: kind }));
    return JSON.stringify({ count: matches.length, models: shown });
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    return 'The models cannot be listed right now.';
  }
}

/** Tasks that others can see here: nothing private, and nothing from another server. */
async function listTasks(task: Task, answers: TaskLists): Promise<string> {
  const { requesterId, guildId, id } = task;
  // Outside of servers, a summary does not say which channel it is from.
  if (guildId === undefined && !isSeenOnlyByAsker(task)) return '[]';
  const { summaries } = await answers.page({ of: { memberId: requesterId }, max: MAX_TASKS * 3, withoutPrivate: true });
  const visibleTasks = summaries.filter((one) => one.guildId === guildId && one.id !== id).slice(0, MAX_TASKS);
  const tasks = visibleTasks.map(({ kind, state, summary, createdAt }) => {
    return { kind, state, summary, at: new Date(createdAt).toISOString() };
  });
  return JSON.stringify(tasks);
}
