import { EventEmitter } from 'node:events';
import { performance } from 'node:perf_hooks';

export interface Heard {
  /** Rises by one with each. */
  readonly id: number;
  readonly at: number;
  readonly method: string;
  readonly path: string;
  readonly query: Record<string, unknown>;
  readonly headers: Record<string, unknown>;
  readonly body: unknown;
  /** 0 until it was answered, and for ever where the answer was lost. */
  readonly status: number;
  /** Of real time, until it was answered. */
  readonly ms?: number;
  /** Text as it was sent; a long one is cut. */
  readonly answer?: string;
}

type Later = Partial<Pick<Heard, 'body' | 'status' | 'answer'>>;
export type NoteHeard = (more: Later) => void;

const MOST = 1_000;
const LONGEST_TEXT = 4_096;
/** A thousand bodies of 32 MB would be the whole memory of a machine. */
const LONGEST_BODY = 64 * 1024;
const LONGEST_ANSWER = 16 * 1024;

/** What reached the server, newest last. */
export class HeardBook extends EventEmitter<{ answered: [Heard] }> {
  readonly entries: Heard[] = [];
  #last = 0;

  /** The returned function adds what is only known later. */
  note(entry: Omit<Heard, 'id'>): NoteHeard {
    this.#last += 1;
    const kept = { ...entry, id: this.#last };
    const begun = performance.now();
    this.entries.push(kept);
    if (this.entries.length > MOST) this.entries.shift();
    return ({ answer, ...more }) => {
      Object.assign(kept, more, 'body' in more ? { body: shortened(more.body) } : {});
      if (answer !== undefined) Object.assign(kept, { answer: answer.slice(0, LONGEST_ANSWER) });
      if (more.status === undefined) return;
      Object.assign(kept, { ms: Math.round(performance.now() - begun) });
      this.emit('answered', kept);
    };
  }

  clear(): void {
    this.entries.length = 0;
  }
}

/** Images as text are cut, everything else stays as it came. */
function shortened(body: unknown): unknown {
  const text = JSON.stringify(body, (_, value: unknown) =>
    typeof value === 'string' && value.length > LONGEST_TEXT
      ? `${value.slice(0, 64)}… (${value.length} characters)`
      : value,
  );
  if (text === undefined) return undefined;
  return text.length > LONGEST_BODY ? `${text.slice(0, 256)}… (${text.length} characters)` : JSON.parse(text);
}
