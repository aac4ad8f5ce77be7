/** Merges sorted sequences. Holds only one item of each in memory. */
export async function* merge<T>(
  sources: readonly AsyncIterable<T>[],
  comesBefore: (one: T, other: T) => boolean,
): AsyncGenerator<T> {
  const iterators = sources.map((source) => source[Symbol.asyncIterator]());
  try {
    const heads = await Promise.all(iterators.map((iterator) => iterator.next()));
    for (;;) {
      let first: { value: T; at: number } | undefined;
      for (const [at, head] of heads.entries())
        if (!head.done && (!first || comesBefore(head.value, first.value))) first = { value: head.value, at };
      if (!first) return;
      yield first.value;
      const { at } = first;
      const next = await iterators[at]?.next();
      if (next) heads[at] = next;
    }
  } finally {
    await Promise.all(iterators.map((iterator) => iterator.return?.()));
  }
}
