import { z } from 'zod';
import { mayPostFiles } from '../../discord/guards.ts';
import { type Ask, command } from '../../discord/handlers.ts';
import { asText } from '../../discord/markdown.ts';
import { lineButtons, shownLines, wholeText } from '../../messages/lines.ts';
import { submitOrder } from '../../messages/pressed-task.ts';
import { kind } from '../../services/tasks/kind.ts';
import { directionsIn, readText } from '../../services/tasks/lines.ts';
import { requestShape } from '../../services/tasks/task.ts';
import type { Feature } from '../feature.ts';
import { emptyPrompt, promptOption } from '../options.ts';
import type { Services } from '../services.ts';
import { text } from './text.ts';

const shortenShape = requestShape({ prompt: z.string() });

declare module '../../services/tasks/task.ts' {
  interface TaskRequests {
    shorten: z.output<typeof shortenShape>;
  }
}

/** The drafts matter more than the directions that explain them. */
const ROOM_FOR_LINES = 1_200;
const ROOM_FOR_DIRECTIONS = 300;

/** Shorter prompts, each to continue from, and the main directions of the long one (4.3). */
export const shorten: Feature<typeof text> = {
  text,
  command: command({
    name: 'shorten',
    isPrivate: (values) => values.private ?? false,
    options: {
      prompt: promptOption,
      private: { type: 'switch' },
    },
    parse: ({ prompt }) => emptyPrompt({ prompt }) ?? { prompt: prompt.trim() },
    guards: [mayPostFiles],
    run: (request, ask: Ask<Services>) => submitOrder({ kind: 'shorten', request }, ask),
  }),
  specs: { shorten: { request: shortenShape.loose(), traits: { isPaid: true, hasOwnWords: true } } },
  kinds: ({ gateway, imgx }) => [
    kind({
      name: 'shorten',
      source: imgx,
      patience: () => 'picture',
      durationKey: () => 'shorten',
      submit: ({ prompt }) => gateway.imgx.shorten({ prompt }),
    }),
  ],
  views: {
    shorten: {
      result(task, say) {
        const directions = directionsIn(readText(task.text ?? '')).join(', ');
        const words = asText(directions, ROOM_FOR_DIRECTIONS);
        return [
          ...shownLines(task, say, ROOM_FOR_LINES),
          ...(words === '' ? [] : [`-# ${say('task.lines.directions', { words })}`]),
        ];
      },
      files: (task) => wholeText(task, ROOM_FOR_LINES),
      buttons(task, _offering, say) {
        const { each, all } = lineButtons(task, say);
        return [...each, ...all.map((button) => ({ ...button, startsRow: true }))];
      },
    },
  },
};
