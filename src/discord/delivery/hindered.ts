export type Hindrance =
  /** Discord does not answer, or has trouble of its own. */
  | 'unreachable'
  /** The store cannot take what has to be stored. */
  | 'unstored'
  /** A bug. */
  | 'unprepared';

/** Nothing more can be done now; the same again later. */
export class Hindered extends Error {
  override readonly name = 'Hindered';
  readonly hindrance: Hindrance;

  constructor(hindrance: Hindrance, cause: unknown) {
    super(hindrance, { cause });
    this.hindrance = hindrance;
  }
}
