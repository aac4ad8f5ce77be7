import { type Signal, useComputed } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { VisibleMessage } from '../../protocol.ts';
import { startEdit, startReply } from '../composer/draft.ts';
import { idsToNames } from '../composer/mentions.ts';
import { removeOwnMessage } from '../composer/send.ts';
import { CommandType } from '../discord-api.ts';
import { Icon } from '../shell/icons.tsx';
import { sendMenu } from '../state/actions.ts';
import { dismiss } from '../state/messages.ts';
import { channel, commands, currentUser, personOf } from '../state/world.ts';

type Point = { x: number; y: number } | undefined;

interface Entry {
  readonly name: string;
  readonly run: () => void;
}

/** The context menu of a message. It opens on a right click, a long press or the message's own button. */
export function MessageMenu({ message, at }: { message: VisibleMessage; at: Signal<Point> }) {
  const opener = useRef<HTMLButtonElement>(null);
  const apps = useComputed(() =>
    commands.value
      .filter(({ type }) => Number(type) === CommandType.message)
      .map(
        ({ name, name_localized: label = name }): Entry => ({
          name: label,
          run: () => void sendMenu(name, { message: message.id }),
        }),
      ),
  );
  const isOwn = personOf(message.author.id)?.role === currentUser.value;
  const texts: Entry[] = [
    ...(channel.value?.maySend === true && !message.ephemeral
      ? [{ name: 'Reply', run: () => startReply(message) }]
      : []),
    ...(isOwn ? [{ name: 'Edit message', run: () => startEdit(message, idsToNames(message.content)) }] : []),
  ];
  const others: Entry[] = [
    ...(message.content === ''
      ? []
      : [{ name: 'Copy text', run: () => void navigator.clipboard.writeText(message.content) }]),
    { name: 'Copy message ID', run: () => void navigator.clipboard.writeText(message.id) },
    ...(message.ephemeral ? [{ name: 'Dismiss message', run: () => dismiss(message.id) }] : []),
    ...(isOwn ? [{ name: 'Delete message', run: () => void removeOwnMessage(message.id) }] : []),
  ];
  return (
    <div class="message-tools">
      <button
        ref={opener}
        type="button"
        class="icon-button"
        aria-label="More"
        title="More"
        aria-haspopup="menu"
        aria-expanded={at.value !== undefined}
        onClick={({ currentTarget }) => {
          const { left, bottom } = currentTarget.getBoundingClientRect();
          at.value = at.value ? undefined : { x: left, y: bottom + 4 };
        }}
      >
        <Icon name="dots" />
      </button>
      {at.value && (
        <Menu
          point={at.value}
          texts={texts}
          apps={apps.value}
          others={others}
          onClose={() => {
            at.value = undefined;
            opener.current?.focus();
          }}
        />
      )}
    </div>
  );
}

interface MenuProps {
  readonly point: NonNullable<Point>;
  readonly texts: readonly Entry[];
  readonly apps: readonly Entry[];
  readonly others: readonly Entry[];
  readonly onClose: () => void;
}

function Menu({ point, texts, apps, others, onClose }: MenuProps) {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const menu = box.current;
    if (!menu) return;
    const { width, height } = menu.getBoundingClientRect();
    menu.style.left = `${Math.max(8, Math.min(point.x, innerWidth - width - 8))}px`;
    menu.style.top = `${Math.max(8, Math.min(point.y, innerHeight - height - 8))}px`;
    menu.querySelector('button')?.focus();
    const outside = ({ target }: Event) => !menu.contains(target as Node) && onClose();
    document.addEventListener('pointerdown', outside);
    return () => document.removeEventListener('pointerdown', outside);
  }, [point]);
  const onKeyDown = (event: KeyboardEvent) => {
    const entries = [...(box.current?.querySelectorAll('button') ?? [])];
    const here = entries.indexOf(document.activeElement as HTMLButtonElement);
    if (event.key === 'Escape' || event.key === 'Tab') onClose();
    else if (event.key === 'ArrowDown') entries[(here + 1) % entries.length]?.focus();
    else if (event.key === 'ArrowUp') entries.at(here <= 0 ? -1 : here - 1)?.focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const entry = ({ name, run }: Entry) => (
    <button
      key={name}
      type="button"
      role="menuitem"
      tabIndex={-1}
      onClick={() => {
        onClose();
        run();
      }}
    >
      {name}
    </button>
  );
  return (
    <div ref={box} class="menu" role="menu" aria-label="Message actions" tabIndex={-1} onKeyDown={onKeyDown}>
      {texts.map(entry)}
      {texts.length > 0 && <hr />}
      <div role="group" aria-label="Apps">
        <p class="menu-title" role="presentation">
          Apps
        </p>
        {apps.map(entry)}
        {apps.length === 0 && <p class="menu-none">No app offers a message command here</p>}
      </div>
      <hr />
      {others.map(entry)}
    </div>
  );
}
