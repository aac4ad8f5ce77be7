import { readFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { fileURLToPath } from 'node:url';
import { type Node, parseSync, Visitor } from 'oxc-parser';

/** A named function that ran. */
export interface RunFunction {
  readonly path: string;
  readonly name: string;
  /** It only calls one other function with the same values. */
  readonly isForwarder: boolean;
}

/** Records which functions of a folder run, with V8's precise coverage. */
export class Recorder {
  readonly #session = new Session();
  readonly #folder: string;

  /** `folder`: a file URL that ends with a slash. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  async start(): Promise<void> {
    this.#session.connect();
    await this.#session.post('Profiler.enable');
    await this.#session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  }

  /** The functions that ran since the last call. */
  async take(): Promise<RunFunction[]> {
    const { result } = await this.#session.post('Profiler.takePreciseCoverage');
    return result
      .filter(({ url }) => url.startsWith(this.#folder))
      .flatMap(({ url, functions }) => {
        const path = fileURLToPath(url);
        const forwarders = forwardersIn(path);
        return functions.flatMap(({ functionName: name, ranges: [range] }) => {
          // Initializers of fields have a name in angle brackets.
          if (!range?.count || name === '' || name.startsWith('<')) return [];
          return { path: url.slice(this.#folder.length), name, isForwarder: forwarders.has(range.endOffset) };
        });
      });
  }
}

/** The ends of all functions in a file that only forward; Node keeps every character's place when it removes types. */
function forwardersIn(path: string): ReadonlySet<number> {
  const ends = new Set<number>();
  const note = (node: { params: Node[]; body: Node | null; end: number }): void => {
    if (isForwarder(node.params, node.body)) ends.add(node.end);
  };
  new Visitor({ ArrowFunctionExpression: note, FunctionExpression: note, FunctionDeclaration: note }).visit(
    parseSync(path, readFileSync(path, 'utf8')).program,
  );
  return ends;
}

function isForwarder(params: readonly Node[], body: Node | null): boolean {
  const call = onlyCallOf(body);
  if (call?.type !== 'CallExpression' || call.arguments.length !== params.length || !isName(call.callee)) return false;
  return params.every((param, index) => {
    const name = nameIn(param);
    return name !== undefined && name === nameIn(call.arguments[index]);
  });
}

/** A test with a pattern, or a call on what another call returns, does more than forward. */
function isName(node: Node): boolean {
  if (node.type === 'MemberExpression') return isName(node.object);
  return node.type === 'Identifier' || node.type === 'ThisExpression';
}

/** The only expression of a function's body, without `await` and `void`. */
function onlyCallOf(node: Node | null | undefined): Node | undefined {
  switch (node?.type) {
    case 'BlockStatement':
      return node.body.length === 1 ? onlyCallOf(node.body[0]) : undefined;
    case 'ExpressionStatement':
      return onlyCallOf(node.expression);
    case 'ReturnStatement':
    case 'AwaitExpression':
    case 'UnaryExpression':
      return onlyCallOf(node.argument);
    default:
      return node ?? undefined;
  }
}

function nameIn(node: Node | undefined): string | undefined {
  if (node?.type === 'Identifier') return node.name;
  return node?.type === 'RestElement' || node?.type === 'SpreadElement' ? nameIn(node.argument) : undefined;
}
