import type { Channel } from '../../protocol.ts';
import { Mark } from '../shell/avatar.tsx';
import { ChannelIcon } from '../shell/channels.tsx';
import { Icon, type IconName } from '../shell/icons.tsx';
import { guideSuggestions, isDone } from '../state/guide.ts';
import { messages } from '../state/messages.ts';
import { world } from '../state/world.ts';

/** The start of a channel: a description and suggestions. */
export function Welcome({ channel }: { channel: Channel }) {
  const isDirect = channel.kind === 'direct';
  const isEmpty = messages.value?.length === 0;
  return (
    <section class={isEmpty ? 'welcome empty' : 'welcome'} aria-label="Start of this channel">
      {isDirect ? (
        <Mark size={68} round />
      ) : (
        <span class="welcome-icon">
          <ChannelIcon channel={channel} size={38} />
        </span>
      )}
      <h2>{isDirect ? world.value?.application.name : `Welcome to #${channel.name}`}</h2>
      <p class="welcome-words">{wordsOf(channel)}</p>
      {guideSuggestions.value.length > 0 && <Offers />}
    </section>
  );
}

function wordsOf({ kind, ageRestricted, maySend, commands }: Channel): string {
  if (kind === 'direct') return 'Your direct messages with the bot. No one else can see them.';
  if (kind === 'group') return 'A group conversation without the bot. Members who installed the app can use it here.';
  if (!maySend) return 'Members can read this channel but cannot send messages.';
  if (ageRestricted) return 'This channel is age-restricted.';
  if (commands.length === 0) return 'You have no commands in this channel.';
  return 'The real bot runs here, on your machine only. Type / to see its commands, mention it with @, or try one of these.';
}

const ICONS: Readonly<Record<string, IconName>> = {
  imagine: 'brush',
  kill: 'bolt',
  models: 'apps',
  help: 'question',
  'talk start': 'sound',
  usage: 'chart',
};

function Offers() {
  return (
    <ul class="offers">
      {guideSuggestions.value.map(({ id, title, description: words, run }) => (
        <li key={id}>
          <button type="button" class={id === 'kill' ? 'offer risky' : 'offer'} onClick={run}>
            <span class="offer-icon">
              <Icon name={isDone(id) ? 'check' : (ICONS[id] ?? 'apps')} />
            </span>
            <span>
              <b>{title}</b>
              <small>
                {id === 'kill' ? (
                  words
                ) : (
                  <>
                    <code>/{id}</code> {words}
                  </>
                )}
              </small>
            </span>
          </button>
        </li>
      ))}
    </ul>
  );
}
