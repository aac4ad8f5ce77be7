import type { FileRecord } from './coverage.ts';
import { condemn, type Trial } from './judge.ts';
import type { Lane } from './lane.ts';

/** Large enough that loading the bot takes little of the time, small enough to share the work. */
const BATCH_SIZE = 8;

/**
 * Runs the test files that remain with all undecided mutants at once, and looks for the one that a failure is due to
 * only where there is a failure. A mutant that hides another one can only make it survive.
 */
export async function judgeTogether(lanes: readonly Lane[], trials: readonly Trial[]): Promise<void> {
  for (const group of groupsOf(trials)) {
    const files = [...new Set(group.flatMap(({ remaining }) => remaining))];
    let doneCount = 0;
    const batches = Array.from({ length: Math.ceil(files.length / BATCH_SIZE) }, (_, index) =>
      files.slice(index * BATCH_SIZE, (index + 1) * BATCH_SIZE),
    ).values();
    await Promise.all(
      lanes.map(async (lane) => {
        for (const batch of batches) {
          await judgeBatch(lane, group, batch);
          doneCount += batch.length;
          console.log(`${doneCount}/${files.length} test files with ${group.length} mutants`);
        }
      }),
    );
  }
}

async function judgeBatch(lane: Lane, group: readonly Trial[], batch: readonly FileRecord[]): Promise<void> {
  let files = batch;
  while (files.length > 0) {
    const suspects = suspectsOf(group, files);
    const failure = suspects.length === 0 ? undefined : await lane.run(mutantsOf(suspects), files);
    if (!failure) return;
    const at = files.findIndex(({ path }) => path === failure.file);
    // An error that was not handled may belong to any of them.
    const failed = at < 0 ? files : files.slice(at, at + 1);
    for (const file of failed) await findCulprits(lane, suspectsOf(group, [file]), file);
    files = at < 0 ? [] : files.slice(at + 1);
  }
}

/** Halves the mutants until single ones fail the file. */
async function findCulprits(lane: Lane, suspects: readonly Trial[], file: FileRecord): Promise<void> {
  const failure = suspects.length === 0 ? undefined : await lane.run(mutantsOf(suspects), [file]);
  const [first] = suspects;
  if (!failure || !first) return;
  if (suspects.length === 1) return condemn(first, failure);
  const middle = Math.ceil(suspects.length / 2);
  await findCulprits(lane, suspects.slice(0, middle), file);
  await findCulprits(lane, suspects.slice(middle), file);
}

const mutantsOf = (trials: readonly Trial[]) => trials.map(({ mutant }) => mutant);

const suspectsOf = (trials: readonly Trial[], files: readonly FileRecord[]): Trial[] =>
  trials.filter(({ verdict, remaining }) => verdict === undefined && files.some((file) => remaining.includes(file)));

/** Groups in which no two mutants change the same text. */
function groupsOf(trials: readonly Trial[]): Trial[][] {
  const groups: Trial[][] = [];
  for (const trial of trials) {
    const group = groups.find((one) => one.every((other) => !isOverlapping(trial, other)));
    if (group) group.push(trial);
    else groups.push([trial]);
  }
  return groups;
}

const isOverlapping = ({ mutant: one }: Trial, { mutant: other }: Trial): boolean =>
  one.path === other.path && one.start < other.end && other.start < one.end;
