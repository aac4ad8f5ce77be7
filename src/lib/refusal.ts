/**
 * An expected no: told to a person in words, and no bug. The key names the sentence, which only the surface knows;
 * the variables fill it in.
 */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly key: string;
  readonly variables: Readonly<Record<string, string>>;

  constructor(key: string, variables: Readonly<Record<string, string>> = {}) {
    super(key);
    this.key = key;
    this.variables = variables;
  }
}
