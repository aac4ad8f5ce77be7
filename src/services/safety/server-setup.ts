import { z } from 'zod';
import { RecentMap } from '../../lib/recent-map.ts';
import type { StoredRows } from '../../lib/stored-rows.ts';
import { isAtHome, type Partition } from '../tasks/homes.ts';

/** What an admin goes through when the bot has joined a server, in this order. */
export const setupSteps = ['permissions', 'access', 'budget', 'rules', 'privacy'] as const;
export type SetupStep = (typeof setupSteps)[number];

/** A step that an admin has finished, or `known`: admins have used `/setup`, or were told about it. */
export const setupMark = z.object({ guildId: z.string(), mark: z.enum([...setupSteps, 'known']) });
type SetupMark = z.output<typeof setupMark>;

export type SetupStore = Pick<StoredRows<SetupMark>, 'startingWith' | 'put'>;

/** One with more servers reads the marks of some of them again. */
const MAX_EXAMINED = 5_000;

export type ServerSetup = ReturnType<typeof createServerSetup>;

/** How far admins have come with the set-up of their servers. Each mark is a row, so two admins cannot overwrite each other's. */
export function createServerSetup(store: SetupStore, partition: Partition) {
  /** The servers that need no hint, and those that are being given one. */
  const examined = new RecentMap<string, true>(MAX_EXAMINED);
  const giveHintBack = (guildId: string): void => void examined.delete(guildId);
  const marks = async (guildId: string): Promise<ReadonlySet<SetupMark['mark']>> =>
    new Set((await store.startingWith(`${guildId}:`)).map(({ mark }) => mark));
  return {
    marks,
    giveHintBack,

    async mark(guildId: string, mark: SetupMark['mark']): Promise<void> {
      await store.put({ guildId, mark });
      examined.set(guildId, true);
    },

    /** Whether the admins of a server have still to be told about `/setup`. Only one caller is told so, until it gives the hint back. */
    async takeHint(guildId: string): Promise<boolean> {
      // Another partition has the marks of the server in which a button of this partition's task was pressed.
      if (!isAtHome(guildId, partition) || examined.has(guildId)) return false;
      examined.set(guildId, true);
      try {
        return (await marks(guildId)).size === 0;
      } catch (error) {
        giveHintBack(guildId);
        throw error;
      }
    },
  };
}
