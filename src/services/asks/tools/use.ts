import { Refusal } from '../../../lib/refusal.ts';
import { GatewayError } from '../../gateway/index.ts';
import type { ToolCall } from '../../gateway/responses/response.ts';
import type { ModelCatalogue } from '../../models/catalogue.ts';
import { kindOf } from '../../models/kinds.ts';
import type { AnswerCall } from '../../tasks/answer.ts';
import type { Task } from '../../tasks/task.ts';
import type { PageQuestion, TaskPage } from '../../tasks/task-store.ts';
import { isForOneself } from '../audience.ts';
import { argumentsOf, toolNamed, tools } from './definitions.ts';

export interface ToolParts {
  models: Pick<ModelCatalogue, 'list' | 'get' | 'atHand'>;
  page(question: PageQuestion): Promise<TaskPage>;
}

const MOST_MODELS = 50;
const MOST_TASKS = 15;
/** One response has no use for more, and each is something to be read. */
const MOST_CALLS = 8;
/** Its member has to see all that is to be decided, in one message beside the answer. */
const MOST_WAITING = 4;

/** What becomes of the calls of one response: what costs waits for its member, the rest is done at once. */
export async function usedTools(calls: readonly ToolCall[], task: Task, parts: ToolParts): Promise<AnswerCall[]> {
  const used: AnswerCall[] = [];
  for (const [index, { callId, name, arguments: given }] of calls.entries()) {
    const call = { callId, name, arguments: given };
    const known = toolNamed(name);
    const args = known && argumentsOf(known, given);
    if (!known) used.push({ ...call, state: 'done', output: 'There is no such tool.' });
    else if (!args) used.push({ ...call, state: 'done', output: 'These arguments do not fit the tool.' });
    else if (index >= MOST_CALLS) used.push({ ...call, state: 'done', output: 'Too many calls at once. Not done.' });
    else if (tools[known].makes) {
      const isTooMuch = used.filter(({ state }) => state === 'waiting').length >= MOST_WAITING;
      const output = isTooMuch ? 'Too much at once. Not done: propose it later.' : await unknownModel(args, parts);
      used.push(output === undefined ? { ...call, state: 'waiting' } : { ...call, state: 'done', output });
    } else used.push({ ...call, state: 'done', output: await freely(known, given, task, parts) });
  }
  return used;
}

/** Nobody is asked about what could not be done anyway. */
async function unknownModel(args: { model?: string | undefined } | object, { models }: ToolParts) {
  const id = 'model' in args ? args.model : undefined;
  if (id === undefined) return undefined;
  try {
    await models.get(id);
    return undefined;
  } catch (error) {
    if (error instanceof Refusal) return `There is no model ${id}. Find one with find_models, or leave the model out.`;
    // Only the gateway's own "no" counts.
    if (error instanceof GatewayError) return undefined;
    throw error;
  }
}

async function freely(name: string, given: string, task: Task, { models, page }: ToolParts): Promise<string> {
  if (name === 'list_my_tasks') return listed(task, page);
  const wanted = argumentsOf('find_models', given)?.text.toLowerCase() ?? '';
  try {
    const found = (await models.list()).filter(({ id }) => id.toLowerCase().includes(wanted));
    const shown = found.slice(0, MOST_MODELS).map((model) => ({ id: model.id, seemsMadeFor: kindOf(model) }));
    return JSON.stringify({ count: found.length, models: shown });
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    return 'The models cannot be listed right now.';
  }
}

/** What others may see here anyway: nothing private, and nothing of another server. */
async function listed(task: Task, page: ToolParts['page']): Promise<string> {
  const { requesterId, guildId, id } = task;
  // Outside of servers a line does not say which conversation it is from.
  if (guildId === undefined && !isForOneself(task)) return '[]';
  const { lines } = await page({ of: { memberId: requesterId }, most: MOST_TASKS * 3, withoutPrivate: true });
  const here = lines.filter((line) => line.guildId === guildId && line.id !== id).slice(0, MOST_TASKS);
  return JSON.stringify(
    here.map(({ kind, state, summary, createdAt }) => ({
      kind,
      state,
      summary,
      at: new Date(createdAt).toISOString(),
    })),
  );
}
