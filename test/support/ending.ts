const cleanups: (() => Promise<unknown>)[] = [];

/** Registers work for the end of the test. The last registered work runs first. */
export function addCleanup(cleanup: () => Promise<unknown>): void {
  cleanups.push(cleanup);
}

export async function runCleanups(): Promise<void> {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
}
