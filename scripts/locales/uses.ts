import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type CallExpression, type NewExpression, type Node, parseSync, Visitor } from 'oxc-parser';

/** A place in the code that uses a sentence, or throws a refusal that has one. */
export interface Use {
  /** File and line. */
  readonly location: string;
  /** The possible keys, as patterns that match whole keys. */
  readonly keys: readonly RegExp[];
  /** The names of the variables; undefined if they are only known at run time. */
  readonly variables: ReadonlySet<string> | undefined;
  /** The part of a message or form that the sentence is used for, if Discord limits its length. */
  readonly part: Part | undefined;
}

export type Part = 'button' | 'form title' | 'form label' | 'form hint' | 'choice' | 'placeholder';

const root = fileURLToPath(new URL('../../src', import.meta.url));
/** Whether a file defines sentences; such a file uses none. */
const isTable = (path: string): boolean => path.startsWith('locales/');
/** Whether a file belongs to a lower layer, which uses no sentences; its functions named `say` are something else. */
const isLowerLayer = (path: string): boolean => path.startsWith('services/') || path.startsWith('lib/');

/** Returns the uses of sentences outside their tables, and every string and identifier in the code. */
export function readUses(): { uses: Use[]; words: ReadonlySet<string> } {
  const paths = globSync('**/*.ts', { cwd: root }).filter((path) => !isTable(path));
  const files = paths.map((path) => usesIn(path, readFileSync(join(root, path), 'utf8')));
  return { uses: files.flatMap(({ uses }) => uses), words: new Set(files.flatMap(({ words }) => [...words])) };
}

type Call = CallExpression | NewExpression;

function usesIn(path: string, source: string): { uses: Use[]; words: Set<string> } {
  const { program, errors } = parseSync(path, source, { preserveParens: false });
  if (errors[0]) throw new Error(`${path}: ${errors[0].message}`);
  const calls: Call[] = [];
  const words = new Set<string>();
  const values = new Map<string, Node>();
  const parts = new Map<Node, Part>();
  /** The keys of refusals that the code passes to functions. */
  const passedKeys: string[] = [];
  new Visitor({
    NewExpression: (call) => void calls.push(call),
    CallExpression(call) {
      calls.push(call);
      const [first] = call.arguments;
      const key = first && textOf(first);
      if (key?.startsWith('refusals.')) passedKeys.push(key);
      if (first && call.callee.type === 'Identifier' && call.callee.name === 'buttonPlan') parts.set(first, 'button');
    },
    Literal: ({ value }) => void (typeof value === 'string' && words.add(value)),
    Identifier: ({ name }) => void words.add(name),
    VariableDeclarator({ id, init }) {
      if (id.type === 'Identifier' && init) values.set(id.name, withoutTypes(init));
    },
    ObjectExpression({ properties }) {
      const ownProperties = properties.flatMap((one) => (one.type === 'Property' ? [one] : []));
      const propertyValue = (name: string) =>
        ownProperties.find(({ key }) => key.type === 'Identifier' && key.name === name)?.value;
      const type = propertyValue('type');
      for (const name of ['label', 'title', 'hint', 'placeholder']) {
        const value = propertyValue(name);
        const part = partOf(name, type && textOf(type), propertyValue('blocks') !== undefined);
        if (value && part) parts.set(value, part);
      }
    },
  }).visit(program);

  /** The keys that an expression can evaluate to: literals, also in conditional expressions and in tables in the same file. */
  const keysOf = (node: Node): RegExp[] => {
    const text = textOf(node);
    if (text !== undefined) return [patternOf(text)];
    if (node.type === 'ConditionalExpression') return [...keysOf(node.consequent), ...keysOf(node.alternate)];
    if (node.type === 'TemplateLiteral')
      return [new RegExp(`^${node.quasis.map(({ value }) => RegExp.escape(value.raw)).join('[^.]+')}$`)];
    if (node.type === 'MemberExpression' && node.object.type === 'Identifier') {
      const table = values.get(node.object.name);
      if (table?.type === 'ObjectExpression')
        return table.properties.flatMap((one) => (one.type === 'Property' ? keysOf(one.value) : []));
    }
    return [];
  };

  const namesIn = (node: Node | undefined): string[] | undefined => {
    if (!node) return [];
    if (node.type === 'Identifier') return values.has(node.name) ? namesIn(values.get(node.name)) : undefined;
    if (node.type === 'LogicalExpression') return namesIn(node.right);
    if (node.type !== 'ObjectExpression') return undefined;
    const names = node.properties.map((one) => {
      if (one.type === 'SpreadElement') return namesIn(withoutTypes(one.argument));
      return one.key.type === 'Identifier' ? [one.key.name] : undefined;
    });
    return names.includes(undefined) ? undefined : names.flatMap((propertyNames) => propertyNames ?? []);
  };

  const uses = calls.flatMap((call): Use[] => {
    const [key, variables] = call.arguments;
    if (!key || !(isRefusal(call) || (isTranslation(call) && !isLowerLayer(path)))) return [];
    // The key is a parameter of a function that throws, and calls to that function in the same file pass the possible keys.
    const candidates = key.type === 'Identifier' ? passedKeys : [];
    const keys = [...keysOf(key), ...candidates.map(patternOf)];
    const names = namesIn(variables && withoutTypes(variables));
    const line = source.slice(0, call.start).split('\n').length;
    return [{ location: `${path}:${line}`, keys, variables: names && new Set(names), part: parts.get(call) }];
  });
  return { uses, words };
}

const patternOf = (key: string): RegExp => new RegExp(`^${RegExp.escape(key)}$`);

/** A new refusal, or the constructor of a class of refusals. */
function isRefusal({ type, callee, arguments: [key] }: Call): boolean {
  if (callee.type === 'Super')
    return key?.type === 'TemplateLiteral' && key.quasis[0]?.value.raw.startsWith('refusals.') === true;
  return (
    type === 'NewExpression' && callee.type === 'Identifier' && ['Refusal', 'ContentRefusal'].includes(callee.name)
  );
}

/** `say(…)`, `ask.say(…)` and `this.#say(…)`. */
function isTranslation({ callee }: Call): boolean {
  if (callee.type === 'Identifier') return callee.name === 'say';
  return callee.type === 'MemberExpression' && 'name' in callee.property && callee.property.name === 'say';
}

function partOf(name: string, type: string | undefined, isPage: boolean): Part | undefined {
  if (name === 'placeholder') return 'placeholder';
  if (name === 'title') return isPage ? undefined : 'form title';
  if (name === 'hint') return 'form hint';
  if (type === undefined) return 'choice';
  // A note is text in a form, of any length.
  if (type === 'note') return undefined;
  return type === 'button' ? 'button' : 'form label';
}

const textOf = (node: Node): string | undefined =>
  node.type === 'Literal' && typeof node.value === 'string' ? node.value : undefined;

/** Removes syntax that only the type checker reads. */
const withoutTypes = (node: Node): Node => (node.type === 'TSAsExpression' ? withoutTypes(node.expression) : node);
