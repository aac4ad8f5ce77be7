import { customIds, type ModelsPage } from '../../discord/custom-ids.ts';
import { inCode } from '../../discord/markdown.ts';
import type { ButtonPlan, MessagePlan } from '../../discord/plan.ts';
import type { Say } from '../../locales/index.ts';
import type { Model } from '../../services/gateway/models.ts';
import { kindOf, type ModelKind } from '../../services/models/ids.ts';

/** As many as are read at a glance on a phone. */
const PAGE = 12;

/** Its page is counted from 0; beyond the end means the last. */
interface ModelListing extends ModelsPage {
  models: readonly Model[];
}

/** A page of the list, grouped by owner. */
export function modelsPage({ models, ...listing }: ModelListing, say: Say): MessagePlan {
  const { list, text, kind, page } = listing;
  const title = list === 'own' ? say('models.title') : say('models.titleCompatible');
  const fitting = models.filter((model) => fits(model, text, kind)).toSorted(byOwner);
  if (fitting.length === 0) {
    return { page: { title, blocks: [models.length === 0 ? say('models.empty') : say('models.none')] } };
  }
  const pages = Math.ceil(fitting.length / PAGE);
  const shown = Math.min(Math.max(0, page), pages - 1);
  const groups = Map.groupBy(fitting.slice(shown * PAGE, (shown + 1) * PAGE), (model) => model.ownedBy);
  const blocks = [...groups].map(([owner, group]) => {
    const lines = group.map((model) => `${inCode(model.id)} · ${say(`models.kinds.${kindOf(model)}`)}`);
    return [`**${owner === undefined ? say('models.unknownOwner') : inCode(owner)}**`, ...lines].join('\n');
  });
  const count = fitting.length;
  const footer =
    pages > 1
      ? say('models.pageFooter', { count, page: String(shown + 1), pages: String(pages) })
      : say('models.footer', { count });
  return {
    page: { title, blocks, footer },
    controls: pages > 1 ? turners({ ...listing, page: shown }, pages, say) : [],
  };
}

/** Everything the gateway says of one model. */
export function modelDetail(model: Model, say: Say): MessagePlan {
  const { id, owned_by, created, ...others } = model.fields;
  const known = [
    `${say('models.field.id')}: ${inCode(model.id)}`,
    ...(model.ownedBy === undefined ? [] : [`${say('models.field.owned_by')}: ${inCode(model.ownedBy)}`]),
    ...(model.createdAt === undefined
      ? []
      : [`${say('models.field.created')}: <t:${Math.floor(model.createdAt / 1000)}:D>`]),
  ];
  const extra = Object.entries(others).map(([name, value]) => `${inCode(name)}: ${inCode(JSON.stringify(value))}`);
  const guess = say('models.detailFooter', { kind: say(`models.kinds.${kindOf(model)}`) });
  return { page: { title: inCode(model.id), blocks: [[...known, ...extra].join('\n')], footer: guess } };
}

function fits(model: Model, text: string | undefined, kind: ModelKind | undefined): boolean {
  const holdsText = text === undefined || model.id.toLowerCase().includes(text.toLowerCase());
  return holdsText && (kind === undefined || kindOf(model) === kind);
}

function byOwner(a: Model, b: Model): number {
  return (a.ownedBy ?? '~').localeCompare(b.ownedBy ?? '~') || a.id.localeCompare(b.id);
}

function turners(listing: ModelsPage, pages: number, say: Say): ButtonPlan[] {
  const { page } = listing;
  const pageId = (to: number): string => customIds.models.id({ ...listing, page: to });
  return [
    { type: 'button', id: pageId(page - 1), label: say('models.previous'), emoji: '◀️', disabled: page === 0 },
    { type: 'button', id: pageId(page + 1), label: say('models.next'), emoji: '▶️', disabled: page === pages - 1 },
  ];
}
