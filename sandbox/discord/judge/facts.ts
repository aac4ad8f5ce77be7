/** What the judge must know beside the body. */
export interface BodyFacts {
  /** The parts `files[n]` that came with it; `id` is the n. */
  readonly files: readonly {
    readonly id: string;
    readonly name: string;
    readonly bytes: number;
    readonly isAudio?: boolean;
  }[];
  /** Of the message being edited. */
  readonly before?: { readonly flags: number; readonly attachmentNames: readonly string[] };
}
