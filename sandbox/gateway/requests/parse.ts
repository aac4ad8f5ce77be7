import type { z } from 'zod';
import { ApiError } from '../api-error.ts';
import { isRecord } from '../is-record.ts';

/** Parses a request body, or throws an `ApiError` about its first problem. `null` counts as absent. */
export function parseRequest<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  if (!isRecord(body)) throw badRequest('The body must be a JSON object.', 'bad_request_body');
  const fields = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));
  const parsed = schema.safeParse(fields);
  if (parsed.success) return parsed.data;
  const issue = deepestIssue(parsed.error.issues);
  const field = String(issue?.path[0] ?? '');
  if (field === '') throw badRequest(toSentence(issue?.message ?? 'is not valid'));
  const value = fields[field];
  const isMissing = value === undefined || (typeof value === 'string' && value.trim() === '') || isEmptyList(value);
  if (isMissing) throw badRequest(`${field} is required`, `${toSnakeCase(field)}_is_required`);
  // Shortens zod's default messages.
  const problem = issue?.message.replace(/^(?:Invalid (?:input|option)|Too (?:big|small)): /, 'is not valid: ');
  throw badRequest(`${issue?.path.join('.')} ${problem}`);
}

interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** For an invalid list item, returns the issue of the item rather than that of the list. */
function deepestIssue(issues: readonly z.core.$ZodIssue[]): Issue | undefined {
  const [first] = issues;
  if (first?.code !== 'invalid_union') return first;
  const branches = first.errors.map((branch) => deepestIssue(branch)).filter((issue) => issue !== undefined);
  const inner = branches.sort((left, right) => right.path.length - left.path.length)[0];
  return inner ? { path: [...first.path, ...inner.path], message: inner.message } : first;
}

const badRequest = (message: string, code = 'invalid_request') => new ApiError(message, { status: 400, code });
const isEmptyList = (value: unknown) => Array.isArray(value) && value.length === 0;
const toSnakeCase = (field: string) => field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const toSentence = (text: string) => (/^[A-Z]/.test(text) ? text : `The body ${text}`);
