import { inlineCode } from '../discord/markdown.ts';
import type { Say } from '../locales/index.ts';
import type { TaskKind } from '../services/tasks/kind-spec.ts';
import type { Outlook } from '../services/tasks/outlook.ts';
import type { OrderedRequest } from '../services/tasks/transitions.ts';

const MINUTE_MS = 60_000;

/** The typical duration in whole minutes; undefined if it is too short to be mentioned. */
export function slowMinutes(typicalMs: number | undefined): number | undefined {
  const minutes = Math.round((typicalMs ?? 0) / MINUTE_MS);
  return minutes >= 1 ? minutes : undefined;
}

/** What a member should know before confirming orders: which models are slow or failing. */
export function outlookNotes(orders: readonly OrderedRequest<TaskKind>[], outlook: Outlook, say: Say): string[] {
  const notes = orders.flatMap((order) => {
    const { typicalMs, failingModel } = outlook.prospectOf(order);
    if (failingModel) {
      const since = Math.floor(failingModel.since / 1000);
      const { model } = failingModel;
      if (model === undefined) return [say('outlook.failingKind', { since })];
      return [say('outlook.failingModel', { model: inlineCode(model), since })];
    }
    const minutes = slowMinutes(typicalMs);
    return minutes === undefined ? [] : [say('outlook.slow', { minutes })];
  });
  return [...new Set(notes)];
}
