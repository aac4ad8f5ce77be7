/** The text of an answer, piece by piece as it comes, up to a bound. */
export async function* piecesOf(
  body: AsyncIterable<Uint8Array>,
  most: number,
  tooMuch: () => Error,
): AsyncGenerator<string, void, void> {
  // A letter may be cut in two between pieces.
  const decoder = new TextDecoder();
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    if (bytes > most) throw tooMuch();
    const text = decoder.decode(chunk, { stream: true });
    if (text !== '') yield text;
  }
}

/** The first piece that says something, and all that follows it. Undefined where nothing does. */
export async function begun(
  pieces: AsyncGenerator<string, void, void>,
): Promise<{ first: string; all: AsyncGenerator<string, void, void> } | undefined> {
  for (;;) {
    const { value, done } = await pieces.next();
    if (done) return undefined;
    if (value.trim() !== '') return { first: value.trimStart(), all: joined(value, pieces) };
  }
}

async function* joined(first: string, rest: AsyncGenerator<string, void, void>): AsyncGenerator<string, void, void> {
  try {
    yield first;
    yield* rest;
  } finally {
    // Whoever leaves before the rest has begun leaves the connection open otherwise.
    await rest.return();
  }
}

/** Fields and comments of an event stream; no JSON and no page begins like one of them. */
const EVENT_LETTERS = /^[:deir]/;

/** What the type says is not believed of something that is plainly JSON or a page, and not needed of what is plainly a stream. */
export function isEventStream(first: string, type: string | string[] | undefined): boolean {
  if (/^[[{"<]/.test(first)) return false;
  return EVENT_LETTERS.test(first) || /^text\/event-stream\b/i.test([type].flat()[0] ?? '');
}
