import type { Clock } from '../../lib/clock.ts';
import { isRecord, type Json, parsePlainJson } from '../../lib/exact-json.ts';
import { Refusal, throwIfRefusal } from '../../lib/refusal.ts';
import { type JobResult, WorkerLost, WorkerPool } from '../../lib/worker-pool.ts';
import type { SchemaCheck } from '../tasks/answer.ts';
import type { MemberFile } from '../tasks/materials.ts';
import type { SchemaJob, SchemaVerdict } from './asks/schema.worker.ts';

/** Only a schema with a hostile pattern or endless references takes longer. The time includes starting the worker on a busy machine. */
const MAX_DURATION_MS = 5_000;
const WORKER = new URL('./asks/schema.worker.ts', import.meta.url);

/** Reads the file of a member; undefined if it is not text. */
type TextReader = (file: MemberFile, memberId: string) => Promise<string | undefined>;

export type AnswerSchemas = ReturnType<typeof createAnswerSchemas>;

/** Checks answers against the schemas of members, in a thread that can be terminated. `clock`: the real clock, because the worker takes real time. */
export function createAnswerSchemas(textOf: TextReader, clock: Clock) {
  const workers = new WorkerPool<SchemaJob, SchemaVerdict>(WORKER, clock);

  /** Undefined if the check took too much time or memory, or if the queue is full. */
  async function run(job: SchemaJob): Promise<SchemaVerdict | undefined> {
    try {
      const result: JobResult<SchemaVerdict> = await workers.run(job, [], { longestMs: MAX_DURATION_MS });
      return 'done' in result ? result.done : undefined;
    } catch (error) {
      if (error instanceof WorkerLost || error instanceof Refusal) return undefined;
      throw error;
    }
  }

  return {
    /** Returns the schema as it is stored and sent; refuses an invalid one. */
    async read(source: string | MemberFile, memberId: string): Promise<string> {
      const text = typeof source === 'string' ? source : await textOf(source, memberId);
      if (text === undefined) throw new Refusal('refusals.schemaNotJson');
      const schema = JSON.stringify(throwIfRefusal(parseSchema(text)));
      const verdict = await run({ schema });
      if (!verdict) throw new Refusal('refusals.schemaSlow');
      if (verdict.problem !== undefined) throw new Refusal('refusals.schemaInvalid', { at: verdict.problem || '/' });
      return schema;
    },

    /** Returns the answer as formatted JSON and the places that do not match, or undefined if it is not JSON. */
    async check(schema: string, answer: string): Promise<{ text: string; check: SchemaCheck } | undefined> {
      const verdict = await run({ schema, answer });
      return verdict ? verdict.checked : { text: answer, check: { misfits: [], count: 0, isUnfinished: true } };
    },

    close: (): Promise<void> => workers.close(),
  };
}

/** Larger schemas are slow and expensive for a model, and the schema is stored with its task. */
export const MAX_SCHEMA_BYTES = 64 * 1024;
const MAX_DEPTH = 32;

type Schema = Record<string, Json>;

/** Finds problems that can be seen in the text alone; a worker checks the rest. */
export function parseSchema(text: string): Schema | Refusal {
  if (Buffer.byteLength(text) > MAX_SCHEMA_BYTES) return new Refusal('refusals.schemaTooLarge');
  const schema = parsePlainJson(text);
  if (schema === undefined) return new Refusal('refusals.schemaNotJson');
  // Gateways only accept an object at the root.
  if (!isSchema(schema) || schema.type !== 'object') return new Refusal('refusals.schemaNotObject');
  if (isNestedDeeper(schema, MAX_DEPTH)) return new Refusal('refusals.schemaTooDeep', { max: String(MAX_DEPTH) });
  return schema;
}

const isSchema = (value: unknown): value is Schema => isRecord(value);

function isNestedDeeper(value: Json, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((one) => isNestedDeeper(one, levels - 1));
}

/** OpenAI's strict mode refuses every other keyword. A schema that does not qualify is sent without `strict`. */
const STRICT_KEYWORDS = new Set([
  ...['type', 'properties', 'required', 'additionalProperties', 'items', 'enum', 'const', 'anyOf', '$ref', '$defs'],
  ...['title', 'description', 'pattern', 'format', 'multipleOf', 'minItems', 'maxItems'],
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'],
]);
const STRICT_FORMATS = new Set(['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid']);
const MAX_LEVELS = 10;

/** Whether a schema meets OpenAI's rules for `strict`: every object names all of its properties, requires them, and allows no others. */
export const fitsStrictMode = (schema: Record<string, unknown>): boolean =>
  !('anyOf' in schema) && isStrict(schema, MAX_LEVELS);

function isStrict(schema: unknown, levels: number): boolean {
  if (!isRecord(schema) || levels < 0) return false;
  if (!Object.keys(schema).every((keyword) => STRICT_KEYWORDS.has(keyword))) return false;
  const { format, items, anyOf, $defs = {} } = schema;
  if (format !== undefined && !(typeof format === 'string' && STRICT_FORMATS.has(format))) return false;
  if (!isRecord($defs) || !areStrict(Object.values($defs), levels)) return false;
  if (items !== undefined && !isStrict(items, levels)) return false;
  if (anyOf !== undefined && !(Array.isArray(anyOf) && areStrict(anyOf, levels))) return false;
  return !mayBeObject(schema) || isStrictObject(schema, levels);
}

const areStrict = (schemas: readonly unknown[], levels: number): boolean =>
  schemas.every((one) => isStrict(one, levels));

const mayBeObject = ({ type, properties }: Record<string, unknown>): boolean =>
  properties !== undefined || [type].flat().includes('object');

function isStrictObject(schema: Record<string, unknown>, levels: number): boolean {
  const { properties = {}, required = [], additionalProperties } = schema;
  if (additionalProperties !== false || !isRecord(properties) || !Array.isArray(required)) return false;
  const isRequired = Object.keys(properties).every((name) => required.includes(name));
  return isRequired && areStrict(Object.values(properties), levels - 1);
}
