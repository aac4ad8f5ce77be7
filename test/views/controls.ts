import { systemClock } from '../../src/lib/clock.ts';
import { largerSizes } from '../../src/services/models/sizes.ts';
import { Offers } from '../../src/services/tasks/offers.ts';
import type { TaskControls } from '../../src/views/task-buttons.ts';

const id = (name: string) => (taskId: string) => `${name}.1.${taskId}`;
export const controls: TaskControls = {
  tryAgainId: id('again'),
  dismissId: id('dismiss'),
  deleteId: id('delete'),
  continueId: id('go'),
  cancelId: id('cancel'),
  retryId: id('retry'),
  editId: id('edit'),
  upscaleAllId: id('all'),
  sameId: id('same'),
  filmId: id('film'),
  referenceId: id('ref'),
  largerThan: (model) => largerSizes(model, [{ id: 'lumen-2K' }, { id: 'lumen-4K' }]),
  largerId: (taskId, size) => `large.1.${taskId}.${size}`,
  lineId: (taskId, number) => `line.1.${taskId}.${number}`,
  allLinesId: id('lines'),
  animateId: id('anim'),
  changeId: (taskId, short) => `chg.1.${taskId}.${short}`,
  isOffered: (customId) => new Offers(systemClock).isOffered(customId),
  actionId: (taskId, place) => `a.1.${taskId}.${place}`,
};
