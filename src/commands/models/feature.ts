import { customIds, type ModelsPage } from '../../discord/custom-ids.ts';
import { inlineCode } from '../../discord/markdown.ts';
import type { MessagePlan } from '../../discord/plan.ts';
import { entriesOf } from '../../lib/entries.ts';
import { pageButtons } from '../../messages/task-buttons.ts';
import type { ListedModel } from '../../services/gateway/model-catalogue.ts';
import { modelKinds } from '../../services/gateway/model-families.ts';
import { type Context, command, type Feature, on } from '../feature.ts';
import { mayUseModel, modelOption, suggestionsFrom } from '../options.ts';

async function modelsReply(listing: ModelsPage, context: Context): Promise<MessagePlan> {
  return modelsPage(await context.services.models.list(listing.list), listing, context);
}

const modelsPageButton = on(customIds.models, { reply: 'here', run: modelsReply });

/** Longer than the significant part of any id, and short enough for the custom id of the next page. */
const MAX_FILTER_LENGTH = 40;

/** As many models as can be read at a glance on a phone. */
const PAGE_SIZE = 12;

/** A page of the list, grouped by owner. If the page is beyond the end, the last one is shown. */
function modelsPage(models: readonly ListedModel[], listing: ModelsPage, context: Context): MessagePlan {
  const { list, page } = listing;
  const { say } = context;
  const title = list === 'own' ? say('models.title') : say('models.titleCompatible');
  const matchingModels = models
    .filter((model) => matches(model, listing) && mayUseModel(model, context))
    .toSorted(byOwner);
  if (matchingModels.length === 0) {
    const isFiltered = listing.text !== undefined || listing.kind !== undefined;
    const reason = models.length === 0 ? 'empty' : isFiltered ? 'none' : 'allDenied';
    return { page: { title, blocks: [say(`models.${reason}`)] } };
  }
  const pages = Math.ceil(matchingModels.length / PAGE_SIZE);
  const pageIndex = Math.min(Math.max(0, page), pages - 1);
  const groups = Map.groupBy(
    matchingModels.slice(pageIndex * PAGE_SIZE, (pageIndex + 1) * PAGE_SIZE),
    (model) => model.ownedBy,
  );
  const blocks = [...groups].map(([owner, group]) => {
    const lines = group.map((model) => `${inlineCode(model.id)} · ${say(`models.kinds.${model.kind}`)}`);
    return [`**${owner === undefined ? say('models.unknownOwner') : inlineCode(owner)}**`, ...lines].join('\n');
  });
  const count = matchingModels.length;
  const pageFacts = { count, page: String(pageIndex + 1), pages: String(pages) };
  const footer = pages > 1 ? say('models.pageFooter', pageFacts) : say('models.footer', { count });
  const idOf = (target: number): string => customIds.models.id({ ...listing, page: target });
  const controls = pages > 1 ? pageButtons(idOf, { page: pageIndex, last: pages - 1 }, say) : [];
  return { page: { title, blocks, footer }, controls };
}

function modelDetail(model: ListedModel, context: Context): MessagePlan {
  const { say } = context;
  // Those that are shown below, and those that say nothing to a member.
  const { id, owned_by, created, object, root, parent, permission, ...others } = model.fields;
  const known = {
    id: inlineCode(model.id),
    owned_by: model.ownedBy && inlineCode(model.ownedBy),
    created: model.createdAt && `<t:${Math.floor(model.createdAt / 1000)}:D>`,
  };
  const knownLines = entriesOf(known).flatMap(([name, value]) =>
    value ? [say('labeled', { label: say(`models.field.${name}`), value })] : [],
  );
  const extraLines = Object.entries(others).map(
    ([name, value]) => `${inlineCode(name)}: ${inlineCode(JSON.stringify(value))}`,
  );
  const kindFooter = say('models.detailFooter', { kind: say(`models.kinds.${model.kind}`) });
  const footer = mayUseModel(model, context) ? kindFooter : say('models.denied');
  return { page: { title: inlineCode(model.id), blocks: [[...knownLines, ...extraLines].join('\n')], footer } };
}

const matches = (model: ListedModel, { text = '', kind }: ModelsPage): boolean =>
  model.id.toLowerCase().includes(text.toLowerCase()) && (kind === undefined || model.kind === kind);

const byOwner = (a: ListedModel, b: ListedModel): number =>
  (a.ownedBy ?? '~').localeCompare(b.ownedBy ?? '~') || a.id.localeCompare(b.id);

export const models: Feature = {
  command: command({
    name: 'models',
    options: {
      model: modelOption,
      text: { type: 'text', max: MAX_FILTER_LENGTH },
      kind: { type: 'text', choices: modelKinds },
      list: { type: 'text', choices: ['own', 'compatible'] },
    },
    async suggest(_option, input, context) {
      const models = await context.services.models.listQuickly();
      const allowed = models.filter((model) => mayUseModel(model, context));
      return suggestionsFrom(
        allowed.map(({ id }) => id),
        input,
      );
    },
    async run({ model, text, kind, list = 'own' }, context) {
      if (model !== undefined) return modelDetail(await context.services.models.get(model), context);
      return modelsReply({ list, text, kind, page: 0 }, context);
    },
  }),
  handlers: [modelsPageButton],
};
