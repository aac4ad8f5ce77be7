import { useSignal } from '@preact/signals';
import { useEffect, useId, useRef } from 'preact/hooks';
import { type Component, ComponentKind, type SelectOption } from '../discord-api.ts';
import { Emoji } from '../markdown/emoji.tsx';
import { Icon } from '../shell/icons.tsx';
import { useScrollToSelected } from '../shell/scroll-to-selected.ts';
import { currentPlace, world } from '../state/world.ts';

interface Props {
  readonly select: Component;
  readonly busy?: boolean;
  readonly label?: string;
  readonly id?: string;
  readonly values?: readonly string[];
  readonly onChosen: (values: readonly string[]) => void;
}

/** A list that opens over the page. A single choice closes it; with several allowed, leaving it does. */
export function Select({ select, busy = false, label, id: given, values, onChosen }: Props) {
  const options = optionsOf(select);
  const {
    min_values: least = 1,
    max_values: most = 1,
    placeholder,
    disabled,
  } = select as Component & {
    min_values?: number;
    max_values?: number;
    placeholder?: string;
    disabled?: boolean;
  };
  const chosen = useSignal<readonly string[]>(values ?? options.filter((one) => one.default).map(({ value }) => value));
  const isOpen = useSignal(false);
  const active = useSignal(0);
  const position = useSignal<Record<string, string>>({});
  const button = useRef<HTMLButtonElement>(null);
  const generatedId = useId();
  const id = given ?? generatedId;
  const list = useScrollToSelected<HTMLDivElement>(active.value);
  const chosenLabels = options.filter(({ value }) => chosen.value.includes(value)).map((one) => one.label);

  const open = () => {
    isOpen.value = true;
    position.value = placeBeside(button.current);
  };
  const close = () => {
    if (!isOpen.value) return;
    isOpen.value = false;
    if (most > 1 && chosen.value.length >= least) onChosen(chosen.value);
  };
  useEffect(() => {
    if (!isOpen.value) return;
    // Focusing can scroll after the list has opened, so the list follows its button instead of closing.
    const scrolled = ({ target }: Event) => {
      if (target === list.current) return;
      if (isWithin(target, button.current)) position.value = placeBeside(button.current);
      else close();
    };
    document.addEventListener('scroll', scrolled, true);
    return () => document.removeEventListener('scroll', scrolled, true);
  }, [isOpen.value]);
  const pick = (option: SelectOption | undefined) => {
    if (!option) return;
    const has = chosen.value.includes(option.value);
    if (most === 1) {
      chosen.value = [option.value];
      isOpen.value = false;
      onChosen(chosen.value);
    } else if (has) chosen.value = chosen.value.filter((one) => one !== option.value);
    else if (chosen.value.length < most) chosen.value = [...chosen.value, option.value];
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const last = options.length - 1;
    if (event.key === 'Tab') return close();
    if (!isOpen.value) {
      if (!['ArrowDown', 'ArrowUp', 'Enter', ' '].includes(event.key)) return;
      open();
    } else if (event.key === 'ArrowDown') active.value = Math.min(active.value + 1, last);
    else if (event.key === 'ArrowUp') active.value = Math.max(active.value - 1, 0);
    else if (event.key === 'Home') active.value = 0;
    else if (event.key === 'End') active.value = last;
    else if (event.key === 'Escape') close();
    else if (event.key === 'Enter' || event.key === ' ') pick(options[active.value]);
    else active.value = startingWith(options, event.key) ?? active.value;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div class="select">
      <button
        ref={button}
        id={id}
        type="button"
        class="select-button"
        role="combobox"
        aria-haspopup="listbox"
        aria-expanded={isOpen.value}
        aria-controls={`${id}-list`}
        aria-label={label ?? placeholder ?? 'Choose'}
        aria-activedescendant={isOpen.value ? `${id}-${active.value}` : undefined}
        aria-busy={busy}
        disabled={disabled}
        onClick={() => (isOpen.value ? close() : open())}
        onKeyDown={onKeyDown}
        onBlur={close}
      >
        <span class={chosenLabels.length === 0 ? 'placeholder cut' : 'cut'}>
          {chosenLabels.join(', ') || placeholder || 'Make a selection'}
        </span>
        <Icon name="down" size={18} />
      </button>
      {isOpen.value && (
        <div
          id={`${id}-list`}
          ref={list}
          class="select-list"
          style={position.value}
          role="listbox"
          aria-label={label ?? placeholder ?? 'Choices'}
          aria-multiselectable={most > 1}
        >
          {options.map((option, index) => (
            <div
              key={option.value}
              id={`${id}-${index}`}
              class={index === active.value ? 'panel-entry active' : 'panel-entry'}
              role="option"
              tabIndex={-1}
              aria-selected={chosen.value.includes(option.value)}
              onMouseDown={(event) => event.preventDefault()}
              onMouseMove={() => (active.value = index)}
              onClick={() => pick(option)}
            >
              {option.emoji?.name && <Emoji name={option.emoji.name} />}
              <span class="select-words">
                {option.label}
                {option.description !== undefined && <small>{option.description}</small>}
              </span>
              {chosen.value.includes(option.value) && <Icon name="check" size={18} />}
            </div>
          ))}
        </div>
      )}
    </div>
  );
}

const MAX_HEIGHT_PX = 280;
const GAP_PX = 4;

/** Below the button, or above it if there is more space; the position is fixed so that no container clips it. */
function placeBeside(button: Element | null): Record<string, string> {
  if (!button) return {};
  const { left, top, bottom, width } = button.getBoundingClientRect();
  const below = innerHeight - bottom;
  const isAbove = below < MAX_HEIGHT_PX && top > below;
  const maxHeight = Math.min(MAX_HEIGHT_PX, (isAbove ? top : below) - 3 * GAP_PX);
  const side = isAbove ? { bottom: `${innerHeight - top + GAP_PX}px` } : { top: `${bottom + GAP_PX}px` };
  return { left: `${left}px`, width: `${width}px`, maxHeight: `${maxHeight}px`, ...side };
}

/** Whether part of the button is still visible in the scrolled element. */
function isWithin(scrolled: EventTarget | null, button: Element | null): boolean {
  if (!button) return false;
  const { top, bottom } = button.getBoundingClientRect();
  if (!(scrolled instanceof Element)) return bottom > 0 && top < innerHeight;
  const viewport = scrolled.getBoundingClientRect();
  return !scrolled.contains(button) || (bottom > viewport.top && top < viewport.bottom);
}

function startingWith(options: readonly SelectOption[], letter: string): number | undefined {
  const at = options.findIndex(({ label }) => label.toLowerCase().startsWith(letter.toLowerCase()));
  return at < 0 ? undefined : at;
}

function optionsOf({ type, options }: Component): readonly SelectOption[] {
  const { people = [] } = world.value ?? {};
  const channels = currentPlace.value?.guild?.channels ?? [];
  switch (type) {
    case ComponentKind.stringSelect:
      return (options ?? []) as readonly SelectOption[];
    case ComponentKind.userSelect:
    case ComponentKind.mentionableSelect:
      return people.map(({ id, name, blurb }) => ({ label: name, value: id, description: blurb }));
    case ComponentKind.channelSelect:
      return channels.map(({ id, name }) => ({ label: `#${name}`, value: id }));
    default:
      return [];
  }
}
