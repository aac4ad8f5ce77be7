import { customIds, type FormOrigin } from '../../discord/custom-ids.ts';
import { requirePostPermissions } from '../../discord/guards.ts';
import type { Menu } from '../../discord/handlers.ts';
import { escapeText } from '../../discord/markdown.ts';
import { choiceField, type FieldPlan, type FormPlan } from '../../discord/plan.ts';
import type { TargetMessage } from '../../discord/target-message.ts';
import { listText } from '../../lib/formats.ts';
import { languages } from '../../lib/languages.ts';
import { Refusal, throwIfRefusal } from '../../lib/refusal.ts';
import { hasVisibleText, plainWords } from '../../lib/text.ts';
import { type Say, stringIn } from '../../locales/index.ts';
import { loadForForm } from '../../messages/pressed-task.ts';
import type { QuotedMessage } from '../../services/orders/form-drafts.ts';
import { isPrivateByDefault } from '../choices.ts';
import { type Context, on, type Services } from '../feature.ts';
import { filesIn, quoteOf, submitQuestion } from './questions.ts';

const MAX_EXCERPT_LENGTH = 200;

/** A question about any message, whose text and files are sent with the question. */
export const messageMenu: Menu<Services> = {
  name: 'question',
  async open(target, context) {
    const message = quotedMessage(target);
    if (!hasVisibleText(message.content) && message.files.length === 0) throw new Refusal('refusals.messageEmpty');
    const { drafts } = context.services.tasks;
    const draftId = await loadForForm(drafts.keep(context.facts.userId, { message }), context);
    return formFor({ from: 'menu', isPrivate: target.isPrivate, draftId }, message, context);
  },
};

const quotedMessage = ({ id, content, files }: TargetMessage): QuotedMessage => ({
  id,
  content,
  // The image in an embed has no size. It belongs to a link, not to the message.
  files: files.flatMap(({ address, name, mediaType, size }) => (size > 0 ? [{ address, name, mediaType }] : [])),
});

function formFor(origin: FormOrigin & { from: 'menu' }, message: QuotedMessage, context: Context): FormPlan {
  const { say } = context;
  return {
    id: customIds.messageQuestionFilled.id(origin),
    title: say('ask.about.title'),
    fields: [
      { type: 'note', name: 'message', label: noteOf(message, say) },
      { type: 'text', name: 'words', label: say('ask.about.question'), isLong: true, required: true },
      // What only the member can see is not shown to others.
      ...(origin.isPrivate ? [] : [audienceField(context)]),
    ],
  };
}

/** Discord's forms cannot hide text until it is pressed. */
const SPOILER = /\|\|.+?\|\|/gs;

/** A headline of the bot ends with it. */
const OWNER = / · <@\d+>$/;

/** Whether a line says that a result is finished. Its language is that of its own member. */
const isState = (line: string): boolean =>
  languages.some((language) => {
    const [before = '', after = ''] = (stringIn(language, ['task', 'done']) ?? '').split('{{duration}}');
    return line.startsWith(before) && line.endsWith(after);
  });

/** What the question is about: the message without the bot's small print, and the files that are sent with it. */
function noteOf({ content, files }: QuotedMessage, say: Say): string {
  const lines = content
    .replace(SPOILER, '▇▇▇')
    .split('\n')
    .filter((line) => !/^-# |[▰▱]/.test(line));
  const shownLines = OWNER.test(lines[0] ?? '') ? lines.filter((line) => !isState(line)) : lines;
  const words = plainWords(shownLines.map((line) => line.replace(OWNER, '')).join('\n'));
  const { image, file } = filesIn(files);
  const fileNames = [image, file].flatMap((one) => one?.name ?? []);
  const names = listText(fileNames, say);
  const fileLine = names === '' ? [] : [say('ask.about.files', { names: escapeText(names, MAX_EXCERPT_LENGTH) })];
  // A message of links or mentions only has no words.
  const message = words || (names === '' ? content : '');
  const messageLine = message && say('ask.about.message', { message: escapeText(message, MAX_EXCERPT_LENGTH) });
  return [...(messageLine ? [messageLine] : []), ...fileLine].join('\n');
}

const audiences = ['everyone', 'me'] as const;

/** The choice of the option `private`. A form has to show what applies if the member chooses nothing. */
function audienceField({ facts, services, say }: Context): FieldPlan {
  const isPrivate = requirePostPermissions(facts, {}) !== undefined || isPrivateByDefault(facts, 'ask', services);
  const chosen = isPrivate ? 'me' : 'everyone';
  const labelOf = (value: typeof chosen) => say(`ask.about.audiences.${value}`);
  return choiceField('audience', say('ask.about.audience'), audiences, labelOf, chosen);
}

export const messageMenuForm = on(customIds.messageQuestionFilled, {
  reply: 'new-message',
  onlyOrders: true,
  isPrivate: (origin, { fields }) => isTargetPrivate(origin) || fields.audience === 'me',
  async reopen(origin, context) {
    const message = await loadForForm(messageOf(origin, context), context);
    return formFor({ from: 'menu', isPrivate: isTargetPrivate(origin), draftId: origin.draftId }, message, context);
  },
  parse({ fields: { words = '' } }) {
    return hasVisibleText(words) ? words : new Refusal('refusals.questionMissing');
  },
  async run(origin, context, prompt) {
    const { requesterId: memberId, channelId, route } = context.origin;
    throwIfRefusal(requirePostPermissions(context.facts, { private: route.isPrivate }));
    const message = await messageOf(origin, context);
    const scope = { memberId, channelId, isPrivate: route.isPrivate };
    const previousAnswer = await context.services.conversations.asks.newestAnswer(scope);
    const about = isTargetPrivate(origin) ? undefined : message.id;
    return submitQuestion(
      { prompt, quote: quoteOf(message), about, ...filesIn(message.files) },
      previousAnswer,
      context,
    );
  },
});

const isTargetPrivate = (origin: FormOrigin): boolean => origin.from === 'menu' && origin.isPrivate;

async function messageOf({ draftId }: FormOrigin, { services, facts }: Context): Promise<QuotedMessage> {
  if (draftId === undefined) throw new Refusal('refusals.formGone');
  return services.tasks.drafts.message(draftId, facts.userId);
}
