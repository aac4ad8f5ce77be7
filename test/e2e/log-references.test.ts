import { describe, expect, it } from 'vitest';
import { text } from '../../sandbox/discord/discord.ts';
import { type Fixture, startTestBot } from './bot.ts';
import { says, startFastClockBot } from './quick.ts';
import { offeredTasks, openDetails, openTask, openTaskList, waitForMessage } from './tasks/pages.ts';

interface LogLine {
  msg: string;
  task?: string;
  reference?: string;
  lane?: string;
}

const logLines = ({ logged }: Pick<Fixture, 'logged'>): LogLine[] =>
  logged()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as LogLine);

const UNKNOWN_STATUS = 'Unknown gateway status; treated as still running.';

describe('The log lines of a task', () => {
  it('A log line from code that is unaware of tasks contains the id of the task being processed; a line about a lane contains none', async () => {
    const fixture = await startFastClockBot({ settings: { POLL_SCHEDULE: 'spec' } });
    const member = fixture.discord.as('member');
    await (await member.slash('imagine', { prompt: 'a fox' })).message(says('%'));
    const exchange = await member.slash('imagine', { prompt: 'an owl' });
    await exchange.message(says('%'));
    const ids = offeredTasks(await openTaskList(fixture)).map(({ value }) => value);
    expect(ids).toHaveLength(2);
    const jobs = fixture.gateway.jobs.list();
    const jobId = jobs.at(-1)?.id ?? 'none';
    const body = { id: jobId, status: 'PONDERING', progress: '10%' };
    fixture.gateway.faults.add({ on: { path: `/imgx/task/${jobId}` }, do: { type: 'body', body } });
    await expect.poll(() => logLines(fixture).filter(({ msg }) => msg === UNKNOWN_STATUS)).toHaveLength(1);
    expect(logLines(fixture).find(({ msg }) => msg === UNKNOWN_STATUS)?.task).toBe(ids[0]);

    fixture.gateway.faults.add({ on: { path: '/imgx/task' }, do: { type: 'status', status: 402 } });
    await expect.poll(() => logLines(fixture).filter(({ lane }) => lane !== undefined)).not.toEqual([]);
    for (const line of logLines(fixture).filter(({ lane }) => lane !== undefined)) {
      expect(line).not.toHaveProperty('task');
      expect(line).not.toHaveProperty('reference');
    }
  });

  it('The reference in an error message and on the page of a task is the same as in all log lines of the task', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await startFastClockBot({ gateway: { speed: 20 } });
    fixture.gateway.faults.add({ do: { type: 'lose-files' } });
    await (await fixture.discord.as('member').slash('imagine', { prompt: 'a fox' })).message(says('Finished in'));
    const firstList = await openTaskList(fixture);
    const [{ value: id = 'none' } = {}] = offeredTasks(firstList);
    const page = await openTask(fixture, firstList);
    expect(text(await openDetails(fixture, page))).toContain(`Reference: \`${id}\``);
    const secondList = await openTaskList(fixture);
    fixture.discord.faults.add({ on: { method: 'PATCH' }, do: { type: 'status', status: 400 }, times: 1 });
    await fixture.discord.as('member').choose(secondList, 'Open a task', [id]);
    expect(text(await waitForMessage(fixture, 'studio', 'this reference'))).toContain(`\`${id}\``);

    const taskLines = logLines(fixture).filter((line) => JSON.stringify(line).includes(id));
    expect(taskLines.map(({ msg }) => msg)).toEqual(
      expect.arrayContaining(['A result could not be fetched.', 'An unexpected error occurred.']),
    );
    for (const line of taskLines) expect(line.task).toBe(id);
    expect(taskLines.find(({ msg }) => msg === 'An unexpected error occurred.')?.reference).toBe(id);
  });

  it('The reference of an interaction without a task appears in all of its log lines', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await startTestBot();
    const ownerRequests = { method: 'GET', route: '/applications' } as const;
    fixture.discord.faults.add({ on: ownerRequests, do: { type: 'status', status: 400 }, times: 4 });
    const content = text(await (await fixture.discord.as('member').slash('help')).message());
    const reference = /`([0-9a-f]{8})`/.exec(content)?.[1];
    const errorLines = logLines(fixture).filter(({ msg }) => msg === 'An unexpected error occurred.');
    expect(errorLines.map((line) => line.reference)).toEqual([reference]);
    const linesWithReference = () => logLines(fixture).filter((line) => line.reference === reference);
    const messagesBefore = linesWithReference().map(({ msg }) => msg);
    // Each interaction has a reference of its own.
    await (await fixture.discord.as('member').slash('help')).message();
    expect(linesWithReference().map(({ msg }) => msg)).toEqual(messagesBefore);
    expect(messagesBefore).toEqual([
      'Could not fetch the owner of the bot from Discord.',
      'An unexpected error occurred.',
    ]);
  });
});
