import { amountText } from '../../../sandbox/gateway/decimal.ts';
import type { Job } from '../../../sandbox/gateway/job.ts';
import { compare } from '../../../src/lib/decimals.ts';
import { amountOf, type Entry, standingOf } from '../../../src/services/ledger/entry.ts';
import type { Task } from '../../../src/services/tasks/task.ts';

export interface PartitionBooks {
  entries: readonly Entry[];
  tasks: readonly Task[];
}

/** Compares the ledgers of all partitions with the limit of each member on a server, and with what the gateway has charged. */
export function compareLedgers(
  books: readonly PartitionBooks[],
  jobs: readonly Job[],
  tasksPerMember: number,
): { broken: string[]; figure: string } {
  const entries = books.flatMap((book) => book.entries);
  const counted = entries.filter((entry) => standingOf(entry) !== 'refunded');
  const byId = new Map(counted.map((entry) => [entry.id, entry]));
  const members = Map.groupBy(
    counted.filter(({ guildId, isDirect }) => guildId !== undefined && !isDirect),
    ({ guildId, memberId }) => `${guildId} ${memberId}`,
  );
  const aboveLimit = [...members].filter(([, { length }]) => length > tasksPerMember);
  const atLimit = [...members].filter(([, { length }]) => length === tasksPerMember);
  const releasedTwice = entries.filter(
    ({ facts }) => facts.filter(({ standing }) => standing === 'refunded').length > 1,
  );
  const taskOf = new Map(books.flatMap(({ tasks }) => tasks).map((task) => [task.remoteId, task]));
  const charged = jobs.filter(({ state }) => state !== 'failed');
  const known = charged.flatMap((job) => {
    const task = taskOf.get(job.id);
    return task ? [{ job, task, entry: byId.get(task.id) }] : [];
  });
  const withoutReservation = known.filter(({ entry }) => entry === undefined);
  const mischarged = known.filter(({ job, entry }) => {
    const amount = entry && amountOf(entry);
    return amount !== undefined && !amount.isEstimate && compare(amount.amount, amountText(job.charge)) !== 0;
  });
  const reported = known.filter(({ entry }) => entry && amountOf(entry)?.isEstimate === false);
  return {
    broken: [
      ...aboveLimit.map(
        ([member, { length }]) => `${member} has ${length} reservations, above the limit of ${tasksPerMember}`,
      ),
      ...releasedTwice.map(({ id }) => `order ${id} was released twice`),
      ...withoutReservation.map(({ job, task }) => `job ${job.id} of task ${task.id} has no reservation`),
      ...mischarged.map(({ job }) => `job ${job.id} was charged a different amount than the ledger says`),
    ],
    figure: [
      `${entries.length} entries, ${counted.length} counted`,
      `${members.size} members with a limit of ${tasksPerMember}, ${atLimit.length} reached it`,
      `${known.length} jobs with a reservation, ${reported.length} with the gateway’s amount`,
    ].join('; '),
  };
}
