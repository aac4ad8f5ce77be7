import { parseArgs } from 'node:util';
import { type EmbeddedGateway, startGateway } from './gateway.ts';
import { type Profile, profiles } from './quirks.ts';

/** sysexits.h: the command was used incorrectly. */
const EX_USAGE = 64;

class UsageError extends Error {}

const HELP = `npm run sandbox:gateway -- [options]

Serves the embedded gateway alone.

  --port <number>    port (default 4010; 0 picks a free port)
  --speed <factor>   speed relative to a real gateway (default 1)
  --key <key>        the key that clients send (default sk-sandbox)
  --profile <name>   ${profiles.join(' or ')} (default spec)
  --help             show this help`;

interface Arguments {
  readonly port: number;
  readonly speed: number;
  readonly key: string;
  readonly profile: Profile;
}

function readArguments(): Arguments | undefined {
  const { values } = parseOptions();
  if (values.help) return undefined;
  const port = Number(values.port);
  if (!/^\d+$/.test(values.port) || port > 65_535)
    throw new UsageError(`--port must be a number from 0 to 65535, not ${values.port}.`);
  const speed = Number(values.speed);
  if (!(speed > 0 && speed <= 100_000))
    throw new UsageError(`--speed must be a number above 0 and at most 100000, such as 10, not ${values.speed}.`);
  if (!/^\S+$/.test(values.key))
    throw new UsageError('--key must be the key that clients send, such as sk-sandbox, without spaces.');
  const profile = profiles.find((one) => one === values.profile);
  if (!profile) throw new UsageError(`--profile must be ${profiles.join(' or ')}, not ${values.profile}.`);
  return { port, speed, key: values.key, profile };
}

function parseOptions() {
  try {
    return parseArgs({
      options: {
        port: { type: 'string', default: '4010' },
        speed: { type: 'string', default: '1' },
        key: { type: 'string', default: 'sk-sandbox' },
        profile: { type: 'string', default: 'spec' },
        help: { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('. ')[0] : error;
    throw new UsageError(
      `${reason}: the options are --port, --speed, --key and --profile, each followed by its value, and --help.`,
    );
  }
}

async function start(args: Arguments): Promise<EmbeddedGateway> {
  try {
    return await startGateway({ ...args, keys: [{ key: args.key }] });
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

async function run(): Promise<void> {
  const args = readArguments();
  if (!args) {
    console.log(HELP);
    return;
  }
  const gateway = await start(args);
  console.log(`The sandbox gateway is listening on ${gateway.url} (profile ${args.profile}, speed ${args.speed}).
Key:      ${args.key}
Try:      curl ${gateway.url}/v1/models -H 'Authorization: Bearer ${args.key}'
Faults:   curl -X POST ${gateway.url}/_sandbox/faults -H 'Authorization: Bearer ${args.key}' -H 'Content-Type: application/json' -d '{"do":"rate-limited"}'
          GET the same URL to list the faults; /_sandbox/{state,jobs,settings,heard,realtime} show and control the rest.`);
  const stop = () => {
    gateway.close().then(
      () => process.exit(0),
      (error: unknown) => {
        console.error(error);
        process.exit(1);
      },
    );
  };
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
}

try {
  await run();
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  console.error(error.message);
  process.exitCode = EX_USAGE;
}
