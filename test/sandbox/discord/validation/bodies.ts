import type { BodyFacts, BodyKind } from '../../../../sandbox/discord/validation/index.ts';

/** A request body to validate. */
export interface Case {
  readonly name: string;
  readonly kind: BodyKind;
  readonly body: unknown;
  readonly facts?: BodyFacts;
}

/** A request body and the violations that it should produce. */
export interface InvalidCase extends Case {
  readonly faults: readonly (readonly [path: string, code: string])[];
}

export const V2 = 1 << 15;
export const EPHEMERAL = 64;

export const longText = (length: number): string => 'x'.repeat(length);

export const times = <Each>(count: number, make: (index: number) => Each): Each[] =>
  Array.from({ length: count }, (_, index) => make(index));

export const row = (...components: unknown[]) => ({ type: 1, components });

export const button = (id: string, overrides: object = {}) => ({
  type: 2,
  style: 1,
  custom_id: id,
  label: id,
  ...overrides,
});

export const select = (id: string, overrides: object = {}) => ({
  type: 3,
  custom_id: id,
  options: [{ label: 'a', value: 'a' }],
  ...overrides,
});

export const text = (content: string) => ({ type: 10, content });

export const option = (name: string, overrides: object = {}) => ({
  type: 3,
  name,
  description: 'what it is',
  ...overrides,
});

export const slashCommand = (name: string, overrides: object = {}) => ({
  name,
  description: 'what it does',
  ...overrides,
});

export const upload = (name: string, id = '0') => ({ id, name, bytes: 10 });
