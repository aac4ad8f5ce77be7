import { isRecord } from '../../../lib/exact-json.ts';
import { malformed } from '../errors.ts';
import { asNumber, asText, firstAt, type Place, places } from './places.ts';
import { standingOf } from './record.ts';
import type { Family } from './table.ts';

/** What a gateway says when it has taken an order. */
export interface Submission {
  /** Under this id the task is asked for from now on. */
  remoteId: string;
  /** The task waits for words (and perhaps a mask) before it begins. */
  needsInput: boolean;
  /** The prompt that a form for those words should start with. */
  finalPrompt?: string | undefined;
  /** Tasks before this one, when told. */
  queuedBehind?: number | undefined;
}

/** Where ids stand; in the second list a number is a row of some database, and only text is an id. */
const ids: Readonly<Record<Family, readonly [readonly Place[], readonly Place[]]>> = {
  imgx: [places('result', 'task_id', 'taskId', 'id', 'data.task_id', 'data.taskId', 'data.id', 'data'), []],
  image: [places('id', 'job.id', 'job_id', 'task_id', 'data.id', 'data.task_id'), []],
  video: [places('task_id', 'data.task_id', 'data.taskId', 'taskId'), places('id', 'data.id', 'data')],
  music: [places('data.task_id', 'data.taskId', 'task_id', 'taskId'), places('data', 'id', 'data.id', 'result')],
};

const at = {
  status: places('status', 'data.task_status', 'data.status', 'job.status'),
  code: places('code'),
  finalPrompt: places('properties.finalPrompt'),
  queuedBehind: places('properties.numberOfQueues'),
} as const;

export function readSubmission(family: Family, answer: unknown): Submission {
  // An id that is missing is the one thing that cannot be made up: the order may well have been taken.
  const [anyId, textId] = ids[family];
  const remoteId = firstAt(answer, anyId, asText) ?? firstAt(answer, textId, onlyText);
  if (remoteId === undefined) {
    throw malformed('The gateway took the order but named no task.', { mayHaveTakenEffect: true });
  }
  const word = firstAt(answer, at.status, asText);
  return {
    remoteId,
    needsInput: waitsForWords(answer) || (word !== undefined && standingOf(word)?.state === 'needs-input'),
    finalPrompt: firstAt(answer, at.finalPrompt, asText),
    queuedBehind: firstAt(answer, at.queuedBehind, asNumber),
  };
}

function onlyText(value: unknown): string | undefined {
  return typeof value === 'string' ? asText(value) : undefined;
}

/**
 * Code 21 means either "a window waits for your words" or "this exists already"; the latter comes with a state or a picture.
 * Gateways rewrite the code to 1 on its way, and leave `remix` standing.
 */
function waitsForWords(answer: unknown): boolean {
  const { remix, imageUrl, status } = isRecord(answer) && isRecord(answer.properties) ? answer.properties : {};
  if (remix === true || remix === 'true') return true;
  const isWindow = firstAt(answer, at.code, asText) === '21';
  return isWindow && asText(imageUrl) === undefined && asText(status) === undefined;
}
