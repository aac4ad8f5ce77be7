import { useComputed, useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Channel } from '../../protocol.ts';
import { bytesText } from '../markdown/time.ts';
import { Icon } from '../shell/icons.tsx';
import { isNarrow } from '../state/appearance.ts';
import { channel, world } from '../state/world.ts';
import { type Leaf, matchingLeaves } from './commands.ts';
import {
  addFiles,
  discardTarget,
  files,
  focusTarget,
  leaves,
  startCommand,
  TEXT_FIELD,
  text,
  textTarget,
} from './draft.ts';
import { onPaste } from './file-drop.ts';
import { NameList, useNames } from './name-list.tsx';
import { Palette } from './palette.tsx';
import { sendText } from './send.ts';
import { TargetBar } from './target-bar.tsx';

export function TextRow() {
  const field = useRef<HTMLTextAreaElement>(null);
  const active = useSignal(0);
  const closed = useSignal(false);
  const nameList = useNames(field);
  const target = textTarget.value;
  const isEdit = target?.how === 'edit';
  const found = useComputed(() => (/^\/[^\n]*$/.test(text.value) ? matchingLeaves(leaves.value, text.value) : []));
  const isOpen = !closed.value && text.value.startsWith('/') && !text.value.includes('\n');
  const maySend = channel.value?.maySend ?? false;
  const label = labelOf(channel.value);
  useLayoutEffect(() => {
    if (focusTarget.value !== TEXT_FIELD) return;
    focusTarget.value = undefined;
    field.current?.focus();
  }, [focusTarget.value]);
  const take = (leaf: Leaf | undefined) => leaf && startCommand(leaf);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.isComposing) return;
    if (nameList.press(event)) return event.preventDefault();
    const last = found.value.length - 1;
    if (isOpen && event.key === 'ArrowDown') active.value = active.value >= last ? 0 : active.value + 1;
    else if (isOpen && event.key === 'ArrowUp') active.value = active.value <= 0 ? Math.max(0, last) : active.value - 1;
    else if (isOpen && event.key === 'Escape') closed.value = true;
    else if (isOpen && last >= 0 && (event.key === 'Enter' || event.key === 'Tab')) take(found.value[active.value]);
    else if (target && event.key === 'Escape') discardTarget();
    else if (event.key === 'Enter' && !event.shiftKey) void sendText();
    else return;
    event.preventDefault();
  };
  const activeCommand = isOpen && found.value.length > 0 ? `palette-${active.value}` : undefined;
  const activeEntry = nameList.names.length > 0 ? `names-${nameList.active}` : activeCommand;
  return (
    <>
      {isOpen && (
        <Palette leaves={found.value} active={active.value} onPick={take} onPoint={(at) => (active.value = at)} />
      )}
      {nameList.names.length > 0 && <NameList {...nameList} />}
      <div class="composer">
        {target && <TargetBar target={target} />}
        {files.value.length > 0 && !isEdit && <Tray />}
        <div class="composer-line">
          {maySend && !isEdit && (
            <label class="icon-button" title="Attach a file">
              <Icon name="plus" />
              <input
                type="file"
                class="unseen"
                multiple
                aria-label="Attach a file"
                onChange={({ currentTarget }) => {
                  addFiles([...(currentTarget.files ?? [])]);
                  currentTarget.value = '';
                }}
              />
            </label>
          )}
          <textarea
            ref={field}
            id="composer"
            rows={1}
            value={text.value}
            placeholder={isNarrow.value || !maySend ? label : `${label}, or type / for commands`}
            aria-label={label}
            aria-haspopup="listbox"
            aria-controls={isOpen ? 'palette' : nameList.names.length > 0 ? 'names' : undefined}
            aria-autocomplete="list"
            aria-activedescendant={activeEntry}
            onInput={({ currentTarget }) => {
              text.value = currentTarget.value;
              nameList.follow(currentTarget);
              active.value = 0;
              closed.value = false;
              const leaf = /^\/.* $/.test(text.value) && leaves.value.find(({ path }) => `/${path} ` === text.value);
              if (leaf) startCommand(leaf);
            }}
            onKeyDown={onKeyDown}
            onClick={nameList.leave}
            onPaste={onPaste}
          />
          <button
            type="button"
            class="icon-button"
            aria-label="Commands"
            title="Commands"
            onClick={() => {
              text.value = '/';
              closed.value = false;
              field.current?.focus();
            }}
          >
            <Icon name="apps" />
          </button>
        </div>
      </div>
    </>
  );
}

function labelOf(here: Channel | undefined): string {
  if (here?.maySend === false) return 'You can only use commands here';
  if (here?.kind === 'direct') return `Message @${world.value?.application.name}`;
  return `Message ${here?.kind === 'group' ? '' : '#'}${here?.name ?? ''}`;
}

function Tray() {
  return (
    <ul class="tray" aria-label="Files to send">
      {files.value.map((file) => (
        <li key={file.name}>
          <Icon name="file" />
          <span class="cut">{file.name}</span>
          <small>{bytesText(file.size)}</small>
          <button
            type="button"
            class="icon-button"
            aria-label={`Remove ${file.name}`}
            onClick={() => (files.value = files.value.filter((one) => one !== file))}
          >
            <Icon name="close" size={16} />
          </button>
        </li>
      ))}
    </ul>
  );
}
