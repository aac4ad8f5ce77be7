const endings: (() => Promise<unknown>)[] = [];

/** Registers work for the end of the test, in reverse order of the calls. */
export function atEnd(ending: () => Promise<unknown>): void {
  endings.push(ending);
}

export async function end(): Promise<void> {
  for (const ending of endings.splice(0).reverse()) await ending();
}
