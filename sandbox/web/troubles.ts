import { z } from 'zod';
import { complaint } from '../complaint.ts';
import type { EmbeddedGateway } from '../gateway/gateway.ts';
import { quirksOf } from '../gateway/quirks.ts';
import { dialects } from '../gateway/realtime/dialect.ts';
import type { Said } from './protocol.ts';
import type { Stage } from './stage.ts';
import { orderSession } from './talk-side.ts';
import { talkTroubleNames, talkTroubleSentence } from './talk-troubles.ts';

const DIALECTS = { ga: 'as gateways do today (ga)', beta: 'as gateways did before (beta)' } as const;
const HOUR = 60 * 60 * 1_000;

const trouble = z.discriminatedUnion('do', [
  z.strictObject({ do: z.literal('speed'), factor: z.number().min(0.25).max(50) }),
  z.strictObject({ do: z.literal('fail-next'), reason: z.string().trim().min(1).max(500).optional() }),
  z.strictObject({ do: z.literal('rate-limit-next'), times: z.int().min(1).max(100).default(1) }),
  z.strictObject({ do: z.literal('lose-next-answer') }),
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
type Trouble = z.output<typeof trouble>;

/** Makes trouble, and says in a sentence what will happen; refuses with one. */
export async function makeTrouble(order: unknown, stage: Stage): Promise<Said> {
  const read = trouble.safeParse(order);
  if (!read.success) throw new Error(complaint(read.error));
  const said = await carryOut(read.data, stage);
  stage.troubled.emit('made');
  return { said };
}

async function carryOut(order: Trouble, { discord, gateway, bot }: Stage): Promise<string> {
  switch (order.do) {
    case 'cut-socket':
      if (discord.gateway.sessions === 0) throw new Error('The bot is not connected, so there is nothing to cut.');
      discord.gateway.cut();
      return 'The connection is cut; the bot has to resume.';
    case 'end-tokens':
      discord.expireTokens();
      return 'The tokens of all interactions so far are over: what is still to be said has to find another way.';
    case 'age-messages':
      discord.age(HOUR);
      return 'All messages are an hour older, so that the tokens of their interactions are over as well.';
    case 'kill-bot':
      if (!(await bot.kill())) throw new Error('The bot is not running, so it cannot be killed.');
      return 'The bot was killed without a word. It comes back by itself in three seconds.';
    case 'start-bot':
      if (!bot.start())
        throw new Error(bot.state.state === 'stopping' ? 'The bot is still stopping.' : 'The bot is running already.');
      return 'The bot starts.';
    case 'stop-bot':
      if (!(await bot.stop())) throw new Error('The bot is not running.');
      return 'The bot was asked to stop, and has stopped. It stays so until it is started.';
    case 'clear':
      discord.faults.clear();
      if (gateway.kind === 'embedded') await clear(gateway.embedded, gateway.usualSpeed);
      return 'All trouble is over; the bot is left as it is.';
    default:
      if (gateway.kind === 'real') throw new Error('The gateway is a real one, and takes no such orders from here.');
      return await atGateway(order, gateway.embedded);
  }
}

type AtGateway = Extract<
  Trouble,
  {
    do: 'speed' | 'fail-next' | 'rate-limit-next' | 'lose-next-answer' | 'gateway-down' | AtTalk;
  }
>;
type AtTalk = 'talk-trouble' | 'dialect' | 'session';

async function atGateway(order: AtGateway, gateway: EmbeddedGateway): Promise<string> {
  const { faults, settings } = gateway;
  switch (order.do) {
    case 'speed':
      gateway.setSpeed(order.factor);
      return `The gateway works ${order.factor} times as fast as a real one, for what is under way as well.`;
    case 'fail-next':
      faults.add({ do: order.reason === undefined ? 'fail' : { type: 'fail', reason: order.reason } });
      return 'The next job that is begun will fail.';
    case 'rate-limit-next':
      faults.add({ do: 'rate-limited', times: order.times });
      return order.times === 1
        ? 'The next request is answered with 429.'
        : `The next ${order.times} requests are answered with 429.`;
    case 'lose-next-answer':
      faults.add({ on: { method: 'POST', kind: 'any' }, do: 'accepted-then-reset' });
      return 'The gateway will take the next order, and nobody will hear its answer.';
    case 'gateway-down':
      await gateway.setDown(order.on);
      return order.on
        ? 'Nothing listens at the address of the gateway any more. What it has begun goes on.'
        : 'The gateway listens again.';
    case 'talk-trouble':
      faults.add({ do: { type: 'realtime', how: order.how } });
      return talkTroubleSentence(order.how);
    case 'dialect':
      settings.quirks.realtimeDialect = order.speak;
      return `Live sessions that are opened from now on speak ${DIALECTS[order.speak]}. Those that are open stay as they are.`;
    case 'session':
      return orderSession(order.how, order.session, gateway);
  }
}

async function clear(gateway: EmbeddedGateway, speed: number): Promise<void> {
  gateway.faults.clear();
  gateway.settings.quirks.realtimeDialect = quirksOf(gateway.settings.profile).realtimeDialect;
  gateway.setSpeed(speed);
  await gateway.setDown(false);
}
