import { kindViews } from '../../src/commands/index.ts';
import { systemClock } from '../../src/lib/clock.ts';
import type { MessageContext } from '../../src/messages/kind-view.ts';
import { largerSizes } from '../../src/services/gateway/model-ids.ts';
import { Offers } from '../../src/services/tasks/offers.ts';

export const context: MessageContext = {
  views: kindViews,
  readsMessages: false,
  isRemix: false,
  outlook: { typicalMs: () => undefined, turnAt: () => undefined },
  largerVariants: (model) =>
    largerSizes(
      model,
      ['lumen', 'dall-e-3'].flatMap((id) => [{ id: `${id}-2K` }, { id: `${id}-4K` }]),
    ),
  isOffered: (customId) => new Offers(systemClock).isOffered(customId),
};
