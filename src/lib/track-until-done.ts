/** Keeps the work in the set until it has finished, so that a stop can wait for it. */
export async function trackUntilDone<T>(work: Promise<T>, running: Set<Promise<unknown>>): Promise<T> {
  running.add(work);
  try {
    return await work;
  } finally {
    running.delete(work);
  }
}
