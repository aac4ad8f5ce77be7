/** Keeps the work in the set until it ends, so a stop can wait for it. */
export async function trackUntilDone<T>(work: Promise<T>, underWay: Set<Promise<unknown>>): Promise<T> {
  underWay.add(work);
  try {
    return await work;
  } finally {
    underWay.delete(work);
  }
}
