import { customIds } from '../../discord/custom-ids.ts';
import { commandsByFullName, type SingleCommand } from '../../discord/handlers.ts';
import { mayManageMessages } from '../../discord/interaction-facts.ts';
import type { EnteredValues, TextOption } from '../../discord/options.ts';
import type { MessagePlan } from '../../discord/plan.ts';
import { Refusal } from '../../lib/refusal.ts';
import {
  MAX_TEMPLATE_LENGTH,
  type Preset,
  type PresetCommand,
  type PresetContent,
  type PresetOwner,
  presetCommands,
  presetContent,
} from '../../services/orders/preset.ts';
import { type Context, command, type Feature, on, type Services } from '../feature.ts';
import { MAX_OPTION_LENGTH, modelOrDefault } from '../options.ts';
import {
  commandNameOf,
  presetPlace,
  suggestPresets,
  textOptionOf,
  typedPresetOptions,
  withPreset,
} from '../presets.ts';
import { presetList, presetName, presetPage } from './page.ts';

type Makers = ReadonlyMap<string, SingleCommand<Services>>;

const nameOption = { type: 'text', max: 100 } as const satisfies TextOption;
const templateOption = { type: 'text', max: MAX_TEMPLATE_LENGTH } as const satisfies TextOption;
const optionsOption = { type: 'text', max: MAX_OPTION_LENGTH } as const satisfies TextOption;
const chosenPreset = { type: 'text', required: true, hasSuggestions: true, max: 100 } as const satisfies TextOption;

const purposeOf = { imagine: 'image', image: 'image', video: 'video', music: 'music', ask: 'text' } as const;

const isOwn = ({ memberId }: Preset, { facts }: Context): boolean => memberId === facts.userId;

function makerOf(makers: Makers, name: PresetCommand): SingleCommand<Services> {
  const maker = makers.get(commandNameOf(name));
  if (!maker) throw new Refusal('refusals.unknownCommand');
  return maker;
}

/** Some options need an image, which is not part of a preset. */
const SAMPLE = { prompt: 'a fox', about: 'a fox', links: 'https://example.com/fox.png' };

/** The content as it is stored, or a refusal that follows from it alone. */
function parseContent(
  given: { name: string; command: PresetCommand; template: string; options: EnteredValues },
  makers: Makers,
  { facts }: Pick<Context, 'facts'>,
): PresetContent | Refusal {
  const { data, error } = presetContent.safeParse(given);
  if (!data)
    return new Refusal(error.issues[0]?.path[0] === 'name' ? 'refusals.presets.name' : 'refusals.presets.template');
  const maker = makerOf(makers, data.command);
  const sample = Object.fromEntries(Object.entries(SAMPLE).filter(([name]) => name in maker.options));
  // The command refuses what cannot be right, such as a flag that is out of range.
  maker.read({ values: withPreset(data, sample).values }, facts, true);
  return data;
}

/** Refuses text that the rules or the moderation here do not allow, and models that the gateway does not have. */
async function assertUsable(content: PresetContent, { services, origin }: Context): Promise<void> {
  const { name, template, options, command: maker } = content;
  const words = Object.values(options).filter((value) => typeof value === 'string');
  const judged = [name, template, ...words].join('\n');
  await services.safety.rules.assertTextAllowed({ ...origin, kind: maker === 'music' ? 'song' : maker }, judged);
  if (typeof options.model === 'string') await modelOrDefault(purposeOf[maker], options.model, services);
}

async function saved(owner: PresetOwner, content: PresetContent, context: Context, id?: string): Promise<MessagePlan> {
  await assertUsable(content, context);
  return presetPage(await context.services.tasks.presets.save(owner, content, id), context, [
    context.say(owner.guildId === undefined ? 'presets.saved' : 'presets.shared'),
  ]);
}

const find = (wanted: string, context: Context): Promise<Preset> =>
  context.services.tasks.presets.find(wanted, presetPlace(context));

/** Members remove what is theirs, and moderators also what others have shared in their server. Checked each time, because ids can be forged. */
async function remove(wanted: string, context: Context): Promise<MessagePlan> {
  const { services, facts, say } = context;
  const { presets } = services.tasks;
  const found = await find(wanted, context);
  const { memberId, guildId } = found;
  if (memberId === undefined) throw new Refusal('refusals.presets.unknown');
  if (isOwn(found, context)) await presets.remove({ id: found.id, memberId, guildId });
  else {
    const row = mayManageMessages(facts) ? await presets.get({ id: found.id, memberId, guildId }) : undefined;
    if (!row || guildId === undefined) throw new Refusal('refusals.presets.unknown');
    await presets.moderate({ ...row, guildId }, facts.userId);
  }
  return { page: { title: say('presets.title'), blocks: [say('presets.deleted', { name: presetName(found) })] } };
}

const save = (makers: Makers) =>
  command({
    name: 'save',
    options: {
      name: { ...nameOption, required: true },
      command: { type: 'text', required: true, choices: presetCommands },
      template: { ...templateOption, required: true },
      options: optionsOption,
    },
    parse({ options = '', ...given }, facts) {
      const typed = typedPresetOptions(options, makerOf(makers, given.command).options);
      return parseContent({ ...given, options: typed }, makers, { facts });
    },
    run: (content, context) => saved({ memberId: context.facts.userId }, content, context),
  });

const edit = (makers: Makers) =>
  command({
    name: 'edit',
    options: { preset: chosenPreset, name: nameOption, template: templateOption, options: optionsOption },
    parse: (values) =>
      values.name === undefined && values.template === undefined && values.options === undefined
        ? new Refusal('refusals.presets.nothingToChange')
        : values,
    suggest: (_option, input, context) => suggestPresets(input, context, (preset) => isOwn(preset, context)),
    async run({ preset: wanted, name, template, options }, context) {
      const preset = await find(wanted, context);
      const { memberId, guildId, id } = preset;
      if (memberId === undefined || !isOwn(preset, context)) throw new Refusal('refusals.presets.unknown');
      const typed = options?.trim().toLowerCase() === 'none' ? '' : options;
      const changed = {
        name: name ?? preset.name,
        command: preset.command,
        template: template ?? preset.template,
        options:
          typed === undefined ? preset.options : typedPresetOptions(typed, makerOf(makers, preset.command).options),
      };
      const content = parseContent(changed, makers, context);
      if (content instanceof Refusal) throw content;
      return saved({ memberId, guildId }, content, context, id);
    },
  });

/** Orders by the command that the preset is for, as if its option `preset` had been chosen there. */
const use = (makers: Makers) =>
  command({
    name: 'use',
    onlyOrders: true,
    options: { preset: chosenPreset, prompt: { type: 'text', max: MAX_OPTION_LENGTH } },
    suggest: (_option, input, context) => suggestPresets(input, context),
    async run({ preset: wanted, prompt }, context) {
      const { facts, origin, services } = context;
      const { id, command: name } = await find(wanted, context);
      const maker = makerOf(makers, name);
      const { isPrivate } = origin.route;
      const isPrivateHere =
        facts.guildId !== undefined && services.safety.rules.isPrivateByDefault(facts.guildId, commandNameOf(name));
      if (isPrivateHere && !isPrivate) throw new Refusal('refusals.privateHere');
      const values = { preset: id, ...(prompt !== undefined && { [textOptionOf(name)]: prompt }) };
      return maker.read({ values }, facts, isPrivate).run(context);
    },
  });

const list = command({
  name: 'list',
  options: { preset: { ...chosenPreset, required: false } },
  suggest: (_option, input, context) => suggestPresets(input, context),
  run: async ({ preset }, context) =>
    preset === undefined
      ? presetList(await context.services.tasks.presets.listFor(presetPlace(context)), context)
      : presetPage(await find(preset, context), context),
});

const isPrivatePreset = (preset: Preset, context: Context): boolean =>
  isOwn(preset, context) && preset.guildId === undefined;

/** Shares a copy of a preset, or updates what the member has shared under this name. */
const share = command({
  name: 'share',
  isForServers: true,
  options: { preset: chosenPreset },
  suggest: (_option, input, context) => suggestPresets(input, context, (preset) => isPrivatePreset(preset, context)),
  async run({ preset: wanted }, context) {
    const { guildId, install, userId: memberId } = context.facts;
    if (guildId === undefined || install === 'user') throw new Refusal('refusals.presets.noServer');
    const preset = await find(wanted, context);
    if (!isPrivatePreset(preset, context)) throw new Refusal('refusals.presets.unknown');
    const shared = (await context.services.tasks.presets.listFor(presetPlace(context))).find(
      (one) => one.guildId === guildId && isOwn(one, context) && one.name === preset.name,
    );
    return saved({ memberId, guildId }, presetContent.parse(preset), context, shared?.id);
  },
});

const remover = command({
  name: 'delete',
  options: { preset: chosenPreset },
  suggest: (_option, input, context) =>
    suggestPresets(
      input,
      context,
      (preset) => isOwn(preset, context) || (preset.guildId !== undefined && mayManageMessages(context.facts)),
    ),
  run: ({ preset }, context) => remove(preset, context),
});

const presetHandlers = [
  on(customIds.preset, {
    reply: 'here',
    run: async (_nothing, context, { selectedValues: [id = ''] }) => presetPage(await find(id, context), context),
  }),
  on(customIds.presetCopy, {
    reply: 'here',
    run: async (wanted, context) =>
      saved({ memberId: context.facts.userId }, presetContent.parse(await find(wanted, context)), context),
  }),
  on(customIds.presetRemove, { reply: 'here', run: remove }),
];

/** Templates that members save. `features`: those whose commands use them. */
export function preset(features: readonly Feature[]): Feature {
  const makers = commandsByFullName(features.map((feature) => feature.command));
  return {
    command: { name: 'preset', subcommands: [save(makers), use(makers), list, share, edit(makers), remover] },
    handlers: presetHandlers,
  };
}
