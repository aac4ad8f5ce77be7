import {
  type ActionFamily,
  type ActionMeaning,
  actionFamilies,
  actionVariants,
  meaningOfAction,
  meaningOfChange,
} from './actions.ts';
import { isKind, type KindSpecs, type TaskKind } from './kind-spec.ts';
import type { OrderedRequest } from './transitions.ts';

/** What members call a task: an action on a result by its own name, any other task by its kind. */
export type TaskType =
  | TaskKind
  | Exclude<ActionFamily, 'upscale-more' | 'vary'>
  | NonNullable<ActionMeaning['variant']>;

export function typeOfAction({ family, variant }: Pick<ActionMeaning, 'family' | 'variant'>): TaskType {
  if (variant !== undefined) return variant;
  if (family === 'upscale-more') return 'upscale';
  return family === 'vary' ? 'variation' : family;
}

const actionTypes: readonly TaskType[] = [
  ...actionFamilies.map((family) => typeOfAction({ family })),
  ...actionVariants,
];

/** What an action on a result does; undefined for all other tasks. */
export function actionOf({ kind, request }: OrderedRequest<TaskKind>): ActionMeaning | undefined {
  if (kind === 'action') return meaningOfAction(request.customId);
  return kind === 'change' ? meaningOfChange(request) : undefined;
}

export function typeOf(task: OrderedRequest<TaskKind>): TaskType {
  const action = actionOf(task);
  if (action) return typeOfAction(action);
  if (task.kind !== 'animate') return task.kind;
  const { motion, extend } = task.request;
  return extend ? `${motion}-extension` : `${motion}-animation`;
}

export const isTaskType = (name: unknown, specs: KindSpecs): name is TaskType =>
  isKind(name, specs) || actionTypes.some((type) => type === name);
