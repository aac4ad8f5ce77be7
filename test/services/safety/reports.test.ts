import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { kindSpecs } from '../../../src/commands/index.ts';
import { Refusal } from '../../../src/lib/refusal.ts';
import { type Report, withBlocked, withDecision, withoutDueStep } from '../../../src/services/safety/report.ts';
import { Reports, reportsAbout } from '../../../src/services/safety/reports.ts';
import { openStore } from '../../../src/services/store/open-store.ts';
import { createStoreFixture, createTemporaryFolder, DAY_MS } from '../store/store-fixture.ts';

const HOUR_MS = 3_600_000;
const GUILD = '323456789012345678';
const OWNER = '423456789012345678';
const MODERATOR = '523456789012345678';

async function setUp() {
  const { file, clock, log } = createStoreFixture(join(createTemporaryFolder(), 'atelier.sqlite'));
  const store = await openStore({ url: `sqlite://${file}`, scheme: 'sqlite' }, { specs: kindSpecs, log, clock });
  onTestFinished(() => store.close());
  const hashOf = (name: string): string => createHash('sha256').update(name).digest('hex');
  const open = async () => {
    const reports = new Reports(store.reports, hashOf, clock);
    await reports.open();
    return reports;
  };
  return { clock, store, open, reports: await open() };
}

const member = (number: number): string => String(600_000_000_000_000_000n + BigInt(number));

const makeReport = (task: number, reporter = task, guildId = GUILD) => ({
  guildId,
  taskId: `task-${task}`,
  requesterId: OWNER,
  reporterId: member(reporter),
  words: 'bad words',
  reason: 'hate' as const,
  channelId: GUILD,
  message: { channelId: GUILD, id: OWNER },
});

async function decideReport(reports: Reports, { id }: Report, at: number): Promise<void> {
  await reports.change(id, (current) => withDecision(current, 'dismissed', { by: MODERATOR, at }));
  await reports.change(id, (current) => ({ ...current, due: [] }));
}

const keyOf = (work: Promise<unknown>): Promise<unknown> =>
  work.catch((error: unknown) => (error instanceof Refusal ? error.key : error));

it('A server accepts a limited number of reports per hour, no matter who sends them, and other servers are not affected', async () => {
  const { clock, reports } = await setUp();
  for (let index = 0; index < 30; index++) await reports.add(makeReport(index));
  expect(await keyOf(reports.add(makeReport(30)))).toBe('refusals.reports.tooManyHere');
  await reports.add(makeReport(30, 30, '423456789012345678'));
  clock.advance(HOUR_MS);
  await reports.add(makeReport(30));
});

it('A server accepts no more reports while a hundred are undecided, until a moderator decides', async () => {
  const { clock, reports } = await setUp();
  const allReports: Report[] = [];
  for (let index = 0; index < 100; index++) {
    if (index % 25 === 0) clock.advance(HOUR_MS);
    allReports.push(await reports.add(makeReport(index)));
  }
  clock.advance(HOUR_MS);
  expect(await keyOf(reports.add(makeReport(100)))).toBe('refusals.reports.tooManyOpen');
  const [first] = allReports;
  if (first) await decideReport(reports, first, clock.now());
  await reports.add(makeReport(100));
});

it('A server keeps a limited number of reports; the oldest decided ones are deleted first, including from the store', async () => {
  const { clock, open, reports } = await setUp();
  const undecided = await reports.add(makeReport(0));
  const ids: string[] = [];
  for (let index = 1; index <= 305; index++) {
    if (index % 25 === 0) clock.advance(HOUR_MS);
    const report = await reports.add(makeReport(index));
    ids.push(report.id);
    await decideReport(reports, report, clock.now());
  }
  for (const instance of [reports, await open()]) {
    expect(ids.filter((id) => instance.get(id)).length).toBe(299);
    expect(instance.get(undecided.id)).toBeDefined();
    expect(instance.get(ids[0] ?? '')).toBeUndefined();
    expect(instance.get(ids.at(-1) ?? '')).toBeDefined();
  }
});

it('A report is deleted 90 days after its decision, or 400 days after it was made if there is no decision', async () => {
  const { clock, reports } = await setUp();
  const [undecided, decided] = [await reports.add(makeReport(1)), await reports.add(makeReport(2))];
  await reports.change(undecided.id, (current) => withoutDueStep(current, 'post'));
  await decideReport(reports, decided, clock.now());
  clock.advance(90 * DAY_MS);
  await reports.sweep();
  expect(reports.get(decided.id)).toBeDefined();
  clock.advance(1);
  await reports.sweep();
  expect(reports.get(decided.id)).toBeUndefined();
  clock.advance(310 * DAY_MS);
  await reports.sweep();
  expect(reports.get(undecided.id)).toBeUndefined();
});

it('A decision and a block can each be made once, and pending actions are carried out in order', async () => {
  const { clock, reports } = await setUp();
  const { id } = await reports.add(makeReport(1));
  const decision = { by: MODERATOR, at: clock.now() };
  const removed = await reports.change(id, (current) => withDecision(current, 'removed', decision));
  expect(removed?.due).toEqual(['post', 'remove', 'edit']);
  expect(await keyOf(reports.change(id, (current) => withDecision(current, 'dismissed', decision)))).toBe(
    'refusals.reports.over',
  );
  const blocked = await reports.change(id, (current) => withBlocked(current, undefined, decision));
  expect(blocked?.due).toEqual(['post', 'remove', 'block', 'edit']);
  expect(await keyOf(reports.change(id, (current) => withBlocked(current, undefined, decision)))).toBe(
    'refusals.reports.over',
  );
});

it('An erasure leaves no id of the member in any report', async () => {
  const { clock, store, open, reports } = await setUp();
  const dueIds: string[] = [];
  reports.onDue((id) => void dueIds.push(id));
  const [first, second] = [await reports.add(makeReport(1)), await reports.add(makeReport(2))];
  await decideReport(reports, second, clock.now());
  await reports.erase(member(1));
  await reports.erase(MODERATOR);
  expect(dueIds).toEqual([first.id, second.id]);
  const rows = () => JSON.stringify([first, second].map(({ id }) => reports.get(id)));
  for (const memberId of [member(1), MODERATOR]) expect(rows()).not.toContain(memberId);
  expect(reports.get(first.id)?.words).toBeUndefined();
  expect(reports.get(second.id)?.words).toBe('bad words');
  expect(await keyOf(reports.add(makeReport(1)))).toBe('refusals.reports.twice');
  const stored = await store.reports.all();
  expect(reportsAbout(member(1), stored)).toEqual([]);
  expect(reportsAbout(member(2), stored)).toMatchObject([{ taskId: 'task-2', words: 'bad words' }]);
  expect(JSON.stringify(reportsAbout(member(2), stored))).not.toContain(OWNER);
  await reports.erase(OWNER);
  expect(rows()).not.toContain(`"requesterId":"${OWNER}"`);
  for (const instance of [reports, await open()])
    expect(instance.due().toSorted()).toEqual([first.id, second.id].toSorted());
});
