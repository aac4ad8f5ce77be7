import { DiscordAPIError, DiscordjsError, DiscordjsErrorCodes, GatewayCloseCodes } from 'discord.js';
import packageFile from '../package.json' with { type: 'json' };
import { startApp } from './app.ts';
import { kindSpecs } from './commands/index.ts';
import { type Config, ConfigError, readConfig } from './config.ts';
import { MissingIntent } from './discord/reads.ts';
import { ShardCountError } from './discord/shards/shard-count.ts';
import { type Log, openLog } from './lib/log.ts';
import { PortError } from './lib/port-error.ts';
import type { App } from './roles/app.ts';
import { passwordsIn, StoreError, type StoreErrorKind } from './services/store/index.ts';
import { kindNames } from './services/tasks/task.ts';

// sysexits.h, so that a supervisor knows whether a restart would help.
const EX_SOFTWARE = 70;
const EX_IOERR = 74;
const EX_TEMPFAIL = 75;
const EX_NOPERM = 77;
const EX_CONFIG = 78;

const REFUSED = 'Discord rejected DISCORD_TOKEN. Create a new token in the developer portal ("Bot", "Reset Token").';

const NO_INTENT =
  'DISCORD_MESSAGE_CONTENT is on, but the bot does not have the Message Content intent. Enable "Message Content Intent" in the developer portal ("Bot"), or turn the setting off.';

/** exit() would cut off lines on their way to a pipe. */
function leave(code: number): void {
  process.exitCode = code;
}

function configured(): Config | undefined {
  try {
    return readConfig(process.env, kindNames(kindSpecs));
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const lines = error.problems.map(({ variable, problem }) => `  ${variable} ${problem}\n`);
    process.stderr.write(`Atelier cannot start because of invalid settings (see .env.example):\n${lines.join('')}`);
    leave(EX_CONFIG);
    return undefined;
  }
}

async function run(config: Config): Promise<void> {
  const log = openLog({
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
    readable: process.stdout.isTTY,
    write: (line) => process.stdout.write(line),
  });
  // Node would print warnings past the log, with everything that they quote.
  process.removeAllListeners('warning');
  process.on('warning', (warning) => log.warn({ err: warning }, 'Node.js emitted a warning.'));
  const crash = (error: unknown): void => {
    log.fatal({ err: error }, 'Atelier crashed.');
    process.exit(EX_SOFTWARE);
  };
  process.once('uncaughtException', crash);
  process.once('unhandledRejection', crash);
  try {
    // Told to stop during the start, the bot stops right after it.
    const stopSignal = new Promise<void>((resolve) => {
      process.once('SIGTERM', () => resolve());
      process.once('SIGINT', () => resolve());
    });
    const mayMigrate = process.argv.includes('--migrate');
    const app = await startApp(config, { log, version: packageFile.version, mayMigrate });
    stopSignal.then(() => app.stop()).catch(crash);
    // Not awaited: `lost` may never resolve, and Node would end an entry module that waits for it.
    app.connectionLost.then((code) => ended(code, app, log)).catch(crash);
    app.storeLost
      .then((error) => {
        log.fatal({ err: error.cause }, error.message);
        // At once, for another bot may own the store already.
        process.exit(EXIT_CODES[error.kind]);
      })
      .catch(crash);
  } catch (error) {
    if (error instanceof StoreError) {
      log.fatal({ err: error.cause }, error.message);
      return leave(EXIT_CODES[error.kind]);
    }
    if (error instanceof PortError) {
      log.fatal({ err: error.cause }, error.message);
      return leave(error.isInUse ? EX_TEMPFAIL : EX_CONFIG);
    }
    if (error instanceof MissingIntent) {
      log.fatal(NO_INTENT);
      return leave(EX_CONFIG);
    }
    if (error instanceof ShardCountError) {
      log.fatal(error.message);
      return leave(EX_CONFIG);
    }
    if (!isRefusedToken(error)) throw error;
    log.fatal(REFUSED);
    leave(EX_NOPERM);
  }
}

/** A restart only helps where another program has the store for a moment, or its server is away. */
const EXIT_CODES: Readonly<Record<StoreErrorKind, number>> = {
  'in-use': EX_TEMPFAIL,
  locked: EX_TEMPFAIL,
  unreachable: EX_TEMPFAIL,
  lost: EX_TEMPFAIL,
  full: EX_IOERR,
  corrupt: EX_IOERR,
  failed: EX_IOERR,
  newer: EX_CONFIG,
  older: EX_CONFIG,
  unsupported: EX_CONFIG,
  denied: EX_CONFIG,
};

async function ended(code: number, app: App, log: Log): Promise<void> {
  if (code === GatewayCloseCodes.DisallowedIntents) log.fatal(NO_INTENT);
  log.fatal({ code }, 'Discord closed the connection permanently.');
  await app.stop();
  if (code !== GatewayCloseCodes.AuthenticationFailed) return leave(EX_SOFTWARE);
  log.fatal(REFUSED);
  leave(EX_NOPERM);
}

function isRefusedToken(error: unknown): boolean {
  if (error instanceof DiscordAPIError) return error.status === 401;
  return error instanceof DiscordjsError && error.code === DiscordjsErrorCodes.TokenInvalid;
}

const config = configured();
// discord.js reads this variable too: it fails with an empty one, and shards are not its business here.
Reflect.deleteProperty(process.env, 'SHARD_COUNT');
if (config) await run(config);
