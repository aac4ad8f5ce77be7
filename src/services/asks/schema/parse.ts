import { isRecord, type Json } from '../../../lib/exact-json.ts';
import { Refusal } from '../../../lib/refusal.ts';

/** Larger schemas are slow and expensive for a model, and the schema is stored with its task. */
export const MAX_SCHEMA_BYTES = 64 * 1024;
const MAX_DEPTH = 32;

export type Schema = Record<string, Json>;

/** Finds problems that can be seen in the text alone; `AnswerSchemas` checks the rest. */
export function parseSchema(text: string): Schema | Refusal {
  if (Buffer.byteLength(text) > MAX_SCHEMA_BYTES) return new Refusal('refusals.schemaTooLarge');
  let schema: Json;
  try {
    schema = JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return new Refusal('refusals.schemaNotJson');
    throw error;
  }
  // Gateways only accept an object at the root.
  if (!isSchema(schema) || schema.type !== 'object') return new Refusal('refusals.schemaNotObject');
  if (isNestedDeeper(schema, MAX_DEPTH)) return new Refusal('refusals.schemaTooDeep', { max: String(MAX_DEPTH) });
  return schema;
}

const isSchema = (value: Json): value is Schema => isRecord(value);

function isNestedDeeper(value: Json, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((one) => isNestedDeeper(one, levels - 1));
}
