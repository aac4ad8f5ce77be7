import { withoutUndefined } from '../../lib/entries.ts';
import { Refusal } from '../../lib/refusal.ts';
import type { WrittenWords } from '../../services/orders/words.ts';
import { meaningOfAction, zoomOf } from '../../services/tasks/actions.ts';
import type { TaskKind } from '../../services/tasks/kind-spec.ts';
import type { MemberFile, Region, sides, WholeImage } from '../../services/tasks/materials.ts';
import { lineAt } from '../../services/tasks/result-text.ts';
import type { Task } from '../../services/tasks/task.ts';
import {
  assertHasResult,
  editablePrompt,
  isGrid,
  promptOf,
  type ShortFollowUp,
  spoilerOf,
  suffixFields,
  typedPrompt,
} from '../../services/tasks/task-facts.ts';
import type { OrderedRequest } from '../../services/tasks/transitions.ts';

/** The request of a follow-up; the press itself determines the requester and the place. */
export type FollowUp<K extends TaskKind> = OrderedRequest<K> & { parent: Task };

/** A follow-up by one of the buttons that the gateway returned with the result. The stored custom id of its action identifies it. */
export function actionOrder(parent: Task, index: number, written?: WrittenWords): FollowUp<'action'> {
  assertHasResult(parent);
  const action = parent.actions[index];
  if (!action) throw new Refusal('refusals.unknownButton');
  const { customId, label } = action;
  return { kind: 'action', parent, request: { ...followUpFields(parent, written), customId, label } };
}

/** A follow-up of a result that came without buttons. */
export function changeOrder(parent: Task, followUp: ShortFollowUp): FollowUp<'change'> {
  assertHasResult(parent);
  if (!isGrid(parent) || parent.media.length === 0) throw new Refusal('refusals.noResult');
  const action = followUp === 'R' ? 'REROLL' : followUp.startsWith('U') ? 'UPSCALE' : 'VARIATION';
  const index = Number(followUp.charAt(1) || 1);
  return { kind: 'change', parent, request: { ...followUpFields(parent), action, index, label: followUp } };
}

export function followUpFields(parent: Task, written?: WrittenWords) {
  const { request, remoteId: jobId } = parent;
  if (jobId === undefined) throw new Refusal('refusals.unknownButton');
  const [prompt, typed] = [promptOf(parent), typedPrompt(parent)];
  return {
    of: jobId,
    prompt,
    ...withoutUndefined({
      typed: typed === prompt ? undefined : typed,
      title: request.title,
      ...suffixFields(parent),
      ...spoilerOf(parent),
      ...written,
    }),
  };
}

export function sideRegion(parent: Task, side: (typeof sides)[number]): Region {
  const image = wholeImage(parent);
  if (!image) throw new Refusal('refusals.sourceImageGone');
  return { side, of: image };
}

export function drawnRegion(parent: Task, drawn: MemberFile): Region {
  const image = wholeImage(parent);
  return { drawn, ...(image && { of: image }) };
}

function wholeImage({ media: [image] }: Task): WholeImage | undefined {
  if (image?.address === undefined) return undefined;
  const { address, width, height } = image;
  return { address, width, height };
}

/** The prompt that the form of an action starts with. */
export function initialPrompt(parent: Task, position: number): string {
  const meaning = meaningOfAction(parent.actions[position]?.customId ?? '');
  const { family, index } = meaning;
  const prompt = editablePrompt(parent);
  const zoom = family === 'custom-zoom' ? '2' : zoomOf(meaning);
  if (zoom !== undefined) return `${prompt} --zoom ${zoom}`.trim();
  if (family === 'describe-line' || family === 'shorten-line') return lineAt(parent.text ?? '', index ?? 1) ?? prompt;
  return prompt;
}
