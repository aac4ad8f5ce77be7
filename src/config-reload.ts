import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isDeepStrictEqual, parseEnv } from 'node:util';
import { type Config, ConfigError, configOf, configVariables } from './config.ts';

/** What all processes of a cluster have to read alike. */
const SHARED_VARIABLES = [
  'PRICES',
  'MODEL_KINDS',
  'RULES',
  'PRESETS',
  'TOTAL_BUDGET',
  'DEFAULT_SERVER_BUDGET',
  'DEFAULT_MEMBER_BUDGET',
  'DIRECT_BUDGET',
  'MEMBER_RATE',
  'SERVER_RATE',
  'MAX_ANSWERS',
  'MAX_ANSWERS_PER_MEMBER',
  'MAX_TALKS',
  'MAX_TALKS_PER_MEMBER',
  'GATEWAY_JOBS_AT_ONCE',
  'GATEWAY_POLLS_PER_SECOND',
  'DEFAULT_IMAGE_MODEL',
  'DEFAULT_VIDEO_MODEL',
  'DEFAULT_MUSIC_MODEL',
  'DEFAULT_TEXT_MODEL',
  'DEFAULT_TALK_MODEL',
  'MAX_WAIT_IMAGE_SECONDS',
  'MAX_WAIT_VIDEO_SECONDS',
  'MAX_WAIT_MUSIC_SECONDS',
  'MAX_WAIT_TEXT_SECONDS',
] as const;

/** The settings that a running bot takes over; all others are read at the start only. */
export const reloadedVariables: readonly string[] = [...SHARED_VARIABLES, 'LOG_LEVEL'];

export type SettingsChange = ReturnType<typeof changeOf>;

/** Compares the settings in force with those just read. Throws a `ConfigError` if they only fit together after a restart. */
export function changeOf({ variables: known }: Config, { variables: read }: Config) {
  const changed = configVariables.filter((name) => !isDeepStrictEqual(known[name], read[name]));
  const taken = changed.filter((name) => reloadedVariables.includes(name));
  const text = JSON.stringify(SHARED_VARIABLES.map((name) => read[name] ?? null));
  return {
    /** What applies after the reload: settings that need a restart stay as they were. */
    next: nextConfig({ ...known, ...Object.fromEntries(taken.map((name) => [name, read[name]])) }),
    taken,
    needRestart: changed.filter((name) => !taken.includes(name)),
    /** Whether two processes would take over the same. */
    digest: createHash('sha256').update(text).digest('hex'),
  };
}

function nextConfig(settings: Config['variables']): Config {
  try {
    return configOf(settings);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const problems = error.problems.map(({ variable, problem }) => ({
      variable,
      problem: `${problem}, and only a restart changes it`,
    }));
    throw new ConfigError(problems);
  }
}

/** The environment that a start would find now. `scripts/env-file.mjs` says which of its names came from `.env`. */
export function currentEnvironment(environment: NodeJS.ProcessEnv): Record<string, string | undefined> {
  const { ENV_FILE_NAMES: namesFromFile } = environment;
  if (namesFromFile === undefined) return environment;
  const names = namesFromFile.split(' ');
  const own = Object.entries(environment).filter(([name]) => !names.includes(name));
  return { ...readEnvFile(namesFromFile !== ''), ...Object.fromEntries(own) };
}

function readEnvFile(isExpected: boolean): NodeJS.Dict<string> {
  try {
    return parseEnv(readFileSync('.env', 'utf8'));
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    if (isMissing && !isExpected) return {};
    throw new ConfigError([{ variable: '.env', problem: 'cannot be read' }]);
  }
}
