import { type Node, parseSync, Visitor } from 'oxc-parser';
import type { Mutant } from './mutants.ts';

/** A place where code can be entered: a statement or the expression of an arrow function. */
interface Place {
  readonly start: number;
  readonly end: number;
  readonly line: number;
  readonly form: 'statement' | 'branch' | 'expression';
}

/** The places of a file that run only when a function is called, outer ones first. */
function placesIn(path: string, text: string): Place[] {
  const places: Place[] = [];
  const add = ({ start, end }: Node, form: Place['form']): void => {
    places.push({ start, end, line: text.slice(0, start).split('\n').length, form });
  };
  const addBranch = (node: Node | null): void => {
    if (node && node.type !== 'BlockStatement') add(node, 'branch');
  };
  new Visitor({
    BlockStatement: ({ body }) => body.forEach((node) => void add(node, 'statement')),
    SwitchCase: ({ consequent }) => consequent.forEach((node) => void add(node, 'statement')),
    IfStatement({ consequent, alternate }) {
      addBranch(consequent);
      addBranch(alternate);
    },
    ForOfStatement: ({ body }) => addBranch(body),
    ForStatement: ({ body }) => addBranch(body),
    WhileStatement: ({ body }) => addBranch(body),
    ArrowFunctionExpression({ body, expression }) {
      if (expression) add(body, 'expression');
    },
  }).visit(parseSync(path, text).program);
  return places.toSorted((one, other) => one.start - other.start || other.end - one.end);
}

/** The text with a probe at each place, which records its line in `globalThis.reachedLines`. Lines keep their numbers. */
export function addProbes(path: string, text: string): string {
  const insertions = placesIn(path, text).flatMap(({ start, end, line, form }) => {
    const probe = `globalThis.reachedLines?.add('${path}:${line}')`;
    if (form === 'statement') return [{ at: start, inserted: `${probe};` }];
    const [opening, closing] = form === 'branch' ? [`{${probe};`, '}'] : [`(${probe},`, ')'];
    return [
      { at: start, inserted: opening },
      { at: end, inserted: closing },
    ];
  });
  let probed = text;
  // Ends of inner places come before those of outer ones at the same offset.
  for (const { at, inserted } of insertions.toSorted((one, other) => other.at - one.at))
    probed = probed.slice(0, at) + inserted + probed.slice(at);
  return probed;
}

/** The line of the probe that a mutant's code comes after. Undefined outside of functions. */
export function lineOfEntry(text: string, { path, start, end, replacement }: Mutant): number | undefined {
  const places = placesIn(path, text);
  const isEmptiedBlock = replacement === '{}';
  return isEmptiedBlock
    ? places.find((place) => place.start > start && place.end < end)?.line
    : places.findLast((place) => place.start <= start && end <= place.end)?.line;
}
