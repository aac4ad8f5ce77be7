import { effect, signal, untracked } from '@preact/signals';
import type { LiveEvent } from '../../protocol.ts';
import { errorMessage, token } from './api.ts';
import { applyMessage, clearMessages, loadMessages, markRead, removeMessage, showTyping } from './messages.ts';
import {
  addLine,
  applyExchange,
  applyFaults,
  applyJob,
  applySession,
  bot,
  loadWorkbench,
  removeSession,
} from './workbench.ts';
import { channelId, currentUser, loadError, loadWorld } from './world.ts';

export const connection = signal<'connecting' | 'open' | 'lost'>('connecting');

const MIN_RETRY_MS = 250;
const MAX_RETRY_MS = 5_000;

let socket: WebSocket | undefined;
let retryMs = MIN_RETRY_MS;

/** Connects for the current user, and reloads everything when the user changes. */
export function connectLive(): void {
  effect(() => {
    const user = currentUser.value;
    untracked(() => {
      clearMessages();
      connect(user);
    });
  });
  effect(() => {
    const id = channelId.value;
    if (id === undefined) return;
    // A change of the user or of the unread state must not trigger a reload here.
    untracked(() => {
      markRead(id);
      void refresh(id);
    });
  });
}

function connect(user: string): void {
  socket?.close();
  const url = new URL(`/api/live?token=${encodeURIComponent(token)}&as=${encodeURIComponent(user)}`, location.href);
  url.protocol = url.protocol.replace('http', 'ws');
  const newSocket = new WebSocket(url);
  socket = newSocket;
  newSocket.addEventListener('open', () => {
    connection.value = 'open';
    retryMs = MIN_RETRY_MS;
    void refreshAll();
  });
  newSocket.addEventListener('message', ({ data }) => applyEvent(JSON.parse(String(data)) as LiveEvent));
  newSocket.addEventListener('close', () => {
    if (socket !== newSocket) return;
    connection.value = 'lost';
    setTimeout(() => socket === newSocket && connect(user), retryMs);
    retryMs = Math.min(retryMs * 2, MAX_RETRY_MS);
  });
}

async function refreshAll(): Promise<void> {
  const previousChannel = channelId.peek();
  await Promise.all([loadWorld(), loadWorkbench().catch(showError)]);
  // If the channel has changed, its messages are loaded elsewhere.
  if (previousChannel !== undefined && previousChannel === channelId.peek()) await refresh(previousChannel);
}

const refresh = (id: string): Promise<void> => loadMessages(id).catch(showError);

function showError(error: unknown): void {
  loadError.value = errorMessage(error);
}

function applyEvent(event: LiveEvent): void {
  switch (event.is) {
    case 'message':
      applyMessage(event.channel, event.message);
      break;
    case 'message-gone':
      removeMessage(event.channel, event.id);
      break;
    case 'typing':
      showTyping(event.channel);
      break;
    case 'world':
      void loadWorld();
      break;
    case 'job':
      applyJob(event.job);
      break;
    case 'session':
      applySession(event.session);
      break;
    case 'session-gone':
      removeSession(event.id);
      break;
    case 'exchange':
      applyExchange(event.exchange);
      break;
    case 'bot':
      bot.value = event.bot;
      break;
    case 'log':
      addLine(event.line);
      break;
    case 'faults':
      applyFaults(event);
      break;
  }
}
