import type { Entry } from '../../ledger/entry.ts';
import type { Task } from '../task.ts';
import { voiceShown } from '../transitions.ts';

/** What a member may carry away: everything that is stored about them, without what lets others act in their name or the bot's. */
export interface OwnData {
  about: { memberId: string; exportedAt: string; tasks: string; ledger: string };
  tasks: Record<string, unknown>[];
  ledger: Entry[];
}

interface Exported {
  memberId: string;
  now: number;
  tasks: AsyncIterable<Task>;
  entries: AsyncIterable<Entry> | undefined;
}

export async function ownData({ memberId, now, tasks, entries }: Exported): Promise<OwnData> {
  const data: OwnData = {
    about: {
      memberId,
      exportedAt: new Date(now).toISOString(),
      tasks:
        'Everything you asked for, newest first, with its results as addresses. Times are milliseconds since 1970.',
      ledger: 'What was counted as used by you, oldest first. Amounts are decimal text.',
    },
    tasks: [],
    ledger: [],
  };
  for await (const task of tasks) data.tasks.push(withoutSecrets(task));
  if (entries) for await (const entry of entries) data.ledger.push(entry);
  return data;
}

/** Nor sound on its way to Discord, which is where it is found. */
function withoutSecrets(task: Task): Record<string, unknown> {
  const { idempotencyKey: _, route, ...rest } = voiceShown(task);
  const { token: __, ...way } = route;
  return { ...rest, route: way };
}
