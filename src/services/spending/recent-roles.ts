import { RecentMap } from '../../lib/recent-map.ts';
import type { Requester } from './requester.ts';

const MAX_REMEMBERED_MEMBERS = 10_000;

/** The roles of members as of their latest request, by server and member. */
export class RecentRoles {
  readonly #roles = new RecentMap<string, readonly string[]>(MAX_REMEMBERED_MEMBERS);

  note(requester: Requester): void {
    if (requester.roleIds) this.#roles.set(keyOf(requester), requester.roleIds);
  }

  /** Undefined if the bot has not seen the member since its start. */
  of(requester: Requester): readonly string[] | undefined {
    return this.#roles.get(keyOf(requester));
  }
}

const keyOf = ({ guildId, memberId }: Requester): string => `${guildId} ${memberId}`;
