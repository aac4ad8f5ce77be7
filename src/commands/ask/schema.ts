import type { Attachment } from '../../discord/options.ts';
import { Refusal } from '../../lib/refusal.ts';
import { MAX_SCHEMA_BYTES, parseSchema } from '../../services/asks/schema/parse.ts';

interface SchemaOptions {
  schema: Attachment | undefined;
  schema_text: string | undefined;
}

/** Checks a schema for problems that are visible in the payload alone. */
export function schemaRefusal({ schema, schema_text: text }: SchemaOptions): Refusal | undefined {
  if (schema && text !== undefined) return new Refusal('refusals.schemaTwice');
  if (schema && schema.size > MAX_SCHEMA_BYTES) return new Refusal('refusals.schemaTooLarge');
  const parsed = text === undefined ? undefined : parseSchema(text);
  return parsed instanceof Refusal ? parsed : undefined;
}
