import { z } from 'zod';
import { validationMessage } from '../validation-message.ts';
import { type Actor, actorOf } from './actor.ts';
import type { Exchange, Message } from './exchange.ts';
import { ImpossibleActionError } from './interactions/impossible-action.ts';
import type { Acknowledgement, Choice, Modal } from './interactions/interaction.ts';
import type { Parts } from './parts.ts';

export interface ActionResult {
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
const actorFields = { as: z.string(), in: z.string().optional() };

const actionSchema = z.discriminatedUnion('do', [
  z.strictObject({ ...actorFields, do: z.literal('slash'), name: z.string(), options }),
  z.strictObject({ ...actorFields, do: z.literal('complete'), name: z.string(), options, focused: z.string() }),
  z.strictObject({ ...actorFields, do: z.literal('click'), message: z.string(), button: z.string() }),
  z.strictObject({
    ...actorFields,
    do: z.literal('choose'),
    message: z.string(),
    select: z.string(),
    values: z.array(z.string()),
  }),
  z.strictObject({ ...actorFields, do: z.literal('fill'), interaction: z.string(), values: inputs }),
  z.strictObject({
    ...actorFields,
    do: z.literal('menu'),
    name: z.string(),
    message: z.string().optional(),
    user: z.string().optional(),
  }),
  z.strictObject({ ...actorFields, do: z.literal('say'), content: z.string(), files: z.array(file).default([]) }),
  z.strictObject({
    ...actorFields,
    do: z.literal('reply'),
    message: z.string(),
    content: z.string(),
    ping: z.boolean().default(true),
    files: z.array(file).default([]),
  }),
  z.strictObject({ ...actorFields, do: z.literal('edit'), message: z.string(), content: z.string() }),
  z.strictObject({ ...actorFields, do: z.literal('remove'), message: z.string() }),
  z.strictObject({
    ...actorFields,
    do: z.literal('speak'),
    base64: z.base64(),
    seconds: z.number().positive(),
    waveform: z.base64().optional(),
  }),
]);

/** Acts as a user and returns what Discord shows first; throws `ImpossibleActionError` with a message for the user. */
export async function performAction(action: unknown, parts: Parts): Promise<ActionResult> {
  const parsed = actionSchema.safeParse(action);
  if (!parsed.success) throw new ImpossibleActionError(validationMessage(parsed.error));
  return await runAction(parsed.data, actorOf(parsed.data.as, parts, parsed.data.in), parts);
}

async function runAction(action: z.output<typeof actionSchema>, actor: Actor, parts: Parts): Promise<ActionResult> {
  switch (action.do) {
    case 'slash':
      return await resultOf(await actor.slash(action.name, action.options));
    case 'complete':
      return { choices: await actor.complete(action.name, action.options, action.focused) };
    case 'click':
      return await resultOf(await actor.click({ id: action.message }, action.button));
    case 'choose':
      return await resultOf(await actor.choose({ id: action.message }, action.select, action.values));
    case 'fill': {
      const modal = parts.interactions.find(action.interaction)?.modal;
      if (!modal) throw new ImpossibleActionError(`The interaction ${action.interaction} did not open a form.`);
      return await resultOf(await actor.fill(modal, action.values));
    }
    case 'menu': {
      const target = action.message === undefined ? action.user : { id: action.message };
      if (target === undefined) throw new ImpossibleActionError('A context menu command requires a message or a user.');
      return await resultOf(await actor.menu(action.name, target));
    }
    case 'say':
      return { message: await actor.say(action.content, action.files) };
    case 'reply': {
      const { message, content, ping, files } = action;
      return { message: await actor.reply({ id: message }, content, { ping, files }) };
    }
    case 'edit':
      return { message: await actor.edit({ id: action.message }, action.content) };
    case 'remove':
      await actor.remove({ id: action.message });
      return {};
    case 'speak': {
      const { base64, seconds, waveform } = action;
      const bytes = Buffer.from(base64, 'base64');
      return { message: await actor.speak({ bytes, seconds, ...(waveform && { waveform }) }) };
    }
  }
}

async function resultOf(exchange: Exchange): Promise<ActionResult> {
  const acknowledgement = await exchange.acknowledged();
  const modal = acknowledgement.type === 9 ? { modal: await exchange.modal() } : {};
  return { interaction: exchange.id, acknowledgement, ...modal };
}
