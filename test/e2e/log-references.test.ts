import { describe, expect, it } from 'vitest';
import { text } from '../../sandbox/discord/discord.ts';
import { type Stage, startTestBot } from './bot.ts';
import { says, startFastClockBot } from './quick.ts';
import { offeredTasks, openDetails, openTask, openTaskList, waitForMessage } from './tasks/pages.ts';

interface LogLine {
  msg: string;
  task?: string;
  reference?: string;
  lane?: string;
}

const logLines = ({ logged }: Pick<Stage, 'logged'>): LogLine[] =>
  logged()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as LogLine);

const pollOptions = { timeout: 20_000 };
const UNKNOWN_STATUS = 'Unknown gateway status; treated as still running.';

describe('The log lines of a task', () => {
  it('A log line from code that is unaware of tasks contains the id of the task being processed; a line about a lane contains none', async () => {
    const stage = await startFastClockBot({ settings: { POLL_SCHEDULE: 'spec' } });
    const member = stage.discord.as('member');
    await (await member.slash('imagine', { prompt: 'a fox' })).message(says('%'));
    const exchange = await member.slash('imagine', { prompt: 'an owl' });
    await exchange.message(says('%'));
    const ids = offeredTasks(await openTaskList(stage)).map(({ value }) => value);
    expect(ids).toHaveLength(2);
    const jobs = stage.gateway.jobs.list();
    const jobId = jobs.at(-1)?.id ?? 'none';
    const body = { id: jobId, status: 'PONDERING', progress: '10%' };
    stage.gateway.faults.add({ on: { path: `/imgx/task/${jobId}` }, do: { type: 'body', body } });
    await expect.poll(() => logLines(stage).filter(({ msg }) => msg === UNKNOWN_STATUS), pollOptions).toHaveLength(1);
    expect(logLines(stage).find(({ msg }) => msg === UNKNOWN_STATUS)?.task).toBe(ids[0]);

    stage.gateway.faults.add({ on: { path: '/imgx/task' }, do: { type: 'status', status: 402 } });
    await expect.poll(() => logLines(stage).filter(({ lane }) => lane !== undefined), pollOptions).not.toEqual([]);
    for (const line of logLines(stage).filter(({ lane }) => lane !== undefined)) {
      expect(line).not.toHaveProperty('task');
      expect(line).not.toHaveProperty('reference');
    }
  });

  it('The reference in an error message and on the page of a task is the same as in all log lines of the task', async () => {
    const stage = await startFastClockBot({ gateway: { speed: 20 } });
    stage.gateway.faults.add({ do: { type: 'lose-files' } });
    await (await stage.discord.as('member').slash('imagine', { prompt: 'a fox' })).message(says('Finished in'));
    const firstList = await openTaskList(stage);
    const [{ value: id = 'none' } = {}] = offeredTasks(firstList);
    const page = await openTask(stage, firstList);
    expect(text(await openDetails(stage, page))).toContain(`Reference: \`${id}\``);
    const secondList = await openTaskList(stage);
    stage.discord.faults.add({ on: { method: 'PATCH' }, do: { type: 'status', status: 400 }, times: 1 });
    await stage.discord.as('member').choose(secondList, 'Open a task', [id]);
    expect(text(await waitForMessage(stage, 'studio', 'this reference'))).toContain(`\`${id}\``);

    const taskLines = logLines(stage).filter((line) => JSON.stringify(line).includes(id));
    expect(taskLines.map(({ msg }) => msg)).toEqual(
      expect.arrayContaining(['A result could not be fetched.', 'An unexpected error occurred.']),
    );
    for (const line of taskLines) expect(line.task).toBe(id);
    expect(taskLines.find(({ msg }) => msg === 'An unexpected error occurred.')?.reference).toBe(id);
  });

  it('The reference of an interaction without a task appears in all of its log lines', async () => {
    const stage = await startTestBot();
    const ownerRequests = { method: 'GET', route: '/applications' } as const;
    stage.discord.faults.add({ on: ownerRequests, do: { type: 'status', status: 400 }, times: 4 });
    const content = text(await (await stage.discord.as('member').slash('help')).message());
    const reference = /`([0-9a-f]{8})`/.exec(content)?.[1];
    const errorLines = logLines(stage).filter(({ msg }) => msg === 'An unexpected error occurred.');
    expect(errorLines.map((line) => line.reference)).toEqual([reference]);
    const linesWithReference = () => logLines(stage).filter((line) => line.reference === reference);
    const messagesBefore = linesWithReference().map(({ msg }) => msg);
    // Each interaction has a reference of its own.
    await (await stage.discord.as('member').slash('help')).message();
    expect(linesWithReference().map(({ msg }) => msg)).toEqual(messagesBefore);
    expect(messagesBefore).toEqual([
      'Could not fetch the owner of the bot from Discord.',
      'An unexpected error occurred.',
    ]);
  });
});
