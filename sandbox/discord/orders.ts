import { z } from 'zod';
import { complaint } from '../complaint.ts';
import { type Actor, actorOf } from './actor.ts';
import type { Exchange, Message } from './exchange.ts';
import type { Acknowledgement, Choice, Modal } from './interactions/interaction.ts';
import { ImpossibleActionError } from './interactions/refuse.ts';
import type { Parts } from './parts.ts';

export interface Outcome {
  readonly interaction?: string;
  readonly acknowledgement?: Acknowledgement;
  readonly modal?: Modal;
  readonly choices?: readonly Choice[];
  readonly message?: Message;
}

/** Files are sent as base64. */
const file = z
  .strictObject({ name: z.string().min(1), base64: z.base64(), contentType: z.string().optional() })
  .transform(({ name, base64, contentType }) => ({
    name,
    bytes: Buffer.from(base64, 'base64'),
    ...(contentType !== undefined && { contentType }),
  }));
const options = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), file])).default({});
const inputs = z.record(z.string(), z.union([z.string(), z.boolean(), z.array(z.string()), z.array(file)])).default({});
const who = { as: z.string(), in: z.string().optional() };

const act = z.discriminatedUnion('do', [
  z.strictObject({ ...who, do: z.literal('slash'), name: z.string(), options }),
  z.strictObject({ ...who, do: z.literal('complete'), name: z.string(), options, focused: z.string() }),
  z.strictObject({ ...who, do: z.literal('click'), message: z.string(), button: z.string() }),
  z.strictObject({
    ...who,
    do: z.literal('choose'),
    message: z.string(),
    select: z.string(),
    values: z.array(z.string()),
  }),
  z.strictObject({ ...who, do: z.literal('fill'), interaction: z.string(), values: inputs }),
  z.strictObject({
    ...who,
    do: z.literal('menu'),
    name: z.string(),
    message: z.string().optional(),
    user: z.string().optional(),
  }),
  z.strictObject({ ...who, do: z.literal('say'), content: z.string(), files: z.array(file).default([]) }),
  z.strictObject({
    ...who,
    do: z.literal('speak'),
    base64: z.base64(),
    seconds: z.number().positive(),
    waveform: z.base64().optional(),
  }),
]);

/** Acts as a person and returns what the person sees first; throws `ImpossibleActionError` with a message for the person. */
export async function obey(order: unknown, parts: Parts): Promise<Outcome> {
  const read = act.safeParse(order);
  if (!read.success) throw new ImpossibleActionError(complaint(read.error));
  return await carryOut(read.data, actorOf(read.data.as, parts, read.data.in), parts);
}

async function carryOut(order: z.output<typeof act>, actor: Actor, parts: Parts): Promise<Outcome> {
  switch (order.do) {
    case 'slash':
      return await shown(await actor.slash(order.name, order.options));
    case 'complete':
      return { choices: await actor.complete(order.name, order.options, order.focused) };
    case 'click':
      return await shown(await actor.click({ id: order.message }, order.button));
    case 'choose':
      return await shown(await actor.choose({ id: order.message }, order.select, order.values));
    case 'fill': {
      const modal = parts.interactions.find(order.interaction)?.modal;
      if (!modal) throw new ImpossibleActionError(`The interaction ${order.interaction} did not open a form.`);
      return await shown(await actor.fill(modal, order.values));
    }
    case 'menu': {
      const target = order.message === undefined ? order.user : { id: order.message };
      if (target === undefined) throw new ImpossibleActionError('A context menu command requires a message or a user.');
      return await shown(await actor.menu(order.name, target));
    }
    case 'say':
      return { message: await actor.say(order.content, order.files) };
    case 'speak': {
      const { base64, seconds, waveform } = order;
      const bytes = Buffer.from(base64, 'base64');
      return { message: await actor.speak({ bytes, seconds, ...(waveform && { waveform }) }) };
    }
  }
}

async function shown(exchange: Exchange): Promise<Outcome> {
  const acknowledgement = await exchange.acknowledged();
  const modal = acknowledgement.type === 9 ? { modal: await exchange.modal() } : {};
  return { interaction: exchange.id, acknowledgement, ...modal };
}
