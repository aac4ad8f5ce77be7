import type { z } from 'zod';
import { truncated } from '../../api-error.ts';
import { isRecord } from '../../is-record.ts';
import type { Dialect } from '../dialect.ts';
import { EventError } from '../event-error.ts';
import { type ClientEvent, clientEvents } from './events.ts';

/** Parses a client's event, or throws an `EventError` about its first problem. */
export function parseEvent(received: unknown, dialect: Dialect): ClientEvent {
  if (!isRecord(received)) throw new EventError('An event must be a JSON object.', { code: 'invalid_event' });
  if (received.type === undefined) throw missingField('type');
  const schemas = clientEvents[dialect];
  const schema = schemas.get(String(received.type));
  if (!schema) {
    const eventTypes = [...schemas.keys()].map((type) => `'${type}'`).join(', ');
    throw new EventError(`Invalid value: '${truncated(String(received.type))}'. Supported values are: ${eventTypes}.`, {
      code: 'invalid_value',
      param: 'type',
    });
  }
  const parsed = schema.safeParse(received);
  if (parsed.success) return parsed.data;
  throw firstRefusal(parsed.error.issues.flatMap(closestIssues), received);
}

const missingField = (param: string) =>
  new EventError(`Missing required parameter: '${param}'.`, { code: 'missing_required_parameter', param });

/** For a union, returns the issues of the branch that has the fewest. */
function closestIssues(issue: z.core.$ZodIssue): readonly z.core.$ZodIssue[] {
  if (issue.code !== 'invalid_union') return [issue];
  const branches = issue.errors.map((branch) =>
    branch.flatMap(closestIssues).map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] })),
  );
  return branches.toSorted((one, other) => one.length - other.length)[0] ?? [issue];
}

/** Missing fields are reported first, then unknown fields, then invalid values. */
function firstRefusal(issues: readonly z.core.$ZodIssue[], received: unknown): EventError {
  const absentIssue = issues.find(
    ({ code, path }) => code !== 'unrecognized_keys' && valueAt(received, path) === undefined,
  );
  if (absentIssue) return missingField(nameOf(absentIssue.path));
  for (const issue of issues) {
    if (issue.code !== 'unrecognized_keys') continue;
    const param = nameOf([...issue.path, ...issue.keys.slice(0, 1)]);
    return new EventError(`Unknown parameter: '${param}'.`, { code: 'unknown_parameter', param });
  }
  const [issue] = issues;
  const param = nameOf(issue?.path ?? []);
  const value = valueAt(received, issue?.path ?? []);
  const shownValue = typeof value === 'string' ? `'${truncated(value)}'` : JSON.stringify(value)?.slice(0, 80);
  const code = issue?.code === 'invalid_type' ? 'invalid_type' : 'invalid_value';
  const expected =
    issue?.code === 'invalid_value'
      ? `Supported values are: ${issue.values.map((one) => `'${String(one)}'`).join(', ')}`
      : `'${param}': ${issue?.message}`;
  return new EventError(`Invalid value: ${shownValue}. ${expected}.`, { code, param });
}

const valueAt = (received: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>((value, step) => (value as Record<PropertyKey, unknown> | null | undefined)?.[step], received);

/** Formats a path, for example as `item.content[0].type`. */
const nameOf = (path: readonly PropertyKey[]): string =>
  path
    .reduce<string>((name, step) => (typeof step === 'number' ? `${name}[${step}]` : `${name}.${String(step)}`), '')
    .replace(/^\./, '');
