import { computed, signal } from '@preact/signals';
import type { VisibleMessage } from '../../protocol.ts';
import { announce } from './announce.ts';
import { getJson } from './api.ts';
import { channelId, currentUser } from './world.ts';

const byChannel = signal<ReadonlyMap<string, readonly VisibleMessage[]>>(new Map());
const dismissed = signal<ReadonlySet<string>>(new Set());
export const unread = signal<ReadonlySet<string>>(new Set());
export const typing = signal<ReadonlyMap<string, number>>(new Map());

/** Changes that arrive while a channel is loading; they are applied again, because the response may be older. */
const changesWhileLoading = new Map<string, (() => void)[]>();

/** Undefined while the messages are loading. */
export const messages = computed(() => {
  const channelMessages = byChannel.value.get(channelId.value ?? '');
  return channelMessages?.filter(({ id }) => !dismissed.value.has(id));
});

export async function loadMessages(id: string): Promise<void> {
  const user = currentUser.value;
  const changes: (() => void)[] = [];
  changesWhileLoading.set(id, changes);
  const loaded = await getJson<VisibleMessage[]>(`/api/messages/${id}?as=${encodeURIComponent(user)}`);
  if (user !== currentUser.value || changesWhileLoading.get(id) !== changes) return;
  changesWhileLoading.delete(id);
  setMessages(id, loaded);
  for (const applyChange of changes) applyChange();
}

/** Clears all messages, because another user sees different ones. */
export function clearMessages(): void {
  byChannel.value = new Map();
  unread.value = new Set();
}

export function applyMessage(id: string, message: VisibleMessage): void {
  if (id !== channelId.value && message.edited === false) unread.value = new Set([...unread.value, id]);
  changesWhileLoading.get(id)?.push(() => applyMessage(id, message));
  const current = byChannel.value.get(id);
  if (!current) return;
  const at = current.findIndex((one) => one.id === message.id);
  setMessages(id, at < 0 ? [...current, message] : current.with(at, message));
  if (id === channelId.value) announce(message, current[at]);
}

export function removeMessage(id: string, message: string): void {
  changesWhileLoading.get(id)?.push(() => removeMessage(id, message));
  const current = byChannel.value.get(id);
  if (current)
    setMessages(
      id,
      current.filter((one) => one.id !== message),
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

export function showTyping(id: string): void {
  const until = Date.now() + TYPING_MS;
  typing.value = new Map([...typing.value, [id, until]]);
}

function setMessages(id: string, list: readonly VisibleMessage[]): void {
  byChannel.value = new Map([...byChannel.value, [id, list]]);
}
