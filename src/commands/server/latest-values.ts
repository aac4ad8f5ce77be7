import { createHash } from 'node:crypto';
import type { FormValues } from '../../discord/form.ts';
import type { FieldPlan } from '../../discord/plan.ts';

/** Five of these fit into the id of a form. */
const DIGEST_LENGTH = 4;

const digestOf = (values: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(values.toSorted())).digest('base64url').slice(0, DIGEST_LENGTH);

function valuesOf(field: FieldPlan): readonly string[] {
  switch (field.type) {
    case 'text':
      return [field.value ?? ''];
    case 'choice':
      return field.options.filter(({ isDefault }) => isDefault).map(({ value }) => value);
    case 'roles':
    case 'channels':
      return field.values ?? [];
    default:
      return [];
  }
}

/** What a form shows when it opens, for its id. */
export const digestsOf = (fields: readonly FieldPlan[]): string =>
  fields.map((field) => digestOf(valuesOf(field))).join('');

/** Replaces values that were submitted as the form had shown them: another admin may have changed those in the meantime. */
export function latestValues(
  { fields, lists, files }: FormValues,
  opened: string,
  latest: readonly FieldPlan[],
): FormValues {
  const untouched = latest.filter(({ name }, index) =>
    opened.startsWith(digestOf(lists[name] ?? [fields[name] ?? '']), index * DIGEST_LENGTH),
  );
  return {
    fields: { ...fields, ...Object.fromEntries(untouched.map((field) => [field.name, valuesOf(field)[0] ?? ''])) },
    lists: { ...lists, ...Object.fromEntries(untouched.map((field) => [field.name, valuesOf(field)])) },
    files,
  };
}
