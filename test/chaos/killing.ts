import type { Keeper } from './keeper.ts';
import type { Kill, Moment } from './plan.ts';
import type { Sides } from './sides.ts';
import { discordRoutes, gatewayPaths, type Trouble } from './troubles.ts';
import { within } from './waiting.ts';

export type Victim = Pick<Keeper, 'kill' | 'start'>;

/** Kills the bot, or the chosen one of its processes, in the middle of a step, and starts it again. */
export async function killAndRaise(
  { amid, held, ambushMs, downMs, outlivesTokens }: Kill,
  sides: Sides,
  choose: () => Victim | undefined,
): Promise<void> {
  const trouble = held === 'no' ? undefined : ambush(amid, held === 'done');
  if (trouble) sides.befall(trouble);
  const before = sides.momentsOf(amid);
  await within(ambushMs, () => amid === 'anything' || sides.momentsOf(amid) > before);
  const victim = choose();
  await victim?.kill();
  // A fault that was meant for the killed process must not hold up the next one.
  if (trouble) sides.withdraw(trouble);
  if (outlivesTokens) sides.befall({ of: 'tokens', name: 'tokens expired' });
  await within(downMs, () => false);
  await victim?.start();
}

/** The other server stops responding at this moment. */
function ambush(amid: Moment, done: boolean): Trouble | undefined {
  const name = `${amid} ${done ? 'done, then ' : ''}held until the kill`;
  const atDiscord = (on: { method: string; route: string }): Trouble => ({
    of: 'discord',
    name,
    order: { on, do: { type: 'hang', done } },
  });
  switch (amid) {
    case 'acknowledgement':
    case 'post':
      return atDiscord(discordRoutes[amid]);
    case 'edit':
      return atDiscord(discordRoutes.answer);
    case 'submit':
      return { of: 'gateway', name, order: { on: gatewayPaths.submit, do: done ? 'accepted-then-hang' : 'hang' } };
    case 'poll':
    case 'file':
      return { of: 'gateway', name, order: { on: gatewayPaths[amid], do: 'hang' } };
    default:
      return undefined;
  }
}
