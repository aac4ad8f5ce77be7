import { isRecord } from '../../lib/exact-json.ts';
import { asString, asText, firstAt, type Place, splitWords } from './places.ts';
import { type Family, tables } from './read/table.ts';
import type { ReportedFailure, SnapshotState } from './snapshot.ts';

export interface StatusMeaning {
  state: SnapshotState;
  cause?: ReportedFailure['cause'];
}

const STATUS_WORDS: readonly [StatusMeaning, string][] = [
  [
    { state: 'queued' },
    `not_start not_started submitted submitting accepted queued queueing queuing in_queue pending created preparing
    waiting unknown`,
  ],
  [{ state: 'running' }, 'in_progress processing running generating streaming started'],
  [{ state: 'needs-input' }, 'modal'],
  [{ state: 'succeeded' }, 'success succeed succeeded completed complete done finished ready'],
  [{ state: 'failed', cause: 'failed' }, 'failure failed fail error rejected timeout'],
  [{ state: 'failed', cause: 'cancelled' }, 'cancel canceled cancelled'],
  [{ state: 'failed', cause: 'expired' }, 'expired'],
];

const MEANINGS = new Map<string, StatusMeaning>([
  ['', { state: 'queued' }],
  ...STATUS_WORDS.flatMap(([meaning, words]) => splitWords(words).map((word) => [word, meaning] as const)),
]);

/** Undefined for an unknown word, which is treated as "still running" until the wait limit of the task. */
export function meaningOfStatus(word: string): StatusMeaning | undefined {
  return (
    MEANINGS.get(normaliseStatus(word)) ?? MEANINGS.get(normaliseStatus(word.replaceAll(/([a-z])([A-Z])/g, '$1_$2')))
  );
}

export const normaliseStatus = (word: string): string =>
  word
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_');

const STATE_NAMES = ['task_status', 'status', 'state'];
const ID_NAMES = ['task_id', 'taskId', 'id'];
const MAX_ENVELOPES = 2;

/** The task's own record: opens envelopes (`{code, message, data: {…}}`) until a record has a state of its own. */
export function findRecord(response: unknown): Record<string, unknown> | undefined {
  if (!isRecord(response)) return undefined;
  let record = response;
  for (let depth = 0; depth < MAX_ENVELOPES; depth++) {
    const { data } = record;
    if (!isRecord(data) || (hasState(record) && !isEnvelope(record, data))) break;
    record = data;
  }
  return record;
}

/** An envelope may have a status word ("success") but no id; its content has both. */
function isEnvelope(outer: Record<string, unknown>, inner: Record<string, unknown>): boolean {
  return !hasId(outer) && hasId(inner) && hasState(inner);
}

export function hasState(record: Record<string, unknown>): boolean {
  return STATE_NAMES.some((name) => typeof record[name] === 'string');
}

export function hasId(record: Record<string, unknown>): boolean {
  return ID_NAMES.some((name) => asText(record[name]) !== undefined);
}

export function readTaskId(family: Family, record: unknown): string | undefined {
  const { id, textId } = tables[family];
  return firstAt(record, id, asText) ?? firstAt(record, textId, asString);
}

export function readStatusWord(record: unknown, statusPlaces: readonly Place[]): string | undefined {
  // An empty word counts as well, because gateways send "" or null between accepting a task and starting it.
  const wordOf = (value: unknown): string | undefined =>
    value === null ? '' : typeof value === 'string' ? value : undefined;
  return firstAt(record, statusPlaces, (value) => asText(wordOf(value))) ?? firstAt(record, statusPlaces, wordOf);
}
