import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Person } from '../../protocol.ts';
import { announceText } from '../state/announce.ts';
import { switchTheme, theme } from '../state/appearance.ts';
import { switchUser, world } from '../state/world.ts';
import { Avatar } from './avatar.tsx';
import { Icon } from './icons.tsx';

const THEMES = { system: 'system', dark: 'dark', light: 'light' } as const;
const THEME_ICONS = { system: 'system', dark: 'moon', light: 'sun' } as const;

/** The current user, with a menu to switch users. */
export function Me() {
  const isOpen = useSignal(false);
  const box = useRef<HTMLDivElement>(null);
  const opener = useRef<HTMLButtonElement>(null);
  const { me, people = [] } = world.value ?? {};
  useLayoutEffect(() => {
    if (!isOpen.value) return;
    box.current?.querySelector<HTMLElement>('[aria-checked="true"]')?.focus();
    const outside = ({ target }: Event) => {
      if (!box.current?.parentElement?.contains(target as Node)) isOpen.value = false;
    };
    document.addEventListener('pointerdown', outside);
    return () => document.removeEventListener('pointerdown', outside);
  }, [isOpen.value]);
  const close = () => {
    isOpen.value = false;
    opener.current?.focus();
  };
  const choose = (person: Person) => {
    close();
    announceText(`You are now ${person.name}. ${person.blurb}`);
    switchUser(person);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const entries = [...(box.current?.querySelectorAll('button') ?? [])];
    const here = entries.indexOf(document.activeElement as HTMLButtonElement);
    if (event.key === 'Escape' || event.key === 'Tab') close();
    else if (event.key === 'ArrowDown') entries[(here + 1) % entries.length]?.focus();
    else if (event.key === 'ArrowUp') entries.at(here - 1)?.focus();
    else return;
    event.preventDefault();
  };
  if (!me) return null;
  return (
    <div class="me">
      {isOpen.value && (
        <div ref={box} class="people" role="menu" aria-label="Switch user" tabIndex={-1} onKeyDown={onKeyDown}>
          <p class="menu-title" role="presentation">
            Switch user
          </p>
          {people.map((person) => (
            <button
              key={person.id}
              type="button"
              role="menuitemradio"
              aria-checked={person.id === me.id}
              tabIndex={-1}
              onClick={() => choose(person)}
            >
              <Avatar id={person.id} name={person.name} size={32} />
              <span>
                <b data-role={person.role}>{person.name}</b>
                <small>{person.blurb}</small>
              </span>
              {person.id === me.id && <Icon name="check" size={18} />}
            </button>
          ))}
        </div>
      )}
      <button
        ref={opener}
        type="button"
        class="me-button"
        aria-haspopup="menu"
        aria-expanded={isOpen.value}
        onClick={() => (isOpen.value = !isOpen.value)}
      >
        <Avatar id={me.id} name={me.name} size={32} />
        <span>
          <b class="cut">{me.name}</b>
          <small class="cut">Switch user</small>
        </span>
      </button>
      <button
        type="button"
        class="icon-button"
        title={`Theme: ${THEMES[theme.value]}`}
        aria-label={`Change theme (now ${THEMES[theme.value]})`}
        onClick={switchTheme}
      >
        <Icon name={THEME_ICONS[theme.value]} />
      </button>
    </div>
  );
}
