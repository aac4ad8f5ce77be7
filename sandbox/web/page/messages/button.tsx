import type { Component } from '../discord-api.ts';
import { Emoji } from '../markdown/emoji.tsx';
import { Dots } from '../shell/dots.tsx';
import { Icon } from '../shell/icons.tsx';
import { clickButton, controlKey, waitingControls } from '../state/actions.ts';

const LOOKS: Readonly<Record<number, string>> = {
  1: 'primary',
  2: 'secondary',
  3: 'success',
  4: 'danger',
  5: 'secondary',
};
const LINK = 5;

export function Button({ component, message }: { component: Component; message: string }) {
  const {
    style = 2,
    label,
    emoji,
    url = '',
    disabled,
    custom_id: id = '',
  } = component as Component & {
    style?: number;
    label?: string;
    emoji?: { name?: string };
    url?: string;
    disabled?: boolean;
    custom_id?: string;
  };
  const inner = (
    <>
      {emoji?.name !== undefined && <Emoji name={emoji.name} />}
      {label}
    </>
  );
  if (style === LINK)
    return (
      <a class="button secondary" href={url} target="_blank" rel="noreferrer">
        {inner} <Icon name="open" size={16} />
      </a>
    );
  const isWaiting = waitingControls.value.has(controlKey(message, id));
  return (
    <button
      type="button"
      class={`button ${LOOKS[style] ?? 'secondary'}${isWaiting ? ' waiting' : ''}`}
      disabled={disabled}
      aria-disabled={isWaiting}
      aria-busy={isWaiting}
      onClick={() => void clickButton(message, id)}
    >
      <span class="button-words">{inner}</span>
      {isWaiting && <Dots />}
    </button>
  );
}
