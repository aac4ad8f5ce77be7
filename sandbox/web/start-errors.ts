/** Settings that `--real-gateway` requires are missing. */
export class MissingSettingsError extends Error {}

/** The bot or its deploy script failed at the start. */
export class StartError extends Error {}
