import type { ComponentChildren } from 'preact';
import type { Channel, Guild } from '../../protocol.ts';
import { isDrawerOpen } from '../state/appearance.ts';
import { unreadChannelIds } from '../state/messages.ts';
import { channel, currentPlace, openChannel, openDirectMessage, world } from '../state/world.ts';
import { Avatar, Mark } from './avatar.tsx';
import { Icon, type IconName } from './icons.tsx';
import { Languages } from './languages.tsx';
import { Me } from './me.tsx';

/** The servers, the channels of the current server and the current user. */
export function Channels() {
  const { guilds = [], direct = [] } = world.value ?? {};
  const guild = currentPlace.value?.guild;
  return (
    <nav class={isDrawerOpen.value ? 'side open' : 'side'} aria-label="Servers and channels">
      <ul class="rail" aria-label="Servers">
        <li>
          <RailButton name="Direct messages" here={guild === undefined} channels={direct}>
            <Mark size={44} />
          </RailButton>
        </li>
        <li class="rail-line" aria-hidden="true" />
        {guilds.map((one) => (
          <li key={one.id}>
            <RailButton name={one.name} here={one.id === guild?.id} channels={one.channels}>
              <span class="rail-name">{one.name.slice(0, 1).toUpperCase()}</span>
            </RailButton>
          </li>
        ))}
      </ul>
      <div class="rooms">
        <header>
          <h1 class="cut">{guild?.name ?? 'Direct messages'}</h1>
          {guild && !guild.installed && <small>The bot is not in this server</small>}
        </header>
        <Rooms guild={guild} channels={guild?.channels ?? direct} />
        <Languages />
        <Me />
      </div>
    </nav>
  );
}

interface RailProps {
  readonly name: string;
  readonly here: boolean;
  readonly channels: readonly Channel[];
  readonly children: ComponentChildren;
}

function RailButton({ name, here, channels, children }: RailProps) {
  const isNew = channels.some(({ id }) => unreadChannelIds.value.has(id));
  return (
    <button
      type="button"
      class={isNew ? 'rail-button news' : 'rail-button'}
      title={name}
      aria-label={isNew ? `${name}, new messages` : name}
      aria-current={here}
      onClick={() => {
        const [first] = channels;
        if (here) return;
        if (first) openChannel(first.id);
        else void openDirectMessage();
      }}
    >
      {children}
    </button>
  );
}

function Rooms({ guild, channels }: { guild: Guild | undefined; channels: readonly Channel[] }) {
  const roots = channels.filter(
    ({ parentId }) => parentId === undefined || !channels.some(({ id }) => id === parentId),
  );
  return (
    <ul class="room-list" aria-label={guild ? `Channels of ${guild.name}` : 'Direct messages'}>
      {roots.map((root) => (
        <li key={root.id}>
          <RoomButton room={root} />
          {channels
            .filter(({ parentId }) => parentId === root.id)
            .filter((one) => one.thread?.archived !== true || one.id === channel.value?.id)
            .map((thread) => (
              <div key={thread.id} class="below">
                <RoomButton room={thread} />
              </div>
            ))}
        </li>
      ))}
    </ul>
  );
}

function RoomButton({ room }: { room: Channel }) {
  const isHere = channel.value?.id === room.id;
  const isNew = unreadChannelIds.value.has(room.id);
  const { application } = world.value ?? {};
  const name = room.kind === 'direct' ? (application?.name ?? room.name) : room.name;
  return (
    <button
      type="button"
      class={isNew ? 'room news' : 'room'}
      aria-current={isHere ? 'page' : undefined}
      onClick={() => {
        openChannel(room.id);
        isDrawerOpen.value = false;
      }}
    >
      {room.kind === 'direct' ? (
        <Avatar id={application?.id ?? ''} name={name} bot size={24} />
      ) : (
        <ChannelIcon channel={room} size={20} />
      )}
      <span class="cut">{name}</span>
      {room.thread?.isPrivate && <span class="unseen">private thread</span>}
      {room.ageRestricted && <small class="room-mark">18+</small>}
      {!room.maySend && <Icon name="lock" size={14} />}
      {isNew && <span class="unseen">new messages</span>}
    </button>
  );
}

export function ChannelIcon({ channel: { kind, ageRestricted, thread }, size }: { channel: Channel; size: number }) {
  const names: Readonly<Record<Channel['kind'], IconName>> = {
    text: 'hash',
    thread: 'thread',
    voice: 'sound',
    direct: 'at',
    group: 'people',
  };
  if (thread?.isPrivate) return <Icon name="private-thread" size={size} />;
  return <Icon name={ageRestricted ? 'alert' : names[kind]} size={size} />;
}
