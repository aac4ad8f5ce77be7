export interface Heard {
  readonly at: number;
  readonly method: string;
  readonly path: string;
  readonly query: Record<string, unknown>;
  readonly headers: Record<string, unknown>;
  readonly body: unknown;
  /** 0 until it was answered. */
  readonly status: number;
}

const MOST = 1_000;
const LONGEST_TEXT = 4_096;
/** A thousand bodies of 32 MB would be the whole memory of a machine. */
const LONGEST_BODY = 64 * 1024;

/** What reached the server, newest last. */
export class HeardBook {
  readonly entries: Heard[] = [];

  /** The returned function adds what is only known later. */
  note(entry: Heard): (more: Partial<Pick<Heard, 'body' | 'status'>>) => void {
    const kept = { ...entry };
    this.entries.push(kept);
    if (this.entries.length > MOST) this.entries.shift();
    return (more) => {
      Object.assign(kept, more, 'body' in more ? { body: shortened(more.body) } : {});
    };
  }

  clear(): void {
    this.entries.length = 0;
  }
}

/** Pictures as text are cut, everything else stays as it came. */
function shortened(body: unknown): unknown {
  const text = JSON.stringify(body, (_, value: unknown) =>
    typeof value === 'string' && value.length > LONGEST_TEXT
      ? `${value.slice(0, 64)}… (${value.length} characters)`
      : value,
  );
  if (text === undefined) return undefined;
  return text.length > LONGEST_BODY ? `${text.slice(0, 256)}… (${text.length} characters)` : JSON.parse(text);
}
