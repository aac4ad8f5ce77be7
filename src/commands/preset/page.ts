import { customIds } from '../../discord/custom-ids.ts';
import { mayManageMessages } from '../../discord/interaction-facts.ts';
import { escapeText, inlineCode, memberMention } from '../../discord/markdown.ts';
import { buttonPlan, type Control, type MessagePlan } from '../../discord/plan.ts';
import { entriesOf } from '../../lib/entries.ts';
import type { Say } from '../../locales/index.ts';
import { MAX_PRESET_NAME_LENGTH, type Preset, takesText } from '../../services/orders/preset.ts';
import type { Context } from '../feature.ts';
import { commandNameOf, presetLevel } from '../presets.ts';

/** All three lists fit into one page. */
const MAX_LISTED = 12;
/** Discord's limit for the options of a select. */
const MAX_CHOICES = 25;
const MAX_SHOWN_TEMPLATE_LENGTH = 1_500;
const MAX_SHOWN_OPTION_LENGTH = 150;

export const presetName = ({ name }: Pick<Preset, 'name'>): string => escapeText(name, 2 * MAX_PRESET_NAME_LENGTH);

/** What a member can use here, with a menu that opens one of them. */
export function presetList(presets: readonly Preset[], { say }: Context): MessagePlan {
  const byLevel = Map.groupBy(presets, presetLevel);
  const shown = [...byLevel.values()].flatMap((own) => own.slice(0, MAX_LISTED));
  const blocks = [...byLevel].map(([level, own]) => {
    const lines = own.slice(0, MAX_LISTED).map((one) => `- ${presetName(one)} · ${factsOf(one, say).join(' · ')}`);
    const rest = own.length - lines.length;
    if (rest > 0) lines.push(`-# ${say('presets.more', { count: rest })}`);
    return [`**${say(`presets.levels.${level}`)}**`, ...lines].join('\n');
  });
  const options = shown.slice(0, MAX_CHOICES).map((preset) => ({
    value: preset.id,
    label: say(`presets.suggestions.${presetLevel(preset)}`, { name: preset.name }),
  }));
  return {
    page: { title: say('presets.title'), blocks: blocks.length === 0 ? [say('presets.none')] : blocks },
    controls:
      options.length === 0
        ? []
        : [{ type: 'select', id: customIds.preset.id(), placeholder: say('presets.open'), options }],
  };
}

const factsOf = ({ command, uses }: Preset, say: Say): string[] => [
  `/${commandNameOf(command)}`,
  ...(uses === undefined ? [] : [say('presets.uses', { count: uses })]),
];

/** One preset, with what the member can do with it. `news`: what has just been done with it. */
export function presetPage(preset: Preset, context: Context, news: readonly string[] = []): MessagePlan {
  const { say } = context;
  const { template, options, memberId, guildId } = preset;
  const level = say(`presets.levels.${presetLevel(preset)}`);
  const settings = entriesOf(options).map(([name, value]) =>
    inlineCode(`${name}:${String(value).slice(0, MAX_SHOWN_OPTION_LENGTH)}`),
  );
  const lines = [
    [level, ...factsOf(preset, say)].join(' · '),
    say('presets.template', { template: escapeText(template, MAX_SHOWN_TEMPLATE_LENGTH) }),
    ...(settings.length === 0 ? [] : [say('presets.options', { options: settings.join(' ') })]),
    ...(guildId === undefined ? [] : [say('presets.sharedBy', { who: memberMention(memberId, say) })]),
    `-# ${say(takesText(template) ? 'presets.takesText' : 'presets.standsAlone')}`,
  ];
  return {
    page: { title: presetName(preset), blocks: [...news, lines.join('\n')] },
    controls: controlsOf(preset, context),
  };
}

function controlsOf({ id, memberId, guildId }: Preset, { facts, say }: Context): Control[] {
  if (memberId === undefined) return [];
  const isOwn = memberId === facts.userId;
  const remove = buttonPlan(say('presets.buttons.remove'), customIds.presetRemove.id(id), { style: 'danger' });
  return [
    ...(guildId === undefined ? [] : [buttonPlan(say('presets.buttons.copy'), customIds.presetCopy.id(id))]),
    ...(isOwn ? [] : [buttonPlan(say('presets.buttons.report'), customIds.presetReport.id(id))]),
    ...(isOwn || mayManageMessages(facts) ? [remove] : []),
  ];
}
