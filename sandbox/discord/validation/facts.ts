/** What the validator needs to know in addition to the body. */
export interface BodyFacts {
  /** The uploaded files, sent as `files[n]`; `id` is that n. */
  readonly files: readonly {
    readonly id: string;
    readonly name: string;
    readonly bytes: number;
    readonly isAudio?: boolean;
  }[];
  /** For an edit: the previous state of the message. */
  readonly previous?: { readonly flags: number; readonly attachmentNames: readonly string[] };
}
