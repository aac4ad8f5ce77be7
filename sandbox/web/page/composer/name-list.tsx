import { useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { Avatar } from '../shell/avatar.tsx';
import { useScrollToSelected } from '../shell/scroll-to-selected.ts';
import { world } from '../state/world.ts';
import { text } from './draft.ts';
import { completeName, matchingNames, nameBeforeCaret } from './mentions.ts';

/** Offers the names of members and the bot while one is typed after an @. */
export function useNames(field: RefObject<HTMLTextAreaElement | null>) {
  /** The text and the caret after the latest input; undefined once the caret has left the name. */
  const input = useSignal<{ text: string; caret: number } | undefined>(undefined);
  const active = useSignal(0);
  const { caret = 0 } = input.value ?? {};
  const isTyping = input.value?.text === text.value && !text.value.startsWith('/');
  const typed = isTyping ? nameBeforeCaret(text.value, caret) : undefined;
  const names = typed === undefined ? [] : matchingNames(typed);
  const leave = (): void => {
    input.value = undefined;
  };
  const take = (at: number): void => {
    const { name } = names[at] ?? {};
    if (name === undefined || !field.current) return;
    const completed = completeName(text.value, caret, name);
    // Set at once, because the caret can only be placed in the new text.
    field.current.value = completed.text;
    field.current.setSelectionRange(completed.caret, completed.caret);
    text.value = completed.text;
    leave();
  };
  return {
    names,
    active: active.value,
    take,
    leave,
    point: (at: number) => (active.value = at),
    follow({ value, selectionStart }: HTMLTextAreaElement) {
      input.value = { text: value, caret: selectionStart };
      active.value = 0;
    },
    /** Returns whether the list has used the key. */
    press({ key, shiftKey }: KeyboardEvent): boolean {
      if (names.length === 0) return false;
      const last = names.length - 1;
      if (key === 'ArrowDown') active.value = active.value >= last ? 0 : active.value + 1;
      else if (key === 'ArrowUp') active.value = active.value <= 0 ? last : active.value - 1;
      else if ((key === 'Enter' && !shiftKey) || key === 'Tab') take(active.value);
      else if (key === 'Escape') leave();
      else {
        if (CARET_KEYS.has(key)) leave();
        return false;
      }
      return true;
    },
  };
}

const CARET_KEYS: ReadonlySet<string> = new Set(['ArrowLeft', 'ArrowRight', 'Home', 'End']);

export function NameList({ names, active, take, point }: ReturnType<typeof useNames>) {
  const list = useScrollToSelected<HTMLDivElement>(active);
  return (
    <div class="panel">
      <p class="panel-title">Mention</p>
      <div id="names" ref={list} class="panel-list" role="listbox" aria-label="Members and apps">
        {names.map(({ id, name }, index) => (
          <div
            key={id}
            id={`names-${index}`}
            class="panel-entry"
            role="option"
            tabIndex={-1}
            aria-selected={index === active}
            onMouseDown={(event) => event.preventDefault()}
            onMouseMove={() => index !== active && point(index)}
            onClick={() => take(index)}
          >
            <span class="entry-name">
              <Avatar id={id} name={name} size={24} bot={id === world.value?.application.id} />
              {name}
            </span>
          </div>
        ))}
      </div>
    </div>
  );
}
