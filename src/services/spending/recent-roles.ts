import type { Requester } from './requester.ts';

const MAX_REMEMBERED_MEMBERS = 10_000;

/** The roles of members as of their latest request, by server and member. */
export class RecentRoles {
  readonly #roles = new Map<string, readonly string[]>();

  note(requester: Requester): void {
    if (requester.roleIds === undefined) return;
    const key = keyOf(requester);
    this.#roles.delete(key);
    this.#roles.set(key, requester.roleIds);
    const [oldest] = this.#roles.keys();
    if (this.#roles.size > MAX_REMEMBERED_MEMBERS && oldest !== undefined) this.#roles.delete(oldest);
  }

  /** Undefined if the bot has not seen the member since its start. */
  of(requester: Requester): readonly string[] | undefined {
    return this.#roles.get(keyOf(requester));
  }
}

const keyOf = ({ guildId, memberId }: Requester): string => `${guildId} ${memberId}`;
