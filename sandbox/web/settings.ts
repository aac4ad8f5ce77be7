import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { readSecret } from '../../src/lib/secret.ts';
import { root } from './bot-script.ts';
import { MissingSettingsError } from './start-errors.ts';

export type Settings = Readonly<Record<string, string>>;

/** Variables that any program needs; the bot receives nothing else from the operator's environment. */
const SYSTEM_VARIABLES = ['PATH', 'HOME', 'TMPDIR', 'TEMP', 'TMP', 'SystemRoot', 'NODE_EXTRA_CA_CERTS'];

/** The operator's settings for a real gateway and its models. */
const GATEWAY_SETTING = /^(?:GATEWAY_|DEFAULT_\w+_MODEL$|MODEL_KINDS$)/;

export const systemSettings = (environment: NodeJS.ProcessEnv): Settings =>
  pickVariables(environment, (name) => SYSTEM_VARIABLES.includes(name));

/** For `--real-gateway`: the environment takes precedence over `.env`. */
export async function gatewaySettings(environment: NodeJS.ProcessEnv): Promise<Settings> {
  const variables = { ...(await readEnvFile()), ...environment };
  const key = readSecret(variables, 'GATEWAY_API_KEY');
  if (key.problem !== undefined) throw new MissingSettingsError(`${key.variable} ${key.problem}.`);
  // An empty value means "not set", as `.env.example` says.
  const isSet = (name: string) => GATEWAY_SETTING.test(name) && variables[name]?.trim() !== '';
  const { GATEWAY_API_KEY_FILE: _, ...others } = pickVariables(variables, isSet);
  const settings: Settings = { ...others, ...(key.value !== undefined && { GATEWAY_API_KEY: key.value }) };
  const missing = ['GATEWAY_BASE_URL', 'GATEWAY_API_KEY'].filter((name) => settings[name] === undefined);
  if (missing.length > 0)
    throw new MissingSettingsError(
      `--real-gateway needs ${missing.join(' and ')}: set ${missing.length > 1 ? 'them' : 'it'} in the environment or in .env (.env.example explains each).`,
    );
  return settings;
}

async function readEnvFile(): Promise<NodeJS.ProcessEnv> {
  try {
    return parseEnv(await readFile(join(root, '.env'), 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw error;
  }
}

function pickVariables(variables: NodeJS.ProcessEnv, isIncluded: (name: string) => boolean): Settings {
  const entries = Object.entries(variables).filter(([name, value]) => value !== undefined && isIncluded(name));
  return Object.fromEntries(entries) as Settings;
}
