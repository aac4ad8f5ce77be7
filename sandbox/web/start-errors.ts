/** Settings that `--real-gateway` requires are missing. */
export class MissingSettings extends Error {}

/** The bot or its deploy script failed at the start. */
export class StartFailed extends Error {}
