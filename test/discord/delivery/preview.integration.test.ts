import { describe, expect, it } from 'vitest';
import type { MessagePlan } from '../../../src/discord/plan.ts';
import type { Task } from '../../../src/services/tasks/task.ts';
import { fixtureWithOrder, minutes, planOf, seconds, until } from './integration-fixture.ts';

const file = (name: string) => ({ name: `${name}.webp`, bytes: Buffer.from(name), alt: 'a boat' });

/** While a job is running, the task's word is the name of its preview; without a word there is no preview. */
function planWithPreview(task: Task): MessagePlan {
  if (task.state === 'ready') return { ...planOf(task), files: [file('whole')] };
  return { ...planOf(task), files: task.word === undefined ? [] : [file(task.word)] };
}

async function runningFixture(options: Parameters<typeof fixtureWithOrder>[0] = {}) {
  const fixture = await fixtureWithOrder({ plan: planWithPreview, ...options });
  const { task, updateTask, tasks, clock, discord, writes } = fixture;
  let edits = 0;
  return {
    ...fixture,
    /** Sets the progress and the preview. */
    async showProgress(progress: number, word?: string) {
      await updateTask(task.id, { state: 'running', progress, word });
      // Longer than the maximum wait for the next edit.
      clock.advance(seconds(4) + 1.5 * (clock.now() - task.times.created));
      edits += 1;
      await tasks.waitForEdits(task.id, edits);
    },
    attachmentNames: () => discord.messages('studio')[0]?.attachments.map(({ filename }) => filename),
    uploadedNames: () => writes().flatMap(({ files }) => files.map(({ name }) => name)),
  };
}

describe('A preview of a running job', () => {
  it('A preview has alt text, is visible during the job and is replaced by the result', async () => {
    const { task, updateTask, tasks, showProgress, attachmentNames, discord } = await runningFixture();
    await showProgress(10, 'rough');
    expect(discord.messages('studio')[0]?.attachments).toMatchObject([
      { filename: 'rough.webp', description: 'a boat' },
    ]);
    await showProgress(50, 'finer');
    expect(attachmentNames()).toEqual(['finer.webp']);
    await updateTask(task.id, { state: 'ready' });
    await tasks.waitUntilSettled(task.id);
    expect(attachmentNames()).toEqual(['whole.webp']);
  });

  it('A preview is removed when the job fails', async () => {
    const { task, updateTask, tasks, showProgress, attachmentNames, uploadedNames } = await runningFixture();
    await showProgress(10, 'rough');
    await updateTask(task.id, { state: 'failed', word: undefined, failure: { cause: 'failed' } });
    await tasks.waitUntilSettled(task.id);
    expect(attachmentNames()).toEqual([]);
    expect(uploadedNames()).toEqual(['rough.webp']);
  });

  it('A preview is uploaded once while only the text changes', async () => {
    const { showProgress, attachmentNames, uploadedNames, read } = await runningFixture();
    for (const progress of [10, 20, 30]) await showProgress(progress, 'rough');
    expect(read()[0]).toContain('running 30');
    expect(attachmentNames()).toEqual(['rough.webp']);
    expect(uploadedNames()).toEqual(['rough.webp']);
  });

  it('A preview stays while the next one is unavailable', async () => {
    const { showProgress, attachmentNames, uploadedNames, read } = await runningFixture();
    await showProgress(10, 'rough');
    await showProgress(20);
    expect(read()[0]).toContain('running 20');
    expect(attachmentNames()).toEqual(['rough.webp']);
    await showProgress(30, 'rough');
    expect(uploadedNames()).toEqual(['rough.webp']);
  });

  it('A changed preview alone causes an edit, and an unchanged one does not', async () => {
    const { task, updateTask, clock, showProgress, writes, preparedCount, uploadedNames } = await runningFixture();
    await showProgress(10, 'rough');
    await showProgress(10, 'finer');
    expect(uploadedNames()).toEqual(['rough.webp', 'finer.webp']);
    for (const word of ['finer', undefined]) {
      const countBefore = preparedCount();
      clock.advance(minutes(2));
      await updateTask(task.id, { state: 'running', word, polls: countBefore });
      await until(() => preparedCount() > countBefore);
    }
    clock.advance(minutes(2));
    expect(writes()).toHaveLength(2);
  });

  it('A preview replaces the files of a pressed message', async () => {
    const fixture = await runningFixture();
    const { task, updateTask, tasks, discord, press } = fixture;
    await updateTask(task.id, { state: 'ready' });
    const { message } = await tasks.waitUntilSettled(task.id);
    const pressed = await press({ id: message?.id ?? '' }, 'U1');
    await updateTask(pressed.task.id, { state: 'running', progress: 1 });
    await tasks.waitForEdits(pressed.task.id, 1);
    expect(discord.messages('studio')[0]?.attachments).toEqual([]);
  });

  it('A preview is uploaded again after an unknown outcome and after a restart', async () => {
    const {
      task,
      updateTask,
      tasks,
      clock,
      discord,
      delivery,
      open: openDelivery,
      showProgress,
      logText,
      attachmentNames,
      uploadedNames,
    } = await runningFixture();
    discord.faults.add({ on: { method: 'PATCH' }, do: { type: 'status', status: 503 }, times: 4 });
    await updateTask(task.id, { state: 'running', progress: 5, word: 'rough' });
    await until(() => logText().includes('Progress was not shown'));
    await showProgress(10, 'rough');
    expect(uploadedNames()).toEqual(Array(5).fill('rough.webp'));
    await delivery.finish();
    const secondDelivery = openDelivery();
    await updateTask(task.id, { state: 'running', progress: 20 }, secondDelivery);
    clock.advance(seconds(10));
    await tasks.waitForEdits(task.id, 2);
    await updateTask(task.id, { state: 'running', progress: 30, word: 'rough' }, secondDelivery);
    clock.advance(minutes(10));
    await tasks.waitForEdits(task.id, 3);
    expect(uploadedNames()).toHaveLength(6);
    expect(attachmentNames()).toEqual(['rough.webp']);
  });

  it('After Discord refuses a preview, the text stays and no further preview is sent', async () => {
    const { task, updateTask, showProgress, logText, uploadedNames, read, attachmentNames } = await runningFixture({
      limits: { uploadBytes: 3 },
    });
    await updateTask(task.id, { state: 'running', progress: 5, word: 'rough' });
    await until(() => logText().includes('"trouble":"too-large"'));
    await showProgress(10, 'finer');
    expect(read()[0]).toContain('running 10');
    expect(uploadedNames()).toEqual(['rough.webp']);
    expect(attachmentNames()).toEqual([]);
  });

  it('A preview that is being uploaded is cancelled when the job ends', async () => {
    const { task, updateTask, tasks, read, writes } = await fixtureWithOrder({
      plan: async (one, signal) => {
        if (one.state === 'running')
          await new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve()));
        return planOf(one);
      },
    });
    await updateTask(task.id, { state: 'running' });
    await updateTask(task.id, { state: 'ready' });
    await tasks.waitUntilSettled(task.id);
    expect(read()).toEqual([expect.stringContaining('ready')]);
    expect(writes()).toHaveLength(1);
  });

  it('A preview that is being uploaded is cancelled when the bot stops', async () => {
    const { task, updateTask, delivery, writes } = await fixtureWithOrder({
      plan: async (one, signal) => {
        await new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve()));
        return planOf(one);
      },
    });
    await updateTask(task.id, { state: 'running' });
    await delivery.finish();
    expect(writes()).toEqual([]);
  });

  it('A preview of a private job is sent privately', async () => {
    const { showProgress, attachmentNames, discord, writes } = await runningFixture({ order: { isPrivate: true } });
    await showProgress(10, 'rough');
    expect(attachmentNames()).toEqual(['rough.webp']);
    expect(discord.messages('studio').filter(({ ephemeral }) => !ephemeral)).toEqual([]);
    expect(writes().map(({ route }) => route)).toEqual(['/webhooks/:application/:token/messages/:message']);
  });
});
