import { amountText } from '../../../sandbox/gateway/decimal.ts';
import type { Job } from '../../../sandbox/gateway/job.ts';
import { compare } from '../../../src/lib/decimals.ts';
import { amountOf, type LedgerEntry, standingOf } from '../../../src/services/money/entry.ts';
import type { Task } from '../../../src/services/tasks/task.ts';

export interface PartitionBooks {
  entries: readonly LedgerEntry[];
  tasks: readonly Task[];
}

/** Compares the ledgers of all partitions with the limit of each member on a server, and with what the gateway has charged. */
export function compareLedgers(
  books: readonly PartitionBooks[],
  jobs: readonly Job[],
  tasksPerMember: number,
): { failures: string[]; figure: string } {
  const entries = books.flatMap((book) => book.entries);
  const countedEntries = entries.filter((entry) => standingOf(entry) !== 'refunded');
  const entriesById = new Map(countedEntries.map((entry) => [entry.id, entry]));
  const members = Map.groupBy(
    countedEntries.filter(({ guildId, isDirect }) => guildId !== undefined && !isDirect),
    ({ guildId, memberId }) => `${guildId} ${memberId}`,
  );
  const membersAboveLimit = [...members].filter(([, { length }]) => length > tasksPerMember);
  const membersAtLimit = [...members].filter(([, { length }]) => length === tasksPerMember);
  const doubleReleases = entries.filter(
    ({ facts }) => facts.filter(({ standing }) => standing === 'refunded').length > 1,
  );
  const taskOf = new Map(books.flatMap(({ tasks }) => tasks).map((task) => [task.remoteId, task]));
  const chargedJobs = jobs.filter(({ state }) => state !== 'failed');
  const matchedJobs = chargedJobs.flatMap((job) => {
    const task = taskOf.get(job.id);
    return task ? [{ job, task, entry: entriesById.get(task.id) }] : [];
  });
  const unreservedJobs = matchedJobs.filter(({ entry }) => entry === undefined);
  const mischargedJobs = matchedJobs.filter(({ job, entry }) => {
    const amount = entry && amountOf(entry);
    return amount !== undefined && !amount.isEstimate && compare(amount.amount, amountText(job.charge)) !== 0;
  });
  const reportedJobs = matchedJobs.filter(({ entry }) => entry && amountOf(entry)?.isEstimate === false);
  return {
    failures: [
      ...membersAboveLimit.map(
        ([member, { length }]) => `${member} has ${length} reservations, above the limit of ${tasksPerMember}`,
      ),
      ...doubleReleases.map(({ id }) => `order ${id} was released twice`),
      ...unreservedJobs.map(({ job, task }) => `job ${job.id} of task ${task.id} has no reservation`),
      ...mischargedJobs.map(({ job }) => `job ${job.id} was charged a different amount than the ledger says`),
    ],
    figure: [
      `${entries.length} entries, ${countedEntries.length} counted`,
      `${members.size} members with a limit of ${tasksPerMember}, ${membersAtLimit.length} reached it`,
      `${matchedJobs.length} jobs with a reservation, ${reportedJobs.length} with the gateway’s amount`,
    ].join('; '),
  };
}
