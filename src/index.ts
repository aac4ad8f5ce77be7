import { GatewayCloseCodes } from 'discord-api-types/v10';
import packageFile from '../package.json' with { type: 'json' };
import { startApp } from './app.ts';
import { ruleTargets } from './commands/index.ts';
import { type Config, ConfigError, readConfig } from './config.ts';
import { currentEnvironment } from './config-reload.ts';
import { errorFacts, isRefusal } from './discord/outbox/errors.ts';
import { DiscordUnreachable, NotDiscord, TOKEN_REJECTED } from './discord/reach.ts';
import { MissingIntent } from './discord/reads.ts';
import { ShardCountError } from './discord/shards/shard-processes.ts';
import { PortError } from './lib/listen.ts';
import { createLogger, type Log } from './lib/log.ts';
import type { App } from './roles/app.ts';
import { acceptReloadRequests } from './roles/reload-requests.ts';
import { passwordsIn } from './services/store/backend.ts';
import { StoreError } from './services/tasks/store-error.ts';

// Exit codes from sysexits.h, so that a supervisor knows whether a restart would help.
const EX_USAGE = 64;
const EX_SOFTWARE = 70;
const EX_TEMPFAIL = 75;
const EX_NOPERM = 77;
const EX_CONFIG = 78;

const UNAUTHORIZED = 401;

const DISCORD_UNREACHABLE =
  'Discord cannot be reached, so Atelier has not started. Check the network of this machine (proxies in its settings are not used), or wait if Discord has an outage, and start Atelier again.';

/** Unlike exit(), this does not lose lines that are still being written to a pipe. */
function setExitCode(code: number): void {
  process.exitCode = code;
}

/** The library may still be connecting, which would keep the process alive. The lines before this write are not lost. */
function exitAfterOutput(): void {
  process.stdout.write('', () => process.exit());
}

function refuseArgument(argument: string): undefined {
  process.stderr.write(
    `Atelier does not know the option ${argument}. Settings are environment variables (see .env.example).\n`,
  );
  setExitCode(EX_USAGE);
}

const readSettings = (): Config => readConfig(currentEnvironment(process.env), ruleTargets);

function loadConfig(): Config | undefined {
  try {
    return readSettings();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const lines = error.problems.map(({ variable, problem }) => `  ${variable} ${problem}\n`);
    process.stderr.write(`Atelier cannot start because of invalid settings (see .env.example):\n${lines.join('')}`);
    setExitCode(EX_CONFIG);
    return undefined;
  }
}

async function run(config: Config): Promise<void> {
  // A log that cannot be written, because its disk is full, must not end the bot. Later lines are written if they can be.
  process.stdout.on('error', () => undefined);
  const log = createLogger({
    level: config.log.level,
    secrets: [
      config.discord.token,
      config.gateway.apiKey,
      config.moderation.apiKey ?? '',
      config.http.metricsToken ?? '',
      config.backupPassphrase ?? '',
      ...passwordsIn(config.store.url),
      ...passwordsIn(config.cluster.queue.url),
    ],
    isPretty: process.stdout.isTTY,
    write: (line) => process.stdout.write(line),
  });
  // Node would print warnings directly, including everything that they quote.
  process.removeAllListeners('warning');
  process.on('warning', (warning) => log.warn({ err: warning }, 'Node.js emitted a warning.'));
  const crash = (error: unknown): void => {
    log.fatal({ err: error }, 'Atelier crashed.');
    process.exit(EX_SOFTWARE);
  };
  process.once('uncaughtException', crash);
  process.once('unhandledRejection', crash);
  try {
    // If the bot is told to stop while it starts, it stops right after the start.
    const stopSignal = new Promise<void>((resolve) => {
      process.once('SIGTERM', () => resolve());
      process.once('SIGINT', () => resolve());
    });
    const app = await startApp(config, { log, version: packageFile.version, readSettings });
    await acceptReloadRequests(app, config, log);
    stopSignal
      .then(() => app.stop())
      .then(exitAfterOutput)
      .catch(crash);
    // Not awaited: the promise may never resolve, and Node would end an entry module that waits for it.
    app.connectionLost.then((code) => onConnectionClosed(code, app, log)).catch(crash);
    app.storeLost
      .then((error) => {
        log.fatal({ err: error.cause }, error.message);
        // Exits immediately, because another bot may already own the store.
        process.exit(error.exitCode);
      })
      .catch(crash);
  } catch (error) {
    setExitCode(logFailedStart(error, log));
    exitAfterOutput();
  }
}

/** Returns the exit code. Throws an error that no operator can explain. */
function logFailedStart(error: unknown, log: Log): number {
  if (error instanceof StoreError) {
    // Only a failure that the message does not explain needs a stack trace.
    log.fatal(error.kind === 'failed' ? { err: error.cause } : {}, error.message);
    return error.exitCode;
  }
  if (error instanceof PortError) {
    log.fatal(error.message);
    return error.isInUse ? EX_TEMPFAIL : EX_CONFIG;
  }
  if (error instanceof MissingIntent || error instanceof ShardCountError || error instanceof NotDiscord) {
    log.fatal(error.message);
    return EX_CONFIG;
  }
  if (error instanceof DiscordUnreachable) {
    log.fatal(error.cause === undefined ? {} : errorFacts(error.cause), DISCORD_UNREACHABLE);
    return EX_TEMPFAIL;
  }
  if (!isRefusal(error) || error.status !== UNAUTHORIZED) throw error;
  log.fatal(TOKEN_REJECTED);
  return EX_NOPERM;
}

async function onConnectionClosed(code: number, app: App, log: Log): Promise<void> {
  if (code === GatewayCloseCodes.DisallowedIntents) log.fatal(new MissingIntent().message);
  log.fatal({ code }, 'Discord closed the connection permanently.');
  await app.stop();
  if (code !== GatewayCloseCodes.AuthenticationFailed) return setExitCode(EX_SOFTWARE);
  log.fatal(TOKEN_REJECTED);
  setExitCode(EX_NOPERM);
}

const [strayArgument] = process.argv.slice(2);
const config = strayArgument === undefined ? loadConfig() : refuseArgument(strayArgument);
if (config) await run(config);
