import { asText } from '../../discord/markdown.ts';
import type { Say } from '../../locales/index.ts';
import { argumentsOf, type CostlyTool } from '../../services/asks/tools.ts';
import { answerOf, waitingCalls } from '../../services/asks/transitions.ts';
import type { AnswerCall } from '../../services/tasks/answer.ts';
import type { Task } from '../../services/tasks/task.ts';

const LONGEST_PROMPT = 90;
const MOST_LINES = 5;

/** What the model wanted to be done, and what came of it; what still waits for its member comes with its number. */
export function callLines(task: Task, say: Say): string[] {
  const waiting = waitingCalls(task);
  const past = answerOf(task)
    .rounds.flatMap(({ calls }) => calls)
    .filter(({ state }) => state !== 'waiting');
  const shown = past.slice(0, MOST_LINES).map((call) => `-# 🔧 ${line(call, say)}`);
  const more = past.length > MOST_LINES ? [`-# ${say('ask.calls.more', { count: past.length - MOST_LINES })}`] : [];
  if (waiting.length === 0 || task.failure) return [...shown, ...more];
  const asked = waiting.map((call) => line(call, say, numberOf(task, call)));
  // What is to be decided has to be seen, whatever else has room.
  return [say('ask.calls.asked'), ...asked, ...shown, ...more];
}

/** Its place among the calls of its response, counted from 1: it stays while others are decided. */
export const numberOf = (task: Task, { callId }: AnswerCall): number =>
  (answerOf(task).rounds.at(-1)?.calls ?? []).findIndex((one) => one.callId === callId) + 1;

function line(call: AnswerCall, say: Say, number = 0): string {
  switch (call.name) {
    case 'make_image':
    case 'make_video':
      return madeLine(call, call.name, say, number);
    case 'find_models':
      return say('ask.calls.find_models', {
        text: asText(argumentsOf(call.name, call.arguments)?.text ?? '', LONGEST_PROMPT),
      });
    case 'list_my_tasks':
      return say('ask.calls.list_my_tasks');
    default:
      return say('ask.calls.other', { name: asText(call.name, LONGEST_PROMPT) });
  }
}

function madeLine({ state, arguments: given }: AnswerCall, tool: CostlyTool, say: Say, number: number): string {
  const { prompt = '', model } = argumentsOf(tool, given) ?? {};
  const words = asText(model === undefined ? prompt : `${prompt} (${model})`, LONGEST_PROMPT);
  return say(`ask.calls.${tool}.${state}`, { number: String(number), prompt: words });
}
