type RefusalVariables = Readonly<Record<string, string | readonly string[]>>;

/**
 * An expected failure: the member is told, and it is no bug. The key names the sentence, which only the Discord side
 * knows; the variables fill it in.
 */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly key: string;
  /** Unescaped: escaping is the Discord side's business. */
  readonly variables: RefusalVariables;

  constructor(key: string, variables: RefusalVariables = {}) {
    super(key);
    this.key = key;
    this.variables = variables;
  }
}
