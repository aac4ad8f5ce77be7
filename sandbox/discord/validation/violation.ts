/** One reason why Discord would refuse a body. */
export interface Violation {
  /** Such as `components[0].components[1].label`; empty for the body itself. */
  readonly path: string;
  /** Discord's code if it is known (`BASE_TYPE_BAD_LENGTH`), otherwise our own. */
  readonly code: string;
  readonly message: string;
  /** The error code that Discord uses for this violation instead of a form error. */
  readonly errorCode?: number;
}

export const violation = (path: string, code: string, message: string): Violation => ({ path, code, message });

export const field = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

export const item = (path: string, index: number): string => `${path}[${index}]`;

export const required = (path: string): Violation => violation(path, 'BASE_TYPE_REQUIRED', 'This field is required');

/** Two rules may report the same fault, such as the schema's limit and a stricter one of ours. */
export function withoutDuplicates(violations: readonly Violation[]): Violation[] {
  const seen = new Set<string>();
  return violations.filter(({ path, code }) => {
    const key = `${code} ${path}`;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}
