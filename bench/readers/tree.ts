import { rawNumber } from '../../sandbox/gateway/decimal.ts';
import type { Name } from './words.ts';

/** A response before its casing is chosen: fields are named by lists of words, so that `rule.ts` does not have to guess where a word ends. */
export type Tree = string | number | boolean | null | Digits | List | Fields;

/** A number beyond 2^53, stored as its digits. */
interface Digits {
  readonly digits: string;
}

export interface List {
  readonly items: readonly Tree[];
}

export interface Field {
  readonly name: Name;
  readonly value: Tree;
}

export interface Fields {
  readonly fields: readonly Field[];
}

export const casings = ['snake', 'camel', 'pascal', 'kebab', 'upperSnake', 'flat'] as const;
export type Casing = (typeof casings)[number];

const capitalize = (word: string): string => word.slice(0, 1).toUpperCase() + word.slice(1);

const joinWords: Readonly<Record<Casing, (name: Name) => string>> = {
  snake: (name) => name.join('_'),
  camel: ([first = '', ...rest]) => first + rest.map(capitalize).join(''),
  pascal: (name) => name.map(capitalize).join(''),
  kebab: (name) => name.join('-'),
  upperSnake: (name) => name.join('_').toUpperCase(),
  flat: (name) => name.join(''),
};

export const isFields = (tree: Tree): tree is Fields => typeof tree === 'object' && tree !== null && 'fields' in tree;
export const isList = (tree: Tree): tree is List => typeof tree === 'object' && tree !== null && 'items' in tree;
const isDigits = (tree: Tree): tree is Digits => typeof tree === 'object' && tree !== null && 'digits' in tree;

/** A value as the string by which ids are compared; undefined if it is not a single value. */
export function textOf(tree: Tree): string | undefined {
  if (typeof tree === 'string') return tree;
  if (typeof tree === 'number') return String(tree);
  return isDigits(tree) ? tree.digits : undefined;
}

/** The JSON text that a gateway would send. */
export const serialize = (tree: Tree, casing: Casing): string => JSON.stringify(toPlainValue(tree, casing));

function toPlainValue(tree: Tree, casing: Casing): unknown {
  if (isList(tree)) return tree.items.map((item) => toPlainValue(item, casing));
  if (isDigits(tree)) return rawNumber(tree.digits);
  if (!isFields(tree)) return tree;
  return Object.fromEntries(
    tree.fields.map(({ name, value }) => [joinWords[casing](name), toPlainValue(value, casing)]),
  );
}
