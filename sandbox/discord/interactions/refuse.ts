/** What Discord's own client does not let a person do. */
export class NotPossible extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'NotPossible';
  }
}

export const isFile = (value: unknown): value is { name: string; bytes: Buffer } =>
  typeof value === 'object' && value !== null && 'bytes' in value && 'name' in value;
