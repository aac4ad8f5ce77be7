import { z } from 'zod';
import { callbackFaults } from '../gateway/callback-fault.ts';
import type { EmbeddedGateway } from '../gateway/gateway.ts';
import { quirksOf } from '../gateway/quirks.ts';
import { dialects } from '../gateway/realtime/dialect.ts';
import { validationMessage } from '../validation-message.ts';
import { CALLBACK_FAULT_DESCRIPTIONS } from './callback-troubles.ts';
import type { TroubleResult } from './protocol.ts';
import type { Stage } from './stage.ts';
import { endSession } from './talk-side.ts';
import { describeTalkTrouble, talkTroubleNames } from './talk-troubles.ts';

const DIALECT_NAMES = { ga: 'the current dialect (ga)', beta: 'the previous dialect (beta)' } as const;
const HOUR_MS = 60 * 60 * 1_000;

const troubleSchema = z.discriminatedUnion('do', [
  z.strictObject({ do: z.literal('speed'), factor: z.number().min(0.25).max(50) }),
  z.strictObject({ do: z.literal('fail-next'), reason: z.string().trim().min(1).max(500).optional() }),
  z.strictObject({ do: z.literal('rate-limit-next'), times: z.int().min(1).max(100).default(1) }),
  z.strictObject({ do: z.literal('lose-next-answer') }),
  z.strictObject({ do: z.literal('callbacks'), how: z.enum(callbackFaults) }),
  z.strictObject({ do: z.literal('gateway-down'), on: z.boolean() }),
  z.strictObject({ do: z.literal('talk-trouble'), how: z.enum(talkTroubleNames) }),
  z.strictObject({ do: z.literal('dialect'), speak: z.enum(dialects) }),
  z.strictObject({ do: z.literal('session'), how: z.enum(['cut', 'expire', 'hang']), session: z.string() }),
  z.strictObject({ do: z.literal('cut-socket') }),
  z.strictObject({ do: z.literal('end-tokens') }),
  z.strictObject({ do: z.literal('age-messages') }),
  z.strictObject({ do: z.literal('kill-bot') }),
  z.strictObject({ do: z.literal('start-bot') }),
  z.strictObject({ do: z.literal('stop-bot') }),
  z.strictObject({ do: z.literal('clear') }),
]);
type Trouble = z.output<typeof troubleSchema>;

/** Injects a fault and returns a sentence about its effect; if that is not possible, throws an error whose message is a sentence. */
export async function makeTrouble(trouble: unknown, stage: Stage): Promise<TroubleResult> {
  const parsed = troubleSchema.safeParse(trouble);
  if (!parsed.success) throw new Error(validationMessage(parsed.error));
  const said = await applyTrouble(parsed.data, stage);
  stage.troubles.emit('made');
  return { said };
}

async function applyTrouble(trouble: Trouble, { discord, gateway, bot }: Stage): Promise<string> {
  switch (trouble.do) {
    case 'cut-socket':
      if (discord.gateway.sessions === 0)
        throw new Error('The bot is not connected to Discord, so there is no connection to cut.');
      discord.gateway.dropConnections();
      return 'The connection was cut. The bot resumes its session.';
    case 'end-tokens':
      discord.expireTokens();
      return 'All interaction tokens issued so far have expired. Outstanding results are delivered another way.';
    case 'age-messages':
      discord.age(HOUR_MS);
      return 'All messages are now one hour older, and their interaction tokens have expired.';
    case 'kill-bot':
      if (!(await bot.kill())) throw new Error('The bot is not running, so it cannot be killed.');
      return 'The bot was killed. It restarts automatically in three seconds.';
    case 'start-bot':
      if (!bot.start())
        throw new Error(bot.state.state === 'stopping' ? 'The bot is still stopping.' : 'The bot is already running.');
      return 'The bot is starting.';
    case 'stop-bot':
      if (!(await bot.stop())) throw new Error('The bot is not running.');
      return 'The bot has shut down. It stays stopped until you start it.';
    case 'clear':
      discord.faults.clear();
      if (gateway.kind === 'embedded') await clearGateway(gateway.embedded, gateway.initialSpeed);
      return 'All faults are cleared. The bot itself is unchanged.';
    default:
      if (gateway.kind === 'real') throw new Error('This is not possible with a real gateway.');
      return await applyToGateway(trouble, gateway.embedded);
  }
}

type GatewayTrouble = Extract<
  Trouble,
  {
    do: 'speed' | 'fail-next' | 'rate-limit-next' | 'lose-next-answer' | 'callbacks' | 'gateway-down' | TalkTroubleKind;
  }
>;
type TalkTroubleKind = 'talk-trouble' | 'dialect' | 'session';

async function applyToGateway(trouble: GatewayTrouble, gateway: EmbeddedGateway): Promise<string> {
  const { faults, settings } = gateway;
  switch (trouble.do) {
    case 'speed':
      gateway.setSpeed(trouble.factor);
      return `The gateway now runs at ${trouble.factor} times the speed of a real one. Jobs in progress change speed too.`;
    case 'fail-next':
      faults.add({ do: trouble.reason === undefined ? 'fail' : { type: 'fail', reason: trouble.reason } });
      return 'The next job will fail.';
    case 'rate-limit-next':
      faults.add({ do: 'rate-limited', times: trouble.times });
      return trouble.times === 1
        ? 'The next request fails with status 429.'
        : `The next ${trouble.times} requests fail with status 429.`;
    case 'lose-next-answer':
      faults.add({ on: { method: 'POST', kind: 'any', path: /^(?!\/v1\/moderations)/ }, do: 'accepted-then-reset' });
      return 'The gateway will accept the next submit, but its response will be lost.';
    case 'callbacks':
      faults.add({ do: { type: 'callbacks', how: trouble.how } });
      return CALLBACK_FAULT_DESCRIPTIONS[trouble.how];
    case 'gateway-down':
      await gateway.setDown(trouble.on);
      return trouble.on ? 'The gateway is down. Jobs in progress continue.' : 'The gateway is up again.';
    case 'talk-trouble':
      faults.add({ do: { type: 'realtime', how: trouble.how } });
      return describeTalkTrouble(trouble.how);
    case 'dialect':
      settings.quirks.realtimeDialect = trouble.speak;
      return `New live sessions use ${DIALECT_NAMES[trouble.speak]}. Open sessions keep theirs.`;
    case 'session':
      return endSession(trouble.how, trouble.session, gateway);
  }
}

async function clearGateway(gateway: EmbeddedGateway, speed: number): Promise<void> {
  gateway.faults.clear();
  gateway.settings.quirks.realtimeDialect = quirksOf(gateway.settings.profile).realtimeDialect;
  gateway.setSpeed(speed);
  await gateway.setDown(false);
}
