import type { Keeper } from './keeper.ts';
import type { Kill, Step } from './plan.ts';
import type { EmbeddedServers } from './sides.ts';
import { discordRoutes, type ExternalFault, gatewayPaths } from './troubles.ts';
import { waitUntil } from './waiting.ts';

export type Victim = Pick<Keeper, 'kill' | 'start'>;

/** Kills the bot, or the chosen one of its processes, in the middle of a step, and starts it again. */
export async function killAndRestart(
  { step, held, stepTimeoutMs, downMs, expiresTokens }: Kill,
  servers: EmbeddedServers,
  choose: () => Victim | undefined,
): Promise<void> {
  const fault = held === 'no' ? undefined : holdingFault(step, held === 'done');
  if (fault) servers.inject(fault);
  const countBefore = servers.countRequestsAt(step);
  await waitUntil(stepTimeoutMs, () => step === 'anything' || servers.countRequestsAt(step) > countBefore);
  const victim = choose();
  await victim?.kill();
  // A fault that was meant for the killed process must not hold up the next one.
  if (fault) servers.withdraw(fault);
  if (expiresTokens) servers.inject({ of: 'tokens', name: 'tokens expired' });
  await waitUntil(downMs, () => false);
  await victim?.start();
}

/** A fault that makes the server not respond to the request of this step. */
function holdingFault(step: Step, isCarriedOut: boolean): ExternalFault | undefined {
  const name = `${step} ${isCarriedOut ? 'done, then ' : ''}held until the kill`;
  const discordFault = (on: { method: string; route: string }): ExternalFault => ({
    of: 'discord',
    name,
    order: { on, do: { type: 'hang', done: isCarriedOut } },
  });
  switch (step) {
    case 'acknowledgement':
    case 'post':
      return discordFault(discordRoutes[step]);
    case 'edit':
      return discordFault(discordRoutes.answer);
    case 'submit':
      return {
        of: 'gateway',
        name,
        order: { on: gatewayPaths.submit, do: isCarriedOut ? 'accepted-then-hang' : 'hang' },
      };
    case 'poll':
    case 'file':
      return { of: 'gateway', name, order: { on: gatewayPaths[step], do: 'hang' } };
    default:
      return undefined;
  }
}
