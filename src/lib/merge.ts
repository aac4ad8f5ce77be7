/** Merges sorted sequences. Holds only one item of each in memory. */
export async function* merge<T>(
  sources: readonly AsyncIterable<T>[],
  comesBefore: (one: T, other: T) => boolean,
): AsyncGenerator<T> {
  const iterators = sources.map((source) => source[Symbol.asyncIterator]());
  try {
    const heads = await Promise.all(iterators.map((iterator) => iterator.next()));
    for (;;) {
      let first: { value: T; index: number } | undefined;
      for (const [index, head] of heads.entries())
        if (!head.done && (!first || comesBefore(head.value, first.value))) first = { value: head.value, index };
      if (!first) return;
      yield first.value;
      const { index } = first;
      const next = await iterators[index]?.next();
      if (next) heads[index] = next;
    }
  } finally {
    await Promise.all(iterators.map((iterator) => iterator.return?.()));
  }
}
