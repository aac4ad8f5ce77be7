export interface HeardRequest {
  readonly at: number;
  readonly method: string;
  /** The pattern, as in `/channels/:channel/messages`; empty where there is no such route. */
  readonly route: string;
  readonly path: string;
  readonly body: unknown;
  readonly files: readonly { readonly name: string; readonly bytes: number }[];
  readonly auth: 'bot' | 'none';
  /** 0 until it was answered. */
  readonly status: number;
}

const MOST = 5_000;

/** What reached the REST side, newest last. */
export class HeardBook {
  readonly entries: HeardRequest[] = [];
  readonly #onChange: (entry: HeardRequest) => void;

  constructor(onChange: (entry: HeardRequest) => void) {
    this.#onChange = onChange;
  }

  /** The returned function adds what is only known later. */
  note(entry: HeardRequest): (more: Partial<Pick<HeardRequest, 'body' | 'files' | 'status'>>) => void {
    const kept = { ...entry };
    this.entries.push(kept);
    if (this.entries.length > MOST) this.entries.shift();
    return (more) => {
      Object.assign(kept, more);
      if (more.status !== undefined) this.#onChange(kept);
    };
  }
}
