import { type Random, randomOf } from '../../sandbox/gateway/random.ts';
import type { Field, Fields, Tree } from './tree.ts';
import type { Name } from './words.ts';

/** Random choices for one response. */
export class Chance {
  readonly #random: Random;

  constructor(seed: number) {
    this.#random = randomOf(seed);
  }

  pick<T>(list: readonly T[]): T {
    return list[this.#random.integer(list.length)] as T;
  }

  pickSome<T>(list: readonly T[], max: number): T[] {
    return this.shuffled(list).slice(0, this.#random.integer(max + 1));
  }

  withProbability(probability: number): boolean {
    return this.#random.next() < probability;
  }

  integer(limit: number): number {
    return this.#random.integer(limit);
  }

  letters(count: number): string {
    return this.#random.alphanumeric(count);
  }

  uuid(): string {
    return this.#random.uuid();
  }

  digits(count: number): string {
    return `${1 + this.#random.integer(9)}${Array.from({ length: count - 1 }, () => this.#random.integer(10)).join('')}`;
  }

  shuffled<T>(list: readonly T[]): T[] {
    return list
      .map((item) => ({ item, sortKey: this.#random.next() }))
      .toSorted((a, b) => a.sortKey - b.sortKey)
      .map(({ item }) => item);
  }

  /** A record with its fields in random order; of two fields with the same name, the first is kept. */
  record(fields: readonly Field[]): Fields {
    const byName = new Map(fields.toReversed().map((field) => [field.name.join(''), field]));
    return { fields: this.shuffled([...byName.values()]) };
  }
}

export const field = (name: Name | string, value: Tree): Field => ({
  name: typeof name === 'string' ? name.split(' ') : name,
  value,
});
