/** Thrown for an action that Discord's own client would not allow. */
export class ImpossibleActionError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ImpossibleActionError';
  }
}

export const isFile = (value: unknown): value is { name: string; bytes: Buffer } =>
  typeof value === 'object' && value !== null && 'bytes' in value && 'name' in value;
