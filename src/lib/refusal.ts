type RefusalVariables = Readonly<Record<string, string | readonly string[]>>;

/**
 * An expected no: told to a person in words, and no bug. The key names the sentence, which only the surface knows;
 * the variables fill it in.
 */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly key: string;
  /** As they are: how they are set apart from the sentence, and kept from breaking it, is the surface's business. */
  readonly variables: RefusalVariables;

  constructor(key: string, variables: RefusalVariables = {}) {
    super(key);
    this.key = key;
    this.variables = variables;
  }
}

/** Throws a refusal; any other value is returned. */
export function throwRefusal<Value>(value: Value | Refusal): Value {
  if (value instanceof Refusal) throw value;
  return value;
}
