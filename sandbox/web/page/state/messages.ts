import { computed, signal } from '@preact/signals';
import type { VisibleMessage } from '../../protocol.ts';
import { announce } from './announce.ts';
import { getJson } from './api.ts';
import { channelId, currentUser } from './world.ts';

const messagesByChannel = signal<ReadonlyMap<string, readonly VisibleMessage[]>>(new Map());
const dismissedIds = signal<ReadonlySet<string>>(new Set());
export const unreadChannelIds = signal<ReadonlySet<string>>(new Set());
export const typingUntil = signal<ReadonlyMap<string, number>>(new Map());

/** Changes that arrive while a channel is loading; they are applied again, because the response may be older. */
const changesWhileLoading = new Map<string, (() => void)[]>();

/** Undefined while the messages are loading. */
export const messages = computed(() => {
  const channelMessages = messagesByChannel.value.get(channelId.value ?? '');
  return channelMessages?.filter(({ id }) => !dismissedIds.value.has(id));
});

export async function loadMessages(id: string): Promise<void> {
  const user = currentUser.value;
  const changes: (() => void)[] = [];
  changesWhileLoading.set(id, changes);
  const loadedMessages = await getJson<VisibleMessage[]>(`/api/messages/${id}?as=${encodeURIComponent(user)}`);
  if (user !== currentUser.value || changesWhileLoading.get(id) !== changes) return;
  changesWhileLoading.delete(id);
  setMessages(id, loadedMessages);
  for (const applyChange of changes) applyChange();
}

/** Clears all messages, because another user sees different ones. */
export function clearMessages(): void {
  messagesByChannel.value = new Map();
  unreadChannelIds.value = new Set();
}

export function applyMessage(id: string, message: VisibleMessage): void {
  if (id !== channelId.value && message.edited === false)
    unreadChannelIds.value = new Set([...unreadChannelIds.value, id]);
  changesWhileLoading.get(id)?.push(() => applyMessage(id, message));
  const currentMessages = messagesByChannel.value.get(id);
  if (!currentMessages) return;
  const index = currentMessages.findIndex((one) => one.id === message.id);
  setMessages(
    id,
    index < 0 ? [...currentMessages, message] : withQuoted(currentMessages.with(index, message), message.id, message),
  );
  if (id === channelId.value) announce(message, currentMessages[index]);
}

export function removeMessage(id: string, message: string): void {
  changesWhileLoading.get(id)?.push(() => removeMessage(id, message));
  const currentMessages = messagesByChannel.value.get(id);
  if (currentMessages)
    setMessages(
      id,
      withQuoted(
        currentMessages.filter((one) => one.id !== message),
        message,
        null,
      ),
    );
}

/** Replies show the current state of the message that they quote; null if it was deleted. */
const withQuoted = (list: readonly VisibleMessage[], id: string, quoted: VisibleMessage | null) =>
  list.map((one) => (one.referenced_message?.id === id ? { ...one, referenced_message: quoted } : one));

/** Hides the message on this page only, as in Discord. */
export function dismiss(message: string): void {
  dismissedIds.value = new Set([...dismissedIds.value, message]);
}

export function markRead(id: string): void {
  if (unreadChannelIds.value.has(id)) unreadChannelIds.value = unreadChannelIds.value.difference(new Set([id]));
}

const TYPING_MS = 10_000;

export function showTyping(id: string): void {
  const expiresAt = Date.now() + TYPING_MS;
  typingUntil.value = new Map([...typingUntil.value, [id, expiresAt]]);
}

function setMessages(id: string, list: readonly VisibleMessage[]): void {
  messagesByChannel.value = new Map([...messagesByChannel.value, [id, list]]);
}
