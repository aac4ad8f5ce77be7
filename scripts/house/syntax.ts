import { type Argument, type Expression, parseSync, Visitor } from 'oxc-parser';

const MAX_FUNCTION_LINES = 60;

/** Functions of `src` that are longer: they only list what is opened, in order. */
const LONGER = new Set([
  'src/messages/open-notices.ts',
  'src/roles/bot.ts',
  'src/roles/shard.ts',
  'src/services/operations/engine.ts',
]);

/** Where members read what is said, so that sentences are in `src/locales`, except those for models or for the log. */
const SPEAKING = /^src\/(?:commands|discord|messages)\//;
const FOR_OTHERS = new Set([
  'src/commands/ask/tool-calls.ts',
  'src/commands/image/larger.ts',
  'src/messages/open-notices.ts',
]);
const SENTENCE = /^\s*[A-Z][a-z]+ \w/;
const TEXT_FIELDS = new Set(['alt', 'content', 'description', 'hint', 'label', 'placeholder', 'title']);

/** Where the code of a file does not keep to the house style. `path` is relative to the project's folder. */
export function syntaxProblems(path: string, text: string): string[] {
  const problems: string[] = [];
  const refuse = (start: number, message: string): void => {
    problems.push(`${path}:${text.slice(0, start).split('\n').length} ${message}`);
  };
  const refuseLiteral = ({ argument, start }: { argument: Expression; start: number }): void => {
    if (isLiteral(argument)) refuse(start, 'spreads a literal. Write its properties.');
  };
  const refuseLong = ({ start, end }: { start: number; end: number }): void => {
    const count = text.slice(start, end).split('\n').length;
    if (count > MAX_FUNCTION_LINES && path.startsWith('src/') && !LONGER.has(path))
      refuse(start, `is a function of ${count} lines. Find the idea in it that deserves a name.`);
  };
  const speaks = SPEAKING.test(path) && !FOR_OTHERS.has(path);
  /** Where texts begin that are passed to a call, such as that of an error or a log, or are a constant for one. */
  const forOthers = new Set<number>();
  const allow = (node: Argument): void => {
    forOthers.add(node.start);
    if (node.type === 'ConditionalExpression') [node.consequent, node.alternate].forEach(allow);
  };
  const refuseSentence = (words: string, start: number): void => {
    if (speaks && SENTENCE.test(words) && !forOthers.has(start))
      refuse(start, 'says a sentence. Write it into src/locales/en.');
  };
  new Visitor({
    CallExpression({ callee, arguments: values }) {
      if (!/\b(?:buttonPlan|push)$/.test(text.slice(callee.start, callee.end))) values.forEach(allow);
    },
    NewExpression: ({ arguments: values }) => values.forEach(allow),
    VariableDeclarator({ init }) {
      if (init) allow(init);
    },
    Literal({ value, start }) {
      if (typeof value === 'string') refuseSentence(value, start);
    },
    TemplateLiteral: ({ quasis, start }) => refuseSentence(quasis[0]?.value.raw ?? '', start),
    Property({ key, value, start }) {
      const words = text.slice(value.start, value.end);
      const isText = value.type === 'TemplateLiteral' || (value.type === 'Literal' && typeof value.value === 'string');
      if (
        speaks &&
        isText &&
        'name' in key &&
        TEXT_FIELDS.has(key.name) &&
        /\b[A-Za-z]{2,}/.test(words.replace(/\$\{[^}]*\}/g, ''))
      )
        refuse(start, `has a ${key.name} in code. Write it into src/locales/en.`);
    },
    FunctionDeclaration: refuseLong,
    FunctionExpression: refuseLong,
    ArrowFunctionExpression: refuseLong,
    SpreadElement: refuseLiteral,
    JSXSpreadAttribute: refuseLiteral,
    TSAsExpression({ typeAnnotation, start }) {
      const type = text.slice(typeAnnotation.start, typeAnnotation.end);
      if (type !== 'const' && path.startsWith('src/'))
        refuse(start, `asserts the type ${type}. Parse the value, or give it a better type.`);
    },
  }).visit(parseSync(path, text).program);
  return problems;
}

function isLiteral(node: Expression): boolean {
  if ('expression' in node && typeof node.expression === 'object') return isLiteral(node.expression);
  return node.type === 'ObjectExpression';
}
