import { kindSpecs, kindsOf, ruleTargets } from '../../../src/commands/index.ts';
import { readConfig } from '../../../src/config.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { createLogger } from '../../../src/lib/log.ts';
import { Refusal } from '../../../src/lib/refusal.ts';
import { GatewayError } from '../../../src/services/gateway/errors.ts';
import { createGateway } from '../../../src/services/gateway/gateway.ts';
import { createEngine } from '../../../src/services/operations/engine.ts';
import { ProcessLimits } from '../../../src/services/orders/process-limits.ts';
import { openStore } from '../../../src/services/store/open-store.ts';
import { WHOLE_STORE } from '../../../src/services/tasks/homes.ts';
import { StoreError } from '../../../src/services/tasks/store-error.ts';
import type { Task } from '../../../src/services/tasks/task.ts';
import { silentDiscord } from '../../support/silent-discord.ts';
import { type Command, type CommandResult, STORE_UNREACHABLE, TRY_AGAIN } from './order.ts';

/** The bot without Discord, in a process that gets killed. It carries out commands, and reports the outcome of each order. */
const config = readConfig(process.env, ruleTargets);
const log = createLogger({
  level: config.log.level,
  secrets: [config.gateway.apiKey],
  isPretty: false,
  write: (line) => process.stdout.write(line),
});
const clock = systemClock;

/** As the bot does: a supervisor starts it again. */
function exitIfUnreachable(error: unknown): never {
  if (error instanceof StoreError && error.kind === 'unreachable') process.exit(TRY_AGAIN);
  throw error;
}

const store = await openStore(config.store, {
  log,
  clock,
  specs: kindSpecs,
  botVersion: '0.0.0',
  leaseMs: config.storeLeaseMs,
}).catch(exitIfUnreachable);
// As the bot does, it ends at once without its lease.
void store.ownership.lost.then(() => process.exit(TRY_AGAIN));
const gateway = createGateway(config.gateway, { log, clock }, { submitMs: 3_000, readMs: 3_000, bodyMs: 3_000 });
const engine = createEngine(
  { clock, log },
  {
    store,
    gateway,
    mediaClock: clock,
    settings: config,
    specs: kindSpecs,
    ruleTargets,
    partition: WHOLE_STORE,
    limits: new ProcessLimits(config, { clock, log }),
    kinds: kindsOf(gateway, { ...config.poll, ...config.gateway }),
    extraOrigins: [],
    discord: silentDiscord,
  },
);
const { tasks } = engine.domains;
await engine
  .open()
  .then(() => tasks.start())
  .catch(exitIfUnreachable);

async function carryOut(command: Command): Promise<CommandResult> {
  const { orders, book } = tasks;
  if (command.do === 'count') {
    const openTasks = book.live(
      ({ state }) => !['ready', 'failed', 'cancelled', 'expired', 'unconfirmed'].includes(state),
    );
    return { open: openTasks.length };
  }
  const origin = {
    requesterId: command.memberId,
    guildId: command.guildId,
    channelId: command.guildId,
    route: {
      applicationId: '1',
      isPrivate: false,
      install: 'guild' as const,
      mayPost: true,
      tokenExpiresAt: 0,
      uploadLimit: 10 * 2 ** 20,
      locale: 'en-US',
    },
  };
  try {
    if (command.do === 'try again') {
      const isUndecided = ({ state, kind, requesterId, successorId }: Task): boolean =>
        state === 'unconfirmed' && kind === 'image' && requesterId === command.memberId && successorId === undefined;
      const [task] = book.live(isUndecided);
      if (task) await orders.tryAgain(task.id, origin);
      return {};
    }
    const { prompt, model } = command;
    const order =
      model === undefined
        ? { kind: 'imagine' as const, request: { prompt } }
        : { kind: 'image' as const, request: { prompt, model } };
    return { state: (await orders.submit({ ...origin, ...order })).state };
  } catch (error) {
    if (error instanceof Refusal) return { refused: error.key };
    if (error instanceof GatewayError) return { refused: `gateway ${error.kind}` };
    if (error instanceof StoreError && ['unreachable', 'lost'].includes(error.kind))
      return { refused: STORE_UNREACHABLE };
    throw error;
  }
}

process.on('message', (message: { id: number; command: Command }) => {
  void carryOut(message.command)
    .catch((error: unknown): CommandResult => ({ broken: String(error) }))
    .then((answer) => process.send?.({ id: message.id, answer }));
});
process.once('SIGTERM', () => {
  void (async () => {
    await engine.pause();
    await engine.close();
    await engine.stop();
    process.exit(0);
  })();
});
process.send?.({ ready: true });
