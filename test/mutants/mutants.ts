import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { type Expression, parseSync, type Span, Visitor } from 'oxc-parser';

/** One small change of a source file that a test should notice. */
export interface Mutant {
  readonly path: string;
  readonly line: number;
  readonly start: number;
  readonly end: number;
  /** Replaces the text between `start` and `end`. */
  readonly replacement: string;
  readonly change: string;
  readonly isInFunction: boolean;
}

const SWAPPED_OPERATORS: Readonly<Record<string, string>> = Object.fromEntries(
  '< <=, <= <, > >=, >= >, === !==, !== ===, && ||, || &&, + -, - +, * /, / *, % *, += -=, -= +=, ++ --, -- ++'
    .split(', ')
    .map((pair) => pair.split(' ')),
);
const LOG_CALL = /(?:^|[.#])log\.\w+$/;
const MAX_SHOWN_LENGTH = 90;

/** All mutants of a file. Types, imports, keys, messages and calls of the log are left alone. */
export function mutantsOf(path: string, text: string): Mutant[] {
  const mutants: Mutant[] = [];
  const untouched: Span[] = [];
  /** Outer ones are visited first. */
  const functions: Span[] = [];
  const textOf = ({ start, end }: Span): string => text.slice(start, end);
  const skip = (node: Span): void => void untouched.push(node);
  const replace = (node: Span, replacement: string): void => {
    const { start, end } = node;
    const lineStart = text.lastIndexOf('\n', start - 1) + 1;
    const sourceLine = text.slice(lineStart, text.indexOf('\n', start)).trim();
    const change = `${shorten(textOf(node))} → ${shorten(replacement) || 'nothing'} in: ${sourceLine}`;
    const line = text.slice(0, start).split('\n').length;
    const isInFunction = isWithin(node, functions);
    mutants.push({ path, line, start, end, replacement, change, isInFunction });
  };
  const negate = (test: Expression | null): void => {
    // Swapping the operator of a comparison, or removing a `!`, does the same.
    const isCovered =
      test?.type === 'UnaryExpression' || (test?.type === 'BinaryExpression' && test.operator in SWAPPED_OPERATORS);
    if (test && !isCovered) replace(test, `!(${textOf(test)})`);
  };
  /** Swaps an operator that stands somewhere in a range. */
  const swap = (operator: string, rangeStart: number, rangeEnd: number): void => {
    const start = text.slice(0, rangeEnd).indexOf(operator, rangeStart);
    const swapped = SWAPPED_OPERATORS[operator];
    if (start >= 0 && swapped !== undefined) replace({ start, end: start + operator.length }, swapped);
  };
  new Visitor({
    ImportDeclaration: skip,
    ExportAllDeclaration: skip,
    TSTypeAnnotation: skip,
    TSTypeAliasDeclaration: skip,
    TSInterfaceDeclaration: skip,
    TSTypeParameterInstantiation: skip,
    TSAsExpression: ({ typeAnnotation }) => skip(typeAnnotation),
    TSSatisfiesExpression: ({ typeAnnotation }) => skip(typeAnnotation),
    Property: ({ key }) => skip(key),
    IfStatement: ({ test }) => negate(test),
    ConditionalExpression: ({ test }) => negate(test),
    WhileStatement: ({ test }) => negate(test),
    ForStatement: ({ test }) => negate(test),
    BinaryExpression({ left, operator, right }) {
      const isText = [left, right].some((side) => side.type === 'TemplateLiteral' || textOf(side).startsWith("'"));
      if (operator !== '+' || !isText) swap(operator, left.end, right.start);
    },
    LogicalExpression(node) {
      const { left, operator, right } = node;
      if (operator === '??') replace(node, textOf(left));
      else swap(operator, left.end, right.start);
    },
    AssignmentExpression: ({ left, operator, right }) => swap(operator, left.end, right.start),
    UpdateExpression: ({ start, end, operator }) => swap(operator, start, end),
    UnaryExpression(node) {
      if (node.operator === '!' || node.operator === '-') replace(node, textOf(node.argument));
    },
    AssignmentPattern: (node) => replace(node, textOf(node.left)),
    ExpressionStatement(node) {
      const { expression } = node;
      if (expression.type === 'CallExpression' && LOG_CALL.test(textOf(expression.callee))) skip(node);
      else replace(node, ';');
    },
    ThrowStatement: (node) => replace(node, ';'),
    ReturnStatement(node) {
      if (node.argument) replace(node, 'return;');
    },
    FunctionDeclaration: (node) => void functions.push(node),
    FunctionExpression: (node) => void functions.push(node),
    ArrowFunctionExpression(node) {
      functions.push(node);
      if (node.expression) replace(node.body, 'undefined');
    },
    BlockStatement(node) {
      // With one statement, removing that does the same.
      if (node.body.length > 1) replace(node, '{}');
    },
    Literal(node) {
      const { value } = node;
      if (typeof value === 'boolean') replace(node, String(!value));
      else if (typeof value === 'number') replace(node, String(value < 10 ? value + 1 : 0));
      else if (typeof value === 'string' && !value.includes(' ')) replace(node, value === '' ? "'mutant'" : "''");
    },
  }).visit(parseSync(path, text).program);
  return mutants.filter(
    (mutant) => !isWithin(mutant, untouched) && parseSync(path, mutate(text, mutant)).errors.length === 0,
  );
}

const isWithin = ({ start, end }: Span, spans: readonly Span[]): boolean =>
  spans.some((span) => span.start <= start && end <= span.end);

/** Applies mutants that do not overlap. */
export function mutate(text: string, ...mutants: readonly Mutant[]): string {
  const fromTheEnd = mutants.toSorted((one, other) => other.start - one.start);
  return fromTheEnd.reduce(
    (rest, { start, end, replacement }) => rest.slice(0, start) + replacement + rest.slice(end),
    text,
  );
}

/** Chooses by a hash of each change, so an edit elsewhere in the file, or moving it, keeps most of the sample. */
export function sampleOf(mutants: readonly Mutant[], seed: number, size: number): Mutant[] {
  const occurrences = new Map<string, number>();
  const ranked = mutants.map((mutant) => {
    const key = `${seed} ${basename(mutant.path)} ${mutant.change}`;
    const occurrence = (occurrences.get(key) ?? 0) + 1;
    occurrences.set(key, occurrence);
    return { mutant, rank: createHash('sha256').update(`${key} ${occurrence}`).digest('hex') };
  });
  const chosen = ranked.toSorted((one, other) => (one.rank < other.rank ? -1 : 1)).slice(0, size);
  return chosen.map(({ mutant }) => mutant).toSorted((one, other) => one.start - other.start);
}

function shorten(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  return line.length <= MAX_SHOWN_LENGTH ? line : `${line.slice(0, MAX_SHOWN_LENGTH - 1)}…`;
}
