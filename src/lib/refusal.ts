type RefusalVariables = Readonly<Record<string, string | number | readonly string[]>>;

/** An expected failure that the member is notified of. The key names a sentence, which the variables fill in. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly key: string;
  /** Not escaped, because the Discord layer does that. Numbers are counts, or times in seconds. */
  readonly variables: RefusalVariables;

  constructor(key: string, variables: RefusalVariables = {}) {
    super(key);
    this.key = key;
    this.variables = variables;
  }
}

/** Refuses a request for what it says, which others must not read either. */
export class ContentRefusal extends Refusal {}

/** Throws if the value is a refusal, and returns any other value. */
export function throwIfRefusal<Value>(value: Value | Refusal): Value {
  if (value instanceof Refusal) throw value;
  return value;
}
