import type { HandlerResult } from '../discord/handlers.ts';
import { expandLists, MAX_COUNTED } from '../lib/expand-lists.ts';
import { Refusal, throwIfRefusal } from '../lib/refusal.ts';
import { type NewOrder, propose, submitOrder } from '../messages/pressed-task.ts';
import type { Context } from './feature.ts';

/** The message of a batch has one line and one image for each task. */
const MAX_VARIANTS = 10;

export const repeatOption = { type: 'number', isInteger: true, min: 1, max: MAX_VARIANTS } as const;

export interface VariantValues {
  prompt: string;
  repeat?: number | undefined;
}

/** Separates the flag that repeats a prompt from the rest, for engines that read flags. */
export type TakeRepeat = (prompt: string) => { prompt: string; repeat?: number | undefined };
const takeNone: TakeRepeat = (prompt) => ({ prompt });

/** The prompts that lists in braces and repetitions make of one. All are counted before any is written. */
function variantsOf(values: VariantValues, takeRepeat: TakeRepeat): { count: number; prompts: string[] } {
  const { count: listCount, texts } = expandLists(values.prompt, MAX_VARIANTS);
  const variants = texts.map(takeRepeat).map(({ prompt, repeat = values.repeat ?? 1 }) => ({ prompt, repeat }));
  const count =
    texts.length === 0 ? listCount * (values.repeat ?? 1) : variants.reduce((sum, { repeat }) => sum + repeat, 0);
  const prompts = variants.flatMap(({ prompt, repeat }) => (count > MAX_VARIANTS ? [] : Array(repeat).fill(prompt)));
  return { count, prompts };
}

/** Whether an order makes several tasks, which the member confirms first. */
export const hasVariants =
  (takeRepeat: TakeRepeat = takeNone) =>
  // There is no prompt with a preset that needs no text.
  ({ prompt = '', repeat }: Partial<VariantValues>): boolean =>
    variantsOf({ prompt, repeat }, takeRepeat).count > 1;

/** The requests that one command makes, with the one for its prompt as typed, if that differs. */
export interface Variants<R> {
  requests: readonly R[];
  typed: string;
  asTyped?: R | undefined;
}

/** Throws a refusal that follows from the payload alone. */
export function readVariants<R>(
  values: VariantValues,
  requestFor: (prompt: string) => R | Refusal,
  takeRepeat: TakeRepeat = takeNone,
): Variants<R> {
  const { count, prompts } = variantsOf(values, takeRepeat);
  if (count > MAX_COUNTED) throw new Refusal('refusals.farTooManyVariants', { count: MAX_COUNTED, max: MAX_VARIANTS });
  if (count > MAX_VARIANTS) throw new Refusal('refusals.tooManyVariants', { count, max: MAX_VARIANTS });
  const requests = prompts.map((prompt) => throwIfRefusal(requestFor(prompt)));
  const typed = values.prompt.trim();
  const asTyped = new Set(prompts).size > 1 ? requestFor(typed) : undefined;
  return { requests, typed, ...(asTyped instanceof Refusal ? {} : { asTyped }) };
}

/** Submits the order of a command, or asks the member first if there are several. */
export async function submitVariants<R>(
  { requests, typed, asTyped }: Variants<R>,
  orderFor: (request: R) => NewOrder,
  context: Context,
): Promise<HandlerResult> {
  const orders = requests.map(orderFor);
  const [order] = orders;
  if (order && orders.length === 1) return submitOrder(order, context);
  const reason = context.say('batch.reason', { count: orders.length });
  const batch = { typed, asTyped: asTyped && orderFor(asTyped) };
  return propose(orders, { reason }, context, context.wantsPrivate ? 'private' : 'public', batch);
}
