import { describe, expect, it } from 'vitest';
import { videoOfImages } from '../../../src/commands/video/feature.ts';
import { ignoredParameterNotes, ignoredParameters, requestedParameters } from '../../../src/commands/video/view.ts';
import { say } from '../../../src/locales/index.ts';
import { referenceNotes } from '../../../src/messages/notes.ts';
import { NOTHING_SHOWN, taskMessage } from '../../../src/messages/task-message.ts';
import type { Task } from '../../../src/services/tasks/task.ts';
import { context } from '../../messages/context.ts';
import { buildTask, start } from '../../services/orders/builders.ts';
import type { Parts } from '../../support/tasks.ts';

const video = (changes: Parts = {}): Task =>
  buildTask({ kind: 'video', model: 'reel-2', request: { prompt: 'waves at dawn', model: 'reel-2' }, ...changes });
const videoMedium = { kind: 'video', address: 'https://gateway.example/1.mp4', firstSeenAt: start } as const;

describe('The message of a video task', () => {
  it('The message of a video task shows the requested parameters and has follow-up buttons', () => {
    const request = { prompt: 'waves', model: 'reel-2', aspectRatio: '16:9', duration: '05', mode: 'pro' };
    expect(
      taskMessage(video({ state: 'delivered', request, media: [videoMedium] }), context, say),
    ).toMatchInlineSnapshot(`
      {
        "content": "**waves** · <@100000000000000001>
      -# Model: reel-2 · Size: 16:9 · 5 sec · Mode: pro
      Finished in 1 sec.",
        "controls": [
          {
            "emoji": "🔁",
            "id": "same.1.01k3v9x2mabcdefgh",
            "label": "Run again",
            "startsRow": true,
            "type": "button",
          },
          {
            "emoji": "✏️",
            "id": "edit.1.01k3v9x2mabcdefgh",
            "label": "Edit prompt",
            "type": "button",
          },
          {
            "emoji": "🗑️",
            "id": "delete.1.01k3v9x2mabcdefgh",
            "label": "Delete",
            "type": "button",
          },
        ],
        "files": [],
        "overflow": "file",
      }
    `);
  });

  it('The message of a video task omits default parameters and names those that were not sent', () => {
    const request = { prompt: 'waves', model: 'reel-2', notSent: ['face_check'] };
    expect(
      taskMessage(video({ state: 'running', request, progress: 50 }), context, say).content,
    ).toMatchInlineSnapshot(`
      "**waves** · <@100000000000000001>
      -# Model: reel-2
      -# Not sent: \`face_check\`. The operator of this bot has not enabled this option.
      ▰▰▰▰▰▰▱▱▱▱▱▱ 50%
      Running. Requested <t:1767225600:R>."
    `);
  });

  it('The message of a video task keeps the actions of the gateway', () => {
    const action = { customId: 'MJ::JOB::animate_low_extend::1::uuid::SOLO', label: 'Extend', emoji: '' };
    const { controls: buttons = [] } = taskMessage(
      video({ state: 'delivered', media: [videoMedium], actions: [action] }),
      context,
      say,
    );
    expect(buttons.map((one) => ('label' in one ? one.label : ''))).toEqual([
      'Extend',
      'Run again',
      'Edit prompt',
      'Delete',
    ]);
  });

  it('The message of a failed video task names the references to check', () => {
    const notes = referenceNotes(
      [
        { name: 'fox.png', medium: 'image', verdict: 'fine' },
        { name: 'old.png', medium: 'image', verdict: 'gone' },
        { name: '`odd`.png', medium: 'image', verdict: 'odd' },
        { name: 'v.mp4', medium: 'video', verdict: { status: 404 } },
        { name: 'w.mp4', medium: 'video', verdict: 'large' },
        { name: 's.mp3', medium: 'audio', verdict: 'hidden' },
        { name: 't.mp3', medium: 'audio', verdict: 'unreachable' },
      ],
      say,
    );
    const failure = { cause: 'failed', reason: 'no reference' } as const;
    const task = video({ state: 'failed', failure });
    expect(taskMessage(task, context, say, { ...NOTHING_SHOWN, notes }).content).toMatchInlineSnapshot(`
      "**waves at dawn** · <@100000000000000001>
      -# Model: reel-2
      This task failed: no reference.
      -# The reference \`fox.png\` is available and valid.
      -# The URL of the reference \`old.png\` has expired. Upload the file again.
      -# The reference \`ˋoddˋ.png\` is not an image. Choose another file.
      -# The URL of the reference \`v.mp4\` returns HTTP 404. Check the URL.
      -# The reference \`w.mp4\` is available, but it is too large to check.
      -# The reference \`s.mp3\` is not on the public internet. Use a public URL.
      -# The reference \`t.mp3\` could not be reached. Check its URL."
    `);
  });

  it('The message of a failed video task with valid references names other possible causes', () => {
    expect(referenceNotes([{ name: 'fox.png', medium: 'image', verdict: 'fine' }], say).at(-1)).toContain(
      'these references',
    );
    expect(referenceNotes([], say)).toEqual([]);
  });

  it.each([
    ['video', { size: '1280x720', duration: 10 }],
    ['video', { aspectRatio: '9:16' }],
    ['second-video', { metadata: { resolution: '720p' } }],
    ['image-to-video', { duration: 10 }],
  ] as const)(
    'The message of a task of the kind %s with a different result (%j) names the parameters that had no effect',
    (kind, request) => {
      const actual = { width: 640, height: 360, seconds: 5.04 };
      const requests = requestedParameters({ prompt: 'waves', model: 'reel-2', ...request });
      expect(
        ignoredParameterNotes(ignoredParameters(requests, actual), actual, kind === 'image-to-video', say),
      ).toMatchSnapshot();
    },
  );
});

describe('The form for a video', () => {
  it('The form for a video lists its images by name, and is prefilled with the known model', () => {
    const images = ['1.png', '2.png'].map((name) => ({ address: `https://cdn.example/${name}`, name }));
    const form = videoOfImages.form(
      { id: 'filmf.1', source: { images, task: undefined }, model: 'reel-2', models: [] },
      say,
    );
    expect(form).toMatchInlineSnapshot(`
      {
        "fields": [
          {
            "hint": "Leave this empty to use all of them.",
            "label": "Images",
            "max": 2,
            "name": "which",
            "options": [
              {
                "label": "Image 1: 1.png",
                "value": "1",
              },
              {
                "label": "Image 2: 2.png",
                "value": "2",
              },
            ],
            "type": "choice",
          },
          {
            "isLong": true,
            "label": "Prompt",
            "name": "words",
            "required": true,
            "type": "text",
          },
          {
            "hint": "Exact model ID. Leave empty for the default model.",
            "label": "Model",
            "name": "model",
            "type": "text",
            "value": "reel-2",
          },
          {
            "label": "Duration in seconds",
            "name": "duration",
            "type": "text",
          },
          {
            "label": "Size: 1280x720, 16:9 or 720p",
            "name": "size",
            "type": "text",
          },
        ],
        "id": "filmf.1",
        "title": "Generate a video from these images",
      }
    `);
  });
});
