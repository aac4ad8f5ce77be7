import { type APIApplication, type REST, Routes, TeamMemberMembershipState } from 'discord.js';

interface OperatorsLog {
  warn(facts: object, sentence: string): void;
}

/** Who runs the bot: the owner of its application, or its team. Asked for once; where that fails, nobody is, and it is asked again. */
export function operators(rest: Pick<REST, 'get'>, log: OperatorsLog): (userId: string) => Promise<boolean> {
  let known: Promise<ReadonlySet<string>> | undefined;
  return async (userId) => {
    known ??= rest.get(Routes.currentApplication()).then((application) => idsOf(application as APIApplication));
    try {
      return (await known).has(userId);
    } catch (error) {
      known = undefined;
      log.warn({ err: error }, 'Discord did not say who runs this bot.');
      return false;
    }
  };
}

/** A team's application has an owner too, who is nobody but the team. Who is invited and has not accepted does not belong to it yet. */
function idsOf({ owner, team }: APIApplication): ReadonlySet<string> {
  const { Accepted } = TeamMemberMembershipState;
  const members = team?.members.filter(({ membership_state }) => membership_state === Accepted).map(({ user }) => user);
  return new Set((members ?? (owner ? [owner] : [])).map(({ id }) => id));
}
