import { startApp } from '../../src/app.ts';
import { ruleTargets } from '../../src/commands/index.ts';
import { readConfig } from '../../src/config.ts';
import { createLogger } from '../../src/lib/log.ts';
import { fastClock } from './fast-clock.ts';
import type { EmbeddedServersInput } from './job-orders.ts';

/** The shipped bot, except that it uses the clock of the embedded servers. */

const [input = '{}'] = process.argv.slice(2);
const { clockSpeed, clockOrigin } = JSON.parse(input) as EmbeddedServersInput;
const config = readConfig(process.env, ruleTargets);
const log = createLogger({
  level: config.log.level,
  secrets: [],
  isPretty: false,
  write: (line) => process.stderr.write(line),
});
const app = await startApp(config, {
  log,
  version: 'measured',
  clock: fastClock(clockSpeed, clockOrigin),
});
process.once('SIGTERM', () => void app.stop());
// It must not outlive the process that measures it, and waiting for that must not keep it alive.
process.once('disconnect', () => process.exit());
process.channel?.unref();
process.send?.('ready');
