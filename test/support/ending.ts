const endings: (() => Promise<unknown>)[] = [];

/** Is done when the test has ended; what came last goes first. */
export function atEnd(ending: () => Promise<unknown>): void {
  endings.push(ending);
}

export async function end(): Promise<void> {
  for (const ending of endings.splice(0).reverse()) await ending();
}
