import { customIds } from '../discord/custom-ids.ts';
import { mayManageChannels, mayManageServer } from '../discord/interaction-facts.ts';
import { escapeText, inlineCode, memberMention } from '../discord/markdown.ts';
import { buttonPlan, type MessagePlan } from '../discord/plan.ts';
import { entriesOf } from '../lib/entries.ts';
import { languageName } from '../lib/languages.ts';
import { PermissionRefusal, Refusal } from '../lib/refusal.ts';
import {
  MAX_PERSONA_LENGTH,
  type OwnPreferences,
  type PreferenceLevel,
  type PreferenceOwner,
  type PreferenceRow,
  type PreferenceSection,
  preferenceSections,
} from '../services/orders/preference-set.ts';
import { preferenceOwnersOf } from '../services/orders/preferences.ts';
import type { Context } from './feature.ts';
import { type ChoiceName, type FieldName, switchName } from './preference-fields.ts';

/** Whose settings a page is about, where it is used. */
function preferenceOwnerHere(of: PreferenceLevel, { facts: { userId: memberId, ...place } }: Context): PreferenceOwner {
  const owner = preferenceOwnersOf({ ...place, memberId })[of];
  if (!owner) throw new Refusal('refusals.settings.noServer');
  return owner;
}

export function mayChangePreferences(of: PreferenceLevel, { facts }: Context): boolean {
  if (of === 'channel') return mayManageChannels(facts);
  return of === 'member' || mayManageServer(facts);
}

/** Checked with every command, press and form, because permissions change. */
export function changeableOwner(of: PreferenceLevel, context: Context): PreferenceOwner {
  const owner = preferenceOwnerHere(of, context);
  if (!mayChangePreferences(of, context))
    throw new PermissionRefusal(
      of === 'channel' ? 'refusals.settings.channelNotYours' : 'refusals.settings.serverNotYours',
    );
  return owner;
}

/** What is set for a member, a channel or a server, with a button for each section if it can be changed here. */
export async function preferencesPage(
  of: PreferenceLevel,
  context: Context,
  /** `before`: what a reset has just removed. */
  { canChange, before }: { canChange: boolean; before?: OwnPreferences | undefined },
): Promise<MessagePlan> {
  const { services, say, facts } = context;
  const row = await services.tasks.preferences.find(preferenceOwnerHere(of, context));
  const removed = before && allLines(before, context);
  const sections = preferenceSections.filter((section) => of === 'channel' || section !== 'persona');
  const blocks = sections.map((section) => {
    const lines = sectionLines(section, row ?? { set: {} }, context).map((line) => `- ${line}`);
    return [
      `**${say(`settings.sections.${section}`)}**`,
      ...(lines.length === 0 ? [say('settings.nothing')] : lines),
    ].join('\n');
  });
  const title = say(`settings.titles.${of}`, { channel: facts.parentChannelId ?? facts.channelId ?? '' });
  const buttons = sections.map((section) =>
    buttonPlan(say(`settings.buttons.${section}`), customIds.preferences.id({ of, section })),
  );
  const reset = buttonPlan(say('settings.buttons.reset'), customIds.preferencesReset.id(of), { style: 'danger' });
  return {
    page: {
      title,
      blocks: [
        say(`settings.about.${of}`),
        ...(removed === undefined
          ? []
          : [removed.length === 0 ? say('settings.reset.none') : [say('settings.reset.done'), ...removed].join('\n')]),
        ...changedLine(of, row, context),
        ...blocks,
      ],
    },
    controls: canChange ? [...buttons, ...(row ? [{ ...reset, startsRow: true }] : [])] : [],
  };
}

/** Asks before everything is removed; shows the page, which says so, if nothing is set. */
export async function resetQuestion(of: PreferenceLevel, context: Context): Promise<MessagePlan> {
  const { services, say } = context;
  const row = await services.tasks.preferences.find(changeableOwner(of, context));
  if (!row) return preferencesPage(of, context, { canChange: true, before: { set: {} } });
  const button = (answer: 'reset' | 'keep') =>
    buttonPlan(say(`settings.reset.${answer}`), customIds.preferencesResetAnswer.id({ of, answer }), {
      ...(answer === 'reset' && { style: 'danger' }),
    });
  return {
    page: {
      title: say('settings.reset.question'),
      blocks: [[say(`settings.reset.about.${of}`), ...allLines(row, context)].join('\n')],
    },
    controls: [button('reset'), button('keep')],
  };
}

const allLines = (of: OwnPreferences, context: Context): string[] =>
  preferenceSections.flatMap((section) => sectionLines(section, of, context)).map((line) => `- ${line}`);

function changedLine(of: PreferenceLevel, row: PreferenceRow | undefined, { say }: Context): string[] {
  if (!row || of === 'member') return [];
  return [`-# ${say('settings.changed', { who: memberMention(row.by, say), at: Math.floor(row.at / 1000) })}`];
}

const MAX_NAME_LENGTH = 100;
const IMAGE_FIELDS = ['aspect', 'version', 'quality', 'stylize', 'suffix'] as const;

function sectionLines(section: PreferenceSection, { set, persona }: OwnPreferences, { say }: Context): string[] {
  const choice = (value: ChoiceName | undefined) =>
    value === undefined ? undefined : say(`settings.choices.${value}`);
  const code = (value: string | number | undefined) => (value === undefined ? undefined : inlineCode(String(value)));
  const lines = (values: Partial<Record<FieldName, string | undefined>>): string[] =>
    entriesOf(values).flatMap(([name, value]) =>
      value === undefined ? [] : [say('labeled', { label: say(`settings.fields.${name}`), value })],
    );
  switch (section) {
    case 'models':
      return lines(Object.fromEntries(entriesOf({ ...set.models }).map(([purpose, model]) => [purpose, code(model)])));
    case 'images':
      return lines(Object.fromEntries(IMAGE_FIELDS.map((name) => [name, code(set[name])])));
    case 'replies':
      return lines({
        private: choice(switchName(set.isPrivate)),
        spoiler: choice(switchName(set.spoiler)),
        ping: choice(set.ping),
        remix: choice(switchName(set.remix)),
        language: set.language && languageName(set.language),
      });
    case 'answers':
      return lines({ length: choice(set.length), tone: choice(set.tone) });
    case 'persona':
      if (!persona) return [];
      return lines({
        name: escapeText(persona.name, MAX_NAME_LENGTH),
        personaModel: code(persona.model),
        mentions: choice(switchName(persona.answersMentions)),
        instructions: escapeText(persona.instructions, MAX_PERSONA_LENGTH),
      });
  }
}
