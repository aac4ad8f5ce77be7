import { performance } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { languages } from '../src/lib/languages.ts';
import { PSEUDO_LANGUAGE } from './web/pseudo-strings.ts';
import type { Sandbox } from './web/sandbox.ts';
import { MissingSettingsError, StartError } from './web/start-errors.ts';

/** sysexits.h */
const EX_USAGE = 64;
const EX_SOFTWARE = 70;
const EX_CONFIG = 78;

const USAGE = `npm run sandbox -- [options]

Starts the bot with an embedded Discord and an embedded gateway, and serves a web page to use them.

  --port <number>     port of the page (default 4040; 0 picks a free port)
  --speed <factor>    speed of the embedded gateway, relative to a real one (default 4; 0.25 to 50)
  --language <code>   what language Discord is in for the members and on the servers, such as de or pt-BR (default en);
                      en-XA is English with accents and brackets, to find texts that are cut or cannot be translated
  --real-gateway      use the gateway at GATEWAY_BASE_URL with GATEWAY_API_KEY (environment or .env); this costs real money
  --help              show this help
`;

const LANGUAGES = [...languages, PSEUDO_LANGUAGE] as const;

class UsageError extends Error {}

interface Arguments {
  readonly port: number;
  readonly speed: number;
  readonly language: (typeof LANGUAGES)[number];
  readonly realGateway: boolean;
}

function readArguments(): Arguments | undefined {
  const values = parseOptions();
  if (values.help) return undefined;
  const port = Number(values.port);
  if (!/^\d+$/.test(values.port) || port > 65_535)
    throw new UsageError(`--port must be a number from 0 to 65535, not ${values.port}.`);
  const speed = Number(values.speed);
  if (!(speed >= 0.25 && speed <= 50))
    throw new UsageError(`--speed must be a number from 0.25 to 50, not ${values.speed}.`);
  const language = LANGUAGES.find((one) => one === values.language);
  if (language === undefined)
    throw new UsageError(`--language must be one of ${LANGUAGES.join(', ')}, not ${values.language}.`);
  return { port, speed, language, realGateway: values['real-gateway'] };
}

function parseOptions() {
  try {
    const { values } = parseArgs({
      options: {
        port: { type: 'string', default: '4040' },
        speed: { type: 'string', default: '4' },
        language: { type: 'string', default: 'en' },
        'real-gateway': { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
    return values;
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('. ')[0] : error;
    throw new UsageError(`${reason}. The options are --port, --speed, --language, --real-gateway and --help.`);
  }
}

async function start(args: Arguments, signal: AbortSignal): Promise<Sandbox> {
  // Loaded after the arguments are read, so that a misspelled option is reported immediately.
  const { startSandbox } = await import('./web/sandbox.ts');
  try {
    return await startSandbox({ ...args, environment: process.env, signal });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE')
      throw new UsageError(
        `Port ${args.port} is in use. Stop the program that uses it, or choose another port with --port (0 picks a free port).`,
      );
    if (code === 'EACCES')
      throw new UsageError(
        `Port ${args.port} requires privileges that this user lacks. Choose a port above 1023 with --port.`,
      );
    throw error;
  }
}

/** Prints why the start failed and returns the exit code. */
function reportFailure(error: unknown): number {
  if (error instanceof UsageError || error instanceof MissingSettingsError || error instanceof StartError) {
    console.error(error.message);
    if (error instanceof UsageError) return EX_USAGE;
    return error instanceof MissingSettingsError ? EX_CONFIG : EX_SOFTWARE;
  }
  console.error(error);
  return EX_SOFTWARE;
}

async function run(): Promise<number> {
  const args = readArguments();
  if (!args) {
    console.log(USAGE);
    return 0;
  }
  const shutdown = new AbortController();
  const stop = (): void => {
    // A second signal exits immediately; the bot ends with this process.
    if (shutdown.signal.aborted) process.exit(1);
    shutdown.abort();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, stop);
  const sandbox = await start(args, shutdown.signal).catch((error: unknown) => {
    if (shutdown.signal.aborted) return undefined;
    throw error;
  });
  if (!sandbox) return 0;
  console.log(
    `The sandbox is running at ${sandbox.url}/#${sandbox.token}\nReady in ${Math.round(performance.now())} ms${sandbox.wasBuilt ? ', including a one-time build of the page' : ''}. Press Ctrl-C to stop it.`,
  );
  if (!shutdown.signal.aborted) await new Promise((resolve) => shutdown.signal.addEventListener('abort', resolve));
  await sandbox.close();
  return 0;
}

// Exits explicitly, because libraries may hold handles open.
process.exit(await run().catch(reportFailure));
