import type { FaultRule as DiscordOrder } from '../../sandbox/discord/faults.ts';
import type { Fault } from '../../sandbox/gateway/fault.ts';
import { faultPresets, type PresetName } from '../../sandbox/gateway/fault-presets.ts';
import type { FaultRule as GatewayOrder } from '../../sandbox/gateway/faults.ts';
import type { Random } from '../../sandbox/gateway/random.ts';

/** External faults as plain data, so that the same seed injects them in the same way. */
export type ExternalFault =
  | { of: 'socket'; name: 'cut' | 'reconnect ordered' | 'session suspended' | 'session forgotten' }
  | { of: 'tokens'; name: 'tokens expired' }
  | { of: 'discord'; name: string; order: DiscordOrder }
  | { of: 'gateway'; name: string; order: GatewayOrder };

export type FaultOf<Target extends ExternalFault['of']> = Extract<ExternalFault, { of: Target }>;

/** The requests at which Discord can fail while the bot is running. */
export const discordRoutes = {
  acknowledgement: { method: 'POST', route: '/interactions/:interaction/:token/callback' },
  answer: { method: 'PATCH', route: '/webhooks/:application/:token/messages/:message' },
  edit: { method: 'PATCH', route: '/channels/:channel/messages/:message' },
  post: { method: 'POST', route: '/channels/:channel/messages' },
  direct: { method: 'POST', route: '/users/@me/channels' },
} as const;

export const gatewayPaths = {
  /** The upload of a reference for a submit does not count. */
  submit: {
    path: /\/submit\/(?!upload)|\/generations\/jobs$|\/video\/generations$|\/v1\/videos$|image2video$|\/v1\/responses$/,
  },
  poll: { path: /\/fetch(\/|$)|\/(jobs|generations|videos|image2video)\/(?!jobs$|generations$|image2video$)[^/]+$/ },
  file: { path: /^\/files\// },
};

/** After one of these faults, the member has to decide about the request. */
const uncertainFaults = [
  ...(['server-error', 'bad-gateway', 'gateway-timeout', 'empty', 'half', 'lying', 'cut', 'reset'] as const),
  ...(['accepted-then-500', 'accepted-then-reset', 'error-in-200'] as const),
] satisfies PresetName[];
const submitFaults = [...uncertainFaults, 'rate-limited', 'saturated', 'unavailable'] satisfies PresetName[];
const pollFaults = [
  ...(['server-error', 'bad-gateway', 'unavailable', 'gateway-timeout', 'rate-limited', 'saturated', 'empty'] as const),
  ...(['half', 'lying', 'cut', 'reset', 'error-in-200', 'success-false'] as const),
] satisfies PresetName[];
const fileFaults = ['server-error', 'cut', 'reset'] satisfies PresetName[];
const jobFaults = ['fail', 'moderated', 'stick', 'slow'] satisfies PresetName[];
const garbageFault: Fault = { type: 'body', body: ['what', { is: 'this' }, null] };
const notFoundFault: Fault = { type: 'status', status: 404, code: 'task_not_exist', message: 'task_not_exist' };

/** A fault with its weight in the random choice. `isLong`: only the bot's own timeout ends it. */
interface WeightedFault {
  weight: number;
  isLong?: true;
  make(random: Random): ExternalFault;
}

const weightedFaults: readonly WeightedFault[] = [
  ...(['cut', 'reconnect ordered', 'session suspended', 'session forgotten'] as const).map(
    (name): WeightedFault => ({ weight: 1, make: () => ({ of: 'socket', name }) }),
  ),
  { weight: 1, make: () => ({ of: 'tokens', name: 'tokens expired' }) },
  { weight: 9, make: discordFault },
  { weight: 1, isLong: true, make: discordHang },
  { weight: 4, make: (random) => presetFault('submit', anyOf(submitFaults, random)) },
  { weight: 4, make: (random) => presetFault('poll', anyOf(pollFaults, random), 1 + random.integer(3)) },
  { weight: 1, make: () => gatewayFault('poll', 'garbage', garbageFault) },
  { weight: 1, make: () => gatewayFault('poll', 'temporarily unknown', notFoundFault) },
  { weight: 1, make: (random) => presetFault('file', anyOf(fileFaults, random)) },
  { weight: 1, isLong: true, make: (random) => presetFault(anyOf(['submit', 'poll'], random), 'hang') },
  { weight: 1, isLong: true, make: () => presetFault('submit', 'accepted-then-hang') },
  { weight: 4, make: jobFault },
];

/** Long faults take a minute or more to end, unless the bot is killed in the meantime. */
export function randomFault(random: Random, { includeLongFaults }: { includeLongFaults: boolean }): ExternalFault {
  const candidates = weightedFaults.filter((chance) => includeLongFaults || !chance.isLong);
  let remaining = random.next() * candidates.reduce((sum, { weight }) => sum + weight, 0);
  const chosen = candidates.find(({ weight }) => {
    remaining -= weight;
    return remaining < 0;
  });
  return (chosen ?? anyOf(candidates, random)).make(random);
}

function discordFault(random: Random): FaultOf<'discord'> {
  const routeName = anyOf(Object.keys(discordRoutes) as (keyof typeof discordRoutes)[], random);
  const on = discordRoutes[routeName];
  const faultNamed = (name: string, order: Omit<DiscordOrder, 'on'>): FaultOf<'discord'> => ({
    of: 'discord',
    name: `${routeName} ${name}`,
    order: { on, ...order },
  });
  switch (random.integer(5)) {
    case 0:
      return faultNamed('500', { do: { type: 'status', status: 500 } });
    case 1:
      // More often than the library retries.
      return faultNamed('503', { do: { type: 'status', status: 503 }, times: 5 });
    case 2:
      return faultNamed('reset', { do: { type: 'reset' } });
    case 3:
      return faultNamed('done, then reset', { do: { type: 'reset', done: true } });
    default:
      return faultNamed('slow', { do: { type: 'delay', ms: 500 + random.integer(3_500) } });
  }
}

function discordHang(random: Random): FaultOf<'discord'> {
  const routeName = anyOf(Object.keys(discordRoutes) as (keyof typeof discordRoutes)[], random);
  const done = random.next() < 0.5;
  const name = `${routeName} ${done ? 'done, then ' : ''}hang`;
  return { of: 'discord', name, order: { on: discordRoutes[routeName], do: { type: 'hang', done } } };
}

function presetFault(routeName: keyof typeof gatewayPaths, name: PresetName, times = 1): FaultOf<'gateway'> {
  return gatewayFault(routeName, name, faultPresets[name], times);
}

function gatewayFault(routeName: keyof typeof gatewayPaths, name: string, fault: Fault, times = 1): FaultOf<'gateway'> {
  return { of: 'gateway', name: `${routeName} ${name}`, order: { on: gatewayPaths[routeName], do: fault, times } };
}

function jobFault(random: Random): FaultOf<'gateway'> {
  const name = anyOf(jobFaults, random);
  return { of: 'gateway', name: `job ${name}`, order: { on: { kind: 'any' }, do: name } };
}

export function anyOf<Item>(items: readonly Item[], random: Random): Item {
  const item = items[random.integer(items.length)];
  if (item === undefined) throw new RangeError('There is nothing to choose from.');
  return item;
}
