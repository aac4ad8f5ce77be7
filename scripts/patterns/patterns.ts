import { type CallExpression, type NewExpression, parseSync, Visitor } from 'oxc-parser';

/** A regular expression in a file. */
export interface Pattern {
  /** As it is written: `/x+$/g`, or the whole `new RegExp(…)` if the pattern is built at run time. */
  readonly text: string;
  readonly path: string;
  readonly line: number;
  /** Undefined if it is built at run time. */
  readonly regex: { readonly pattern: string; readonly flags: string } | undefined;
}

/** Finds every regular expression literal and every call to `RegExp`. */
export function patternsIn(path: string, source: string): Pattern[] {
  const { program, errors } = parseSync(path, source);
  if (errors[0]) throw new Error(`${path}: ${errors[0].message}`);
  const patterns: Pattern[] = [];
  const lineOf = (start: number): number => source.slice(0, start).split('\n').length;
  const add = (text: string, start: number, regex: Pattern['regex']): void => {
    patterns.push({ text, path, line: lineOf(start), regex });
  };
  const addCall = (call: CallExpression | NewExpression): void => {
    if (call.callee.type !== 'Identifier' || call.callee.name !== 'RegExp') return;
    const [pattern, flags = ''] = call.arguments.map(textOf);
    const isKnown = pattern !== undefined && flags !== undefined;
    const text = isKnown ? `/${pattern}/${flags}` : source.slice(call.start, call.end);
    add(text, call.start, isKnown ? { pattern, flags } : undefined);
  };
  new Visitor({
    Literal(node) {
      if ('regex' in node) add(source.slice(node.start, node.end), node.start, node.regex);
    },
    NewExpression: addCall,
    CallExpression: addCall,
  }).visit(program);
  return patterns;
}

function textOf(node: unknown): string | undefined {
  if (typeof node !== 'object' || node === null || !('value' in node)) return undefined;
  return typeof node.value === 'string' ? node.value : undefined;
}
