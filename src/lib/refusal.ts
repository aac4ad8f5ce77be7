import type { ParseInterpolationValues, ParseKeys, TypeOptions } from 'i18next';

/** `commands/index.ts` tells i18next which sentences there are. */
export type RefusalKey = Extract<ParseKeys, `refusals.${string}` | 'gateway.not-offered'>;

/** A sentence, as its forms for each count if it has several. */
type SentenceAt<Tree, Path> = Path extends `${infer Name extends keyof Tree & string}.${infer Rest}`
  ? SentenceAt<Tree[Name], Rest>
  : Path extends keyof Tree
    ? Tree[Path]
    : Tree[keyof Tree & `${Path & string}_${'one' | 'other'}`] | '{{count}}';

type VariableIn<Key> = ParseInterpolationValues<SentenceAt<TypeOptions['resources']['translation'], Key>>;

type Variables<Name extends string = string> = {
  readonly [Each in Name]: Each extends 'duration' ? number : string | number | readonly string[];
};

/** Those of the sentence; for a key that is only known at run time, any. */
type VariablesOf<Key> = RefusalKey extends Key
  ? [variables?: Variables]
  : [VariableIn<Key>] extends [never]
    ? []
    : [variables: Variables<VariableIn<Key>>];

/** An expected failure that the member is notified of. The key names a sentence, which the variables fill in. */
export class Refusal<Key extends RefusalKey = RefusalKey> extends Error {
  override readonly name = 'Refusal';
  readonly key: RefusalKey;
  /** Not escaped, because the Discord layer does that. Numbers are counts, or times in seconds. */
  readonly variables: Variables;

  constructor(key: Key, ...[variables = {}]: VariablesOf<Key>) {
    super(key);
    this.key = key;
    this.variables = variables;
  }
}

/** Refuses a request for what it says, which others must not read either. */
export class ContentRefusal<Key extends RefusalKey = RefusalKey> extends Refusal<Key> {}

/** Refuses a member who lacks a permission, so that nothing that they could enter would be accepted. */
export class PermissionRefusal<Key extends RefusalKey = RefusalKey> extends Refusal<Key> {}

/** Refuses a request for its price, so that a cheaper one may be accepted. */
export class PriceRefusal extends Refusal {
  constructor({ key, variables }: Refusal) {
    super(key, variables);
  }
}

export function throwIfRefusal<Value>(value: Value | Refusal): Value {
  if (value instanceof Refusal) throw value;
  return value;
}
