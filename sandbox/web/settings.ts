import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { MissingSettings } from './refusals.ts';
import { root } from './shipped.ts';

export type Settings = Readonly<Record<string, string>>;

/** Variables that any program needs; the bot receives nothing else of the operator's environment. */
const NEEDED = ['PATH', 'HOME', 'TMPDIR', 'TEMP', 'TMP', 'SystemRoot', 'NODE_EXTRA_CA_CERTS'];

/** The operator's settings for a real gateway and its models. */
const GATEWAY_SETTING = /^(?:GATEWAY_|DEFAULT_\w+_MODEL$|MODEL_KINDS$)/;

export const neededBy = (environment: NodeJS.ProcessEnv): Settings =>
  chosen(environment, (name) => NEEDED.includes(name));

/** For `--real-gateway`: the environment takes precedence over `.env`. */
export async function realGateway(environment: NodeJS.ProcessEnv): Promise<Settings> {
  const known = { ...(await envFile()), ...environment };
  // An empty value means "not set", as `.env.example` says.
  const settings = chosen(known, (name) => GATEWAY_SETTING.test(name) && known[name]?.trim() !== '');
  const missing = ['GATEWAY_BASE_URL', 'GATEWAY_API_KEY'].filter((name) => settings[name] === undefined);
  if (missing.length > 0)
    throw new MissingSettings(
      `--real-gateway needs ${missing.join(' and ')}: set ${missing.length > 1 ? 'them' : 'it'} in the environment or in .env (.env.example explains each).`,
    );
  return settings;
}

async function envFile(): Promise<NodeJS.ProcessEnv> {
  try {
    return parseEnv(await readFile(join(root, '.env'), 'utf8'));
  } catch (problem) {
    if ((problem as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw problem;
  }
}

function chosen(variables: NodeJS.ProcessEnv, isWanted: (name: string) => boolean): Settings {
  const entries = Object.entries(variables).filter(([name, value]) => value !== undefined && isWanted(name));
  return Object.fromEntries(entries) as Settings;
}
