import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { acceptOf, OptionType } from '../discord-api.ts';
import { Icon } from '../shell/icons.tsx';
import type { Option } from './commands.ts';
import {
  focusedOption,
  focusTarget,
  hideOption,
  neighbourOf,
  optionValues,
  setOptionValue,
  validationErrors,
} from './draft.ts';
import { onPaste } from './file-drop.ts';
import { isCurrent, pickChoice } from './option-panel.tsx';
import { acceptsOnlyListed, displayText, isNumeric } from './option-value.ts';
import { sendCommand } from './send.ts';
import { activeIndex, suggestions } from './suggestions.ts';

export function OptionPill({ option }: { option: Option }) {
  const { name, required, type } = option;
  const fault = validationErrors.value.get(name);
  const state = `${isCurrent(option) ? ' current' : ''}${fault === undefined ? '' : ' faulty'}`;
  return (
    <div class={`pill${state}`}>
      <label class="pill-name" for={`option-${name}`}>
        {name}
        {required && <span class="unseen"> (required)</span>}
      </label>
      {type === OptionType.attachment ? <FileValue option={option} /> : <TextValue option={option} />}
      {!required && (
        <button
          type="button"
          class="pill-remove"
          aria-label={`Remove ${name}`}
          tabIndex={-1}
          onClick={() => hideOption(name)}
        >
          <Icon name="close" size={14} />
        </button>
      )}
    </div>
  );
}

/** Focuses the field when `focusTarget` names it. */
function useFocusTarget<T extends HTMLElement>(name: string): RefObject<T | null> {
  const field = useRef<T>(null);
  useLayoutEffect(() => {
    if (focusTarget.value !== name) return;
    focusTarget.value = undefined;
    field.current?.focus();
  }, [focusTarget.value, name]);
  return field;
}

/** The common part of an input and a textarea. */
interface TextField {
  readonly value: string;
  select(): void;
}

function TextValue({ option }: { option: Option }) {
  const { name } = option;
  const field = useFocusTarget<HTMLElement>(name);
  const value = optionValues.value.get(name);
  const list = isCurrent(option) ? suggestions.value : undefined;
  const isList = option.autocomplete === true || acceptsOnlyListed(option);
  const highlighted = list?.choices[activeIndex.value];
  const canPick = highlighted !== undefined && value?.kind !== 'choice' && list?.state === 'ready';
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.isComposing) return;
    const { selectionStart, selectionEnd, value: typed } = event.currentTarget as HTMLTextAreaElement;
    const isAtStart = selectionStart === 0 && selectionEnd === 0;
    const count = list?.choices.length ?? 0;
    const before = neighbourOf(name, -1);
    const after = neighbourOf(name, 1);
    if (count > 0 && event.key === 'ArrowDown') activeIndex.value = (activeIndex.value + 1) % count;
    else if (count > 0 && event.key === 'ArrowUp') activeIndex.value = (activeIndex.value - 1 + count) % count;
    else if (event.key === 'Enter' && !event.shiftKey && canPick) pickChoice(option, highlighted);
    else if (event.key === 'Enter' && !event.shiftKey) void sendCommand();
    else if (event.key === 'Tab' && !event.shiftKey && canPick && typed !== '') {
      setOptionValue(name, { kind: 'choice', choice: highlighted });
      return;
    } else if (event.key === 'Backspace' && typed === '' && !option.required) hideOption(name);
    else if (event.key === 'ArrowLeft' && isAtStart && before !== undefined) focusTarget.value = before;
    else if (event.key === 'ArrowRight' && selectionStart === typed.length && after !== undefined)
      focusTarget.value = after;
    else return;
    event.preventDefault();
  };
  const shared = {
    ref: (element: HTMLElement | null) => {
      field.current = element;
    },
    id: `option-${name}`,
    value: displayText(value),
    inputMode: isNumeric(option) ? 'decimal' : 'text',
    autoComplete: 'off',
    'aria-required': option.required ?? false,
    'aria-invalid': validationErrors.value.has(name),
    'aria-describedby': isCurrent(option) ? 'option-words' : undefined,
    onFocus: ({ currentTarget }: { currentTarget: TextField }) => {
      focusedOption.value = name;
      if (value?.kind === 'choice') currentTarget.select();
    },
    onInput: ({ currentTarget }: { currentTarget: TextField }) =>
      setOptionValue(name, { kind: 'text', text: currentTarget.value }),
    onKeyDown,
    onPaste,
  } as const;
  if (!isList) return <textarea {...shared} rows={1} placeholder={isNumeric(option) ? '0' : ''} />;
  return (
    <input
      {...shared}
      type="text"
      placeholder="Choose"
      role="combobox"
      aria-autocomplete="list"
      aria-expanded={list !== undefined}
      aria-controls="suggestions"
      aria-activedescendant={highlighted ? `suggestion-${activeIndex.value}` : undefined}
    />
  );
}

function FileValue({ option }: { option: Option }) {
  const { name, file_types: types } = option;
  const field = useFocusTarget<HTMLInputElement>(name);
  const value = optionValues.value.get(name);
  const accept = acceptOf(types);
  return (
    <label class="pill-file">
      <Icon name="file" size={16} />
      <span class="cut">{value?.kind === 'file' ? value.file.name : 'Choose, paste or drop a file'}</span>
      <input
        ref={field}
        id={`option-${name}`}
        type="file"
        class="unseen"
        {...(accept !== undefined && { accept })}
        aria-invalid={validationErrors.value.has(name)}
        onFocus={() => (focusedOption.value = name)}
        onPaste={onPaste}
        onChange={({ currentTarget }) => {
          const [file] = currentTarget.files ?? [];
          if (file) setOptionValue(name, { kind: 'file', file });
        }}
      />
    </label>
  );
}
