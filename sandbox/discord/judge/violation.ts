/** One reason for which Discord would refuse a body. */
export interface Violation {
  /** Where, as a person reads it: `components[0].components[1].label`; empty for the body itself. */
  readonly path: string;
  /** Discord's own code where it is known (`BASE_TYPE_BAD_LENGTH`), else one of ours. */
  readonly code: string;
  readonly message: string;
  /** With which Discord answers this alone, instead of with a form error. */
  readonly number?: number;
}

export const violation = (path: string, code: string, message: string): Violation => ({ path, code, message });

export const field = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

export const item = (path: string, index: number): string => `${path}[${index}]`;

export const required = (path: string): Violation => violation(path, 'BASE_TYPE_REQUIRED', 'This field is required');

/** Two rules may find the same fault (the schema's limit and a stricter one of ours): it is told once. */
export function withoutRepeats(violations: readonly Violation[]): Violation[] {
  const seen = new Set<string>();
  return violations.filter(({ path, code }) => {
    const fault = `${code} ${path}`;
    if (seen.has(fault)) return false;
    seen.add(fault);
    return true;
  });
}
