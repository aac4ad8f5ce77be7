import { type Expression, parseSync, Visitor } from 'oxc-parser';

const MAX_FUNCTION_LINES = 60;

/** Functions of `src` that are longer: they only list what is opened, in order. */
const LONGER = new Set([
  'src/messages/open-notices.ts',
  'src/roles/bot.ts',
  'src/roles/shard.ts',
  'src/services/operations/engine.ts',
]);

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
  new Visitor({
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
