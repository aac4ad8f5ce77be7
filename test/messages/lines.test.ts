import { describe, expect, it } from 'vitest';
import { validateBody } from '../../sandbox/discord/validation/index.ts';
import { bodyOf } from '../../src/discord/message-body.ts';
import { say } from '../../src/locales/index.ts';
import { taskMessage } from '../../src/messages/task-message.ts';
import type { Task, TaskFacts } from '../../src/services/tasks/task.ts';
import { buildTask, start } from '../services/orders/builders.ts';
import type { Parts } from '../support/tasks.ts';
import { context } from './context.ts';

const endedTask = (changes: Parts): Task =>
  buildTask({ state: 'ready', times: { created: start, ended: start + 5_000 }, ...changes });

const foxImage = { address: 'https://cdn.example/fox.png', name: 'fox.png' };
const seaImage = { address: 'https://cdn.example/sea.png', name: 'sea.png' };

const describeTask = (text: string): Task =>
  endedTask({ kind: 'describe', request: { pictures: [foxImage], title: 'fox_1.png, hare.webp' }, text });

const shortenTask = (text: string): Task =>
  endedTask({ kind: 'shorten', request: { prompt: 'a very long prompt' }, text });

const planOf = (task: Task) => taskMessage(task, context, say);
const numberLines = (lines: readonly string[]): string =>
  lines.map((line, index) => `${index + 1}\ufe0f\u20e3 ${line}`).join('\n\n');

describe('The message of a description', () => {
  it('The message of a description shows each line with its number, with a button for each line, one for all lines and one to run it again', () => {
    const plan = planOf(describeTask(numberLines(['a *red* fox --ar 3:2', 'snow', 'ice', 'white'])));
    expect(plan).toMatchSnapshot();
    expect(validateBody('webhook-edit', bodyOf(plan).body, { files: [] })).toEqual([]);
  });

  it('The message of a description with one line has no button for all lines', () => {
    const { content, controls: buttons } = planOf(describeTask('a fox in the snow'));
    expect(content).toContain('1️⃣ a fox in the snow');
    expect(buttons?.map((one) => 'id' in one && one.id.split('.')[0])).toEqual(['line', 'same', 'delete']);
  });

  it('The message of a long description shows the beginning of every line and has a file with the whole text', () => {
    const lines = ['short', 'fox_'.repeat(600), '[snow] '.repeat(300), 'ice '.repeat(400)];
    const text = numberLines(lines);
    const { content = '', files, controls: buttons } = planOf(describeTask(text));
    expect(content.length).toBeLessThanOrEqual(2_000);
    expect(content).toContain('1️⃣ short\n');
    // No text is cut inside an escape sequence.
    for (const start of [/2️⃣ (?:fox\\_)+(?:f|fo|fox)?…\n/, /3️⃣ (?:\\\[snow\\\] )*.{0,7}…\n/, /4️⃣ (?:ice )+.{0,3}…\n/])
      expect(content).toMatch(start);
    expect(content).toContain('full text is in the attached file');
    expect(files).toMatchObject([{ name: expect.stringMatching(/-describe\.txt$/) }]);
    expect(files?.[0]?.bytes?.toString()).toBe(text);
    expect(buttons).toHaveLength(7);
  });

  it('The message of a description with a hundred lines shows ten and has a file with all of them', () => {
    const text = Array.from({ length: 100 }, (_, index) => `${index + 1}. line ${'x'.repeat(index)}`).join('\n');
    const plan = planOf(describeTask(text));
    expect(plan.content?.match(/line/g)).toHaveLength(10);
    expect(plan.files?.[0]?.bytes?.toString()).toBe(text);
    const files = [{ id: '0', name: 'x.txt', bytes: 1 }];
    expect(validateBody('webhook-edit', bodyOf(plan).body, { files })).toEqual([]);
  });

  it('The message of an empty description says that it is empty', () => {
    const { content, controls: buttons, files } = planOf(describeTask(''));
    expect(content).toContain('Finished in');
    expect([buttons?.length, files]).toEqual([2, []]);
  });
});

describe('The message of a shortened prompt', () => {
  it('The message of a shortened prompt shows the shortened versions and the most important words', () => {
    const text = `## Important tokens\n**fox** (1.00), **snow** (0.6), ~~very~~\n## Shortened prompts\n${numberLines(['red fox, snow', 'fox'])}`;
    expect(planOf(shortenTask(text))).toMatchSnapshot();
  });

  it('The message of a long shortened prompt has a file with the whole text', () => {
    const text = numberLines(Array.from({ length: 5 }, (_, index) => `${index} `.repeat(500)));
    const { content = '', files } = planOf(shortenTask(text));
    expect(content.length).toBeLessThanOrEqual(2_000);
    expect(files?.[0]?.bytes?.toString()).toBe(text);
  });
});

const upscaleRequest = { of: '1', label: 'U2', action: 'UPSCALE', index: 2, prompt: 'a fox' };

describe('The message of a blend', () => {
  it('The message of a blend has the names of its images as its title, shows its shape and has the buttons of a grid', () => {
    const media: TaskFacts['media'] = [{ kind: 'image', address: 'https://example.org/1.png', firstSeenAt: start }];
    const request = { pictures: [foxImage, seaImage], title: 'fox.png + sea.png', shape: 'PORTRAIT' };
    expect(planOf(endedTask({ kind: 'blend', request, media }))).toMatchSnapshot();
    const blendUpscaleRequest = { ...upscaleRequest, prompt: '', title: 'fox.png + sea.png' };
    expect(planOf(endedTask({ kind: 'change', request: blendUpscaleRequest, media })).content).toContain(
      '**fox.png + sea.png** · <@',
    );
  });
});

describe('The Animate button of a single image', () => {
  const media: TaskFacts['media'] = [{ kind: 'image', address: 'https://example.org/1.png', firstSeenAt: start }];
  const upscale = {
    kind: 'change' as const,
    request: upscaleRequest,
    remoteId: '1',
    media,
  };
  const animateHigh = { customId: 'MJ::JOB::animate_high::1::x::SOLO', label: 'Animate', emoji: '' };
  const idsOf = (task: Task, isOffered = (_: string) => true): string[] =>
    (taskMessage(task, { ...context, isOffered }, say).controls ?? []).flatMap((one) =>
      'id' in one ? (one.id.split('.')[0] ?? '') : '',
    );

  it('A single image can be animated if the gateway offers no working button for it', () => {
    expect(idsOf(endedTask(upscale))).toContain('anim');
    expect(idsOf(endedTask({ ...upscale, actions: [animateHigh] }))).not.toContain('anim');
    const isNotAnimate = (customId: string) => !customId.startsWith('MJ::JOB::animate');
    expect(idsOf(endedTask({ ...upscale, actions: [animateHigh] }), isNotAnimate)).toContain('anim');
    expect(idsOf(endedTask(upscale), (customId) => customId !== 'submit/video')).not.toContain('anim');
  });

  it.each([
    ['a grid', { request: { ...upscaleRequest, action: 'VARIATION' } }],
    ['four images', { media: [...media, ...media, ...media, ...media] }],
    ['a result without media', { media: [] }],
    ['images of another family', { kind: 'image', request: { prompt: 'a fox', model: 'm' } }],
    ['a failed task', { state: 'failed' }],
  ] satisfies [string, Parts][])('The Animate button is not offered for %s', (_, changes) => {
    expect(idsOf(endedTask({ ...upscale, ...changes }))).not.toContain('anim');
  });

  it('The message of a video made from an image shows its motion and has a button to extend it', () => {
    const video: TaskFacts['media'] = [{ kind: 'video', address: 'https://example.org/1.mp4', firstSeenAt: start }];
    const request = { prompt: 'it runs', motion: 'high', loop: true, pictures: [] };
    expect(planOf(endedTask({ kind: 'animate', request, remoteId: '2', media: video }))).toMatchSnapshot();
  });
});
