import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { pause } from '../../lib/clock.ts';
import { repeat } from '../../lib/repeat.ts';
import { hasCertainlyEnded, pidOf } from '../store/holder.ts';
import { acquireClaim, type ClusterContext } from './claim.ts';
import { SHARD_PROCESS_PREFIX, WORKER_CLAIM } from './shares.ts';

/** The claim of the process that leads a round, and the note by which all others follow it. */
const ROUND = 'reload';
const FOLLOW_INTERVAL_MS = 1_000;
const COUNT_INTERVAL_MS = 250;
/** In this time every process has to answer; one that cannot has answered no. */
const ANSWER_LIMIT_MS = 15_000;
/** Answers are claims, so that they expire by themselves. */
const ANSWER_MS = 60_000;
const YES = 'yes';

const roundSchema = z.object({
  id: z.string(),
  step: z.enum(['prepare', 'apply', 'cancel']),
  digest: z.string(),
  processes: z.array(z.string()),
});
type Round = z.output<typeof roundSchema>;

interface PreparedReload {
  digest: string;
  apply(): Promise<void>;
}

/** The message says what was changed nevertheless. */
export class ReloadError extends Error {
  override readonly name = 'ReloadError';
}

const refused = (reason: string): ReloadError => new ReloadError(`Nothing was changed. ${reason}`);

/**
 * All processes of a cluster take over changed settings, or none. Each prepares what it has read, and answers whether it is the same. Only if all
 * answers are yes, the note says so, and every process applies what it has prepared, also the one that leads. `digest`: what all have to have read.
 */
export async function leadReloadRound(cluster: ClusterContext, digest: string): Promise<void> {
  const turn = await acquireClaim(ROUND, cluster);
  if (!turn) throw refused('Another reload is running.');
  try {
    const names = await processesOf(cluster);
    const round = { id: randomUUID(), digest, processes: [...names.keys()] };
    await announce({ ...round, step: 'prepare' }, cluster);
    const against = await missingAnswers(answerName(round.id, 'prepare'), names, cluster);
    await announce({ ...round, step: against.length > 0 ? 'cancel' : 'apply' }, cluster);
    if (against.length > 0) throw refused(against.join('\n'));
    const unconfirmed = await missingAnswers(answerName(round.id, 'apply'), names, cluster);
    if (unconfirmed.length > 0)
      throw new ReloadError(`The settings were taken over, but restart these.\n${unconfirmed.join('\n')}`);
  } finally {
    await turn.release();
  }
}

/** All live processes, and how they are called. */
async function processesOf({ facts }: ClusterContext): Promise<Map<string, string>> {
  const [workers, shards] = await Promise.all([facts.claims(WORKER_CLAIM), facts.claims(SHARD_PROCESS_PREFIX)]);
  const called = (role: string) => (holder: string) =>
    [holder, `The ${role} with the process ID ${pidOf(holder) ?? 'unknown'}`] as const;
  const all = [...[...workers.values()].map(called('worker')), ...[...shards.values()].map(called('shard'))];
  return new Map(all.filter(([holder]) => !hasCertainlyEnded(holder)));
}

async function announce(round: Round, { facts, holder }: ClusterContext): Promise<void> {
  if (!(await facts.write(ROUND, JSON.stringify(round), { claim: ROUND, holder })))
    throw refused('The server of the store did not respond in time.');
}

/** Waits for the answers to a step. Returns a sentence for each process that answered no, or else for each that did not answer. */
async function missingAnswers(
  prefix: string,
  names: ReadonlyMap<string, string>,
  { facts, clock }: ClusterContext,
): Promise<string[]> {
  for (let waitedMs = 0; ; waitedMs += COUNT_INTERVAL_MS) {
    const answers = await facts.claims(prefix);
    const others = [...names].filter(([holder]) => answers.get(prefix + holder) !== YES);
    const against = others.filter(([holder]) => answers.has(prefix + holder));
    if (against.length > 0) return against.map(([holder, name]) => `${name} ${answers.get(prefix + holder)}`);
    if (others.length === 0 || waitedMs >= ANSWER_LIMIT_MS)
      return others.map(([, name]) => `${name} did not answer in time.`);
    await pause(clock, COUNT_INTERVAL_MS);
  }
}

/** Takes part in every round, also in one that this process leads. The returned function ends this. */
export function followReloadRounds(
  { facts, holder, log, clock }: ClusterContext,
  prepare: () => Promise<PreparedReload>,
): () => Promise<void> {
  let seen: string | undefined;
  let prepared: (PreparedReload & { id: string }) | undefined;
  const answerTo = async ({ id, step, digest }: Round): Promise<string> => {
    const earlier = prepared;
    prepared = undefined;
    try {
      if (step === 'prepare') {
        const now = await prepare();
        if (now.digest !== digest) return 'has read other settings.';
        prepared = { ...now, id };
      } else if (step === 'apply' && earlier?.id === id) await earlier.apply();
      return YES;
    } catch (error) {
      log.warn({ err: error }, 'This process could not take over its settings.');
      return `cannot take over its settings. ${error instanceof Error ? error.message : ''}`;
    }
  };
  const follow = async (): Promise<void> => {
    const text = await facts.read(ROUND);
    if (text === undefined || text === seen) return;
    const round = roundSchema.parse(JSON.parse(text));
    if (round.processes.includes(holder))
      await facts.claim(answerName(round.id, round.step) + holder, await answerTo(round), ANSWER_MS);
    seen = text;
  };
  const tryToFollow = async (): Promise<number> => {
    await follow().catch((error: unknown) =>
      log.warn({ err: error }, 'This process could not follow a reload; retrying.'),
    );
    return FOLLOW_INTERVAL_MS;
  };
  return repeat(clock, tryToFollow, FOLLOW_INTERVAL_MS);
}

const answerName = (id: string, step: string): string => `reload-answer:${id}:${step}:`;
