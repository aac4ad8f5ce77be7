import { z } from 'zod';
import { mayPostFiles } from '../../discord/guards.ts';
import { type Ask, command } from '../../discord/handlers.ts';
import { asText } from '../../discord/markdown.ts';
import type { KindView } from '../../messages/kind-view.ts';
import { lineButtons, shownLines, wholeText } from '../../messages/lines.ts';
import { submitOrder } from '../../messages/pressed-task.ts';
import type { Gateway } from '../../services/gateway/index.ts';
import { type Kind, kind, type Source } from '../../services/tasks/kind.ts';
import { directionsIn, readText } from '../../services/tasks/lines.ts';
import { type KindSpec, requestShape } from '../../services/tasks/task.ts';
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

const shortenSpec: KindSpec<'shorten'> = {
  request: shortenShape.loose(),
  traits: { isPaid: true, hasOwnWords: true },
};

/** A prompt in fewer words (4.3). */
const shortenKind = (imgx: Gateway['imgx'], source: Source): Kind =>
  kind({
    name: 'shorten',
    source,
    patience: () => 'picture',
    durationKey: () => 'shorten',
    submit: ({ prompt }) => imgx.shorten({ prompt }),
  });

/** The drafts count; the directions explain them. */
const ROOM_FOR_LINES = 1_200;
const ROOM_FOR_DIRECTIONS = 300;

/** Shorter words, each to go on from, and what the long ones were mainly about. */
const shortenView: KindView<'shorten'> = {
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
};

const shortenCommand = command({
  name: 'shorten',
  isPrivate: (values) => values.private ?? false,
  options: {
    prompt: promptOption,
    private: { type: 'switch' },
  },
  parse: ({ prompt }) => emptyPrompt({ prompt }) ?? { prompt: prompt.trim() },
  guards: [mayPostFiles],
  run: (request, ask: Ask<Services>) => submitOrder({ kind: 'shorten', request }, ask),
});

export const shorten: Feature<typeof text> = {
  command: shortenCommand,
  specs: { shorten: shortenSpec },
  text,
  kinds: ({ gateway, imgx }) => [shortenKind(gateway.imgx, imgx)],
  views: { shorten: shortenView },
};
