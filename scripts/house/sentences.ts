import { type Argument, type Node, parseSync, Visitor } from 'oxc-parser';

/** Where members read what is said, or what failed is worded, so that sentences are in `src/locales`. */
const SPEAKING = /^src\/(?:commands|discord|messages|services\/(?:gateway|tasks|money|orders))\//;

const SENTENCE = /^\s*[A-Z][a-z]+ \w/;
const TEXT_FIELDS = new Set(['alt', 'content', 'description', 'hint', 'label', 'placeholder', 'title']);

/** Texts in code that members read, in whichever language they read the rest. */
export function sentenceProblems(path: string, text: string): string[] {
  const problems: string[] = [];
  if (!SPEAKING.test(path)) return problems;
  const refuse = (start: number, what: string): void => {
    problems.push(`${path}:${text.slice(0, start).split('\n').length} ${what} in code. Write it into src/locales/en.`);
  };
  /** Where texts begin that are passed to a call, such as that of an error or a log, or are a constant for one. */
  const forOthers = new Set<number>();
  const allow = (node: Argument): void => {
    forOthers.add(node.start);
    if (node.type === 'ConditionalExpression') [node.consequent, node.alternate].forEach(allow);
  };
  new Visitor({
    CallExpression({ callee, arguments: values }) {
      if (!/\b(?:buttonPlan|push)$/.test(text.slice(callee.start, callee.end))) values.forEach(allow);
    },
    NewExpression: ({ arguments: values }) => values.forEach(allow),
    VariableDeclarator({ init }) {
      if (init) allow(init);
    },
    Literal: (node) => refuseSentence(node),
    TemplateLiteral: (node) => refuseSentence(node),
    Property({ key, value }) {
      const name = text.slice(key.start, key.end);
      if (TEXT_FIELDS.has(name) && /[A-Za-z]{2}/.test(wordsOf(value))) refuse(key.start, `has a ${name}`);
    },
  }).visit(parseSync(path, text).program);
  return problems;

  function refuseSentence(node: Node): void {
    if (SENTENCE.test(wordsOf(node)) && !forOthers.has(node.start)) refuse(node.start, 'says a sentence');
  }
}

/** The text of a literal, with a sign instead of each value; empty for all else. */
function wordsOf(node: Node): string {
  if (node.type === 'TemplateLiteral') return node.quasis.map(({ value }) => value.raw).join('…');
  return node.type === 'Literal' && typeof node.value === 'string' ? node.value : '';
}
