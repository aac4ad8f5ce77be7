import { beforeEach, describe, expect, it } from 'vitest';
import { text } from '../../sandbox/discord/discord.ts';
import type { Message } from '../../sandbox/discord/exchange.ts';
import type { JobFaultEffects } from '../../sandbox/gateway/job.ts';
import { kindSpecs } from '../../src/commands/index.ts';
import type { App } from '../../src/roles/app.ts';
import { examine } from '../../src/services/store/index.ts';
import type { Task } from '../../src/services/tasks/task.ts';
import { sql } from '../services/store/store-fixture.ts';
import { startBot } from './bot.ts';
import { currentMessage, messageIn, restoreOldFixture, type SavedJob } from './old-store-fixture.ts';
import { type FastClockFixture, labels, says } from './quick.ts';

/** Messages from the old version about running jobs, with the text that they show at the end. */
const finalTexts = {
  'live-imagine': 'Finished in',
  'live-direct': 'Finished in',
  'live-action': 'Finished in',
  'live-change': 'Finished in',
  'live-animate': 'Finished in',
  'live-describe': 'Finished in',
  'live-shorten': 'Finished in',
  'live-blend': 'Finished in',
  'live-image': 'Finished in',
  'live-video': 'Finished in',
  'live-second-video': 'Finished in',
  'live-image-to-video': 'Finished in',
  'live-song': 'Finished in',
  'live-album': 'All finished',
  'live-ask': 'restarted',
  'live-talk': 'This conversation ended',
} as const;

/** The channels and final texts of private tasks, tasks without a message and tasks with an unknown outcome. */
const otherFinalTexts: readonly (readonly [channel: string, ...words: string[]])[] = [
  ['dm', 'a live secret', 'Finished in'],
  ['studio', 'a queued fox', 'Finished in'],
  ['thread', 'a sentence that is ready and not shown', 'Finished in'],
  ['studio', 'a fox on its way', 'couldn’t confirm whether the gateway accepted this'],
  ['Live: parley-realtime', 'who am I?', 'couldn’t confirm whether the gateway accepted this'],
];

const isFinished = says('Finished in');
const canBeDeleted = (message: Message): boolean => labels(message).includes('Delete');

let fixture: FastClockFixture;
let app: App;

const liveTasks = (): Task[] =>
  sql(fixture.config.store.url.replace('sqlite://', ''), "SELECT value FROM atelier WHERE namespace = 'live'").map(
    ({ value }) => JSON.parse(String(value)).value,
  );

async function press(name: string, button: string, who = 'member') {
  return fixture.discord.as(who).click(await currentMessage(fixture, name), button);
}

/** Presses a button and submits the form that it opens. */
async function submitForm(name: string, button: string, words: string) {
  const form = await (await press(name, button)).modal();
  return fixture.discord.as('member').fill(form, { words });
}

async function startOldBot(faultsOf?: (job: Pick<SavedJob, 'prompt'>) => JobFaultEffects): Promise<void> {
  fixture = await restoreOldFixture(faultsOf);
  app = await startBot(fixture);
}

it('Running tasks of every kind from the version before the restructuring are completed', async () => {
  await startOldBot();
  const { discord, config, clock, log } = fixture;
  for (const [name, words] of Object.entries(finalTexts)) await currentMessage(fixture, name, says(words));
  for (const [channel, ...words] of otherFinalTexts) await messageIn(fixture, channel, ...words);
  // One task still waits for the member's text. Tasks that are being erased are deleted without being shown.
  await expect.poll(() => liveTasks().map(({ kind, state }) => `${kind} ${state}`)).toEqual(['action needs-input']);
  expect(discord.messages('studio').filter(says('an unwanted owl'))).toEqual([]);
  await app.stop();
  const { findings } = await examine(config.store, { specs: kindSpecs, clock, log, repair: false });
  expect(findings).toEqual([{ kind: 'unreadable', count: 1 }]);
});

/** Messages of tasks that failed, with the text that a retry produces. Some retries need files that no longer exist. */
const textsAfterRetry = {
  ...{
    'live-imagine': 'Finished in',
    'live-direct': 'Finished in',
    'live-action': 'Finished in',
    'live-change': 'Finished in',
  },
  ...{ 'live-shorten': 'Finished in', 'live-video': 'Finished in', 'live-second-video': 'Finished in' },
  ...{ 'live-song': 'Finished in', 'live-ask': 'This is the sandbox' },
  ...{
    'live-animate': 'is no longer available',
    'live-describe': 'is no longer available',
    'live-blend': 'is no longer available',
  },
  ...{ 'live-image': 'is no longer available', 'live-image-to-video': 'is no longer available' },
} as const;

/** Prompts of jobs without a message of their own. */
const succeedingPrompts: ReadonlySet<unknown> = new Set(['a live secret', 'a queued fox', 'an unwanted owl']);

it('Running tasks of every kind from the version before the restructuring can fail and be retried', async () => {
  // If all of them failed, the bot would consider the gateway to be failing and refuse the retries.
  await startOldBot(({ prompt }) => (succeedingPrompts.has(prompt) ? {} : { failsWith: 'too dark' }));
  const failures = Object.entries(textsAfterRetry).map(async ([name, words]) => {
    const message = await currentMessage(fixture, name, (one) => labels(one).includes('Retry'));
    if (name !== 'live-ask') expect(text(message)).toContain('too dark');
    return { message, words };
  });
  const retried = (await Promise.all(failures)).map(async ({ message, words }) =>
    (await fixture.discord.as('member').click(message, 'Retry')).message(says(words)),
  );
  await Promise.all(retried);
});

/** A message, the button to press on it, and a text that the result contains. */
type Press = readonly [name: string, button: string, words: string, who?: string];

const buttonCases: Record<string, readonly Press[]> = {
  'images and their follow-ups': [
    ['imagine', 'U2', 'Upscale of image 2'],
    ['imagine', '🔄', 'Reroll · [source]'],
    ['action', 'Zoom Out 2x', 'Zoom out 2x · [source]'],
    ['plain', 'V1', 'Variation of image 1'],
    ['private', 'U1', 'Upscale of image 1'],
    ['user-install', 'V2', 'Variation of image 2', 'installer'],
    ['direct', 'U3', 'Upscale of image 3'],
    ['blend', 'U4', 'Upscale of image 4'],
  ],
  'results that are ordered again': [
    ['image', 'Again', 'a red kite'],
    ['video', 'Again', 'waves at dawn'],
    ['song', 'Again', 'Light'],
  ],
  'orders that failed or have an unknown outcome': [
    ['failed-imagine', 'Retry', 'a bright sun'],
    ['failed-song', 'Retry', 'a storm'],
    ['failed-image', 'Retry', 'a long road'],
    ['unconfirmed', 'Try again (may be charged twice)', 'a doubtful owl'],
    ['unconfirmed-image', 'Try again (may be charged twice)', 'a doubtful cloud'],
  ],
};

describe('A button from the version before the restructuring', () => {
  beforeEach(() => startOldBot());

  it.each(Object.entries(buttonCases))(
    'Buttons from the version before the restructuring still produce results: %s',
    async (_, presses) => {
      const checks = presses.map(async ([name, button, words, who]) => {
        const result = await (await press(name, button, who)).message(isFinished);
        expect(text(result)).toContain(words);
        expect(result.attachments.length).toBeGreaterThan(0);
      });
      await Promise.all(checks);
    },
  );

  it('A button from the version before the restructuring opens a form, which produces a result when it is submitted', async () => {
    const forms = [
      ['needs-input', 'Continue'],
      ['animate', 'Extend (Low motion)'],
      ['change', 'Animate'],
      ['image', 'Use as reference'],
      ['image', 'Make a video'],
      ['failed-imagine', 'Edit and retry'],
    ] as const;
    const checks = forms.map(async ([name, button], index) => {
      await submitForm(name, button, `in light number ${index}`);
      await messageIn(fixture, 'studio', `in light number ${index}`, 'Finished in');
    });
    await Promise.all(checks);
  });

  it('A button from the version before the restructuring says that a required file is gone', async () => {
    for (const name of ['second-video', 'image-to-video'])
      await (await press(name, 'Again')).ephemeral(says('is no longer available'));
  });

  it.each(['ask', 'ask-continued', 'broken-ask'])(
    'A button from the version before the restructuring continues a conversation (%s)',
    async (name) => {
      const answer = await (await submitForm(name, 'Continue', 'and what of rain?')).message(canBeDeleted);
      expect(text(answer)).toContain('and what of rain?');
      expect(text(answer)).toContain('Continues [this answer]');
    },
  );

  it('A button from the version before the restructuring retries an interrupted answer', async () => {
    expect(text(await (await press('broken-ask', 'Retry')).message(canBeDeleted))).toContain('what is fire?');
  });

  it('A button from the version before the restructuring changes the page of a list', async () => {
    const older = await (await press('tasks', 'Older')).message(says('waves at dawn'));
    expect(labels(older)).toEqual(['Newest', 'Older']);
  });

  it('A button from the version before the restructuring creates images from descriptions and shortened prompts', async () => {
    for (const name of ['describe', 'shorten']) {
      const { id } = await currentMessage(fixture, name);
      const question = await (await press(name, 'All of them')).message();
      await (await fixture.discord.as('member').click(question, 'Run all 4')).acknowledged();
      await messageIn(fixture, 'studio', 'Made from [this result]', `/${id})`, 'Finished in');
    }
  });

  it('A button from the version before the restructuring deletes its message or ends its task', async () => {
    const { discord } = fixture;
    for (const name of ['dismissed', 'song', 'ask', 'said']) {
      const { id, channel_id } = await currentMessage(fixture, name);
      await (await press(name, 'Delete')).acknowledged();
      await discord.until(
        () => discord.messages(channel_id).every((one) => one.id !== id) || undefined,
        'its deletion',
      );
    }
    await (await press('unconfirmed', 'Dismiss')).message(canBeDeleted);
  });
});
