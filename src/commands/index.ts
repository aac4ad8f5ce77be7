import { commandsByFullName, commandsWithPrivacy, type Handlers } from '../discord/handlers.ts';
import { keysOf } from '../lib/entries.ts';
import type { MessageContext } from '../messages/kind-view.ts';
import { sharedButtons } from '../messages/shared-buttons.ts';
import type { Gateway } from '../services/gateway/gateway.ts';
import type { RuleTargets } from '../services/safety/rules-file.ts';
import type { Kind, Source } from '../services/tasks/kind.ts';
import { type KindSpecs, kindNames, type TaskKind } from '../services/tasks/kind-spec.ts';
import { about } from './about/feature.ts';
import { ask } from './ask/feature.ts';
import { blend } from './blend/feature.ts';
import { budget } from './budget/feature.ts';
import { channel } from './channel/feature.ts';
import { describe } from './describe/feature.ts';
import type { KindTools, Services } from './feature.ts';
import { finetune } from './finetune/feature.ts';
import { help } from './help/feature.ts';
import { image } from './image/feature.ts';
import { imagine } from './imagine/feature.ts';
import { models } from './models/feature.ts';
import { music } from './music/feature.ts';
import { preset } from './preset/feature.ts';
import { commandNameOf, presettableOptions, valueFor } from './presets.ts';
import { prompt } from './prompt/feature.ts';
import { server } from './server/feature.ts';
import { settings } from './settings/feature.ts';
import { setup } from './setup/feature.ts';
import { shorten } from './shorten/feature.ts';
import { talk } from './talk/feature.ts';
import { tasks } from './tasks/feature.ts';
import { usage } from './usage/feature.ts';
import { video } from './video/feature.ts';

/** The specification gives no limit. In a larger list, one failure would affect more tasks. */
const MAX_IN_LIST = 50;

/** The image-prompt family (specification, 4.3). Its list endpoint is not in the specification, so it is only used if the operator enables it. */
function imgxSource(imgx: Gateway['imgx'], usesLists: boolean): Source {
  return {
    name: 'imgx',
    // Not retried, because the scheduler polls again.
    endpoint: imgx,
    ...(usesLists && { batch: { max: MAX_IN_LIST, pollMany: (ids, options) => imgx.getMany(ids, options) } }),
  };
}

const taskFeatures = [imagine, image, video, music, describe, shorten, blend, ask, talk] as const;

export const kindSpecs: KindSpecs = Object.assign({}, ...taskFeatures.map(({ specs }) => specs));

const makers = commandsByFullName(taskFeatures.map(({ command }) => command));

/** Rules and limits apply to the orders of a batch, and not to the batch itself. */
const orderedKinds = (specs: Partial<KindSpecs> = {}): TaskKind[] =>
  keysOf(specs).filter((kind) => !specs[kind]?.traits.isBatch);

export const ruleTargets: RuleTargets = {
  kindsByCommand: new Map(taskFeatures.map(({ command, specs }) => [command.name, orderedKinds(specs)])),
  privateCommands: commandsWithPrivacy(taskFeatures.map(({ command }) => command)),
  takesOption(name, option, value) {
    const options = presettableOptions(makers.get(commandNameOf(name))?.options ?? {});
    const known = Object.hasOwn(options, option) ? options[option] : undefined;
    return known !== undefined && valueFor(known, value) !== undefined;
  },
};

const otherFeatures = [
  ...taskFeatures,
  // `action` stands for `change` too.
  tasks(kindNames(kindSpecs).filter((kind) => kind !== 'change')),
  prompt,
  models,
  usage,
  settings,
  preset(taskFeatures),
  channel,
  budget(orderedKinds(kindSpecs)),
  server,
  setup,
  finetune,
  about,
] as const;

/** In the order in which `/help` lists them. */
export const features = [...otherFeatures, help(otherFeatures)] as const;

export const handlers = {
  commands: features.map(({ command }) => command),
  menus: features.flatMap(({ menus = [] }) => menus),
  handlers: [...sharedButtons, ...features.flatMap((feature) => feature.handlers ?? [])],
} satisfies Handlers<Services>;

interface KindSettings extends Omit<KindTools, 'gateway' | 'imgxKind'> {
  imgxLists: boolean;
}

export function kindsOf(gateway: Gateway, { imgxLists, ...settings }: KindSettings): Kind[] {
  const source = imgxSource(gateway.imgx, imgxLists);
  const imgxKind: KindTools['imgxKind'] = (definition) => ({
    source,
    acceptsCallback: true,
    waitLimit: () => 'image',
    durationKey: () => definition.name,
    priceName: () => `mj_${definition.name}`,
    ...definition,
  });
  return features.flatMap(({ kinds }) => kinds?.({ gateway, imgxKind, ...settings }) ?? []);
}

export const kindViews: MessageContext['views'] = Object.assign({}, ...features.map(({ views }) => views));
