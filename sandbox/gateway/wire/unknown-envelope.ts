import { rawNumber } from '../decimal.ts';
import { isRecord } from '../is-record.ts';

/** Undocumented names for documented fields. */
const RENAMED_FIELDS: Readonly<Record<string, string>> = {
  task_id: 'GenerationRef',
  status: 'JobPhase',
  progress: 'PercentComplete',
  imageUrl: 'RenderedFile',
  url: 'RenderedFile',
  result_url: 'RenderedFile',
};

const TASK_PATH = /^\/(?:imgx\/(?:submit|task)|music\/|videoa\/|v1\/videos?(?:\/|$)|v1\/images\/generations\/jobs)/;

/** Whether the responses of a path are tasks. */
export const returnsTasks = (path: string): boolean =>
  TASK_PATH.test(path) && !/\/(?:content|image-seed|upload-discord-images)$/.test(path);

/** Nests a response more deeply, with other field names and numeric ids. */
export function wrapInUnknownEnvelope(text: string): string {
  const response = JSON.parse(text, keepDigits);
  const isWrapped = isRecord(response) && 'code' in response && 'data' in response;
  const payload = isWrapped ? response.data : response;
  const content = Array.isArray(payload) ? payload.map(renameTask) : renameTask(payload);
  return JSON.stringify({ Ok: true, TraceId: 'c0ffee00-7ace', Envelope: { UserId: 7, Parcel: content } });
}

/** A number that would lose digits becomes text, as undocumented fields may be. */
const keepDigits = (_key: string, value: unknown, context?: { source?: string }): unknown =>
  typeof value === 'number' && String(value) !== context?.source ? context?.source : value;

function renameTask(task: unknown): unknown {
  if (typeof task === 'string') return { GenerationRef: idOf(task) };
  if (!isRecord(task)) return task;
  // A submit of the image family has its id under `result`, and a task without a `task_id` has it under `id`.
  const idField = ['task_id', 'result', 'id'].find(
    (name) => typeof task[name] === 'string' || typeof task[name] === 'number',
  );
  const { [idField ?? '']: id, ...rest } = task;
  return { ...(idField === undefined ? {} : { GenerationRef: idOf(String(id)) }), ...renameFields(rest) };
}

const renameFields = (record: Record<string, unknown>): object =>
  Object.fromEntries(
    Object.entries(record).map(([name, value]) => [RENAMED_FIELDS[name] ?? toPascalCase(name), renameNested(value)]),
  );

function renameNested(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(renameNested);
  return isRecord(value) ? renameFields(value) : value;
}

const idOf = (id: string): unknown => (/^[1-9]\d*$/.test(id) ? rawNumber(id) : id);

const toPascalCase = (name: string): string =>
  name.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
