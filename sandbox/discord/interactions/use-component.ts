import { ButtonStyle, ComponentType, InteractionType, MessageFlags } from 'discord-api-types/v10';
import { type AnyComponent, eachComponent } from '../message-content.ts';
import type { Parts } from '../parts.ts';
import type { Post } from '../post.ts';
import { ImpossibleActionError } from './impossible-action.ts';
import type { Interaction } from './interaction.ts';
import { ResolvedData } from './resolved-data.ts';
import { type ActorContext, sendInteraction } from './send.ts';

/** Presses a button, found by its current label, custom id or emoji. */
export function pressButton(context: ActorContext, post: Post, name: string, parts: Parts): Interaction {
  checkReadable(context, post);
  const buttons = componentsIn(post, (one) => one.type === ComponentType.Button);
  const button = buttons.find((one) => namesOf(one).includes(name));
  if (!button)
    throw new ImpossibleActionError(
      `There is no button ${name}. The buttons are: ${buttons.map((one) => namesOf(one)[0]).join(', ') || 'none'}.`,
    );
  if (button.disabled) throw new ImpossibleActionError(`The button ${name} is disabled.`);
  if (button.style === ButtonStyle.Link || button.style === ButtonStyle.Premium)
    throw new ImpossibleActionError(`The button ${name} opens a link or a purchase and sends no interaction.`);
  const data = { id: button.id, custom_id: button.custom_id, component_type: ComponentType.Button };
  return sendInteraction(context, { type: InteractionType.MessageComponent, data, source: post }, parts);
}

/** The select is found by custom id or placeholder; values may be labels, or names of users, roles and channels. */
export function chooseValues(
  context: ActorContext,
  post: Post,
  name: string,
  values: readonly string[],
  parts: Parts,
): Interaction {
  checkReadable(context, post);
  const selects = componentsIn(post, (one) => one.type in RESOLVERS || one.type === ComponentType.StringSelect);
  const select = selects.find((one) => one.custom_id === name || one.placeholder === name);
  if (!select)
    throw new ImpossibleActionError(
      `There is no select ${name}. The selects are: ${selects.map((one) => one.custom_id).join(', ') || 'none'}.`,
    );
  if (select.disabled) throw new ImpossibleActionError(`The select ${name} is disabled.`);
  const resolved = new ResolvedData(parts, context.guild);
  const data = {
    id: select.id,
    custom_id: select.custom_id,
    component_type: select.type,
    values: resolveSelectValues(select, values, resolved),
    ...resolved.payload,
  };
  return sendInteraction(context, { type: InteractionType.MessageComponent, data, source: post }, parts);
}

const RESOLVERS: Readonly<Record<number, 'user' | 'role' | 'mentionable' | 'channel'>> = {
  [ComponentType.UserSelect]: 'user',
  [ComponentType.RoleSelect]: 'role',
  [ComponentType.MentionableSelect]: 'mentionable',
  [ComponentType.ChannelSelect]: 'channel',
};

/** Validates the chosen values and returns their ids; used for messages and forms. */
export function resolveSelectValues(select: AnyComponent, values: readonly string[], resolved: ResolvedData): string[] {
  const { min_values: min = 1, max_values: max = 1 } = select as { min_values?: number; max_values?: number };
  const isSkipped = values.length === 0 && select.required === false;
  if ((values.length < min && !isSkipped) || values.length > max)
    throw new ImpossibleActionError(`${select.custom_id} must have ${min} to ${max} values, not ${values.length}.`);
  const resolver = RESOLVERS[select.type];
  if (resolver) return values.map((value) => resolved[resolver](value));
  const options = (select.options ?? []) as readonly { label: string; value: string }[];
  return values.map((name) => {
    const option = options.find(({ value }) => value === name) ?? options.find(({ label }) => label === name);
    if (!option)
      throw new ImpossibleActionError(
        `${select.custom_id} has no option ${name}. Its options: ${options.map(({ label }) => label).join(', ')}.`,
      );
    return option.value;
  });
}

function checkReadable({ user, channel }: ActorContext, post: Post): void {
  if (post.viewer !== undefined && post.viewer !== user.id)
    throw new ImpossibleActionError(`${user.name} cannot see that message.`);
  if (post.channel !== channel) throw new ImpossibleActionError('That message is in another channel.');
  if ((post.flags & MessageFlags.Loading) !== 0) throw new ImpossibleActionError('The message is still loading.');
}

function componentsIn(post: Post, matches: (component: AnyComponent) => boolean): AnyComponent[] {
  const components: AnyComponent[] = [];
  eachComponent(post.components, (component) => {
    if (matches(component)) components.push(component);
  });
  return components;
}

function namesOf(button: AnyComponent): unknown[] {
  const emoji = button.emoji as { name?: string; id?: string } | undefined;
  return [button.label, button.custom_id, emoji?.name, emoji?.id].filter((name) => name !== undefined && name !== null);
}
