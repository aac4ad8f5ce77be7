import type { Violation } from './violation.ts';

interface FieldError {
  readonly code: string;
  readonly message: string;
}

interface FieldErrors {
  readonly errors: FieldError[];
  readonly children: Map<string, FieldErrors>;
}

const emptyNode = (): FieldErrors => ({ errors: [], children: new Map() });

/** Uses `fromEntries` because it treats the key `__proto__` like any other. */
function treeOf({ errors, children }: FieldErrors): object {
  const entries: [string, unknown][] = [...children].map(([name, child]) => [name, treeOf(child)]);
  if (errors.length > 0) entries.push(['_errors', errors]);
  return Object.fromEntries(entries);
}

/** https://discord.com/developers/docs/reference#error-messages: a tree of fields and indexes with `_errors` leaves. */
export function formError(violations: readonly Violation[]): {
  code: 50035;
  message: 'Invalid Form Body';
  errors: object;
} {
  const root = emptyNode();
  for (const { path, code, message } of violations) {
    let node = root;
    for (const key of path.match(/[^.[\]]+/g) ?? []) {
      const next = node.children.get(key) ?? emptyNode();
      node.children.set(key, next);
      node = next;
    }
    node.errors.push({ code, message });
  }
  return { code: 50035, message: 'Invalid Form Body', errors: treeOf(root) };
}
