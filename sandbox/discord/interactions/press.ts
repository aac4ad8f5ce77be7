import { ButtonStyle, ComponentType, InteractionType, MessageFlags } from 'discord-api-types/v10';
import { type AnyComponent, eachComponent } from '../contents.ts';
import type { Parts } from '../parts.ts';
import type { Post } from '../post.ts';
import { perform, type Where } from './act.ts';
import type { Interaction } from './interaction.ts';
import { ImpossibleActionError } from './refuse.ts';
import { Resolved } from './resolved.ts';

/** Presses a button, found by its current label, custom id or emoji. */
export function pressButton(where: Where, post: Post, wanted: string, parts: Parts): Interaction {
  checkReadable(where, post);
  const buttons = componentsIn(post, (one) => one.type === ComponentType.Button);
  const button = buttons.find((one) => namesOf(one).includes(wanted));
  if (!button)
    throw new ImpossibleActionError(
      `There is no button ${wanted}. The buttons are: ${buttons.map((one) => namesOf(one)[0]).join(', ') || 'none'}.`,
    );
  if (button.disabled) throw new ImpossibleActionError(`The button ${wanted} is disabled.`);
  if (button.style === ButtonStyle.Link || button.style === ButtonStyle.Premium)
    throw new ImpossibleActionError(`The button ${wanted} opens a link or a purchase and sends no interaction.`);
  const data = { id: button.id, custom_id: button.custom_id, component_type: ComponentType.Button };
  return perform(where, { type: InteractionType.MessageComponent, data, source: post }, parts);
}

/** The select is found by custom id or placeholder; values may be labels, or names of users, roles and channels. */
export function choose(where: Where, post: Post, wanted: string, values: readonly string[], parts: Parts): Interaction {
  checkReadable(where, post);
  const selects = componentsIn(post, (one) => one.type in resolvers || one.type === ComponentType.StringSelect);
  const select = selects.find((one) => one.custom_id === wanted || one.placeholder === wanted);
  if (!select)
    throw new ImpossibleActionError(
      `There is no select ${wanted}. The selects are: ${selects.map((one) => one.custom_id).join(', ') || 'none'}.`,
    );
  if (select.disabled) throw new ImpossibleActionError(`The select ${wanted} is disabled.`);
  const resolved = new Resolved(parts, where.guild);
  const data = {
    id: select.id,
    custom_id: select.custom_id,
    component_type: select.type,
    values: resolveSelectValues(select, values, resolved),
    ...resolved.wire,
  };
  return perform(where, { type: InteractionType.MessageComponent, data, source: post }, parts);
}

const resolvers: Readonly<Record<number, 'user' | 'role' | 'mentionable' | 'channel'>> = {
  [ComponentType.UserSelect]: 'user',
  [ComponentType.RoleSelect]: 'role',
  [ComponentType.MentionableSelect]: 'mentionable',
  [ComponentType.ChannelSelect]: 'channel',
};

/** Validates the chosen values; used for messages and forms. */
export function resolveSelectValues(select: AnyComponent, values: readonly string[], resolved: Resolved): string[] {
  const { min_values: least = 1, max_values: most = 1 } = select as { min_values?: number; max_values?: number };
  const isSkipped = values.length === 0 && select.required === false;
  if ((values.length < least && !isSkipped) || values.length > most)
    throw new ImpossibleActionError(`${select.custom_id} must have ${least} to ${most} values, not ${values.length}.`);
  const resolver = resolvers[select.type];
  if (resolver) return values.map((value) => resolved[resolver](value));
  const options = (select.options ?? []) as readonly { label: string; value: string }[];
  return values.map((wanted) => {
    const option = options.find(({ value }) => value === wanted) ?? options.find(({ label }) => label === wanted);
    if (!option)
      throw new ImpossibleActionError(
        `${select.custom_id} has no option ${wanted}. Its options: ${options.map(({ label }) => label).join(', ')}.`,
      );
    return option.value;
  });
}

function checkReadable({ user, channel }: Where, post: Post): void {
  if (post.viewer !== undefined && post.viewer !== user.id)
    throw new ImpossibleActionError(`${user.name} cannot see that message.`);
  if (post.channel !== channel) throw new ImpossibleActionError('That message is in another channel.');
  if ((post.flags & MessageFlags.Loading) !== 0) throw new ImpossibleActionError('The message is still loading.');
}

function componentsIn(post: Post, wanted: (component: AnyComponent) => boolean): AnyComponent[] {
  const found: AnyComponent[] = [];
  eachComponent(post.components, (component) => {
    if (wanted(component)) found.push(component);
  });
  return found;
}

function namesOf(button: AnyComponent): unknown[] {
  const emoji = button.emoji as { name?: string; id?: string } | undefined;
  return [button.label, button.custom_id, emoji?.name, emoji?.id].filter((name) => name !== undefined && name !== null);
}
