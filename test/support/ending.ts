const cleanups: (() => Promise<unknown>)[] = [];

/** Registers work for the end of the test. It runs in reverse order of registration. */
export function addCleanup(cleanup: () => Promise<unknown>): void {
  cleanups.push(cleanup);
}

export async function runCleanups(): Promise<void> {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
}
