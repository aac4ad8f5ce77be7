/** What `--real-gateway` needs is not there. */
export class MissingSettings extends Error {}

/** The shipped bot or its deploy script did not do what they should. */
export class StartFailed extends Error {}
