import { createHash } from 'node:crypto';
import type { FieldPlan, FormValues } from '../discord/plan.ts';

/** Five of these fit into the id of a form, twice. */
const DIGEST_LENGTH = 3;

/** An empty text counts like a list without a choice, because the field of a model can be either. */
const digestOf = (values: readonly string[]): string =>
  createHash('sha256')
    .update(JSON.stringify(values.filter(Boolean).toSorted()))
    .digest('base64url')
    .slice(0, DIGEST_LENGTH);

export function valuesOf(field: FieldPlan): readonly string[] {
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

/** What an admin has read: in the form when it opened, and of later changes in a refusal. */
interface ReadValues {
  opened?: string | undefined;
  seen?: string | undefined;
}

/** Replaces values that were submitted as the form had shown them, because another admin may have changed them. `overtaken`: the fields that both have changed. */
export function latestValues(
  { fields, lists, files }: FormValues,
  { opened = '', seen = '' }: ReadValues,
  latest: readonly FieldPlan[],
): { values: FormValues; overtaken: FieldPlan[] } {
  const untouched: FieldPlan[] = [];
  const overtaken: FieldPlan[] = [];
  for (const [index, field] of latest.entries()) {
    const [shown, shownLater] = [opened, seen].map((digests) =>
      digests.slice(index * DIGEST_LENGTH).slice(0, DIGEST_LENGTH),
    );
    const submitted = digestOf(lists[field.name] ?? [fields[field.name] ?? '']);
    if (submitted === shown) untouched.push(field);
    else if (![shown, shownLater, submitted].includes(digestOf(valuesOf(field)))) overtaken.push(field);
  }
  const values = {
    fields: { ...fields, ...Object.fromEntries(untouched.map((field) => [field.name, valuesOf(field)[0] ?? ''])) },
    lists: { ...lists, ...Object.fromEntries(untouched.map((field) => [field.name, valuesOf(field)])) },
    files,
  };
  return { values, overtaken };
}
