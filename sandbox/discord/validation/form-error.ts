import type { Violation } from './violation.ts';

interface Leaf {
  readonly code: string;
  readonly message: string;
}

interface Branch {
  readonly leaves: Leaf[];
  readonly below: Map<string, Branch>;
}

const branch = (): Branch => ({ leaves: [], below: new Map() });

/** Uses `fromEntries` because it treats the key `__proto__` like any other. */
function treeOf({ leaves, below }: Branch): object {
  const entries: [string, unknown][] = [...below].map(([name, child]) => [name, treeOf(child)]);
  if (leaves.length > 0) entries.push(['_errors', leaves]);
  return Object.fromEntries(entries);
}

/** https://discord.com/developers/docs/reference#error-messages: a tree of fields and indexes with `_errors` leaves. */
export function formError(violations: readonly Violation[]): {
  code: 50035;
  message: 'Invalid Form Body';
  errors: object;
} {
  const root = branch();
  for (const { path, code, message } of violations) {
    let here = root;
    for (const step of path.match(/[^.[\]]+/g) ?? []) {
      const next = here.below.get(step) ?? branch();
      here.below.set(step, next);
      here = next;
    }
    here.leaves.push({ code, message });
  }
  return { code: 50035, message: 'Invalid Form Body', errors: treeOf(root) };
}
