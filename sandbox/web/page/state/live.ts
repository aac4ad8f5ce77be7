import { effect, signal, untracked } from '@preact/signals';
import type { Live } from '../../protocol.ts';
import { clearMessages, drop, loadMessages, markRead, nowTyping, take } from './messages.ts';
import { sentenceOf, token } from './session.ts';
import {
  bot,
  dropSession,
  loadWorkbench,
  takeExchange,
  takeFaults,
  takeJob,
  takeLine,
  takeSession,
} from './workbench.ts';
import { as, channelId, loadWorld, trouble } from './world.ts';

export const connected = signal<'connecting' | 'open' | 'lost'>('connecting');

const SHORTEST_WAIT = 250;
const LONGEST_WAIT = 5_000;

let socket: WebSocket | undefined;
let wait = SHORTEST_WAIT;

/** Connects for the current user, and reloads everything when the user changes. */
export function goLive(): void {
  effect(() => {
    const who = as.value;
    untracked(() => {
      clearMessages();
      connect(who);
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

function connect(who: string): void {
  socket?.close();
  const address = new URL(`/api/live?token=${encodeURIComponent(token)}&as=${encodeURIComponent(who)}`, location.href);
  address.protocol = address.protocol.replace('http', 'ws');
  const mine = new WebSocket(address);
  socket = mine;
  mine.addEventListener('open', () => {
    connected.value = 'open';
    wait = SHORTEST_WAIT;
    void refreshAll();
  });
  mine.addEventListener('message', ({ data }) => hear(JSON.parse(String(data)) as Live));
  mine.addEventListener('close', () => {
    if (socket !== mine) return;
    connected.value = 'lost';
    setTimeout(() => socket === mine && connect(who), wait);
    wait = Math.min(wait * 2, LONGEST_WAIT);
  });
}

async function refreshAll(): Promise<void> {
  const before = channelId.peek();
  await Promise.all([loadWorld(), loadWorkbench().catch(showError)]);
  // A changed channel loads its own messages.
  if (before !== undefined && before === channelId.peek()) await refresh(before);
}

const refresh = (id: string): Promise<void> => loadMessages(id).catch(showError);

function showError(error: unknown): void {
  trouble.value = sentenceOf(error);
}

function hear(event: Live): void {
  switch (event.is) {
    case 'message':
      take(event.channel, event.message);
      break;
    case 'message-gone':
      drop(event.channel, event.id);
      break;
    case 'typing':
      nowTyping(event.channel);
      break;
    case 'world':
      void loadWorld();
      break;
    case 'job':
      takeJob(event.job);
      break;
    case 'session':
      takeSession(event.session);
      break;
    case 'session-gone':
      dropSession(event.id);
      break;
    case 'exchange':
      takeExchange(event.exchange);
      break;
    case 'bot':
      bot.value = event.bot;
      break;
    case 'log':
      takeLine(event.line);
      break;
    case 'faults':
      takeFaults(event);
      break;
  }
}
