import { isDrawerOpen, isWorkbenchOpen } from '../state/appearance.ts';
import { bot, runningJobs } from '../state/workbench.ts';
import { channel, world } from '../state/world.ts';
import { ChannelIcon } from './channels.tsx';
import { Icon } from './icons.tsx';

/** The header above the messages, with the current channel and the workbench button. */
export function Header() {
  const here = channel.value;
  const name = here?.kind === 'direct' ? world.value?.application.name : here?.name;
  const count = runningJobs.value.length;
  return (
    <header class="top">
      <button
        type="button"
        class="icon-button only-narrow"
        aria-label="Servers and channels"
        aria-expanded={isDrawerOpen.value}
        onClick={() => (isDrawerOpen.value = !isDrawerOpen.value)}
      >
        <Icon name="menu" />
      </button>
      {here && (
        <h2>
          <ChannelIcon channel={here} size={22} /> <span class="cut">{name}</span>
        </h2>
      )}
      <p class="topic cut">{topicOf(here)}</p>
      <button
        type="button"
        class="bench-button"
        aria-expanded={isWorkbenchOpen.value}
        aria-controls="workbench"
        aria-label={count > 0 ? `Workbench, jobs in progress: ${count}` : 'Workbench'}
        onClick={() => (isWorkbenchOpen.value = !isWorkbenchOpen.value)}
      >
        <Icon name="bench" />
        <span class="bench-word">Workbench</span>
        <span class={`lamp ${bot.value?.state ?? 'starting'}`} aria-hidden="true" />
        {count > 0 && <span class="bench-count">{count}</span>}
      </button>
    </header>
  );
}

function topicOf(here: typeof channel.value): string {
  if (!here) return '';
  if (here.ageRestricted) return 'Age-restricted';
  if (here.thread?.locked) return 'Locked thread';
  if (here.thread?.archived) return 'Archived thread: send a message to reopen it';
  if (!here.maySend) return 'Read-only';
  if (here.kind === 'direct') return 'Only you and the bot';
  if (here.kind === 'group') return 'The bot is not a member of this group';
  if (here.kind === 'voice') return 'Voice channel chat';
  if (here.thread) return here.thread.isPrivate ? 'Private thread' : 'Thread';
  return '';
}
