import type { MessagePlan } from '../plan.ts';
import type { Trouble } from './errors.ts';

/** How much of a plan is sent: all of it, all but its files, or its words alone. */
export type Load = 'whole' | 'without-files' | 'words';

/** What is left to try the same way; undefined where something else is wrong, or the least was refused. */
export function lighterThan(load: Load, trouble: Trouble): Load | undefined {
  if (load === 'words' || (trouble !== 'too-large' && trouble !== 'malformed')) return undefined;
  return trouble === 'too-large' && load === 'whole' ? 'without-files' : 'words';
}

export function loaded(plan: MessagePlan, load: Load): MessagePlan {
  if (load === 'whole') return plan;
  if (load === 'words') return { content: plan.content ?? plan.page?.title ?? '…' };
  // What would overflow into a file is cut.
  const { files: _files, overflow: _overflow, ...rest } = plan;
  return rest;
}
