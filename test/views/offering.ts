import { systemClock } from '../../src/lib/clock.ts';
import { largerSizes } from '../../src/services/models/sizes.ts';
import { Offers } from '../../src/services/tasks/offers.ts';
import type { Offering } from '../../src/views/task-buttons.ts';

export const offering: Offering = {
  isRemix: false,
  largerThan: (model) => largerSizes(model, [{ id: 'lumen-2K' }, { id: 'lumen-4K' }]),
  isOffered: (customId) => new Offers(systemClock).isOffered(customId),
};
