import { z } from 'zod';
import { escapeText } from '../../discord/markdown.ts';
import { listText } from '../../lib/formats.ts';
import { submitOrder } from '../../messages/pressed-task.ts';
import { fullTextFile, lineButtons, numberedLines } from '../../messages/result-lines.ts';
import { defineRequest } from '../../services/tasks/kind-spec.ts';
import { emphasisedWords, readResultText } from '../../services/tasks/result-text.ts';
import { command, type Feature } from '../feature.ts';
import { emptyPromptRefusal, promptOption } from '../options.ts';

const shortenShape = defineRequest({ prompt: z.string() });

declare module '../../services/tasks/kind-spec.ts' {
  interface TaskRequests {
    shorten: z.output<typeof shortenShape>;
  }
}

/** The shortened prompts get more space than the topics, because they matter more. */
const MAX_LINES_LENGTH = 1_200;
const MAX_TOPICS_LENGTH = 300;

/** Suggests shorter prompts, each with a button to continue from it, and lists the main topics of the long one (specification, 4.3). */
export const shorten: Feature = {
  command: command({
    name: 'shorten',
    onlyOrders: true,
    options: {
      prompt: promptOption,
    },
    parse: ({ prompt }) => emptyPromptRefusal({ prompt }) ?? { prompt: prompt.trim() },
    run: (request, context) => submitOrder({ kind: 'shorten', request }, context),
  }),
  specs: { shorten: { request: shortenShape.loose(), traits: { isPaid: true, hasOwnPrompt: true } } },
  kinds: ({ gateway, imgxKind }) => [
    imgxKind({
      name: 'shorten',
      submit: ({ prompt }, { user, callbackUrl }) => gateway.imgx.shorten({ prompt, callbackUrl }, { user }),
    }),
  ],
  views: {
    shorten: {
      result(task, say) {
        const topics = listText(emphasisedWords(readResultText(task.text ?? '')), say);
        const topicsText = escapeText(topics, MAX_TOPICS_LENGTH);
        return [
          ...numberedLines(task, say, MAX_LINES_LENGTH),
          ...(topicsText === '' ? [] : [`-# ${say('task.lines.directions', { topics: topicsText })}`]),
        ];
      },
      files: (task) => fullTextFile(task, MAX_LINES_LENGTH),
      buttons(task, _offering, say) {
        const { each, all } = lineButtons(task, say);
        return [...each, ...all.map((button) => ({ ...button, startsRow: true }))];
      },
    },
  },
};
