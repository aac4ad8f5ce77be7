import { describe, expect, it } from 'vitest';
import { validateBody } from '../../../sandbox/discord/validation/index.ts';
import { referenceForm } from '../../../src/commands/image/feature.ts';
import { formBody } from '../../../src/discord/form.ts';
import { bodyOf } from '../../../src/discord/message-body.ts';
import { say } from '../../../src/locales/index.ts';
import { taskMessage } from '../../../src/messages/task-message.ts';
import type { ListedModel } from '../../../src/services/gateway/model-catalogue.ts';
import type { Task } from '../../../src/services/tasks/task.ts';
import { context } from '../../messages/context.ts';
import { buildTask, start } from '../../services/orders/builders.ts';

const imageTask = (changes: Partial<Task>): Task =>
  buildTask({
    kind: 'image',
    model: 'lumen',
    request: { prompt: 'a fox', model: 'lumen' },
    state: 'ready',
    media: [{ kind: 'image', address: 'https://gateway.example/1.png', firstSeenAt: start }],
    times: { created: start, ended: start + 12_000 },
    ...changes,
  });

function render(task: Task) {
  const plan = taskMessage(task, context, say);
  expect(validateBody('webhook-edit', bodyOf(plan).body, { files: [] })).toEqual([]);
  const buttons = (plan.controls ?? []).map((one) => ('id' in one && 'label' in one ? `${one.label} → ${one.id}` : ''));
  return { content: plan.content, buttons };
}

describe('The message of an image task', () => {
  it('The message of an image task names the model and has its follow-up buttons', () => {
    expect(render(imageTask({}))).toMatchInlineSnapshot(`
      {
        "buttons": [
          "Run again → same.1.01k3v9x2mabcdefgh",
          "Edit prompt → edit.1.01k3v9x2mabcdefgh",
          "Use as reference → ref.1.01k3v9x2mabcdefgh",
          "Enlarge (2K) → large.1.01k3v9x2mabcdefgh.2K",
          "Enlarge (4K) → large.1.01k3v9x2mabcdefgh.4K",
          "Make a video → film.1.01k3v9x2mabcdefgh",
          "Delete → delete.1.01k3v9x2mabcdefgh",
        ],
        "content": "**a fox** · <@100000000000000001>
      -# Model: lumen
      Finished in 12 sec.",
      }
    `);
  });

  it('An image can only be enlarged to sizes larger than its own', () => {
    const labels = (model: string) => render(imageTask({ model })).buttons.filter((one) => one.startsWith('Enlarge'));
    expect(labels('lumen')).toHaveLength(2);
    expect(labels('lumen-2K')).toEqual(['Enlarge (4K) → large.1.01k3v9x2mabcdefgh.4K']);
    expect(labels('lumen-4K')).toEqual([]);
    expect(labels('other')).toEqual([]);
    expect(labels('lumen-2k')).toEqual([]);
  });

  it('A larger variant of a model without references, or of one of several images, runs again instead of enlarging', () => {
    const again = ['Run again in 2K → large.1.01k3v9x2mabcdefgh.2K', 'Run again in 4K → large.1.01k3v9x2mabcdefgh.4K'];
    const task = imageTask({});
    const tasks = [imageTask({ model: 'dall-e-3' }), { ...task, media: [...task.media, ...task.media] }];
    for (const one of tasks) expect(render(one).buttons).toEqual(expect.arrayContaining(again));
  });

  it('An image task that returned no image can be run again or edited, but not enlarged', () => {
    expect(render(imageTask({ media: [] }))).toMatchInlineSnapshot(`
      {
        "buttons": [
          "Run again → same.1.01k3v9x2mabcdefgh",
          "Edit prompt → edit.1.01k3v9x2mabcdefgh",
          "Delete → delete.1.01k3v9x2mabcdefgh",
        ],
        "content": "**a fox** · <@100000000000000001>
      -# Model: lumen
      Finished without a result, usually because of a safety filter. Change the prompt and try again.",
      }
    `);
  });

  it('A failed image task made from references can be retried and edited', () => {
    const failed = { state: 'failed', failure: { cause: 'failed', reason: 'no' }, parentId: 'p' } as const;
    expect(render(imageTask({ ...failed, media: [] }))).toMatchInlineSnapshot(`
      {
        "buttons": [
          "Retry → retry.1.01k3v9x2mabcdefgh",
          "Edit and retry → edit.1.01k3v9x2mabcdefgh",
          "Delete → delete.1.01k3v9x2mabcdefgh",
        ],
        "content": "**a fox** · <@100000000000000001>
      -# Model: lumen
      This task failed: no.",
      }
    `);
  });

  it('A model name in the message of an image task is escaped', () => {
    expect(render(imageTask({ model: '**x** <@1> `y`' })).content).toContain('-# Model: \\*\\*x\\*\\*');
  });
});

describe('The form for an image with references', () => {
  const image = (n: number) => ({
    address: `https://cdn.discordapp.com/attachments/1/2/${n}.png?ex=f`,
    name: `${n}.png`,
  });
  const listed = (id: string, kind: 'image' | 'video') =>
    ({ id, kind, usableKinds: [kind], refusedKinds: [] }) as unknown as ListedModel;
  const refused = { ...listed('imgx', 'image'), refusedKinds: ['image' as const] };
  const models = [refused, listed('lumen', 'image'), listed('other', 'image'), listed('reel', 'video')];
  const form = (count: number, model?: string) => {
    const source = { images: Array.from({ length: count }, (_, n) => image(n)), task: undefined };
    return referenceForm.form({ id: 'reff.1', model, models, source }, say);
  };

  it('The form for an image with references says which image it is about, and has a prompt and the model', () => {
    expect(form(1, 'lumen')).toMatchInlineSnapshot(`
      {
        "fields": [
          {
            "label": "**Image:** 0.png",
            "name": "image",
            "type": "note",
          },
          {
            "isLong": true,
            "label": "Prompt",
            "name": "words",
            "required": true,
            "type": "text",
          },
          {
            "label": "Model",
            "name": "model",
            "options": [
              {
                "isDefault": true,
                "label": "lumen",
                "value": "lumen",
              },
              {
                "isDefault": false,
                "label": "other",
                "value": "other",
              },
            ],
            "type": "choice",
          },
          {
            "accept": [
              "image",
            ],
            "label": "More images",
            "max": 10,
            "name": "added",
            "type": "file",
          },
        ],
        "id": "reff.1",
        "title": "Generate an image from this reference",
      }
    `);
  });

  it('The form offers no model that cannot take references, and chooses one that can', () => {
    const noReferences = ['dall-e-3', 'imgx-7', 'mj_imagine'].map((id) => listed(id, 'image'));
    const source = { images: [], task: undefined };
    const plan = referenceForm.form(
      { id: 'reff.1', model: undefined, models: [...noReferences, ...models], source },
      say,
    );
    const modelField = plan.fields.find(({ name }) => name === 'model');
    expect(
      modelField?.type === 'choice' && modelField.options.map(({ value, isDefault }) => [value, isDefault]),
    ).toEqual([
      ['lumen', true],
      ['other', false],
    ]);
  });

  it.each([1, 2, 7, 10])('Discord accepts the form for an image with %i references, which shows no URL', (count) => {
    const plan = form(count);
    expect(validateBody('callback', { type: 9, data: formBody(plan) })).toEqual([]);
    expect(plan.title).toBe(`Generate an image from ${count === 1 ? 'this reference' : 'these references'}`);
    expect(JSON.stringify(plan)).not.toContain('https:');
    const whichField = plan.fields.find(({ name }) => name === 'which');
    expect(whichField?.type === 'choice' ? whichField.options.length : 1).toBe(count);
  });
});
