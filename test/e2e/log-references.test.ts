import { describe, expect, it } from 'vitest';
import { text } from '../../sandbox/discord/discord.ts';
import { bot, type Stage } from './bot.ts';
import { quickBot, says } from './quick.ts';
import { list, offeredTaskIds, openTask, waitForMessage } from './tasks/pages.ts';

interface Line {
  msg: string;
  task?: string;
  reference?: string;
  lane?: string;
}

const linesOf = ({ logged }: Pick<Stage, 'logged'>): Line[] =>
  logged()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Line);

const pollOptions = { timeout: 20_000 };
const UNKNOWN_STATUS = 'Unknown gateway status; treated as still running.';

describe('The log lines of a task', () => {
  it('A log line from code that knows nothing about tasks has the id of the task being processed; a line about a lane has none', async () => {
    const stage = await quickBot({ settings: { POLL_SCHEDULE: 'spec' } });
    const member = stage.discord.as('member');
    await (await member.slash('imagine', { prompt: 'a fox' })).message(says('%'));
    const exchange = await member.slash('imagine', { prompt: 'an owl' });
    await exchange.message(says('%'));
    const ids = offeredTaskIds(await list(stage)).map(({ value }) => value);
    expect(ids).toHaveLength(2);
    const jobs = stage.gateway.jobs.list();
    const owl = jobs.at(-1)?.id ?? 'none';
    const body = { id: owl, status: 'PONDERING', progress: '10%' };
    stage.gateway.faults.add({ on: { path: `/imgx/task/${owl}` }, do: { type: 'body', body } });
    await expect.poll(() => linesOf(stage).filter(({ msg }) => msg === UNKNOWN_STATUS), pollOptions).toHaveLength(1);
    expect(linesOf(stage).find(({ msg }) => msg === UNKNOWN_STATUS)?.task).toBe(ids[0]);

    stage.gateway.faults.add({ on: { path: '/imgx/task' }, do: { type: 'status', status: 402 } });
    await expect.poll(() => linesOf(stage).filter(({ lane }) => lane !== undefined), pollOptions).not.toEqual([]);
    for (const line of linesOf(stage).filter(({ lane }) => lane !== undefined)) {
      expect(line).not.toHaveProperty('task');
      expect(line).not.toHaveProperty('reference');
    }
  });

  it('The reference in an error message and on the page of a task is the same as in all log lines of the task', async () => {
    const stage = await quickBot({ gateway: { speed: 20 } });
    stage.gateway.faults.add({ do: { type: 'lose-files' } });
    await (await stage.discord.as('member').slash('imagine', { prompt: 'a fox' })).message(says('Finished in'));
    const shown = await list(stage);
    const [{ value: id = 'none' } = {}] = offeredTaskIds(shown);
    expect(text(await openTask(stage, shown))).toContain(`Reference: \`${id}\``);
    const second = await list(stage);
    stage.discord.faults.add({ on: { method: 'PATCH' }, do: { type: 'status', status: 400 }, times: 1 });
    await stage.discord.as('member').choose(second, 'Open a task', [id]);
    expect(text(await waitForMessage(stage, 'studio', 'this reference'))).toContain(`\`${id}\``);

    const found = linesOf(stage).filter((line) => JSON.stringify(line).includes(id));
    expect(found.map(({ msg }) => msg)).toEqual(
      expect.arrayContaining(['A result could not be fetched.', 'An unexpected error occurred.']),
    );
    for (const line of found) expect(line.task).toBe(id);
    expect(found.find(({ msg }) => msg === 'An unexpected error occurred.')?.reference).toBe(id);
  });

  it('The reference of an interaction without a task appears in all of its log lines', async () => {
    const stage = await bot();
    const on = { method: 'GET', route: '/applications' } as const;
    stage.discord.faults.add({ on, do: { type: 'status', status: 400 }, times: 4 });
    const content = text(await (await stage.discord.as('member').slash('help')).message());
    const reference = /`([0-9a-f]{8})`/.exec(content)?.[1];
    const failed = linesOf(stage).filter(({ msg }) => msg === 'An unexpected error occurred.');
    expect(failed.map((line) => line.reference)).toEqual([reference]);
    const about = () => linesOf(stage).filter((line) => line.reference === reference);
    const before = about().map(({ msg }) => msg);
    // Each interaction has a reference of its own.
    await (await stage.discord.as('member').slash('help')).message();
    expect(about().map(({ msg }) => msg)).toEqual(before);
    expect(before).toEqual(['Could not fetch the owner of the bot from Discord.', 'An unexpected error occurred.']);
  });
});
