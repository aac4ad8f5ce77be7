import { describe, expect, it } from 'vitest';
import { gatherEarlierFiles, leaveOut, noteForModel } from '../../../src/services/conversations/asks/earlier-files.ts';
import { earlierTurns, newestAnswer } from '../../../src/services/conversations/conversation.ts';
import type { PageQuery } from '../../../src/services/orders/task-store.ts';
import type { Task } from '../../../src/services/tasks/task.ts';
import { createTaskId } from '../../../src/services/tasks/task-id.ts';
import { summaryOf } from '../../../src/services/tasks/task-summary.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { silentDiscord } from '../../support/silent-discord.ts';
import { MINUTE_MS, makeTask, START } from '../store/store-fixture.ts';

const request = {
  prompt: 'what is this?',
  model: 'quill-5',
  pictures: [{ address: 'https://cdn.test/photo.png', name: 'photo.png' }],
  documents: [{ address: 'https://cdn.test/notes.txt', name: 'notes.txt' }],
  sound: { address: 'https://cdn.test/voice.ogg', name: 'voice.ogg' },
};
type TaskOverrides = Parameters<typeof makeTask>[0];

const askTask = (overrides: TaskOverrides = {}): Task =>
  makeTask({ kind: 'ask', request, text: 'A fox.', requesterId: '1', guildId: '7', channelId: '70', ...overrides });

async function turnOf(task: Task, askingTask: TaskOverrides = {}) {
  const answers = { get: async (id: string) => (id === task.id ? task : undefined), page: () => Promise.reject() };
  const [turn] = await earlierTurns(answers, task.id, askTask(askingTask));
  if (!turn) throw new Error('No earlier turn was returned.');
  return turn;
}

const privateTask = { route: { isPrivate: true } };
/** `beside` lists further messages that show the task. */
const privateTaskShownLater = { ...privateTask, beside: [{ guildId: '7', channelId: '70', id: '700' }] };

describe('The newest answer in a channel', () => {
  /** One answer in channel 70, then one a minute in channel 71. */
  const find = (laterCount: number, now: number) => {
    const taskAt = (minute: number): Task => {
      const created = START + minute * MINUTE_MS;
      return askTask({
        id: createTaskId(created),
        channelId: minute === 0 ? '70' : '71',
        times: { created, ended: created },
      });
    };
    const tasks = Array.from({ length: laterCount + 1 }, (_, minute) => taskAt(minute)).reverse();
    const page = async ({ before = '~', max }: PageQuery) => {
      const older = tasks.filter(({ id }) => id < before);
      const summaries = older.slice(0, max).map(summaryOf);
      return { summaries, next: older.length > max ? summaries.at(-1)?.id : undefined };
    };
    const answers = { get: async (wanted: string) => tasks.find(({ id }) => id === wanted), page };
    return newestAnswer(answers, { memberId: '1', channelId: '70', isPrivate: false }, now);
  };

  it('It is found after many questions in other channels, for six hours', async () => {
    expect(await find(45, START + 6 * 60 * MINUTE_MS)).toMatchObject({ channelId: '70' });
    expect(await find(45, START + 6 * 60 * MINUTE_MS + 1)).toBeUndefined();
  });

  it('The search ends after 200 answers', async () => {
    expect(await find(199, START + 200 * MINUTE_MS)).toMatchObject({ channelId: '70' });
    expect(await find(200, START + 200 * MINUTE_MS)).toBeUndefined();
  });
});

describe('The memory of a conversation', () => {
  const turnsOf = (newest: TaskOverrides) => {
    const first = askTask({ id: '01k3v9x2mabcdefg0', text: 'Snow.' });
    const second = askTask({ ...newest, request: { ...request, ...newest?.request, after: first.id } });
    const tasks = new Map([first, second].map((task) => [task.id, task]));
    return earlierTurns({ get: async (id) => tasks.get(id), page: () => Promise.reject() }, second.id, askTask());
  };

  it('Earlier turns are sent whole as long as they fit', async () => {
    const turns = await turnsOf({ text: 'a'.repeat(50_000) });
    expect(turns.map(({ text, isCut }) => [text.length, isCut])).toEqual([
      [5, undefined],
      [50_000, undefined],
    ]);
  });

  it('Of a newest turn that is too long, the question and the end of the answer are sent, within the limit', async () => {
    const turns = await turnsOf({ text: `${'a'.repeat(70_000)}the end` });
    expect(turns).toMatchObject([{ prompt: request.prompt, isCut: true }]);
    expect(turns[0]?.text).toMatch(/^\[…\] a+the end$/);
    expect(`${turns[0]?.prompt}${turns[0]?.text}`).toHaveLength(60_000);
  });
});

describe('The files of an earlier question', () => {
  it('Files from an earlier public question are sent again in public, and files from a private question only in private, for its owner', async () => {
    for (const turn of [await turnOf(askTask()), await turnOf(askTask(privateTask), privateTask)]) {
      expect([turn.images, turn.documents, turn.sound]).toEqual([request.pictures, request.documents, request.sound]);
      expect(turn.hiddenFileCount).toBeUndefined();
    }
  });

  it('Files from a private question stay private even after its answer is shown; only their number is reported', async () => {
    const turn = await turnOf(askTask(privateTaskShownLater), { requesterId: '2' });
    expect(turn).toMatchObject({ images: [], documents: [], hiddenFileCount: 3 });
    expect(turn.sound).toBeUndefined();
    const context = { memberId: '2', timeLimitMs: 1_000, used: { files: 0, bytes: 0 }, supportsAudio: true };
    const discord = { ...silentDiscord, refreshUrls: () => Promise.reject() };
    const parts = { gather: () => Promise.reject(), discord, clock: new ManualClock() };
    for (const [files = []] of [await gatherEarlierFiles([turn], context, parts), leaveOut([turn], 'refused')]) {
      expect(files.map((file) => ('why' in file ? file.why : 'sent'))).toEqual(['hidden', 'hidden', 'hidden']);
      expect(noteForModel(files)).toBe('[3 files of this message are no longer attached]');
    }
  });
});
