import { computed, signal } from '@preact/signals';
import type { SeenMessage } from '../../protocol.ts';
import { announce } from './announce.ts';
import { ask } from './session.ts';
import { as, channelId } from './world.ts';

const byChannel = signal<ReadonlyMap<string, readonly SeenMessage[]>>(new Map());
const dismissed = signal<ReadonlySet<string>>(new Set());
export const unread = signal<ReadonlySet<string>>(new Set());
export const typing = signal<ReadonlyMap<string, number>>(new Map());

/** Changes during the loading of a channel; they are replayed because the response may be older. */
const late = new Map<string, (() => void)[]>();

/** Undefined while the messages are loading. */
export const messages = computed(() => {
  const here = byChannel.value.get(channelId.value ?? '');
  return here?.filter(({ id }) => !dismissed.value.has(id));
});

export async function loadMessages(id: string): Promise<void> {
  const who = as.value;
  const meanwhile: (() => void)[] = [];
  late.set(id, meanwhile);
  const all = await ask<SeenMessage[]>(`/api/messages/${id}?as=${encodeURIComponent(who)}`);
  if (who !== as.value || late.get(id) !== meanwhile) return;
  late.delete(id);
  keep(id, all);
  for (const again of meanwhile) again();
}

/** Another user sees other messages. */
export function clearMessages(): void {
  byChannel.value = new Map();
  unread.value = new Set();
}

export function take(id: string, message: SeenMessage): void {
  if (id !== channelId.value && message.edited === false) unread.value = new Set([...unread.value, id]);
  late.get(id)?.push(() => take(id, message));
  const known = byChannel.value.get(id);
  if (!known) return;
  const at = known.findIndex((one) => one.id === message.id);
  keep(id, at < 0 ? [...known, message] : known.with(at, message));
  if (id === channelId.value) announce(message, known[at]);
}

export function drop(id: string, message: string): void {
  late.get(id)?.push(() => drop(id, message));
  const known = byChannel.value.get(id);
  if (known)
    keep(
      id,
      known.filter((one) => one.id !== message),
    );
}

/** Hides the message on this page only, as in Discord. */
export function dismiss(message: string): void {
  dismissed.value = new Set([...dismissed.value, message]);
}

export function markRead(id: string): void {
  if (unread.value.has(id)) unread.value = unread.value.difference(new Set([id]));
}

const TYPING_MS = 10_000;

export function nowTyping(id: string): void {
  const until = Date.now() + TYPING_MS;
  typing.value = new Map([...typing.value, [id, until]]);
}

function keep(id: string, list: readonly SeenMessage[]): void {
  byChannel.value = new Map([...byChannel.value, [id, list]]);
}
